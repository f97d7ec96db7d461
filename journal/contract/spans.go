package contract

import "strings"

// span is a back-ticked piece of a text.
type span struct {
	from, to int // the back-ticks included
	code     string
}

// spansOf finds the back-ticked spans of a text; runs of several back-ticks are fences as in Markdown. It takes time in
// proportion to the text, however many runs never close.
func spansOf(text string) []span {
	var runs []span // only from and to
	for i := 0; i < len(text); i++ {
		if text[i] != '`' {
			continue
		}
		from := i
		for i < len(text) && text[i] == '`' {
			i++
		}
		runs = append(runs, span{from: from, to: i})
	}
	next, last := make([]int, len(runs)), map[int]int{}
	for i := len(runs) - 1; i >= 0; i-- {
		size := runs[i].to - runs[i].from
		next[i] = last[size] // 0 is none: no run closes before the first
		last[size] = i
	}
	var out []span
	for i := 0; i < len(runs); i++ {
		end := next[i]
		if end == 0 {
			continue
		}
		code := text[runs[i].to:runs[end].from]
		if runs[i].to-runs[i].from > 1 { // one blank inside a long fence is padding
			code = strings.TrimSuffix(strings.TrimPrefix(code, " "), " ")
		}
		out = append(out, span{runs[i].from, runs[end].to, strings.TrimSpace(code)})
		i = end
	}
	return out
}

// ticked puts a command into back-ticks, as many as it needs.
func ticked(command string) string {
	fence := "`"
	for strings.Contains(command, fence) {
		fence += "`"
	}
	if fence == "`" {
		return fence + command + fence
	}
	return fence + " " + command + " " + fence
}
