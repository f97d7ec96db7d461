package harness

import (
	"strconv"
	"strings"
	"time"
)

// horizon is the farthest reset that is believed; the longest limits known are monthly.
const horizon = 35 * 24 * time.Hour

// stale is how long ago a reset may lie and still be an answer. An older one is a message that repeats itself; taking it
// would try again at once, for ever (openai/codex#39603, anthropics/claude-code#11429).
const stale = 2 * time.Minute

// resetAnchors introduce a reset time. They are tried in order; what follows must be the time itself.
var resetAnchors = []struct {
	word    string
	seconds bool // a bare number behind it is seconds
}{
	{"try again at", false}, {"try again in", false}, {"try again on", false}, {"try again after", false},
	{"resets at", false}, {"resets in", false}, {"resets on", false}, {"resets", false},
	{"reset at", false}, {"reset in", false}, {"reset on", false}, {"reset after", false},
	{"available again at", false}, {"available again in", false}, {"available at", false},
	{"limit reached|", false}, {"limit reached until", false},
	{"retry-after:", true}, {"retry-after", true}, {"retry after", true}, {"retry in", true},
}

// ParseReset finds in a limit message when the limit ends. now is the end of the run, its location the one in which
// times without a zone are read. It knows epoch seconds and milliseconds, ISO 8601, durations ("2h 15m", "2 days 17
// hours"), a clock ("5:44am (UTC)", "15:00"), and a clock behind a date or weekday ("Oct 9, 3pm"). The result lies up to
// a minute after the time that was said, because CLIs cut the seconds off ("5:44am" for 5:44:49). A time that it cannot
// read whole, a date without a clock, one that has passed and one that is too far away are unknown.
func ParseReset(said string, now time.Time) (time.Time, bool) {
	low := strings.ToLower(said)
	if len(low) != len(said) {
		return time.Time{}, false // lower case of another length: offsets would not match
	}
	for _, a := range resetAnchors {
		for at := 0; ; {
			i := strings.Index(low[at:], a.word)
			if i < 0 {
				break
			}
			at += i + len(a.word)
			if t, ok := parseWhen(said[at:], a.seconds, strings.HasSuffix(a.word, " in"), now); ok {
				return plausible(t, now)
			}
		}
	}
	return time.Time{}, false
}

// resetEpoch reads a reset time that came as a number: seconds, or milliseconds where it is that large.
func resetEpoch(n float64, now time.Time) (time.Time, bool) {
	switch {
	case n >= 1e11 && n < 1e14:
		return plausible(time.UnixMilli(int64(n)), now)
	case n >= 1e9 && n < 1e11:
		return plausible(time.Unix(int64(n), 0), now)
	}
	return time.Time{}, false
}

func plausible(t, now time.Time) (time.Time, bool) {
	if t.Before(now.Add(-stale)) || t.After(now.Add(horizon)) {
		return time.Time{}, false
	}
	return t.In(now.Location()), true
}

func parseWhen(said string, seconds, spanOnly bool, now time.Time) (time.Time, bool) {
	said = strings.TrimLeft(said, " \t\n·:=\"'")
	if len(said) > 80 {
		said = said[:80]
	}
	if t, ok := parseISO(said); ok {
		return t, true
	}
	if d, ok := parseSpan(said, seconds); ok {
		return now.Add(d), true
	}
	if n := digits(said); n >= 10 {
		v, err := strconv.ParseFloat(said[:n], 64)
		if err != nil {
			return time.Time{}, false
		}
		return resetEpoch(v, now)
	}
	if spanOnly {
		return time.Time{}, false // "in 4:59" is no clock, and no span that can be read for sure
	}
	return parseClock(said, now)
}

func digits(s string) int {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}

// isoLayouts are the forms of ISO 8601 that carry a zone; one without is not a time that can be trusted.
var isoLayouts = []string{time.RFC3339Nano, "2006-01-02 15:04:05 MST", "2006-01-02T15:04Z07:00", "2006-01-02 15:04 MST", "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05 -0700"}

func parseISO(said string) (time.Time, bool) {
	if digits(said) != 4 || len(said) < 16 || said[4] != '-' {
		return time.Time{}, false
	}
	words := strings.Fields(strings.NewReplacer("(", " ", ")", " ", ",", " ", "\"", " ").Replace(said))
	for n := min(3, len(words)); n > 0; n-- {
		text := strings.TrimRight(strings.Join(words[:n], " "), ".;")
		for _, layout := range isoLayouts {
			t, err := time.Parse(layout, text)
			if err != nil {
				continue
			}
			// time.Parse takes any three letters for a zone of offset 0.
			if name, off := t.Zone(); strings.Contains(layout, "MST") && off == 0 && name != "UTC" && name != "GMT" {
				return time.Time{}, false
			}
			return t, true
		}
	}
	return time.Time{}, false
}

// spanUnits are the units of a duration in prose.
var spanUnits = map[string]time.Duration{
	"ms": time.Millisecond, "s": time.Second, "sec": time.Second, "secs": time.Second, "second": time.Second, "seconds": time.Second,
	"m": time.Minute, "min": time.Minute, "mins": time.Minute, "minute": time.Minute, "minutes": time.Minute,
	"h": time.Hour, "hr": time.Hour, "hrs": time.Hour, "hour": time.Hour, "hours": time.Hour,
	"d": 24 * time.Hour, "day": 24 * time.Hour, "days": 24 * time.Hour, "week": 7 * 24 * time.Hour, "weeks": 7 * 24 * time.Hour,
}

// parseSpan reads "2h 15m", "5 days 22 hours 11 minutes", "1.5s"; with seconds also a bare "3600".
func parseSpan(said string, seconds bool) (time.Duration, bool) {
	rest := strings.ToLower(said)
	total, smallest, found := time.Duration(0), time.Duration(0), false
	for {
		trimmed := strings.TrimLeft(rest, " ,")
		trimmed = strings.TrimLeft(strings.TrimPrefix(trimmed, "and "), " ")
		n := 0
		for n < len(trimmed) && (trimmed[n] >= '0' && trimmed[n] <= '9' || trimmed[n] == '.' && n+1 < len(trimmed) && digits(trimmed[n+1:]) > 0) {
			n++
		}
		if n == 0 || n > 12 {
			break
		}
		value, err := strconv.ParseFloat(trimmed[:n], 64)
		if err != nil {
			break
		}
		word := strings.TrimLeft(trimmed[n:], " ")
		end := 0
		for end < len(word) && word[end] >= 'a' && word[end] <= 'z' {
			end++
		}
		unit, known := spanUnits[word[:end]]
		if !known {
			if seconds && !found && end == 0 && (word == "" || strings.ContainsRune(" ,;.\n\t)\"'", rune(word[0]))) && !clockFollows(word) {
				return bounded(value * float64(time.Second))
			}
			break
		}
		sum, ok := bounded(float64(total) + value*float64(unit))
		if !ok {
			return 0, false
		}
		total, smallest, found, rest = sum, unit, true, word[end:]
	}
	if found && smallest >= time.Minute {
		total += time.Minute
	}
	return total, found
}

func bounded(d float64) (time.Duration, bool) {
	if d < 0 || d > float64(2*horizon) {
		return 0, false
	}
	return time.Duration(d), true
}

// clockFollows says whether a number is an hour: "retry after 3 pm".
func clockFollows(rest string) bool {
	first, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
	first = strings.ToLower(strings.Trim(strings.ReplaceAll(first, ".", ""), ",;)"))
	return first == "am" || first == "pm"
}
