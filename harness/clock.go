package harness

import (
	"strconv"
	"strings"
	"time"
)

// zoneOffsets are the zone names that CLIs print beside IANA ones, in hours east. Names with two meanings are left out.
var zoneOffsets = map[string]float64{
	"utc": 0, "gmt": 0, "z": 0, "est": -5, "edt": -4, "cdt": -5, "mst": -7, "mdt": -6, "pst": -8, "pdt": -7,
	"wet": 0, "cet": 1, "cest": 2, "eet": 2, "eest": 3, "jst": 9, "kst": 9, "aest": 10, "aedt": 11,
}

// wall is a point of the calendar as prose gives it, before a year and a zone are chosen.
type wall struct {
	hour, minute, second int
	month                time.Month // 0: no date
	day, year            int        // year 0: not said
	weekday              int        // -1: not said
	tomorrow, today      bool
}

// parseClock reads "5:44am (UTC)", "3pm", "15:00", "Oct 9, 3pm", "Oct 9th, 2026 3:05 PM", "Mon at 9:00 AM (Europe/Berlin)",
// "tomorrow at 9am". The next such time after now is meant.
func parseClock(said string, now time.Time) (time.Time, bool) {
	words := strings.Fields(strings.ReplaceAll(said, ",", " "))
	w := wall{weekday: -1}
	i := w.takeDate(words)
	if i < len(words) && strings.EqualFold(words[i], "at") {
		i++
	}
	n, ok := w.takeTime(words[i:])
	if !ok {
		return time.Time{}, false
	}
	loc, ok := takeZone(words[i+n:], now.Location())
	if !ok {
		return time.Time{}, false
	}
	if unread(words[i+n:]) {
		return time.Time{}, false
	}
	return w.after(now.In(loc)), true
}

// unread says whether behind a clock stands what would move it and is not read there: a day ("9:04 AM tomorrow", "on
// Friday", "Dec 9"), or a zone that is not known ("GMT+8", "CST", "+0800").
func unread(words []string) bool {
	for i, word := range words {
		if i == 3 {
			break
		}
		bare := strings.Trim(word, "().,;")
		low := strings.ToLower(bare)
		switch {
		case low == "tomorrow",
			nameIndex(low, 7, func(i int) string { return time.Weekday(i).String() }) >= 0,
			i+1 < len(words) && digits(words[i+1]) > 0 && nameIndex(low, 12, func(i int) string { return time.Month(i + 1).String() }) >= 0:
			return true
		case i > 0:
		case len(bare) > 1 && (bare[0] == '+' || bare[0] == '-') && digits(bare[1:]) > 0:
			return true
		case len(bare) >= 2 && len(bare) <= 7 && strings.ToUpper(bare) == bare && strings.ToLower(bare) != bare:
			if _, known := zoneOffsets[low]; !known {
				return true
			}
		}
	}
	return false
}

// takeDate reads what stands before the clock and says how many words it took.
func (w *wall) takeDate(words []string) int {
	if len(words) == 0 {
		return 0
	}
	first := strings.ToLower(strings.TrimRight(words[0], "."))
	switch first {
	case "tomorrow":
		w.tomorrow = true
		return 1
	case "today":
		w.today = true
		return 1
	}
	if d := nameIndex(first, 7, func(i int) string { return time.Weekday(i).String() }); d >= 0 {
		w.weekday = d
		return 1 + w.takeMonth(words[1:])
	}
	return w.takeMonth(words)
}

// takeMonth reads "Oct 9", "October 9th 2026" or "9 Oct 2026".
func (w *wall) takeMonth(words []string) int {
	if len(words) < 2 {
		return 0
	}
	month, day := words[0], words[1]
	if digits(month) > 0 {
		month, day = day, month
	}
	m := nameIndex(strings.ToLower(strings.TrimRight(month, ".")), 12, func(i int) string { return time.Month(i + 1).String() })
	n := digits(day)
	if m < 0 || n == 0 || n > 2 {
		return 0
	}
	switch strings.ToLower(day[n:]) {
	case "", "st", "nd", "rd", "th":
	default:
		return 0
	}
	w.month = time.Month(m + 1)
	w.day, _ = strconv.Atoi(day[:n]) // one or two digits
	if len(words) > 2 && len(words[2]) == 4 && digits(words[2]) == 4 {
		w.year, _ = strconv.Atoi(words[2])
		return 3
	}
	return 2
}

