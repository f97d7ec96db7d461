package native

import (
	"fmt"
	"path/filepath"
	"strings"

	"loopd/journal"
)

// defaults of spec/loop.md where a charter is silent.
const (
	defaultStalled  = 3
	defaultRequired = 3
	defaultOKToken  = "LOOP_OK"
	charterLines    = 120 // more is a warning
)

// Headings of a charter, in their order. The last one may be missing.
var headings = []string{"Goal", "Done-when", "Archetype", "Iteration contract", "Verification", "Ratchet", "Guardrails", "Escalation", "Budget", "Promotion", "Harness"}

// charterReader reads one charter; every finding has a position.
type charterReader struct {
	file     string // as shown
	doc      *charterDoc
	charter  journal.Charter
	findings []journal.Finding
	byName   map[string]*section
}

// readCharter reads LOOP.md. Nothing in it makes it fail: what is missing, misspelt, repeated, misplaced or unreadable is
// a finding, and only documented defaults are taken silently. root is where file names in findings start.
func readCharter(file string, src []byte, root string) (journal.Charter, []journal.Finding) {
	shown := file
	if rel, err := filepath.Rel(root, file); err == nil && !strings.HasPrefix(rel, "..") {
		shown = rel
	}
	r := &charterReader{file: shown, doc: parseCharter(src), byName: map[string]*section{}}
	r.charter.File, r.charter.Source = file, src
	r.charter.Harness.OKToken = defaultOKToken
	r.charter.Escalation.Stalled, r.charter.Promotion.Required = defaultStalled, defaultRequired
	r.title(filepath.Base(filepath.Dir(file)))
	r.outline()
	for _, s := range []struct {
		name string
		read func(*section)
	}{
		{"Goal", r.goal}, {"Done-when", r.doneWhen}, {"Archetype", r.archetype}, {"Iteration contract", r.contract}, {"Verification", r.verification},
		{"Ratchet", r.ratchet}, {"Guardrails", r.guardrails}, {"Escalation", r.escalation}, {"Budget", r.budget}, {"Promotion", r.promotion}, {"Harness", r.harness},
	} {
		if sec := r.byName[s.name]; sec != nil {
			s.read(sec)
			r.placeholders(s.name, sec)
		}
	}
	if n := strings.Count(strings.TrimRight(string(src), "\r\n"), "\n") + 1; n > charterLines {
		r.findings = append(r.findings, journal.Finding{File: r.file, Line: n, Field: "LOOP.md", Read: fmt.Sprintf("%d lines", n), Want: fmt.Sprintf("at most %d", charterLines),
			Fix: "move what is not binding elsewhere: the whole charter is in every prompt", Warning: true})
	}
	return r.charter, r.findings
}

// defect notes what forbids a run, at an offset.
func (r *charterReader) defect(rule, field string, at int, read, want, fix string) {
	r.add(journal.Finding{Rule: rule, Field: field, Read: read, Want: want, Fix: fix}, at)
}

func (r *charterReader) warn(rule, field string, at int, read, want, fix string) {
	r.add(journal.Finding{Rule: rule, Field: field, Read: read, Want: want, Fix: fix, Warning: true}, at)
}

func (r *charterReader) add(f journal.Finding, at int) {
	f.File = r.file
	f.Line, f.Column = position(string(r.doc.src), at)
	r.findings = append(r.findings, f)
}

func (r *charterReader) title(name string) {
	const form = "# Loop: NAME"
	d := r.doc
	if d.title == "" {
		r.defect("D1", "title", 0, "", form, "begin the file with: # Loop: "+name)
		return
	}
	got, ok := strings.CutPrefix(d.title, "Loop:")
	if !ok {
		r.defect("D1", "title", d.titleAt, d.title, form, "write: # Loop: "+name)
		return
	}
	if got = strings.TrimSpace(got); got != name {
		r.defect("D1", "title", d.titleAt, got, name+", the name of the folder", "write: # Loop: "+name)
	}
}

// outline finds the sections, and what is wrong with their names and order.
func (r *charterReader) outline() {
	var misspelt []*section
	last, lastName := -1, ""
	for _, s := range r.doc.sections {
		i := indexOf(headings, s.name)
		switch {
		case i < 0:
			misspelt = append(misspelt, s)
			continue
		case r.byName[s.name] != nil:
			r.defect("D1", s.name, s.at, "## "+s.name, "each section once", "join the two sections of that name")
			continue
		case i < last:
			r.defect("D1", s.name, s.at, "## "+s.name+" behind ## "+lastName, "the order "+strings.Join(headings, ", "), "move the section before ## "+lastName)
		default:
			last, lastName = i, s.name
		}
		r.byName[s.name] = s
	}
	taken := map[string]bool{}
	for _, s := range append(misspelt, r.doc.others...) {
		near := journal.Nearest(s.name, headings)
		if near == "" || r.byName[near] != nil || taken[near] {
			continue // an unknown section is kept, and handed to the agent
		}
		taken[near] = true
		r.defect("D1", near, s.at, s.name, "## "+near, "write the heading exactly so, with two #")
	}
	for i, name := range headings[:len(headings)-1] {
		if r.byName[name] == nil && !taken[name] {
			r.defect("D1", name, r.placeFor(i), "", "a section ## "+name, "add it; loopd init writes a charter with all of them")
		}
	}
}

