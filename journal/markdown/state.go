package markdown

import (
	"slices"
	"strconv"
	"strings"

	"loopd/journal"
)

// Field is one field of state.md. A value of several lines has "\n" between them, without their indentation.
type Field struct {
	Name  string
	Value string
	Line  int // in the file, 1-based; 0 for one that is to be written
}

// State is what state.md says.
type State struct {
	Raw        []byte
	Status     journal.Status // "" where it is none of the five
	Iterations int            // Iteration count, 0 where empty
	Fields     []Field        // all of them, the loop's own and unknown ones too, in the file's order
}

// Get gives a field's value, "" where it is empty or missing. Case does not count.
func (s State) Get(name string) string {
	for _, f := range s.Fields {
		if sameName(f.Name, name) {
			return f.Value
		}
	}
	return ""
}

// ReadState reads state.md; file is its name as a person knows it. A file without a status that is one of the five words,
// exactly, with a template's field twice, or of another kind is a defect: such a file is never written to. Fields that are
// missing are added when they are set.
func ReadState(file string, src []byte) (State, []journal.Finding) {
	r := &stateReader{file: file, src: src, state: State{Raw: src}}
	if at := notText(src); at >= 0 {
		r.defect("state.md", 1+strings.Count(string(src[:at]), "\n"), "bytes that are no text", "Markdown in UTF-8")
		return r.state, r.findings
	}
	all, strays := places(src)
	first := map[string]int{}
	known := 0
	for _, p := range all {
		name := string(src[p.nameFrom:p.nameTo])
		r.state.Fields = append(r.state.Fields, Field{Name: name, Value: p.value(src), Line: p.line})
		plain := plainWords(name)
		template := isTemplateField(name)
		switch line := first[plain]; {
		case line > 0 && template:
			r.defect(name, p.line, name, "the field once: it stands in line "+strconv.Itoa(line)+" too")
		case line > 0:
			r.warn(name, p.line, name, "the field once: it stands in line "+strconv.Itoa(line)+" too")
		case template:
			known++
		}
		if first[plain] == 0 {
			first[plain] = p.line
		}
	}
	if known == 0 {
		r.defect("state.md", 1, strings.TrimSpace(firstLine(src)), "the fields of the protocol's template, such as Status: running")
		return r.state, r.findings
	}
	r.typed(first)
	for _, line := range strays {
		r.warn("state.md", line.number, line.text, "a field, or a value that is indented below its field")
	}
	r.missing(first)
	return r.state, r.findings
}

type stateReader struct {
	file     string
	src      []byte
	state    State
	findings []journal.Finding
}

const repair = "repair it by hand, or move the file away and activate the loop again"

func (r *stateReader) defect(field string, line int, read, want string) {
	r.add(journal.Finding{Line: line, Field: field, Read: read, Want: want, Fix: repair})
}

func (r *stateReader) warn(field string, line int, read, want string) {
	r.add(journal.Finding{Line: line, Field: field, Read: read, Want: want, Warning: true})
}

func (r *stateReader) add(f journal.Finding) {
	if n := len(r.findings); n >= findingsMax && f.Warning || n == 2*findingsMax {
		return
	}
	f.File, f.Column, f.Field, f.Read = r.file, 1, journal.OneLine(f.Field, 4*readMax), journal.OneLine(f.Read, readMax)
	r.findings = append(r.findings, f)
}

// typed reads the two fields that are no free text.
func (r *stateReader) typed(lines map[string]int) {
	line := max(1, lines[plainWords(FieldStatus)])
	status := r.state.Get(FieldStatus)
	if slices.Contains(Statuses(), journal.Status(status)) {
		r.state.Status = journal.Status(status)
	} else {
		var words []string
		for _, s := range Statuses() {
			words = append(words, string(s))
		}
		r.defect(FieldStatus, line, status, "exactly one of "+strings.Join(words, ", "))
	}
	count := r.state.Get(FieldCount)
	if count == "" {
		return
	}
	n, ok := ReadProgress(count)
	if !ok || strings.Trim(count, "0123456789") != "" {
		r.defect(FieldCount, lines[plainWords(FieldCount)], count, "a whole number, 0 or more")
		return
	}
	r.state.Iterations = n
}

// missing says in one warning which fields of the template are not there.
func (r *stateReader) missing(lines map[string]int) {
	var gone []string
	for _, name := range StateFields() {
		if lines[plainWords(name)] == 0 && name != FieldStatus {
			gone = append(gone, name)
		}
	}
	if len(gone) > 0 {
		r.warn(strings.Join(gone, ", "), 1, "", "all fields of the template; the missing ones are added when they are set")
	}
}

func firstLine(src []byte) string {
	l, _, _ := strings.Cut(strings.TrimPrefix(string(src), bom), "\n")
	return l
}
