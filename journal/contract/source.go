package contract

import (
	"bytes"
	"sort"
	"strings"
	"unicode/utf8"
)

const bom = "\ufeff"

// source is the text of a file, with the offset of every line.
type source struct {
	text   string
	starts []int // of the lines
	// unclosed is the offset of a comment that never ends, -1 for none.
	unclosed int
}

// line is one line, without its end.
type line struct {
	at   int // offset in the source
	text string
}

// sourceOf takes the byte order mark and comments out of a text and makes line ends "\n". No offset changes by that, but for
// the mark's.
func sourceOf(src []byte) source {
	text := string(bytes.TrimPrefix(src, []byte(bom)))
	if strings.Contains(text, "\r") {
		text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", " \n"), "\r", "\n")
	}
	s := source{text: text, starts: []int{0}}
	for i := 0; i < len(text); i++ {
		if text[i] == '\n' {
			s.starts = append(s.starts, i+1)
		}
	}
	s.withoutComments()
	return s
}

// notText is the offset of the first byte that no text in UTF-8 has, or -1.
func (s source) notText() int {
	if at := strings.IndexByte(s.text, 0); at >= 0 {
		return at
	}
	if utf8.ValidString(s.text) {
		return -1
	}
	for i := 0; i < len(s.text); {
		r, size := utf8.DecodeRuneInString(s.text[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return -1
}

// position gives line and column, both from 1, the column in bytes.
func (s source) position(at int) (line, column int) {
	at = max(0, min(at, len(s.text)))
	i := sort.SearchInts(s.starts, at+1) - 1
	return i + 1, at - s.starts[i] + 1
}

func (s source) lines() []line {
	out := make([]line, len(s.starts))
	for i, at := range s.starts {
		end := len(s.text)
		if i+1 < len(s.starts) {
			end = s.starts[i+1] - 1
		}
		out[i] = line{at, s.text[at:end]}
	}
	return out
}

// withoutComments blanks HTML comments: what stands in them is not said. A mark in back-ticks opens none. Of one that
// never ends only the mark goes, or it would hide the rest of the contract.
func (s *source) withoutComments() {
	const opening, closing = "<!--", "-->"
	s.unclosed = -1
	if !strings.Contains(s.text, opening) {
		return
	}
	clean, end := []byte(s.text), 0
	last := strings.LastIndex(s.text, closing)
	for _, l := range s.lines() {
		if l.at+len(l.text) < end {
			continue
		}
		spans := spansOf(l.text)
		for i := max(0, end-l.at); ; {
			at := strings.Index(l.text[i:], opening)
			if at < 0 {
				break
			}
			i += at
			for len(spans) > 0 && spans[0].to <= i {
				spans = spans[1:]
			}
			if len(spans) > 0 && spans[0].from < i {
				i = spans[0].to
				continue
			}
			at = l.at + i
			if end = at + len(opening); last >= end {
				end += strings.Index(s.text[end:], closing) + len(closing)
			} else if s.unclosed < 0 {
				s.unclosed = at
			}
			for ; at < end; at++ {
				if clean[at] != '\n' {
					clean[at] = ' '
				}
			}
			if i = end - l.at; i > len(l.text) {
				break
			}
		}
	}
	s.text = string(clean)
}
