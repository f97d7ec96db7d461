package contract

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"loopd/journal"
)

// start is what a line, or a part of it, begins with. Offsets are into the line.
type start struct {
	indent  int    // columns, a tab goes to the next multiple of four
	list    bool   // a list mark comes first
	name    string // of the key, as written; "" where there is none
	field   string // the field of that name, "" for none
	bold    bool   // the name is bold
	nameAt  int
	valueAt int // behind the key, or where the text begins
}

// startOf reads the start of a line: blanks, list mark, check box, key.
func startOf(text string) start {
	var s start
	i := 0
	for ; i < len(text) && (text[i] == ' ' || text[i] == '\t'); i++ {
		s.indent++
		if text[i] == '\t' {
			s.indent = (s.indent + 3) / 4 * 4
		}
	}
	if n := listMark(text[i:]); n > 0 {
		s.list = true
		i += n
		for _, box := range []string{"[ ] ", "[x] ", "[X] "} {
			if strings.HasPrefix(text[i:], box) {
				i += len(box)
			}
		}
	}
	i += len(text[i:]) - len(strings.TrimLeft(text[i:], " \t"))
	s.nameAt, s.valueAt = i, i
	if name, end, bold := keyOf(text[i:]); name != "" {
		s.name, s.field, s.bold, s.valueAt = name, fieldOf(name), bold, i+end
	}
	return s
}

// listMark is the length of the list mark that s begins with, 0 for none.
func listMark(s string) int {
	n := 0
	if r, size := utf8.DecodeRuneInString(s); strings.ContainsRune("-*+•‣–", r) {
		n = size
	} else if d := digits(s); d > 0 && d < 4 && len(s) > d && (s[d] == '.' || s[d] == ')') {
		n = d + 1
	}
	if n == 0 || n < len(s) && s[n] != ' ' && s[n] != '\t' {
		return 0
	}
	return min(n+1, len(s))
}

// nameMax is how long a key may be, in bytes; more is a sentence.
const nameMax = 60

// emphasis are the marks that may stand around a key or a value.
const emphasis = "*_`~"

// keyOf takes the key from the start of a text: a few words before a colon, or any bold name of a field. A remark in
// parentheses is no part of it. end is behind the colon.
func keyOf(s string) (name string, end int, bold bool) {
	open := s[:len(s)-len(strings.TrimLeft(s, emphasis))]
	bold = strings.Contains(open, "**") || strings.Contains(open, "__")
	head := s[:min(len(s), nameMax+len(open))]
	colon := strings.IndexAny(head, ":：")
	if n := strings.Index(head[len(open):], open); bold && n > 0 && (colon < 0 || colon > len(open)+n) {
		inner, after := head[len(open):len(open)+n], strings.TrimLeft(s[2*len(open)+n:], " \t")
		if fieldOf(inner) != "" && !strings.HasPrefix(after, "(") {
			return inner, len(s) - len(strings.TrimLeft(after, ":：—–-")), true
		}
	}
	if colon < 0 {
		return "", 0, false
	}
	name = s[len(open):colon]
	_, size := utf8.DecodeRuneInString(s[colon:])
	end = colon + size
	closed := strings.TrimRight(name, emphasis+" ") != strings.TrimRight(name, " ")
	name = strings.Trim(name, emphasis+" \t")
	if i := strings.IndexByte(name, '('); i > 0 && strings.HasSuffix(name, ")") {
		name = strings.Trim(name[:i], emphasis+" \t")
	}
	if !nameLike(name) {
		return "", 0, false
	}
	after := s[end:]
	if fieldOf(name) == "" && size == 1 && strings.Trim(after[:min(1, len(after))], " \t"+emphasis) != "" {
		return "", 0, false // 10:30, https://
	}
	if open != "" && !closed && strings.HasPrefix(after, open) {
		end += len(open)
	}
	return name, end, bold
}

// nameLike tells a key from a clause.
func nameLike(name string) bool {
	if r, _ := utf8.DecodeRuneInString(name); !unicode.IsLetter(r) {
		return false
	}
	for _, r := range name {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && !strings.ContainsRune(" -_‐‑–/&'", r) {
			return false
		}
	}
	return len(strings.Fields(name)) <= 5
}

// startsOf gives the start of a line and, where that is a field, those of the keys that follow on it behind two or more
// blanks or a tab, as the seed's template has them. Of these only fields count, and names that are nearly one.
func startsOf(text string) []start {
	out := []start{startOf(text)}
	if out[0].field == "" {
		return out
	}
	spans := spansOf(text)
	for i := out[0].valueAt; i < len(text); i++ {
		if text[i] != ' ' && text[i] != '\t' {
			continue
		}
		gap := i
		for i < len(text) && (text[i] == ' ' || text[i] == '\t') {
			i++
		}
		for len(spans) > 0 && spans[0].to <= gap {
			spans = spans[1:]
		}
		inCode := len(spans) > 0 && spans[0].from < gap
		if inCode || i-gap < 2 && text[gap] != '\t' {
			continue
		}
		name, end, bold := keyOf(text[i:])
		if field := fieldOf(name); field != "" || name != "" && journal.Nearest(name, Fields()) != "" {
			out = append(out, start{indent: out[0].indent, name: name, field: field, bold: bold, nameAt: i, valueAt: i + end})
			i += end - 1
		}
	}
	return out
}
