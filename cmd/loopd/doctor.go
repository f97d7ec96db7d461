package main

import (
	"cmp"
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

// rule is one thing that must hold before a loop may start. An error of Check ends the examination.
type rule struct {
	ID    string
	What  string
	Check func(*patient) ([]journal.Finding, error)
}

// doctorRules are D1 to D9 of the loop doctor (spec/dialects.md, "The family around the native format"), and below them
// what else would stop the first run.
var doctorRules = []rule{
	{"D1", "the charter parses", charterParses},
	{"D2", "Done-when is mechanical", doneWhenIsMechanical},
	{"D3", "each verification command runs here", verificationRuns},
	{"D4", "the ratchet can be read", ratchetReads},
	{"D5", "the units look sized", unitsLookSized},
	{"D6", "the guardrails of the repository are inherited", guardrailsInherited},
	{"D7", "escalation reaches a human", escalationReaches},
	{"D8", "it starts propose-only", startsProposeOnly},
	{"D9", "a budget is set", budgetIsSet},
	{"config", "config.toml is valid", configIsValid},
	{"harness", "the harness is here", harnessIsHere},
	{"git", "what fails can be put back", gitCanPutBack},
	{"files", "the loop's other files are in order", filesInOrder},
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
		found, err := r.Check(p)
		if err != nil {
			return d, err
		}
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

// defective says whether reading the charter found a defect in a section: what is missing there was said already.
func (p *patient) defective(section string) bool {
	return slices.ContainsFunc(p.Loop.Findings, func(f journal.Finding) bool {
		return !f.Warning && strings.HasPrefix(f.Field, section)
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
