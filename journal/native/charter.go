package native

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"loopd/journal"
)

// defaults of spec/loop.md where a charter is silent.
const (
	defaultStalled  = 3
	defaultRequired = 3
	defaultOKToken  = "LOOP_OK"
	charterLines    = 120 // more is a warning
	findingsMax     = 200 // a file with more is no charter
)

// Headings of a charter, in their order. The last one may be missing.
var headings = []string{"Goal", "Done-when", "Archetype", "Iteration contract", "Verification", "Ratchet", "Guardrails", "Escalation", "Budget", "Promotion", "Harness"}

// charterReader reads one charter; every finding has a position.
type charterReader struct {
	file     string // as shown
	doc      *charterDoc
	text     string // of doc
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
	r.text = string(r.doc.src)
	r.charter.File, r.charter.Source = file, src
	r.charter.Harness.OKToken = defaultOKToken
	r.charter.Escalation.Stalled, r.charter.Promotion.Required = defaultStalled, defaultRequired
	if !r.isText(src) {
		return r.charter, r.findings
	}
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
			r.keys(s.name, sec)
			r.placeholders(s.name, sec)
		}
	}
	if n := strings.Count(strings.TrimRight(string(src), "\r\n"), "\n") + 1; n > charterLines {
		r.findings = append(r.findings, journal.Finding{File: r.file, Line: n, Field: "LOOP.md", Read: fmt.Sprintf("%d lines", n), Want: fmt.Sprintf("at most %d", charterLines),
			Fix: "move what is not binding elsewhere: the whole charter is in every prompt", Warning: true})
	}
	return r.charter, r.findings
}

// isText refuses what no person reads as Markdown: the rest of the findings would be nonsense.
func (r *charterReader) isText(src []byte) bool {
	if at := r.doc.deep; at >= 0 {
		r.defect("D1", "LOOP.md", at, "quotes or lists in each other without end", "a charter that a person can read", "")
		return false
	}
	at := bytes.IndexByte(src, 0)
	if at < 0 && utf8.Valid(src) {
		return true
	}
	for i := 0; at < 0; {
		c, size := utf8.DecodeRune(src[i:])
		if c == utf8.RuneError && size == 1 {
			at = i
		}
		i += size
	}
	r.text = string(src) // as it is, comments too: the finding is about its bytes
	r.defect("D1", "LOOP.md", at, "bytes that are no text", "Markdown in UTF-8", "save the file as UTF-8")
	return false
}

// defect notes what forbids a run, at an offset.
func (r *charterReader) defect(rule, field string, at int, read, want, fix string) {
	r.add(journal.Finding{Rule: rule, Field: field, Read: read, Want: want, Fix: fix}, at)
}

func (r *charterReader) warn(rule, field string, at int, read, want, fix string) {
	r.add(journal.Finding{Rule: rule, Field: field, Read: read, Want: want, Fix: fix, Warning: true}, at)
}

func (r *charterReader) add(f journal.Finding, at int) {
	if len(r.findings) == findingsMax {
		return
	}
	f.File = r.file
	f.Line, f.Column = position(r.text, at)
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
	for _, at := range d.headAgain {
		if strings.HasPrefix(r.text[at:], "Loop:") {
			r.defect("D1", "title", at, "a second title", "one loop a charter", "give each loop a folder of its own")
		}
	}
}

// outline finds the sections, and what is wrong with their names and order.
func (r *charterReader) outline() {
	for _, at := range r.doc.unclosed {
		r.defect("D1", "LOOP.md", at, "<!--", "a comment that ends in -->", "close it: it would hide the rest of the charter")
	}
	var misspelt, known []*section
	for _, s := range r.doc.sections {
		switch {
		case !slices.Contains(headings, s.name):
			misspelt = append(misspelt, s)
		case r.byName[s.name] != nil:
			r.defect("D1", s.name, s.at, "## "+s.name, "each section once", "join the two sections of that name")
		default:
			r.byName[s.name] = s
			known = append(known, s)
		}
	}
	r.order(known)
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

// order names the sections that stand in the wrong place: as few as can be, so that one that was moved is one finding.
func (r *charterReader) order(known []*section) {
	rank := func(i int) int { return slices.Index(headings, known[i].name) }
	// best[i] is the length of the longest run in the right order that ends with section i.
	best, from := make([]int, len(known)), make([]int, len(known))
	end := -1
	for i := range known {
		best[i], from[i] = 1, -1
		for j := range i {
			if rank(j) < rank(i) && best[j]+1 > best[i] {
				best[i], from[i] = best[j]+1, j
			}
		}
		if end < 0 || best[i] > best[end] {
			end = i
		}
	}
	good := map[int]bool{}
	for ; end >= 0; end = from[end] {
		good[end] = true
	}
	for i, s := range known {
		if good[i] {
			continue
		}
		read, fix := "## "+s.name+" as the first section", "move it behind ## "+headings[max(rank(i)-1, 0)]
		if i > 0 {
			read = "## " + s.name + " behind ## " + known[i-1].name
		}
		if rank(i) == 0 {
			fix = "move it before ## " + headings[1]
		}
		r.defect("D1", s.name, s.at, read, "the order "+strings.Join(headings, ", "), fix)
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

// placeholders finds what only a person can say and has not said yet.
func (r *charterReader) placeholders(name string, s *section) {
	for _, b := range append(append([]bullet(nil), s.bullets...), s.texts...) {
		if unsaid(b.value) {
			field := name
			if b.key != "" {
				field += " " + b.key
			}
			r.defect("", field, b.at, b.value, "your own words", "only a person can say this: fill it in")
		}
	}
}

// unsaid reports whether a value is still a template's: marked, or nothing but "<words>", as a whole or as its command.
func unsaid(value string) bool {
	if strings.Contains(value, journal.OnlyYou) {
		return true
	}
	before, code, _, ok := codeSpan(value)
	return isTemplate(value) || ok && before == "" && isTemplate(code)
}

func isTemplate(s string) bool {
	s = strings.Trim(s, " .`*")
	if len(s) < 3 || s[0] != '<' || s[len(s)-1] != '>' || strings.ContainsAny(s[1:len(s)-1], "<>") {
		return false
	}
	// <https://…> and <a@b> are links.
	return !strings.Contains(s, "://") && !strings.Contains(s, "@")
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
	if unsaid(all[0].value) {
		return
	}
	text := strings.Trim(all[0].value, "*_")
	if all[0].key != "" {
		text = all[0].key + " " + text // "backlog-drain: the note"
	}
	first, note, _ := strings.Cut(text, " ")
	first = strings.ToLower(strings.Trim(first, "`*_.,;:"))
	if !slices.Contains(known, first) {
		r.defect("D1", "Archetype", all[0].at, first, "one of "+strings.Join(known, ", "), near(first, known))
		return
	}
	r.charter.Archetype, r.charter.ArchetypeNote = journal.Archetype(first), strings.TrimLeft(note, " *_—–-:")
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
			r.charter.Protected = append(r.charter.Protected, r.globs("D1", "Guardrails Protected", b)...)
		}
	}
}
