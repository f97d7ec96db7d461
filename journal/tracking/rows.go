package tracking

import (
	"fmt"
	"strings"

	"loopd/journal"
)

// findTable looks for the header of the table.
func (p *page) findTable() {
	for i, l := range p.lines {
		if h, ok := readHead(l); ok {
			p.head, p.headLine, p.lastLine = h, i, i
			return
		}
	}
}

func (p *page) noTable() {
	f := journal.Finding{Field: "table", Want: "the header | # | Result | Verdict | Reason | and below it | --- | --- | --- | --- |", Fix: "restore these two lines: without them no row can be counted"}
	for i, l := range p.lines {
		if t := strings.TrimSpace(l.text); !l.hidden && strings.HasPrefix(t, "|") {
			f.Read = t
			p.defect(i, l.at, f)
			return
		}
	}
	p.defect(-1, 0, f)
}

// readRows reads the table from its header to the first line that is none of its rows.
func (p *page) readRows() {
	i := p.headLine + 1
	if i >= len(p.lines) || !isRule(p.lines[i]) {
		p.defect(p.headLine, p.lines[p.headLine].at, journal.Finding{Field: "table", Read: strings.TrimSpace(p.lines[p.headLine].text), Want: "a line | --- | --- | --- | --- | below the header", Fix: "add it: without it this is no table"})
		return
	}
	for ; i < len(p.lines) && (i == p.headLine+1 || isRow(p.lines[i])); i++ {
		p.lastLine = i
		if i > p.headLine+1 {
			p.readRow(i)
		}
	}
	if n := len(p.doc.Rows); n > 0 && p.doc.Rows[n-1].Verdict == Met && p.doc.Status == Running {
		f := p.fields[statusField]
		p.defect(f.line, f.at, journal.Finding{Field: statusField, Read: string(Running), Want: string(Complete) + ": the last row is MET", Warning: true})
	}
}

func (p *page) readRow(i int) {
	l := p.lines[i]
	cells, _ := splitCells(l.text)
	cell := func(column int) string {
		if column < len(cells) {
			return cells[column]
		}
		return ""
	}
	if strings.Trim(strings.Join(cells, ""), " \t") == "" {
		return // an empty row, as a person prepares one
	}
	bad := func(field, read, want, fix string, warning bool) {
		p.defect(i, l.at, journal.Finding{Field: field, Read: strings.TrimSpace(read), Want: want, Fix: fix, Warning: warning})
	}
	due := 1
	if n := len(p.doc.Rows); n > 0 {
		due = p.doc.Rows[n-1].N + 1
	}
	r := Row{N: readNumber(cell(p.head.number)), Result: readCell(cell(p.head.result)), Reason: readCell(cell(p.head.reason))}
	if r.N != due {
		bad("#", cell(p.head.number), fmt.Sprintf("row number %d", due), "number the rows 1, 2, 3 … without a gap, one row an iteration", false)
		if r.N == 0 {
			r.N = due
		}
	}
	ok := false
	r.Verdict, ok = ReadVerdict(readCell(cell(p.head.verdict)))
	switch {
	case len(cells) > p.head.width:
		bad("row", l.text, fmt.Sprintf("%d cells, there are %d", p.head.width, len(cells)), "write a pipe inside a text as \\|", true)
	case !ok:
		bad("Verdict", cell(p.head.verdict), "MET or NOT_MET; it reads as NOT_MET", "", true)
	}
	p.doc.Rows = append(p.doc.Rows, r)
}

// outside reports what stands below the table and could be meant as part of it: a second table of the kind, and rows that
// a blank line cut off. Other tables are nobody's business.
func (p *page) outside() {
	for i := p.lastLine + 1; i < len(p.lines); i++ {
		l := p.lines[i]
		if l.hidden || !strings.HasPrefix(strings.TrimSpace(l.text), "|") {
			continue
		}
		cells, _ := splitCells(l.text)
		if _, again := readHead(l); again {
			p.defect(i, l.at, journal.Finding{Field: "table", Read: strings.TrimSpace(l.text), Want: fmt.Sprintf("one table, line %d begins one already", p.headLine+1), Fix: "join the two tables, or put one into a code fence"})
			return
		}
		if i+1 < len(p.lines) && isRule(p.lines[i+1]) {
			for i++; i+1 < len(p.lines) && isRow(p.lines[i+1]); i++ {
			}
			continue
		}
		if len(cells) > p.head.verdict && readNumber(cells[min(p.head.number, len(cells)-1)]) > 0 {
			p.defect(i, l.at, journal.Finding{Field: "table", Read: strings.TrimSpace(l.text), Want: "all rows directly below each other", Fix: "delete the lines between the table and this row, or put the row into a code fence"})
			return
		}
	}
}
