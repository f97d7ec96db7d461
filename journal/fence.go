package journal

import "strings"

// FenceMark is the run of back-ticks or tildes that opens a code fence, also behind a list marker, "" for another line.
func FenceMark(line string) string {
	s := strings.TrimLeft(line, " \t")
	if len(s) > 1 && strings.IndexByte("-*+", s[0]) >= 0 && (s[1] == ' ' || s[1] == '\t') {
		s = strings.TrimLeft(s[1:], " \t")
	}
	if !strings.HasPrefix(s, "```") && !strings.HasPrefix(s, "~~~") {
		return ""
	}
	mark := s[:len(s)-len(strings.TrimLeft(s, s[:1]))]
	if mark[0] == '`' && strings.Contains(s[len(mark):], "`") {
		return "" // a code span on one line
	}
	return mark
}

// ClosesFence reports whether a line closes the fence that mark opened.
func ClosesFence(line, mark string) bool {
	s := strings.Trim(line, " \t")
	return strings.HasPrefix(s, mark) && strings.Trim(s, mark[:1]) == ""
}

// Indent is the width of a line's leading blanks, a tab reaching to the next multiple of four.
func Indent(line string) int {
	n := 0
	for _, c := range []byte(line) {
		switch c {
		case ' ':
			n++
		case '\t':
			n += 4 - n%4
		default:
			return n
		}
	}
	return n
}
