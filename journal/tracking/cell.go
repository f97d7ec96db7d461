package tracking

import (
	"strings"

	"loopd/journal"
)

// cellRoom is how long the text of a cell may be, in characters: two of them stay below the 8 KiB of an entry, whatever
// their bytes.
const cellRoom = 1000

// escaped lists what gets a backslash in a cell. A pipe would end the cell. A back-tick would open code, in which some
// readers take the next pipe for text. A "<" could open a tag that ends the table where it is shown. A backslash could
// escape the next pipe.
const escaped = "\\|`<"

// renderCell writes a text as the content of a cell: normalised by journal.OneLine and escaped.
func renderCell(text string) string {
	var b strings.Builder
	for _, r := range journal.OneLine(text, cellRoom) {
		if strings.ContainsRune(escaped, r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// readCell gives the text of a cell. A backslash in front of another character is that person's backslash.
func readCell(raw string) string {
	var b strings.Builder
	for i := 0; i < len(raw); i++ {
		if raw[i] == '\\' && i+1 < len(raw) && strings.IndexByte(escaped, raw[i+1]) >= 0 {
			i++
		}
		b.WriteByte(raw[i])
	}
	return journal.OneLine(b.String(), 0)
}

// splitCells cuts a table line at its pipes; those at its two ends are optional. As on GitHub, a pipe directly behind a
// backslash never ends a cell, and code does not protect one. ok is false for a line without a pipe.
func splitCells(text string) (cells []string, ok bool) {
	s := strings.TrimSpace(text)
	from := 0
	for i := 0; i < len(s); i++ {
		if s[i] != '|' || i > 0 && s[i-1] == '\\' {
			continue
		}
		if i > 0 {
			cells = append(cells, s[from:i])
		}
		from, ok = i+1, true
	}
	if from < len(s) {
		cells = append(cells, s[from:])
	}
	return cells, ok
}
