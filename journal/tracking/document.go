// Package tracking reads and writes the tracking document of the codevoyant loop (seeds/codevoyant-loop.txt): one Markdown
// file per loop that holds task, objective, check, bound, status and one table row an iteration. But for tracking.go, which
// finds and loads, it is plain data in and bytes out: no clock, no process.
package tracking

import (
	"fmt"
	"strings"

	"loopd/journal"
)

// Status is where a tracked loop stands.
type Status string

// The statuses, as the document spells them.
const (
	Running    Status = "running"
	Complete   Status = "complete"
	MaxReached Status = "max-reached"
)

func (s Status) known() bool { return s == Running || s == Complete || s == MaxReached }

// statusWords is how findings name the statuses.
const statusWords = "running, complete or max-reached"

// Row is one iteration in the table.
type Row struct {
	N       int // 1 for the first
	Result  string
	Verdict Verdict
	Reason  string
}

// Document is what a tracking document says. Task, Objective and the texts of its rows are single lines, as
// journal.OneLine makes them; Check is the command exactly as it was given, and may have several lines.
type Document struct {
	Slug      string
	Task      string
	Objective string
	Check     string // "" where the loop agent judges
	Max       int    // the bound, in iterations
	Status    Status
	Rows      []Row // in their order, numbered from 1
}

// mostIterations is the largest bound that is read and written: a larger one is a slip of the finger.
const mostIterations = 1_000_000

// Valid says why New could not write d so that Read gives it back, nil where it can.
func Valid(d Document) error {
	switch {
	case Slug(d.Slug) != d.Slug:
		return fmt.Errorf("slug %q is not lower-case letters, digits and single hyphens, at most %d", d.Slug, slugMax)
	case journal.OneLine(d.Task, 0) == "":
		return fmt.Errorf("the task is empty: say what to repeat")
	case journal.OneLine(d.Objective, 0) == "":
		return fmt.Errorf("the objective is empty: say what ends the loop (--until)")
	case d.Max < 1 || d.Max > mostIterations:
		return fmt.Errorf("max iterations is %d: want a whole number from 1 to %d", d.Max, mostIterations)
	case d.Status != "" && !d.Status.known():
		return fmt.Errorf("status is %q: want %s", d.Status, statusWords)
	case !visible(d.Check):
		return fmt.Errorf("check %q holds control or invisible characters: put it into a script", d.Check)
	}
	for i, r := range d.Rows {
		if r.N != i+1 {
			return fmt.Errorf("row %d has the number %d", i+1, r.N)
		}
	}
	return nil
}

// Read reads a tracking document; file is its name for findings. Bullets in any Markdown style and unknown ones, columns
// of any width, order and number, alignment, a missing pipe or line end, a byte order mark and carriage returns are taken
// as they come. What would need a guess is a finding: a field that is missing or stands there twice, a bound or a status
// that is none, row numbers that jump or repeat, rows outside the table, a second table, a file of another tool. Code
// fences, comments and quotes hide what stands in them, and fields count in front of the table only: what a person wrote
// below it is no field. A document with a finding that is no warning must be neither run nor edited.
func Read(file string, src []byte) (Document, []journal.Finding) {
	p := readPage(file, src)
	return p.doc, p.findings
}

// New renders a document in the exact shape of the text, rows included. It numbers the rows by their place; Status "" is
// running. The texts become single lines (soft-wrapped), a check of several lines stands in a code fence below its bullet.
// For a document that Valid refuses Read has a finding or gives another one back.
func New(d Document) []byte {
	if d.Status == "" {
		d.Status = Running
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# Loop: %s\n\n", journal.OneLine(d.Slug, 0))
	fmt.Fprintf(&b, "- **Task:** %s\n", journal.OneLine(d.Task, 0))
	fmt.Fprintf(&b, "- **Objective:** %s\n", journal.OneLine(d.Objective, 0))
	fmt.Fprintf(&b, "- **Check:**%s\n", renderCheck(d.Check))
	fmt.Fprintf(&b, "- **Max iterations:** %d\n", d.Max)
	fmt.Fprintf(&b, "- **Status:** %s\n\n", d.Status)
	b.WriteString("| # | Result | Verdict | Reason |\n| --- | --- | --- | --- |\n")
	for i, r := range d.Rows {
		r.N = i + 1
		b.WriteString(renderRow(r, tableHead{number: 0, result: 1, verdict: 2, reason: 3, width: 4}) + "\n")
	}
	return []byte(b.String())
}