// nameIndex finds a name by its first three letters or more.
func nameIndex(word string, n int, name func(int) string) int {
	for i := range n {
		if len(word) >= 3 && strings.HasPrefix(strings.ToLower(name(i)), word) {
			return i
		}
	}
	return -1
}

// takeTime reads "5:44am", "5:44 AM", "3pm", "15:00", "15:00:30". A bare hour is not a clock.
func (w *wall) takeTime(words []string) (int, bool) {
	if len(words) == 0 {
		return 0, false
	}
	text := strings.ToLower(strings.TrimRight(words[0], ".;)"))
	used, half := 1, ""
	for _, suffix := range []string{"am", "pm"} {
		if strings.HasSuffix(text, suffix) {
			text, half = strings.TrimSuffix(text, suffix), suffix
		}
	}
	if half == "" && len(words) > 1 {
		switch next := strings.ToLower(strings.ReplaceAll(strings.TrimRight(words[1], ".;)"), ".", "")); next {
		case "am", "pm":
			half, used = next, 2
		}
	}
	parts := strings.Split(text, ":")
	if len(parts) > 3 || (len(parts) == 1 && half == "") {
		return 0, false
	}
	var v [3]int
	for i, part := range parts {
		if digits(part) != len(part) || len(part) == 0 || len(part) > 2 || (i > 0 && len(part) != 2) {
			return 0, false
		}
		v[i], _ = strconv.Atoi(part) // one or two digits
	}
	w.hour, w.minute, w.second = v[0], v[1], v[2]
	if half != "" {
		if w.hour < 1 || w.hour > 12 {
			return 0, false
		}
		w.hour %= 12
		if half == "pm" {
			w.hour += 12
		}
	}
	return used, w.hour < 24 && w.minute < 60 && w.second < 60
}

// takeZone reads the zone behind a clock: "(UTC)", "(Europe/Berlin)", "UTC". None is local; one in brackets that is not
// known makes the whole time unknown, because a wrong zone is hours of waiting or of useless attempts.
func takeZone(words []string, local *time.Location) (*time.Location, bool) {
	if len(words) == 0 {
		return local, true
	}
	word := words[0]
	bracket := strings.HasPrefix(word, "(")
	word = strings.Trim(word, "().;")
	if off, ok := zoneOffsets[strings.ToLower(word)]; ok {
		return time.FixedZone(strings.ToUpper(word), int(off*3600)), true
	}
	if !bracket && !strings.Contains(word, "/") {
		return local, true
	}
	loc, err := time.LoadLocation(word)
	if err != nil || word == "" || strings.EqualFold(word, "local") {
		return nil, false
	}
	return loc, true
}

// after is the first instant at or after now at which the wall reading has surely come.
func (w wall) after(now time.Time) time.Time {
	year, month, day := now.Date()
	switch {
	case w.month != 0 && w.year != 0:
		return w.on(w.year, w.month, w.day, now.Location())
	case w.month != 0:
		if t := w.on(year, w.month, w.day, now.Location()); !t.Before(now.Add(-stale)) {
			return t
		}
		return w.on(year+1, w.month, w.day, now.Location())
	case w.today:
		return w.on(year, month, day, now.Location())
	case w.tomorrow:
		return w.on(year, month, day+1, now.Location())
	}
	for d := 0; ; d++ {
		t := w.on(year, month, day+d, now.Location())
		if w.weekday >= 0 && int(time.Date(year, month, day+d, 12, 0, 0, 0, now.Location()).Weekday()) != w.weekday {
			continue
		}
		if t.After(now.Add(-stale)) { // one that has just passed is meant, not the next day's
			return t
		}
	}
}

// on is the end of the minute that the wall shows on that day. A reading that the clock shows twice (end of summer time)
// is the later one, and one that it jumps over is the first instant behind the gap: never before the reset.
func (w wall) on(year int, month time.Month, day int, loc *time.Location) time.Time {
	t := time.Date(year, month, day, w.hour, w.minute, w.second, 0, loc)
	meant := time.Date(year, month, day, w.hour, w.minute, w.second, 0, time.UTC)
	if shown := reading(t); shown.Before(meant) {
		t = t.Add(meant.Sub(shown))
	}
	for _, turned := range []time.Duration{30 * time.Minute, time.Hour} { // half an hour on Lord Howe Island
		if later := t.Add(turned); reading(later).Equal(reading(t)) {
			t = later
		}
	}
	return t.Add(time.Minute)
}

// reading is what a clock shows at t, as if it hung in Greenwich, so that two readings can be compared.
func reading(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), time.UTC)
}
