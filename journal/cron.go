package journal

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/netresearch/go-cron"
)

// cronDays bounds the search for a cron expression's next date: 29 February may be eight years away, on a Monday forty.
const cronDays = 41 * 366

// cronSpec is a parsed cron expression. The library's parser is used and its clock is not: that one runs a job at 02:30
// twice on the night when the hour comes twice, and loses the day check where a change skips midnight.
//
// anyHour and anyDay are true where the hour field, or one of the day fields, starts with "*" (or "?" for days).
type cronSpec struct {
	s               *cron.SpecSchedule
	anyHour, anyDay bool
}

// looksLikeCron tells five fields from prose, so that the error can say which of both went wrong.
func looksLikeCron(s string) bool {
	f := strings.Fields(s)
	if len(f) > 0 && (strings.HasPrefix(f[0], "CRON_TZ=") || strings.HasPrefix(f[0], "TZ=")) {
		f = f[1:]
	}
	return len(f) > 0 && (strings.ContainsAny(f[0][:1], "0123456789*") || strings.HasPrefix(f[0], "@"))
}

func parseCron(spec string) (cronSpec, error) {
	fields := strings.Fields(spec)
	if len(fields) > 0 && strings.Contains(fields[0], "=") {
		fields = fields[1:]
	}
	if len(fields) != 5 {
		return cronSpec{}, fmt.Errorf("%d cron fields, want five: minute hour day month weekday", len(fields))
	}
	// Both day fields given: either may match, as in every cron that people know.
	p, err := cron.TryNewParser(cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow | cron.DowOrDom)
	if err != nil {
		return cronSpec{}, fmt.Errorf("make cron parser: %w", err)
	}
	parsed, err := p.Parse(spec)
	if err != nil {
		return cronSpec{}, fmt.Errorf("read cron expression: %w", err)
	}
	s, ok := parsed.(*cron.SpecSchedule)
	if !ok {
		return cronSpec{}, errors.New("not a cron expression of five fields")
	}
	c := cronSpec{s: s, anyHour: fields[1][0] == '*', anyDay: strings.ContainsAny(fields[2][:1]+fields[4][:1], "*?")}
	if c.next(time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC), time.UTC).IsZero() {
		return cronSpec{}, errors.New("its date never comes")
	}
	return c, nil
}

// next is the first matching minute after a time; zero if there is none within cronDays.
func (c cronSpec) next(after time.Time, loc *time.Location) time.Time {
	zone := loc
	if c.s.Location != time.Local {
		zone = c.s.Location
	}
	date := firstDate(after, zone)
	for range cronDays {
		if c.hasDate(date) {
			if t := c.onDate(date, after, zone); !t.IsZero() {
				return t.In(loc)
			}
		}
		date = date.AddDate(0, 0, 1)
	}
	return time.Time{}
}

func (c cronSpec) hasDate(d time.Time) bool {
	if c.s.Month&(1<<uint(d.Month())) == 0 {
		return false
	}
	day, week := c.s.Dom&(1<<uint(d.Day())) != 0, c.s.Dow&(1<<uint(d.Weekday())) != 0
	if c.anyDay {
		return day && week
	}
	return day || week
}

// onDate is the first matching moment of a date that lies after a time, zero if there is none.
func (c cronSpec) onDate(date, after time.Time, zone *time.Location) time.Time {
	if c.anyHour {
		end := wallTime(date.AddDate(0, 0, 1), 0, 0, zone)
		for t := wallTime(date, 0, 0, zone); t.Before(end); t = t.Add(time.Minute) {
			if t.After(after) && c.hasHour(t.Hour()) && c.hasMinute(t.Minute()) {
				return t
			}
		}
		return time.Time{}
	}
	for h := range 24 {
		for m := range 60 {
			if !c.hasHour(h) || !c.hasMinute(m) {
				continue
			}
			if t := wallTime(date, h, m, zone); t.After(after) {
				return t
			}
		}
	}
	return time.Time{}
}

func (c cronSpec) hasHour(h int) bool   { return c.s.Hour&(1<<uint(h)) != 0 }
func (c cronSpec) hasMinute(m int) bool { return c.s.Minute&(1<<uint(m)) != 0 }
