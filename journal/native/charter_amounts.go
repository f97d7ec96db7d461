package native

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// amountForm is a number, alone, or with a unit, or with a remark in parentheses or behind a comma or a dash. A range, an
// exponent or a percent sign is none.
var amountForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^([0-9]+(?:[_,][0-9]{3})*(?:\.[0-9]+)?)\s*(\p{L}[\p{L} -]*)?\.?((?:\s*[,;]|\s+[-–—(]).*)?$`)
})

// unbound are words that take a limit back.
var unbound = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(unlimited|unbounded|infinite|no limit|without limit|no cap|or more|at least)\b|∞`)
})

// amount reads the number that a value begins with and the words that say in what. Digits in the remark outside of
// parentheses would be a second number: then ok is false, as it is where the words take the limit back.
func amount(value string) (n float64, unit []string, ok bool) {
	s := strings.Trim(strings.TrimSpace(value), "`*~")
	m := amountForm().FindStringSubmatch(s)
	if m == nil || unbound().MatchString(s) || strings.ContainsAny(note().ReplaceAllString(" "+m[3], ""), "0123456789") {
		return 0, nil, false
	}
	n, err := strconv.ParseFloat(strings.NewReplacer("_", "", ",", "").Replace(m[1]), 64)
	return n, strings.Fields(strings.ToLower(m[2])), err == nil
}

// manyfold are the words that multiply a count.
var manyfold = map[string]float64{"k": 1e3, "thousand": 1e3, "m": 1e6, "million": 1e6, "b": 1e9, "billion": 1e9}

// count reads a whole positive number, with k or M behind it, of one of the things named (in the singular).
func (r *charterReader) count(field string, b bullet, things ...string) int64 {
	if unsaid(b.value) {
		return 0
	}
	n, unit, ok := amount(b.value)
	if len(unit) > 0 && manyfold[unit[0]] > 0 {
		n *= manyfold[unit[0]]
		unit = unit[1:]
	}
	known := len(unit) == 0
	for _, t := range things {
		known = known || strings.TrimSuffix(unit[0], "s") == t
	}
	if !ok || !known || n < 1 || n != math.Trunc(n) || n > 1<<53 {
		r.defect("D9", field, b.at, b.value, "a whole number above 0", "")
		return 0
	}
	return int64(n)
}

// units of time; a bare number is minutes.
var units = map[string]time.Duration{"m": time.Minute, "min": time.Minute, "mins": time.Minute, "minute": time.Minute, "minutes": time.Minute,
	"s": time.Second, "sec": time.Second, "secs": time.Second, "second": time.Second, "seconds": time.Second,
	"h": time.Hour, "hr": time.Hour, "hrs": time.Hour, "hour": time.Hour, "hours": time.Hour, "d": 24 * time.Hour, "day": 24 * time.Hour, "days": 24 * time.Hour}

// longest is the longest time that a charter may name; more is a slip.
const longest = 10 * 366 * 24 * time.Hour

func (r *charterReader) minutes(field string, b bullet) time.Duration {
	if unsaid(b.value) {
		return 0
	}
	if d, err := time.ParseDuration(strings.ReplaceAll(strings.Trim(b.value, "` "), " ", "")); err == nil && d > 0 && d <= longest {
		return d
	}
	n, words, ok := amount(b.value)
	unit := time.Minute
	if len(words) > 0 {
		unit = units[words[0]]
	}
	if !ok || unit == 0 || n*float64(unit) < float64(time.Second) || n*float64(unit) > float64(longest) {
		r.defect("D9", field, b.at, b.value, "a time above 0, in minutes where nothing else is said", "")
		return 0
	}
	return time.Duration(n * float64(unit))
}

// cost reads USD: "$5", "5", "5 USD". Another currency is no price that can be added up.
func (r *charterReader) cost(field string, b bullet) float64 {
	if unsaid(b.value) {
		return 0
	}
	s := strings.TrimSpace(b.value)
	for _, sign := range []string{"US$", "$", "USD "} {
		if rest, ok := strings.CutPrefix(s, sign); ok {
			s = strings.TrimSpace(rest)
			break
		}
	}
	n, unit, ok := amount(s)
	if len(unit) > 0 && unit[0] != "usd" && unit[0] != "dollar" && unit[0] != "dollars" {
		ok = false
	}
	if !ok || n <= 0 {
		r.defect("D9", field, b.at, b.value, "USD above 0, such as $5", "")
		return 0
	}
	return n
}

// review reads "400 changed lines, 6 files", or one of the two.
func (r *charterReader) review(b bullet) {
	if unsaid(b.value) {
		return
	}
	g := &r.charter.Budget
	g.ReviewLines, g.ReviewFiles = 0, 0
	bad := unbound().MatchString(b.value)
	for part := range strings.SplitSeq(strings.NewReplacer(" and ", ", ", ";", ",").Replace(note().ReplaceAllString(b.value, "")), ", ") {
		n, unit, ok := amount(strings.TrimSpace(part))
		words := strings.Join(unit, " ")
		switch {
		case !ok || n < 1 || n != math.Trunc(n) || n > 1<<31:
			bad = true
		case strings.Contains(words, "file") && g.ReviewFiles == 0:
			g.ReviewFiles = int(n)
		case strings.Contains(words, "line") && g.ReviewLines == 0:
			g.ReviewLines = int(n)
		default:
			bad = true
		}
	}
	if bad {
		g.ReviewLines, g.ReviewFiles = 0, 0
		r.defect("D9", "Budget Review budget", b.at, b.value, "N changed lines, M files", "")
	}
}

// numberWords are the small numbers that people write out.
var numberWords = map[string]int{"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "twelve": 12}

// cycles reads the number in a phrase such as "after 3 iterations without movement", "five clean cycles". A phrase without
// one is silent and takes the documented default; one with another number than a small whole one is a defect.
func (r *charterReader) cycles(rule, field string, b bullet, phrase string, silent int) int {
	for _, w := range strings.FieldsFunc(outsideCode(phrase), func(c rune) bool { return strings.ContainsRune(" \t=*_`()", c) }) {
		w = strings.ToLower(strings.Trim(w, ".,;:"))
		if n, ok := numberWords[w]; ok {
			return n
		}
		if !strings.ContainsAny(w, "0123456789") {
			continue
		}
		if n, err := strconv.Atoi(w); err == nil && n >= 1 && n <= 1000 {
			return n
		}
		r.defect(rule, field, b.at, b.value, "a whole number above 0", "")
		return silent
	}
	return silent
}
