package journal

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// UnitTag is the name of a backlog item in the brief and in a report: "[B3]" is the third item of the list, done ones
// counted, so that a tag names the same item for as long as nobody reorders the list (spec/decisions.md 24).
func UnitTag(index int) string { return "[B" + strconv.Itoa(index+1) + "]" }

// MatchUnit finds the open backlog item that a report's unit means: by its tag, else by its whole text, else by a prefix
// that is unique (spec/decisions.md 24). Case, spaces and Markdown emphasis do not count. Where ok is false nothing may be
// struck through, and why says in words what was in the way.
func MatchUnit(items []Item, unit string) (index int, ok bool, why string) {
	tag, text := cutTag(unit)
	text = plainUnit(text)
	switch {
	case tag == "" && text == "":
		return 0, false, "the report names no unit"
	case tag != "":
		return matchTag(items, tag, text)
	}
	struck, found, twin := false, -1, -1
	for i, it := range items {
		prefix, whole := begins(it.Text, text)
		switch {
		case whole && !it.Done:
			return i, true, ""
		case it.Done:
			struck = struck || whole
		case prefix && found < 0:
			found = i
		case prefix && twin < 0:
			twin = i
		}
	}
	switch {
	case struck:
		return 0, false, fmt.Sprintf("unit %q is struck through already", text)
	case twin >= 0:
		return 0, false, fmt.Sprintf("unit %q begins more than one backlog item (%s, %s)", text, UnitTag(found), UnitTag(twin))
	case found < 0:
		return 0, false, fmt.Sprintf("unit %q is not in the backlog", text)
	}
	return found, true, ""
}

// matchTag takes the numbered item, unless the words beside the number are another open item's: then neither is sure.
func matchTag(items []Item, tag, text string) (int, bool, string) {
	n, err := strconv.Atoi(tag)
	if err != nil || n < 1 || n > len(items) {
		return 0, false, fmt.Sprintf("the backlog has no item B%s", tag)
	}
	if items[n-1].Done {
		return 0, false, fmt.Sprintf("item B%s is struck through already", tag)
	}
	if text != "" && plainUnit(items[n-1].Text) != text {
		for i, it := range items {
			if !it.Done && i != n-1 && plainUnit(it.Text) == text {
				return 0, false, fmt.Sprintf("the report says B%s, but its words are those of B%d", tag, i+1)
			}
		}
	}
	return n - 1, true, ""
}

// cutTag splits "[B3] text", "B3: text" or "B3" into number and text.
func cutTag(unit string) (number, text string) {
	s := strings.TrimLeft(strings.TrimSpace(unit), "`*_ ")
	in, bracket := strings.CutPrefix(s, "[")
	if len(in) < 2 || in[0] != 'B' && in[0] != 'b' {
		return "", unit
	}
	end := 1
	for end < len(in) && in[end] >= '0' && in[end] <= '9' {
		end++
	}
	rest := in[end:]
	switch {
	case end == 1:
		return "", unit
	case bracket:
		if rest, bracket = strings.CutPrefix(rest, "]"); !bracket {
			return "", unit
		}
	case rest != "" && rest[0] != ':' && strings.Trim(rest, "`*_ ") != "":
		return "", unit // "B3 is broken" is a text
	}
	return in[1:end], strings.TrimLeft(rest, " \t:·—–-`*_")
}

// plainUnit makes two ways to write one unit equal.
func plainUnit(s string) string {
	s = strings.ToLower(strings.NewReplacer("`", "", "*", "").Replace(uncut(s)))
	return strings.TrimRight(strings.Join(strings.Fields(s), " "), " .")
}

// begins says whether plainUnit(item) begins with want, which went through plainUnit, and whether it is the whole of it. It
// makes no copies: a backlog may hold forty thousand items.
func begins(item, want string) (prefix, whole bool) {
	space, any := false, false
	for _, r := range uncut(item) {
		switch {
		case r == '`' || r == '*':
			continue
		case unicode.IsSpace(r):
			space = any
			continue
		}
		if space && want != "" {
			if want[0] != ' ' {
				return false, false
			}
			want = want[1:]
		}
		space, any = false, true
		next, size := utf8.DecodeRuneInString(want)
		switch {
		case want == "" && r != '.':
			return true, false
		case want == "":
		case next != unicode.ToLower(r):
			return false, false
		default:
			want = want[size:]
		}
	}
	return want == "", want == ""
}

// uncut drops the strike-through, and the mark of a text that was cut to size.
func uncut(s string) string {
	s = unstruck(s)
	if cut, ok := strings.CutSuffix(s, "…"); ok {
		return cut
	}
	return strings.TrimSuffix(s, "...")
}
