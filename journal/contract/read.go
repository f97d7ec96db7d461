package contract

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"loopd/journal"
)

// findingsMax bounds the findings of one file: one with more is no contract.
const findingsMax = 200

// reader reads one contract.
type reader struct {
	file     string
	src      source
	contract Contract
	values   map[string]value // of the fields that say something
	at       map[string]int   // where each field's name stands
	findings []journal.Finding
}

// Read reads a contract and checks it (spec/dialects.md "contract", first bullet). file is the name that findings show.
// strict adds what holds before a run: a review budget of at most 1000 changed lines, an integration gate for
// manager-workers, a real trigger for Automation. Every finding forbids a run; they come in the order of the file. The
// bytes are not changed, and nothing in them makes Read fail.
func Read(file string, src []byte, strict bool) (Contract, []journal.Finding) {
	r := &reader{file: file, src: sourceOf(src), values: map[string]value{}, at: map[string]int{}}
	r.contract.Lines = map[string]int{}
	if at := r.src.notText(); at >= 0 {
		r.add(whole, at, "bytes that are no text", "Markdown in UTF-8", "save the file as UTF-8")
		return r.contract, r.findings
	}
	b := blockOf(r.src.lines())
	r.outline(b)
	if g := gather(sectionsOf(b.lines)); r.names(b, g) {
		r.texts()
		r.closedSets()
		r.caps()
		r.commands(g)
		r.stopCondition()
		r.verifier()
		r.boundary()
		r.integrationGate()
		if strict {
			r.beforeARun()
			r.writeBack()
			r.gate()
			r.runnable()
		}
	}
	slices.SortStableFunc(r.findings, func(a, b journal.Finding) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return r.contract, r.findings
}

func (r *reader) add(field string, at int, read, want, fix string) {
	if len(r.findings) == findingsMax {
		return
	}
	f := journal.Finding{File: r.file, Field: field, Read: journal.OneLine(read, 200), Want: want, Fix: fix}
	f.Line, f.Column = r.src.position(at)
	r.findings = append(r.findings, f)
}

// outline is about the block as such.
func (r *reader) outline(b block) {
	if r.src.unclosed >= 0 {
		r.add(whole, r.src.unclosed, "<!--", "a comment that ends in -->", "close it: it would hide the rest of the contract")
	}
	if b.again >= 0 {
		r.add(whole, b.again, "a second contract", "one contract in a file", "give each contract a file of its own")
	}
	if b.open >= 0 {
		r.add(whole, b.open, "a tag that is never closed", "</loop_contract> behind the last field", "")
	}
}

// names finds fields that are missing, misspelt, doubled or empty. It reports whether there is any field at all.
func (r *reader) names(b block, g gathered) bool {
	begin, end := 0, 0
	for i, l := range b.lines {
		if i == 0 {
			begin = l.at
		}
		if strings.TrimSpace(l.text) != "" {
			end = l.at
		}
	}
	for _, f := range required {
		e, ok := g.fields[f.name]
		if !ok {
			continue
		}
		r.at[f.name] = e.nameAt
		r.contract.Lines[f.name], _ = r.src.position(e.nameAt)
		v := valueOf(e.parts)
		if unsaid(v.text) || isAny(f.name, []string{metric, verifier, recovery}) && templateCommand(v.text) {
			r.add(f.name, e.nameAt, v.text, shape(f.name), "only a person can say this: fill it in")
		} else {
			r.values[f.name] = v
		}
	}
	misspelt := r.misspelt(g)
	if len(r.at) == 0 && len(misspelt) == 0 && len(g.unsure) == 0 {
		r.add(whole, begin, "no field of a contract",
			"the 22 fields, one a line, by their English names: "+strings.Join(Fields(), ", "), "write them as - "+shape(objective))
		return false
	}
	hints := hintsOf(b.lines)
	for i, f := range required {
		if _, ok := r.at[f.name]; ok || misspelt[f.name] {
			continue
		}
		at, read, fix := end, "", "add the field"
		for _, next := range slices.Backward(required[i+1:]) {
			if x, ok := r.at[next.name]; ok {
				at = x
			}
		}
		if x, ok := g.unsure[f.name]; ok {
			at, read, fix = x, titled(f.name)+" in a table that can be read in more than one way", "make it a row of two cells, name and value"
		} else if h, ok := hints[f.name]; ok {
			at, read, fix = h.at, h.text, "give it a line of its own, or two blanks before it"
		}
		r.add(f.name, at, read, "- "+shape(f.name), fix)
	}
	for _, e := range g.doubled {
		first, _ := r.src.position(r.at[e.field])
		r.add(e.field, e.nameAt, e.name+": "+valueOf(e.parts).text, "the field once",
			fmt.Sprintf("line %d has it already: take one of the two out", first))
	}
	return true
}

// misspelt finds keys that nearly are the name of a field that is missing.
func (r *reader) misspelt(g gathered) map[string]bool {
	out := map[string]bool{}
	missing := slices.DeleteFunc(allNames(), func(name string) bool { _, there := r.at[fieldOf(name)]; return there })
	for _, e := range g.others {
		name := journal.Nearest(e.name, missing)
		field := fieldOf(name)
		if name == "" || out[field] {
			continue
		}
		out[field] = true
		r.add(field, e.nameAt, e.name, shape(field), "did you mean "+titled(name)+"?")
	}
	return out
}
