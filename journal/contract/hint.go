package contract

import "strings"

// hint is a place where a field is named in a way that is not read.
type hint struct {
	at   int
	text string
}

// hintsOf finds names of fields that stand as a heading, or before a colon in the middle of a line.
func hintsOf(lines []line) map[string]hint {
	out := map[string]hint{}
	put := func(field string, at int, text string) {
		if _, ok := out[field]; field != "" && !ok {
			out[field] = hint{at, text}
		}
	}
	for i, l := range lines {
		if level, name := headingAt(lines, i); level > 0 {
			put(fieldOf(strings.Trim(name, emphasis+" :")), l.at, strings.TrimSpace(l.text))
			continue
		}
		for from := 0; ; {
			colon := strings.IndexByte(l.text[from:], ':')
			if colon < 0 {
				break
			}
			colon += from
			begin := max(from, colon-nameMax)
			head := strings.TrimRight(l.text[begin:colon], emphasis+" ")
			for words := 3; words > 0; words-- {
				at := lastWords(head, words)
				if f := fieldOf(strings.Trim(head[at:], emphasis)); f != "" {
					put(f, l.at+begin+at, titled(f)+": inside of a line")
					break
				}
			}
			from = colon + 1
		}
	}
	return out
}

// lastWords is the offset of the last n words.
func lastWords(s string, n int) int {
	at := len(s)
	for range n {
		at = strings.LastIndexAny(strings.TrimRight(s[:at], " \t"), " \t(|,;") + 1
	}
	return at
}
