// Package signs holds the rules that a loop earned by failing: how one is read, when one is admitted, how one is written.
//
// It knows lines of text and nothing else: no files, no journal, no agents. Source: seeds/loop-runner.txt, step 4: "Signs
// come only from observed failures — never add speculative ones".
package signs

import (
	"strconv"
	"strings"
	"time"
	"unicode"
)

// Sign is one rule with the failure that it would have prevented.
type Sign struct {
	Date      string // of the day on which it was written, 2006-01-02
	Rule      string
	Why       string // the cause that was observed
	Iteration int    // of the failure, from 1
}

// Parse reads the rules of a signs.md, one a line. Lines in the form of Render give all fields; any other bullet or line
// of text, as other tools and people write them, is a rule without date and cause. Headings, comments and blank lines are
// passed over.
func Parse(text string) []Sign {
	var out []Sign
	comment := false
	for l := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		l = strings.TrimSpace(l)
		switch {
		case comment || strings.HasPrefix(l, "<!--"):
			comment = !strings.Contains(l, "-->")
		case l == "" || l[0] == '#':
		default:
			if s, ok := parseLine(l); ok {
				out = append(out, s)
			}
		}
	}
	return out
}

func parseLine(l string) (Sign, bool) {
	if len(l) > 1 && strings.ContainsRune("-*+", rune(l[0])) && (l[1] == ' ' || l[1] == '\t') {
		l = strings.TrimSpace(l[1:])
	}
	s := Sign{Rule: l}
	if date, rest, ok := strings.Cut(l, "·"); ok {
		date = strings.TrimSpace(date)
		if _, err := time.Parse(time.DateOnly, date); err == nil {
			s.Date, s.Rule = date, strings.TrimSpace(rest)
		}
	}
	if rule, why, n, ok := cutCause(s.Rule); ok {
		s.Rule, s.Why, s.Iteration = rule, why, n
	}
	return s, normal(s.Rule) != ""
}

// cutCause takes "(why, it.N)" off the end of a rule; why may hold brackets of its own.
func cutCause(rule string) (head, why string, n int, ok bool) {
	body, closed := strings.CutSuffix(rule, ")")
	if !closed {
		return "", "", 0, false
	}
	open, depth := -1, 0
	for i := len(body) - 1; i >= 0 && open < 0; i-- {
		switch {
		case body[i] == ')':
			depth++
		case body[i] == '(' && depth > 0:
			depth--
		case body[i] == '(':
			open = i
		}
	}
	if open < 0 {
		return "", "", 0, false
	}
	i := strings.LastIndex(body[open:], "it.")
	if i < 0 {
		return "", "", 0, false
	}
	n, err := strconv.Atoi(body[open+i+len("it."):])
	if err != nil || n < 1 {
		return "", "", 0, false
	}
	return strings.TrimSpace(body[:open]), strings.TrimRight(body[open+1:open+i], " ,"), n, true
}

// Render gives the line of a sign, without line end: "- <date> · <rule> (<why>, it.<N>)".
func Render(s Sign) string {
	return "- " + s.Date + " · " + s.Rule + " (" + s.Why + ", it." + strconv.Itoa(s.Iteration) + ")"
}

// Append gives the line to add to a signs.md that holds text, without line end. ok is false where the same rule stands
// there already: it is not written twice.
func Append(text string, s Sign) (line string, ok bool) {
	want := normal(s.Rule)
	for _, old := range Parse(text) {
		if normal(old.Rule) == want {
			return "", false
		}
	}
	return Render(s), true
}

// normal makes two ways to write one rule equal: case, spaces, punctuation and back-ticks do not count.
func normal(rule string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(rule), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	}), " ")
}