// placeFor is where a missing section belongs: before the first later one that is there, else at the end.
func (r *charterReader) placeFor(i int) int {
	for _, name := range headings[i+1:] {
		if s := r.byName[name]; s != nil {
			return r.doc.lineStart(s.at)
		}
	}
	return len(r.doc.src)
}

func indexOf(list []string, s string) int {
	for i, x := range list {
		if x == s {
			return i
		}
	}
	return -1
}

// onlyYou marks what init cannot know.
const onlyYou = "TODO(you)"

// placeholders finds what only a person can say and has not said yet.
func (r *charterReader) placeholders(name string, s *section) {
	for _, b := range append(append([]bullet(nil), s.bullets...), s.texts...) {
		v := strings.Trim(b.value, " .`")
		if strings.Contains(b.value, onlyYou) || len(v) > 2 && v[0] == '<' && v[len(v)-1] == '>' && !strings.Contains(v[1:], "<") {
			field := name
			if b.key != "" {
				field += " " + b.key
			}
			r.defect("", field, b.at, b.value, "your own words", "only a person can say this: fill it in")
		}
	}
}

func (r *charterReader) goal(s *section) {
	all := append(append([]bullet(nil), s.texts...), s.bullets...)
	if len(all) == 0 {
		r.defect("D1", "Goal", s.at, "", "one sentence", "say what shall be true in the end")
		return
	}
	r.charter.Goal = all[0].value
	if all[0].key != "" {
		r.charter.Goal = all[0].key + ": " + all[0].value
	}
}

func (r *charterReader) archetype(s *section) {
	all := append(append([]bullet(nil), s.texts...), s.bullets...)
	var known []string
	for _, a := range journal.Archetypes() {
		known = append(known, string(a))
	}
	if len(all) == 0 {
		r.defect("D1", "Archetype", s.at, "", "one of "+strings.Join(known, ", "), "")
		return
	}
	first, note, _ := strings.Cut(all[0].value, " ")
	first = strings.Trim(first, "`*.,;:")
	if indexOf(known, first) < 0 {
		fix := ""
		if near := journal.Nearest(first, known); near != "" {
			fix = "did you mean " + near + "?"
		}
		r.defect("D1", "Archetype", all[0].at, first, "one of "+strings.Join(known, ", "), fix)
		return
	}
	r.charter.Archetype, r.charter.ArchetypeNote = journal.Archetype(first), strings.TrimSpace(note)
}

func (r *charterReader) contract(s *section) {
	c := &r.charter
	for _, f := range []struct {
		key string
		to  *string
	}{{"Unit", &c.Unit}, {"Start", &c.Start}, {"End", &c.End}, {"Never", &c.Never}} {
		b, ok := s.find(f.key)
		if *f.to = b.value; ok && b.value != "" {
			continue
		}
		if f.key == "Unit" {
			r.defect("D1", "Iteration contract Unit", s.at, "", "a bullet - Unit: what one iteration does", "")
		} else {
			r.warn("D1", "Iteration contract "+f.key, s.at, "", "a bullet - "+f.key+":", "")
		}
	}
}

func (r *charterReader) guardrails(s *section) {
	r.charter.Guardrails = r.doc.body(s)
	if r.charter.Guardrails == "" {
		r.defect("D1", "Guardrails", s.at, "", "what must never happen", "write at least: - No push, no publish, no deploy.")
	}
	for _, b := range s.bullets {
		if strings.EqualFold(b.key, "Protected") {
			r.charter.Protected = append(r.charter.Protected, globs(b.value)...)
		}
	}
}

// globs reads a list of globs: back-ticked ones, else what stands between commas.
func globs(value string) []string {
	var out []string
	if strings.Contains(value, "`") {
		for rest := value; ; {
			_, code, after, ok := codeSpan(rest)
			if !ok {
				return out
			}
			out = append(out, strings.TrimSpace(code))
			rest = after
		}
	}
	for _, g := range strings.Split(value, ",") {
		if g = strings.TrimSpace(g); g != "" && !strings.EqualFold(g, "none") && g != "-" {
			out = append(out, g)
		}
	}
	return out
}
