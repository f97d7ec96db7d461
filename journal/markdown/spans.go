package markdown

import "strings"

// span is a back-ticked span of a text.
type span struct {
	from, to int // with its back-ticks
	code     string
}

// spansOf finds the back-ticked spans of a text, with runs of any length as their fences.
func spansOf(text string) []span {
	var out []span
	alone := map[int]bool{} // lengths of runs that nothing closes: looked for once
	for i := 0; i < len(text); {
		if text[i] != '`' {
			i++
			continue
		}
		run := runLen(text[i:])
		end := -1
		if !alone[run] {
			end = closing(text, i+run, run)
		}
		if end < 0 {
			alone[run] = true
			i += run
			continue
		}
		c := text[i+run : end]
		if run > 1 { // as in Markdown: one space inside a long fence is padding
			c = strings.TrimSuffix(strings.TrimPrefix(c, " "), " ")
		}
		out = append(out, span{i, end + run, strings.TrimSpace(c)})
		i = end + run
	}
	return out
}

// closing finds the next run of exactly n back-ticks, or gives -1.
func closing(text string, at, n int) int {
	for at < len(text) {
		i := strings.IndexByte(text[at:], '`')
		if i < 0 {
			return -1
		}
		at += i
		got := runLen(text[at:])
		if got == n {
			return at
		}
		at += got
	}
	return -1
}

func runLen(s string) int { return len(s) - len(strings.TrimLeft(s, "`")) }

// arrows are what may stand between a command and what is expected of it.
var arrows = []string{"→", "->", "=>", "⇒"}

// cutArrow splits a text at the first arrow outside of its spans. ok is false where there is none.
func cutArrow(text string, spans []span) (before, after string, ok bool) {
	plain := []byte(text)
	for _, s := range spans {
		for i := s.from; i < s.to; i++ {
			plain[i] = '`'
		}
	}
	at, size := -1, 0
	for _, a := range arrows {
		if i := strings.Index(string(plain), a); i >= 0 && (at < 0 || i < at) {
			at, size = i, len(a)
		}
	}
	if at < 0 {
		return text, "", false
	}
	return text[:at], text[at+size:], true
}
