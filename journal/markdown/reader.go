package markdown

import (
	"slices"
	"strings"

	"loopd/journal"
)

// findingsMax bounds the findings: nobody reads more. Warnings leave room for as many defects, so that none is crowded out.
const findingsMax = 200

// reader reads one LOOP.md; every finding has a position.
type reader struct {
	file     string
	doc      *outline
	def      Definition
	findings []journal.Finding
	byName   map[string]*section
}

// text is a section's text, "" where the section is missing or was not filled in.
func (r *reader) text(name string) string {
	s := r.byName[name]
	if s == nil {
		return ""
	}
	body := r.doc.body(s)
	if unsaid(body) {
		return ""
	}
	return body
}

// items lists what a section says and was filled in.
func (r *reader) items(name string) []item {
	s := r.byName[name]
	if s == nil {
		return nil
	}
	return slices.DeleteFunc(r.doc.items(s), func(it item) bool { return unsaid(it.text) })
}

// filled is items, for a section in which every bullet binds: one that is not filled in yet must not just be left out.
func (r *reader) filled(name string) []item {
	said := r.items(name)
	if len(said) == 0 {
		return nil // the whole section is missing: required tells it
	}
	for _, it := range r.doc.items(r.byName[name]) {
		if it.kind != code && unsaid(it.text) {
			r.defect(name, it.at, it.text, "your own words", "only a person can say this: fill it in")
		}
	}
	return said
}

// lines lists items; a paragraph that only introduces the others is none.
func (r *reader) lines(all []item) []Line {
	var out []Line
	for i, it := range all {
		if introduces(all, i) {
			continue
		}
		out = append(out, Line{it.text, r.lineOf(it.at)})
	}
	return out
}

// introduces reports whether an item is a paragraph such as "Stop when one of these holds:" above the others.
func introduces(all []item, i int) bool {
	return all[i].kind == paragraph && i+1 < len(all) && strings.HasSuffix(all[i].text, ":") && !strings.Contains(all[i].text, "`")
}

func isFence(s string) bool { return strings.HasPrefix(s, "```") || strings.HasPrefix(s, "~~~") }

func (r *reader) lineOf(at int) int {
	line, _ := r.doc.position(at)
	return line
}

// defect notes what forbids an activation, at an offset.
func (r *reader) defect(field string, at int, read, want, fix string) {
	r.add(journal.Finding{Field: field, Read: read, Want: want, Fix: fix}, at)
}

func (r *reader) warn(field string, at int, read, want, fix string) {
	r.add(journal.Finding{Field: field, Read: read, Want: want, Fix: fix, Warning: true}, at)
}

// readMax is how much of what was read a finding shows, in characters.
const readMax = 120

func (r *reader) add(f journal.Finding, at int) {
	if n := len(r.findings); n >= findingsMax && f.Warning || n == 2*findingsMax {
		return
	}
	f.File, f.Read = r.file, journal.OneLine(f.Read, readMax)
	f.Line, f.Column = r.doc.position(at)
	r.findings = append(r.findings, f)
}
