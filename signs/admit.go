package signs

import (
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// The room of a sign's texts, in characters. All signs stand in every brief.
const (
	ruleRoom = 240
	whyRoom  = 120
)

// The reasons for which a proposed rule is dropped.
var (
	ErrNoFailure   = errors.New("no failure was observed")
	ErrEmpty       = errors.New("the rule is empty")
	ErrPlaceholder = errors.New("the rule is a placeholder")
	ErrTooLong     = fmt.Errorf("the rule is longer than %d characters", ruleRoom)
	ErrNotOneLine  = errors.New("the rule is not one line of text")
)

// Admit says whether a proposed rule becomes a sign, and gives it in the form that is written. A rule is admitted only
// with an observed failure: the number of its iteration and a cause that can be named. Rules that are empty, too long, on
// several lines or placeholders are refused with one of the Err values; a cause is cut to one line instead, it is loopd's
// own text.
func Admit(s Sign) (Sign, error) {
	s.Why = oneLine(s.Why, whyRoom)
	if !balanced(s.Why) {
		s.Why = strings.NewReplacer("(", "[", ")", "]").Replace(s.Why) // the reader finds the rule's end by its bracket
	}
	if s.Iteration < 1 || s.Why == "" {
		return Sign{}, ErrNoFailure
	}
	if _, err := time.Parse(time.DateOnly, s.Date); err != nil {
		return Sign{}, fmt.Errorf("admit sign: date %q is not a day", s.Date)
	}
	rule := strings.TrimSpace(s.Rule)
	if !utf8.ValidString(rule) || strings.ContainsFunc(rule, breaks) || strings.Contains(rule, "<!--") {
		return Sign{}, ErrNotOneLine
	}
	if bullet, ok := strings.CutPrefix(rule, "- "); ok {
		rule = strings.TrimSpace(bullet)
	}
	rule = strings.Join(strings.Fields(rule), " ")
	if rule == "" {
		return Sign{}, ErrEmpty
	}
	if placeholder(rule) {
		return Sign{}, ErrPlaceholder
	}
	if utf8.RuneCountInString(rule) > ruleRoom {
		return Sign{}, ErrTooLong
	}
	s.Rule = rule
	return s, nil
}

// breaks: characters that end a line somewhere, or that a terminal or a reader would act upon.
func breaks(r rune) bool {
	return unicode.IsControl(r) && r != '\t' || r == '\u2028' || r == '\u2029' || unicode.Is(unicode.Cf, r) && r != '\u200d'
}

// placeholders are what an agent writes where it has no rule, after normal.
var placeholders = []string{"", "none", "n a", "na", "nil", "null", "no", "tbd", "todo", "unknown", "nothing", "not applicable", "no sign", "no new sign", "no rule",
	"rule", "a rule", "your rule", "your rule here", "the rule", "one rule", "sign", "only after an observed failure"}

func placeholder(rule string) bool {
	bare := strings.Trim(rule, "`*_ ")
	if strings.HasPrefix(bare, "<") && strings.HasSuffix(bare, ">") || strings.HasPrefix(bare, "{") && strings.HasSuffix(bare, "}") {
		return true
	}
	n := normal(bare)
	for _, p := range placeholders {
		if n == p {
			return true
		}
	}
	return false
}

func oneLine(s string, room int) string {
	s = strings.Join(strings.FieldsFunc(strings.ToValidUTF8(s, ""), func(r rune) bool { return unicode.IsSpace(r) || breaks(r) }), " ")
	s = strings.ReplaceAll(s, "<!--", "<!- -")
	if utf8.RuneCountInString(s) <= room {
		return s
	}
	return strings.TrimRight(string([]rune(s)[:room-1]), " ") + "…"
}

func balanced(s string) bool {
	depth := 0
	for _, r := range s {
		switch r {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth < 0 {
			return false
		}
	}
	return depth == 0
}
