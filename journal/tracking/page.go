package tracking

import (
	"fmt"
	"strings"

	"loopd/journal"
)

// page is a document taken apart, with the places that an edit needs.
type page struct {
	file     string
	lines    []line
	doc      Document
	findings []journal.Finding
	fields   map[string]field // the known ones, the first of each
	head     tableHead
	headLine int // index of the table's header, -1 where there is none
	lastLine int // index of the last line of the table
}

func readPage(file string, src []byte) *page {
	p := &page{file: file, lines: splitLines(string(src)), fields: map[string]field{}, headLine: -1}
	open := hide(p.lines)
	p.findTable()
	body := p.lines
	if p.headLine >= 0 {
		body = p.lines[:p.headLine]
	}
	all := readFields(body)
	if p.foreign(all) {
		p.openEnd(open)
		return p
	}
	p.readTitle(body)
	p.readFields(all)
	if p.headLine < 0 {
		p.noTable()
		p.openEnd(open)
		return p
	}
	p.readRows()
	p.outside()
	return p
}

// defect adds a finding about a line; at is the offset of what was read, line -1 means the whole file.
func (p *page) defect(line, at int, f journal.Finding) {
	f.File = p.file
	if line >= 0 {
		f.Line = line + 1
		f.Column = max(at-p.lines[line].at, 0) + 1
	}
	if len(f.Read) > 80 {
		f.Read = strings.ToValidUTF8(f.Read[:80], "") + "…"
	}
	p.findings = append(p.findings, f)
}

// foreign reports a file that is no tracking document at all as one finding: a list of all that it lacks would not help.
func (p *page) foreign(all []field) bool {
	known := map[string]bool{}
	for _, f := range all {
		if f.known {
			known[f.name] = true
		}
	}
	if p.headLine >= 0 || len(known) > 1 {
		return false
	}
	first, read := -1, ""
	for i, l := range p.lines {
		if !blank(l.text) {
			first, read = i, strings.TrimSpace(l.text)
			break
		}
	}
	p.defect(first, 0, journal.Finding{Field: "document", Read: read,
		Want: "a tracking document: \"# Loop: slug\", the bullets " + strings.Join(fieldNames(), ", ") + ", and the table | # | Result | Verdict | Reason |",
		Fix:  "it may be another tool's: move it away, or give the loop another name; loopd does not change it"})
	return true
}

// openEnd reports a fence or a comment that hides the rest of the document.
func (p *page) openEnd(open int) {
	if open >= 0 {
		p.defect(open, p.lines[open].at, journal.Finding{Field: "document", Read: strings.TrimSpace(p.lines[open].text), Want: "an end of this code fence or comment: it hides all that follows", Fix: "close it"})
	}
}

func (p *page) readTitle(body []line) {
	for _, l := range body {
		t, ok := strings.CutPrefix(strings.TrimSpace(l.text), "#")
		if !ok || l.hidden {
			continue
		}
		t = strings.TrimSpace(t)
		if len(t) > 5 && strings.EqualFold(t[:5], "Loop:") {
			p.doc.Slug = journal.OneLine(strings.Trim(t[5:], emphasis+" \t"), 0)
			break
		}
	}
	if p.doc.Slug == "" {
		p.defect(0, 0, journal.Finding{Field: "title", Want: "\"# Loop: slug\"", Fix: "the folder's name is the slug", Warning: true})
	}
}

func (p *page) readFields(all []field) {
	for _, f := range all {
		if !f.known {
			continue
		}
		if before, twice := p.fields[f.name]; twice {
			p.defect(f.line, f.at, journal.Finding{Field: f.name, Read: f.value, Want: fmt.Sprintf("the field once, line %d has it already", before.line+1), Fix: "delete one of the two"})
			continue
		}
		p.fields[f.name] = f
	}
	p.doc.Task = p.prose(all, taskField, "what to repeat")
	p.doc.Objective = p.prose(all, objectiveField, "what ends the loop")
	p.readCheck(all)
	p.readMax(all)
	p.readStatus(all)
}
