package contract

import (
	"regexp"
	"strings"
	"sync"
)

// cell is one cell of a table's row.
type cell struct {
	text string // "\|" is "|", "<br>" is a blank
	at   int    // offset in the line
}

// ruled reports whether a line is the one below a table's head.
func ruled(text string) bool {
	return strings.HasPrefix(strings.TrimSpace(text), "|") && strings.Contains(text, "-") && strings.Trim(text, "|:- \t") == ""
}

// cellsOf takes a row that begins with "|" apart, nil for any other line and for the line below a head.
func cellsOf(text string) []cell {
	at := len(text) - len(strings.TrimLeft(text, " \t"))
	if !strings.HasPrefix(text[at:], "|") || ruled(text) {
		return nil
	}
	var out []cell
	for at++; at < len(text); {
		end := at
		for end < len(text) && text[end] != '|' {
			if text[end] == '\\' {
				end++
			}
			end++
		}
		end = min(end, len(text))
		raw := text[at:end]
		trimmed := strings.TrimSpace(raw)
		if end < len(text) || trimmed != "" {
			out = append(out, cell{cellText(trimmed), at + len(raw) - len(strings.TrimLeft(raw, " \t"))})
		}
		at = end + 1
	}
	return out
}

// lineBreaks are those of HTML; a cell has no others.
var lineBreaks = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)<br\s*/?>`) })

func cellText(s string) string {
	if strings.Contains(s, "<") {
		s = lineBreaks().ReplaceAllString(s, " ")
	}
	return strings.ReplaceAll(s, `\|`, "|")
}

// cellName is the name that a cell gives: without emphasis and without a colon.
func cellName(c cell) string { return strings.Trim(c.text, emphasis+" :：") }
