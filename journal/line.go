package journal

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// OneLine makes a text from outside safe to stand in a line of the loop's files: escape sequences and control characters
// go, bidirectional overrides and invisible marks too, every run of white space (line ends of all kinds) becomes one
// space, an HTML comment cannot be opened, and what is longer than max characters is cut and ends in "…". So no agent can
// open a heading, hide what follows, or forge an entry (spec/iteration.md, "Dictated"). max ≤ 0 means no limit.
func OneLine(s string, max int) string {
	if max > 0 && len(s) > 64*(max+64) {
		s = s[:64*(max+64)] // enough for any text of max characters; a flood is not worth a pass
	}
	var b strings.Builder
	space, n, cutAt := false, 0, 0
	for _, r := range string(stripEscapes([]byte(s))) {
		switch {
		case unicode.IsSpace(r) || r == '\u2028' || r == '\u2029':
			space = b.Len() > 0
			continue
		case r == utf8.RuneError || unicode.IsControl(r) || invisible(r):
			continue
		}
		if space {
			b.WriteByte(' ')
			space = false
			n++
		}
		if max > 0 && n >= max {
			return openComment.Replace(strings.TrimRight(b.String()[:cutAt], " ") + "…")
		}
		b.WriteRune(r)
		if n++; n < max {
			cutAt = b.Len()
		}
	}
	return openComment.Replace(b.String())
}

// openComment takes the power from an HTML comment's start: everything behind it would be hidden from readers.
var openComment = strings.NewReplacer("<!--", "<!- -")

func invisible(r rune) bool {
	switch {
	case r >= '\u202a' && r <= '\u202e', r >= '\u2066' && r <= '\u2069', r == '\u200e', r == '\u200f', r == '\u061c', // direction
		r == '\u200b', r == '\u2060', r == '\ufeff', r >= 0xe0000 && r <= 0xe007f: // zero width, tags
		return true
	}
	return false
}

// stripEscapes removes terminal escape sequences: CSI (colours, cursor), OSC (titles, links) and the two-character ones.
// It returns its argument where there is none.
func stripEscapes(b []byte) []byte {
	const esc = 0x1b
	at := -1
	for i, c := range b {
		if c == esc {
			at = i
			break
		}
	}
	if at < 0 {
		return b
	}
	out := append(make([]byte, 0, len(b)), b[:at]...)
	for i := at; i < len(b); {
		if b[i] != esc {
			out = append(out, b[i])
			i++
			continue
		}
		i += escapeLen(b[i:])
	}
	return out
}

func escapeLen(b []byte) int {
	if len(b) < 2 {
		return len(b)
	}
	switch b[1] {
	case '[':
		for i := 2; i < len(b); i++ {
			if b[i] >= 0x40 && b[i] <= 0x7e {
				return i + 1
			}
			if b[i] < 0x20 {
				return i // broken off: the line end stays
			}
		}
		return len(b)
	case ']', 'P', '_', '^', 'X':
		for i := 2; i < len(b); i++ {
			switch {
			case b[i] == 0x07:
				return i + 1
			case b[i] == 0x1b && i+1 < len(b) && b[i+1] == '\\':
				return i + 2
			case b[i] == '\n':
				return i
			}
		}
		return len(b)
	case '(', ')', '*', '+', '#', '%', ' ':
		return min(3, len(b))
	}
	if b[1] >= 0x30 && b[1] <= 0x7e {
		return 2
	}
	return 1
}
