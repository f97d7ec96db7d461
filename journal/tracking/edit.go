package tracking

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// AppendRow adds a row to the end of the table and changes no other byte; text below the table stays below it. r.N is 0
// or the number that follows the last row's: another one is an error, so that an iteration is not written twice. The row
// gets the table's columns, indentation and line end. A document with a defect is an error.
func AppendRow(src []byte, r Row) ([]byte, error) {
	p, err := editable("append row", src)
	if err != nil {
		return nil, err
	}
	due := 1
	if n := len(p.doc.Rows); n > 0 {
		due = p.doc.Rows[n-1].N + 1
	}
	if r.N != 0 && r.N != due {
		return nil, fmt.Errorf("append row: its number is %d, the table's next is %d", r.N, due)
	}
	r.N = due
	head, last := p.lines[p.headLine], p.lines[p.lastLine]
	newline := string(src[head.end:head.next])
	lead := head.text[:len(head.text)-len(strings.TrimLeft(head.text, " \t"))]
	row := lead + renderRow(r, p.head) + newline
	if last.end == last.next { // the file ends without a line end
		row = newline + row
	}
	return slices.Insert(slices.Clone(src), last.next, []byte(row)...), nil
}

// SetStatus exchanges the word of the status and changes no other byte. A document with a defect is an error, and so is a
// word that is no status.
func SetStatus(src []byte, status Status) ([]byte, error) {
	if !status.known() {
		return nil, fmt.Errorf("set status: %q is none, want %s", status, statusWords)
	}
	p, err := editable("set status", src)
	if err != nil {
		return nil, err
	}
	if p.doc.Status == status {
		return slices.Clone(src), nil
	}
	return p.exchange(src, statusField, string(status)), nil
}

// SetMax exchanges the number of the bound, in iterations, and changes no other byte. A document with a defect is an
// error, and so is a bound below 1.
func SetMax(src []byte, n int) ([]byte, error) {
	if n < 1 || n > mostIterations {
		return nil, fmt.Errorf("set max iterations: %d is not from 1 to %d", n, mostIterations)
	}
	p, err := editable("set max iterations", src)
	if err != nil {
		return nil, err
	}
	if p.doc.Max == n {
		return slices.Clone(src), nil
	}
	return p.exchange(src, maxField, strconv.Itoa(n)), nil
}

// editable reads a document that is to be edited. What reads with a defect must not be: a place in it would be a guess.
func editable(what string, src []byte) (*page, error) {
	p := readPage("loop.md", src)
	for _, f := range p.findings {
		if !f.Warning {
			return nil, fmt.Errorf("%s: the document has a defect: %s", what, f)
		}
	}
	return p, nil
}

// exchange replaces the word of a field.
func (p *page) exchange(src []byte, name, word string) []byte {
	old, at := p.fields[name].word()
	return slices.Replace(slices.Clone(src), at, at+len(old), []byte(word)...)
}
