package markdown

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

const bom = "\ufeff"

// withoutReturns turns the line ends of other systems into "\n", every offset kept.
func withoutReturns(src []byte) []byte {
	if bytes.IndexByte(src, '\r') < 0 {
		return src
	}
	return bytes.ReplaceAll(bytes.ReplaceAll(src, []byte("\r\n"), []byte(" \n")), []byte("\r"), []byte("\n"))
}

// withoutComments blanks HTML comments, every offset and line end kept, but for those in code: a command may look for one.
// unclosed is the offset of one that never ends, -1 for none; of that only the mark is blanked, or it would hide the rest
// of the file.
func withoutComments(src []byte) (clean []byte, unclosed int) {
	unclosed = -1
	if !bytes.Contains(src, []byte("<!--")) {
		return src, unclosed
	}
	clean = bytes.Clone(src)
	text := string(src)
	last := strings.LastIndex(text, "-->")
	fences := &fenceFinder{text: text}
	to := 0 // of the comment that is open
	for at := 0; at < len(text); {
		line := text[at : at+lineLen(text[at:])]
		if s := strings.TrimLeft(line, " \t>"); at >= to && isFence(s) {
			end := fences.end(at, strings.TrimRight(s, " \t\n"))
			if end == 0 { // a block that never ends is code to the end of the file
				return clean, unclosed
			}
			at = end
			continue
		}
		var code []span
		if strings.Contains(line, "<!--") {
			code = spansOf(line)
		}
		for i := max(to-at, 0); ; {
			next := strings.Index(line[min(i, len(line)):], "<!--")
			if next < 0 {
				break
			}
			from := at + i + next
			for len(code) > 0 && at+code[0].to <= from {
				code = code[1:]
			}
			switch {
			case len(code) > 0 && at+code[0].from < from:
				i = code[0].to
				continue
			case last < from:
				to = from + len("<!--")
				if unclosed < 0 {
					unclosed = from
				}
			default:
				to = from + strings.Index(text[from:], "-->") + len("-->")
			}
			blank(clean[from:to])
			i = to - at
		}
		at += len(line)
	}
	return clean, unclosed
}

func blank(b []byte) {
	for i := range b {
		if b[i] != '\n' {
			b[i] = ' '
		}
	}
}

// notText gives the offset of the first byte that no text in UTF-8 has, or -1.
func notText(src []byte) int {
	if at := bytes.IndexByte(src, 0); at >= 0 {
		return at
	}
	if utf8.Valid(src) {
		return -1
	}
	for i := 0; ; {
		r, size := utf8.DecodeRune(src[i:])
		if r == utf8.RuneError && size < 2 {
			return i
		}
		i += size
	}
}
