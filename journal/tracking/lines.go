package tracking

import (
	"strings"

	"loopd/journal"
)

const bom = "\ufeff"

// line is one line of a document with its place.
type line struct {
	at, end int    // bytes, the line end left out
	next    int    // offset behind the line end
	text    string // what stands between at and end
	// hidden marks what stands in a code fence or a comment, their own lines included, and in a quote.
	hidden bool
}

// splitLines cuts a text at "\n", "\r\n" and "\r". A byte order mark is no part of the first line.
func splitLines(text string) []line {
	var out []line
	for at := len(text) - len(strings.TrimPrefix(text, bom)); at < len(text); {
		l := line{at: at, end: len(text), next: len(text)}
		if i := strings.IndexAny(text[at:], "\r\n"); i >= 0 {
			l.end, l.next = at+i, at+i+1
			if strings.HasPrefix(text[l.end:], "\r\n") {
				l.next++
			}
		}
		l.text = text[at:l.end]
		out = append(out, l)
		at = l.next
	}
	return out
}

// hide marks the lines that are hidden. open is the index of a fence or a comment that never ends, -1 where there is none:
// it hides all that follows, as in every reader of Markdown.
func hide(lines []line) (open int) {
	for i := 0; i < len(lines); i++ {
		end, closed := i, true
		text := strings.TrimLeft(lines[i].text, " \t")
		mark := journal.FenceMark(text)
		switch {
		case strings.HasPrefix(text, ">"):
		case mark != "":
			end, closed = fenceEnd(lines, i, mark)
		case strings.HasPrefix(text, "<!--"):
			for closed = strings.Contains(text[4:], "-->"); !closed && end+1 < len(lines); {
				end++
				closed = strings.Contains(lines[end].text, "-->")
			}
		default:
			continue
		}
		for j := i; j <= end; j++ {
			lines[j].hidden = true
		}
		if !closed {
			return i
		}
		i = end
	}
	return -1
}

// fenceEnd gives the line that closes the fence which opens at lines[i], or the last line and false.
func fenceEnd(lines []line, i int, mark string) (end int, closed bool) {
	for j := i + 1; j < len(lines); j++ {
		if journal.ClosesFence(lines[j].text, mark) {
			return j, true
		}
	}
	return len(lines) - 1, false
}

func blank(text string) bool { return strings.TrimSpace(text) == "" }
