package journal

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// everyMax bounds "every": more than a year is a slip of the pen.
const everyMax = 366 * 24 * time.Hour

// cadenceForms is what an error about a cadence says.
const cadenceForms = "on-demand, auto, every 30m, every 2 hours, daily HH:MM, or five cron fields"

// everyUnits are the units that "every" takes beside those of time.ParseDuration.
var everyUnits = map[string]time.Duration{
	"s": time.Second, "sec": time.Second, "second": time.Second, "seconds": time.Second,
	"m": time.Minute, "min": time.Minute, "mins": time.Minute, "minute": time.Minute, "minutes": time.Minute,
	"h": time.Hour, "hr": time.Hour, "hour": time.Hour, "hours": time.Hour,
	"d": 24 * time.Hour, "day": 24 * time.Hour, "days": 24 * time.Hour,
}

// ParseCadence reads a cadence (spec/iteration.md, "Pace"): on-demand, auto, "every 30m", "every 2 hours", "daily HH:MM",
// or five cron fields, with "CRON_TZ=Zone" before them where the zone is not the machine's. Back-ticks around it are
// allowed. Anything else is an error that says what would do.
func ParseCadence(text string) (Cadence, error) {
	s := strings.Join(strings.Fields(strings.Trim(strings.TrimSpace(text), "`")), " ")
	c := Cadence{Text: s}
	word, rest, _ := strings.Cut(s, " ")
	switch strings.ToLower(word) {
	case "":
		return Cadence{}, fmt.Errorf("no cadence, want %s", cadenceForms)
	case "on-demand", "auto":
		if rest != "" {
			return Cadence{}, fmt.Errorf("cadence %q: words behind %q", s, word)
		}
		c.Kind = CadenceKind(strings.ToLower(word))
		return c, nil
	case "every":
		d, err := parseEvery(rest)
		if err != nil {
			return Cadence{}, fmt.Errorf("cadence %q: %w", s, err)
		}
		c.Kind, c.Every = Every, d
		return c, nil
	case "daily":
		h, m, err := parseClock(rest)
		if err != nil {
			return Cadence{}, fmt.Errorf("cadence %q: %w", s, err)
		}
		c.Kind, c.Hour, c.Minute = Daily, h, m
		return c, nil
	}
	if !looksLikeCron(s) {
		return Cadence{}, fmt.Errorf("cadence %q is not known, want %s", s, cadenceForms)
	}
	if _, err := parseCron(s); err != nil {
		return Cadence{}, fmt.Errorf("cadence %q: %w", s, err)
	}
	c.Kind, c.Spec = Cron, s
	return c, nil
}

func parseEvery(s string) (time.Duration, error) {
	d, err := time.ParseDuration(strings.ReplaceAll(s, " ", ""))
	if err != nil {
		digits := s[:len(s)-len(strings.TrimLeft(s, "0123456789."))]
		n, numErr := strconv.ParseFloat(digits, 64)
		unit, ok := everyUnits[strings.ToLower(strings.TrimSpace(s[len(digits):]))]
		if numErr != nil || !ok || n > float64(everyMax)/float64(unit) {
			return 0, errors.New("want a time such as 30m, 90 minutes or 2 hours behind every")
		}
		d = time.Duration(n * float64(unit))
	}
	if d < time.Second || d > everyMax {
		return 0, errors.New("want between one second and a year")
	}
	return d, nil
}

func parseClock(s string) (hour, minute int, err error) {
	h, m, ok := strings.Cut(s, ":")
	hour, errH := strconv.Atoi(h)
	minute, errM := strconv.Atoi(m)
	if !ok || errH != nil || errM != nil || len(h) > 2 || len(m) != 2 || hour < 0 || hour > 23 || minute < 0 || minute > 59 ||
		strings.ContainsAny(s, "+-") {
		return 0, 0, errors.New("want a time of day from 00:00 to 23:59 behind daily")
	}
	return hour, minute, nil
}

// Next is the first start after a time that the cadence asks for, in loc; the zero time where it asks for none of its own
// (on-demand, auto). It is pure. Every counts real time, whatever the clocks on the wall do.
//
// Daily comes exactly once for each date of loc: where the time of day is skipped by a clock change, at the moment of the
// change; where it comes twice, at the first. The same holds for cron expressions whose hours are given; one whose hour
// field starts with "*" follows real time instead, so it neither doubles back nor waits an hour.
//
// A nil loc means the location of after. After a run, pass a real zone: one read back from RFC 3339 has only an offset.
func (c Cadence) Next(after time.Time, loc *time.Location) time.Time {
	if loc == nil {
		loc = after.Location()
	}
	switch c.Kind {
	case Every:
		return after.Add(c.Every).In(loc)
	case Daily:
		// From the day before: a skipped time of day may lie at the start of the next.
		for d := firstDate(after, loc); ; d = d.AddDate(0, 0, 1) {
			if t := wallTime(d, c.Hour, c.Minute, loc); t.After(after) {
				return t
			}
		}
	case Cron:
		s, err := parseCron(c.Spec)
		if err != nil {
			return time.Time{}
		}
		return s.next(after, loc)
	}
	return time.Time{}
}

// firstDate is the date before that of t in loc, as midnight UTC: dates are counted where no clock changes.
func firstDate(t time.Time, loc *time.Location) time.Time {
	y, m, d := t.In(loc).Date()
	return time.Date(y, m, d-1, 0, 0, 0, 0, time.UTC)
}

// wallTime is the moment at which clocks in loc show a time of day on a date: the first one where they show it twice, the
// moment of the change where they skip it.
func wallTime(date time.Time, hour, minute int, loc *time.Location) time.Time {
	y, m, d := date.Date()
	wall := time.Date(y, m, d, hour, minute, 0, 0, time.UTC)
	t := time.Date(y, m, d, hour, minute, 0, 0, loc)
	start, end := t.ZoneBounds()
	shown := time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), 0, 0, time.UTC)
	switch {
	case shown.After(wall): // skipped, read with the offset before the change
		return start.In(loc)
	case shown.Before(wall): // skipped, read with the offset after it
		return end.In(loc)
	}
	if !start.IsZero() {
		_, before := start.Add(-time.Second).Zone()
		if first := wall.Add(-time.Duration(before) * time.Second); first.Before(start) {
			return first.In(loc)
		}
	}
	return t
}
