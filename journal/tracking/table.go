package tracking

import (
	"strconv"
	"strings"

	"loopd/journal"
)

// tableHead says which column holds what.
type tableHead struct {
	number, result, verdict, reason int
	width                           int // columns, those of other tools included
}

// readHead reads the header of the table: the four columns in any order, and others. It must begin with a pipe ("# |" is a
// heading) and not stand so deep that it is code.
func readHead(l line) (h tableHead, ok bool) {
	if l.hidden || journal.Indent(l.text) > 3 || !strings.HasPrefix(strings.TrimLeft(l.text, " \t"), "|") {
		return h, false
	}
	cells, _ := splitCells(l.text)
	h = tableHead{-1, -1, -1, -1, len(cells)}
	for i, c := range cells {
		var to *int
		switch strings.ToLower(strings.Trim(c, emphasis+" \t")) {
		case "#":
			to = &h.number
		case "result":
			to = &h.result
		case "verdict":
			to = &h.verdict
		case "reason":
			to = &h.reason
		default:
			continue
		}
		if *to >= 0 {
			return h, false // the same column twice
		}
		*to = i
	}
	return h, h.number >= 0 && h.result >= 0 && h.verdict >= 0 && h.reason >= 0
}

// isRule reports whether a line is the one below a header: dashes, with colons where a column is aligned.
func isRule(l line) bool {
	cells, ok := splitCells(l.text)
	for _, c := range cells {
		c = strings.TrimSpace(c)
		dashes := strings.TrimSuffix(strings.TrimPrefix(c, ":"), ":")
		if dashes == "" || strings.Trim(dashes, "-") != "" {
			return false
		}
	}
	return ok && len(cells) > 0 && !l.hidden
}

// isRow reports whether a line below the rule still belongs to the table: text that was written directly below it does not.
func isRow(l line) bool {
	t := strings.TrimLeft(l.text, " \t")
	if l.hidden || t == "" || t[0] != '|' && startsBlock(t) {
		return false
	}
	_, ok := splitCells(t)
	return ok
}

// readNumber reads the number of a row, 0 where it is none.
func readNumber(cell string) int {
	s := strings.Trim(cell, emphasis+" \t")
	if s == "" || len(s) > 9 || strings.Trim(s, "0123456789") != "" {
		return 0
	}
	n, _ := strconv.Atoi(s)
	return n
}

// renderRow writes a row without its line end; cells of columns that are not loopd's stay empty.
func renderRow(r Row, h tableHead) string {
	cells := make([]string, h.width)
	cells[h.number] = strconv.Itoa(r.N)
	cells[h.result] = renderCell(r.Result)
	cells[h.verdict] = string(NotMet)
	if r.Verdict == Met {
		cells[h.verdict] = string(Met)
	}
	cells[h.reason] = renderCell(r.Reason)
	return "| " + strings.Join(cells, " | ") + " |"
}
