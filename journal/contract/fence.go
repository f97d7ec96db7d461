package contract

import "strings"

// fence is a fenced block: the lines of its marks. close is behind the last line where it never ends, as in Markdown.
type fence struct{ open, close int }

func (f fence) inside(lines []line) []line { return lines[f.open+1 : min(f.close, len(lines))] }

// fencesOf finds the fenced blocks.
func fencesOf(lines []line) []fence {
	var out []fence
	for i := 0; i < len(lines); i++ {
		mark := fenceMark(lines[i].text)
		if mark == "" {
			continue
		}
		f := fence{i, i + 1}
		for f.close < len(lines) && !closes(lines[f.close].text, mark) {
			f.close++
		}
		out = append(out, f)
		i = f.close
	}
	return out
}

// fenceMark is the run of back-ticks or tildes that opens a fence, "" for any other line. It may stand behind a list mark.
func fenceMark(text string) string {
	s := strings.TrimLeft(text, " \t")
	s = s[listMark(s):]
	if !strings.HasPrefix(s, "```") && !strings.HasPrefix(s, "~~~") {
		return ""
	}
	mark := s[:len(s)-len(strings.TrimLeft(s, s[:1]))]
	if s[0] == '`' && strings.Contains(s[len(mark):], "`") {
		return "" // a span on one line
	}
	return mark
}

func closes(text, mark string) bool {
	s := strings.TrimSpace(text)
	return strings.HasPrefix(s, mark) && strings.Trim(s, mark[:1]) == ""
}

// hiddenIn says of each line whether it is part of a fence.
func hiddenIn(lines []line, fences []fence) []bool {
	out := make([]bool, len(lines))
	for _, f := range fences {
		for i := f.open; i <= f.close && i < len(lines); i++ {
			out[i] = true
		}
	}
	return out
}
