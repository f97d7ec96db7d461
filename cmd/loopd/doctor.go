package main

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"loopd/harness"
	"loopd/journal"
)

// patient is one loop with everything that the doctor may look at. Nothing of it is printed or changed.
type patient struct {
	Loop     journal.Loop
	Settings []Setting
	Config   config
	// ConfigFindings are the defects of config.toml.
	ConfigFindings []journal.Finding
	Harnesses      harness.Set
	Env            []string
	// House are the rule files of the repository that agents are meant to obey: CLAUDE.md, AGENTS.md.
	House []houseFile
	// Shell runs a command line as a verification would: here, without secrets, with a time limit. An error is an
	// operator's interrupt or a fault of the machine.
	Shell func(line string) (seen, error)
	// Show names a path as a person would type it.
	Show func(path string) string
}

// houseFile is one rule file.
type houseFile struct {
	File string // as shown
	Text string
}

// seen is what came of one command line.
type seen struct {
	Exit           int
	Missing        bool // no such command, or not executable
	Hung           bool // ended by its time limit
	Stdout, Stderr []byte
}

// rule is one thing that must hold before a loop may start. What the dialect found while it read counts too; Check, where
// there is one, looks at what reading alone does not show. An error of Check ends the examination.
type rule struct {
	ID    string
	What  string
	Check func(*patient) ([]journal.Finding, error)
}

// doctorRules are D1 to D9 of the loop doctor (spec/dialects.md, "The family around the native format"), and below them
// what else would stop the first run.
var doctorRules = []rule{
	{"D1", "the charter parses", nil},
	{"D2", "Done-when is mechanical", doneWhenIsMechanical},
	{"D3", "each verification command runs here", verificationRuns},
	{"D4", "the ratchet can be read", ratchetReads},
	{"D5", "the units look sized", unitsLookSized},
	{"D6", "the guardrails of the repository are inherited", guardrailsInherited},
	{"D7", "escalation reaches a human", escalationReaches},
	{"D8", "it starts propose-only", startsProposeOnly},
	{"D9", "a budget is set", budgetCanBeKept},
	{"files", "the loop's other files are in order", nil},
	{"config", "config.toml is valid", configIsValid},
	{"harness", "the harness is here", harnessIsHere},
	{"git", "what fails can be put back", gitCanPutBack},
}

// sectionRules says which rule a finding on a section belongs to, where the dialect does not say it.
var sectionRules = map[string]string{
	"Done-when": "D2", "Verification": "D3", "Ratchet": "D4", "Guardrails": "D6", "Escalation": "D7", "Promotion": "D8", "Budget": "D9",
}

// ruleOf is the rule that a finding of the dialect belongs to.
func (p *patient) ruleOf(f journal.Finding) string {
	if f.Rule != "" {
		return f.Rule
	}
	if filepath.Base(f.File) != filepath.Base(p.Loop.Charter.File) {
		return "files"
	}
	section, _, _ := strings.Cut(f.Field, " ")
	return cmp.Or(sectionRules[section], "D1")
}

// diagnosis is what the doctor found.
type diagnosis struct {
	Loop     string            `json:"loop"`
	Verdict  string            `json:"verdict"` // PASS or FAIL
	Failed   []string          `json:"failed"`  // rules, in their order
	Findings []journal.Finding `json:"findings"`
}

// examine applies every rule. Warnings do not fail a loop.
func examine(p *patient) (diagnosis, error) {
	d := diagnosis{Loop: p.Loop.Name, Verdict: "PASS", Failed: []string{}, Findings: []journal.Finding{}}
	for _, r := range doctorRules {
		var found []journal.Finding
		if r.Check != nil {
			var err error
			if found, err = r.Check(p); err != nil {
				return d, err
			}
		}
		found = append(p.read(r.ID, found), found...)
		for i := range found {
			found[i].Rule = r.ID
		}
		slices.SortStableFunc(found, func(a, b journal.Finding) int { return cmp.Compare(a.Line, b.Line) })
		d.Findings = append(d.Findings, found...)
		if slices.ContainsFunc(found, func(f journal.Finding) bool { return !f.Warning }) {
			d.Verdict, d.Failed = "FAIL", append(d.Failed, r.ID)
		}
	}
	return d, nil
}

// verdictLine is the last line of a report, in the family's words.
func (d diagnosis) verdictLine() string {
	if len(d.Failed) == 0 {
		return "Loop doctor: PASS"
	}
	return "Loop doctor: FAIL — " + strings.Join(d.Failed, ", ")
}

// at makes a finding on the charter, at a line of it or, for 0, at the heading of a section.
func (p *patient) at(line int, section, read, want, fix string) journal.Finding {
	if line == 0 {
		_, line = sectionOf(p.Loop.Charter.Source, section)
	}
	return journal.Finding{File: p.Show(p.Loop.Charter.File), Line: line, Field: section, Read: read, Want: want, Fix: fix}
}

// read gives the dialect's findings under a rule. A warning on a line where the doctor found a defect says less of the
// same.
func (p *patient) read(rule string, found []journal.Finding) []journal.Finding {
	var out []journal.Finding
	for _, f := range p.Loop.Findings {
		worse := func(o journal.Finding) bool { return f.Warning && !o.Warning && f.Line > 0 && o.Line == f.Line }
		if p.ruleOf(f) != rule || slices.ContainsFunc(found, worse) {
			continue
		}
		if !filepath.IsAbs(f.File) {
			f.File = filepath.Join(p.Loop.Root, f.File)
		}
		f.File = p.Show(f.File)
		out = append(out, f)
	}
	return out
}

// defective says whether reading found a defect in a section, at a line of it where line is not 0: what is wrong there
// was said already, and need not be tried.
func (p *patient) defective(section string, line int) bool {
	return slices.ContainsFunc(p.Loop.Findings, func(f journal.Finding) bool {
		name, _, _ := strings.Cut(f.Field, " ")
		return !f.Warning && name == section && (line == 0 || f.Line == line)
	})
}

// sectionOf gives the text of a charter's section and the line of its heading, 0 where there is none.
func sectionOf(source []byte, name string) (text string, line int) {
	var b strings.Builder
	n, fence := 0, false
	for l := range strings.Lines(string(source)) {
		n++
		trimmed := strings.TrimSpace(strings.TrimPrefix(l, "\ufeff"))
		if strings.HasPrefix(trimmed, "```") || strings.HasPrefix(trimmed, "~~~") {
			fence = !fence
		}
		switch heading, is := strings.CutPrefix(trimmed, "## "); {
		case is && !fence && line > 0:
			return b.String(), line
		case is && !fence && strings.TrimSpace(heading) == name:
			line = n
		case line > 0:
			b.WriteString(l)
		}
	}
	return b.String(), line
}

func warning(f journal.Finding) journal.Finding {
	f.Warning = true
	return f
}
