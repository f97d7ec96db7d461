package native

import (
	"bytes"
	"regexp"
	"strings"
	"sync"
)

// withoutReturns turns the line ends of other systems into "\n", every offset kept.
func withoutReturns(src []byte) []byte {
	if bytes.IndexByte(src, '\r') < 0 {
		return src
	}
	src = bytes.ReplaceAll(src, []byte("\r\n"), []byte(" \n"))
	return bytes.ReplaceAll(src, []byte("\r"), []byte("\n"))
}

// withoutComments blanks HTML comments, every offset and line end kept, but for those inside code: a command may look for
// one. unclosed are the offsets of comments that never end; of these only the mark is blanked, or they would hide the rest
// of the charter.
func withoutComments(src []byte) (clean []byte, unclosed []int) {
	if !bytes.Contains(src, []byte("<!--")) {
		return src, nil
	}
	clean = bytes.Clone(src)
	last := bytes.LastIndex(src, []byte("-->"))
	fence := ""
	for i := 0; i < len(src); {
		if i == 0 || src[i-1] == '\n' {
			line := src[i:]
			if end := bytes.IndexByte(line, '\n'); end >= 0 {
				line = line[:end+1]
			}
			mark := fenceMark(string(line))
			switch {
			case fence != "" && strings.HasPrefix(mark, fence) && len(strings.TrimSpace(string(line))) == len(mark):
				fence = ""
				i += len(line)
				continue
			case fence == "" && mark != "":
				fence = mark
			}
			if fence != "" {
				i += len(line)
				continue
			}
		}
		switch {
		case src[i] == '`':
			i += spanLen(src[i:])
		case bytes.HasPrefix(src[i:], []byte("<!--")):
			stop := i + 4
			if last < stop {
				unclosed = append(unclosed, i)
			} else {
				stop += bytes.Index(src[stop:], []byte("-->")) + 3
			}
			for ; i < stop; i++ {
				if clean[i] != '\n' {
					clean[i] = ' '
				}
			}
		default:
			i++
		}
	}
	return clean, unclosed
}

// fenceMark is the run of back-ticks or tildes that opens or closes a code fence, "" for any other line.
func fenceMark(line string) string {
	s := strings.TrimLeft(line, " \t>")
	if !strings.HasPrefix(s, "```") && !strings.HasPrefix(s, "~~~") {
		return ""
	}
	mark := s[:len(s)-len(strings.TrimLeft(s, s[:1]))]
	if s[0] == '`' && strings.Contains(s[len(mark):], "`") {
		return "" // a span on one line
	}
	return mark
}

// spanLen is the length of the code span that b starts with, or of its back-ticks where it is none: a span ends in its
// paragraph.
func spanLen(b []byte) int {
	run := len(b) - len(bytes.TrimLeft(b, "`"))
	rest := b[run:]
	if end := bytes.Index(rest, []byte("\n\n")); end >= 0 {
		rest = rest[:end]
	}
	for at := 0; at < len(rest); {
		i := bytes.IndexByte(rest[at:], '`')
		if i < 0 {
			break
		}
		at += i
		n := len(rest[at:]) - len(bytes.TrimLeft(rest[at:], "`"))
		at += n
		if n == run {
			return run + at
		}
	}
	return run
}

// codeSpan takes the first back-ticked span out of a text, with a run of any length as its fence.
func codeSpan(text string) (before, code, after string, ok bool) {
	from := strings.IndexByte(text, '`')
	if from < 0 {
		return text, "", "", false
	}
	fence := text[from : len(text)-len(strings.TrimLeft(text[from:], "`"))]
	rest := text[from+len(fence):]
	for at := 0; ; {
		i := strings.Index(rest[at:], fence)
		if i < 0 {
			return text, "", "", false
		}
		end := at + i
		run := len(rest[end:]) - len(strings.TrimLeft(rest[end:], "`"))
		if run == len(fence) {
			code = rest[:end]
			if len(fence) > 1 { // as in Markdown: one space inside a long fence is padding
				code = strings.TrimSuffix(strings.TrimPrefix(code, " "), " ")
			}
			return text[:from], code, rest[end+run:], strings.TrimSpace(code) != ""
		}
		at = end + run
	}
}

// outsideCode blanks the code spans of a text, every offset kept, so that words can be looked for in the rest.
func outsideCode(text string) string {
	b := []byte(text)
	for i := 0; i < len(b); {
		if b[i] != '`' {
			i++
			continue
		}
		n := spanLen(b[i:])
		for end := i + n; i < end; i++ {
			b[i] = '`'
		}
	}
	return string(b)
}

// arrows are what may stand between a command and what is expected of it.
var arrows = []string{"→", "->", "=>", "⇒"}

// cutArrow splits at the first arrow outside of code.
func cutArrow(text string) (before, after string, ok bool) {
	plain := outsideCode(text)
	at, size := -1, 0
	for _, a := range arrows {
		if i := strings.Index(plain, a); i >= 0 && (at < 0 || i < at) {
			at, size = i, len(a)
		}
	}
	if at < 0 {
		return text, "", false
	}
	return strings.TrimSpace(text[:at]), strings.TrimSpace(text[at+size:]), true
}

// key is what may stand before the colon of a bullet: a few words.
var key = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:\*\*|__)?([\p{L}][\p{L}\p{N} '/_-]{0,60}?)\s*(?:(?:\*\*|__)\s*[:：]|[:：]\s*(?:\*\*|__)|[:：])\s*`)
})

// cutKey takes "Key: value" apart; bold around the key does not count. A text without a key has only a value.
func cutKey(text string) (k, value string) {
	m := key().FindStringSubmatchIndex(text)
	if m == nil || strings.HasPrefix(text[m[1]:], "//") {
		return "", text
	}
	return text[m[2]:m[3]], strings.TrimSpace(text[m[1]:])
}
