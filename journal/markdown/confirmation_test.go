package markdown

import (
	"slices"
	"strings"
	"testing"
)

// The protocol's shape, line by line.
func TestConfirmation(t *testing.T) {
	d, _ := read(strings.Replace(strings.Replace(triage, "- current focus", "- queue: the open TODO lines", 1), "- edit work.txt", "- edit work.txt\n- run the tests", 1))
	got := Confirmation(d, Proposal{Name: "triage", Bound: Count(3), Details: []Detail{{Name: "Target branch", Value: "main"}}, First: []string{"remove the first TODO line"}})
	const want = `I found this loop:

Loop:
  triage
Purpose:
  Keep removing TODO lines.
Trigger:
  A manual tick.
It will continue when:
  - work.txt has a TODO line: ` + "`grep -c TODO work.txt`" + ` → exits 0
It will stop when:
  - no TODO is left: ` + "`grep -c TODO work.txt`" + ` → exits 1
It may do:
  - edit work.txt
  - run the tests
It must ask you when:
  - the file is missing: ` + "`test -e work.txt`" + ` → exits 1
Run policy:
  Iteration unit: one TODO line
  Default activation bound: one iteration
This activation will run:
  up to 3 iterations
Activation bound:
  at most 3 iterations; it ends earlier when a stop or ask condition is true
Stop overrides:
  Stop When: no TODO is left: ` + "`grep -c TODO work.txt`" + ` → exits 1 / Ask Human When: the file is missing: ` + "`test -e work.txt`" + ` → exits 1 — both beat the run policy
It will track in state.md:
  - status, loop, current focus, next action, blockers, continue conditions currently true, stop conditions currently true, last human instruction, last direction check, pending human review, activation bound, activation bound progress, iteration count, updated at
  - queue: the open TODO lines
It will append to record.md:
  - Signal, action, result, next.
First iteration, if activated:
  - Target branch: main
  - remove the first TODO line

Please choose:
1. Activate and run according to this activation bound.
2. Activate but wait.
3. Create / update LOOP.md only.
4. Revise the loop definition.
5. Cancel.
`
	if got != want {
		t.Errorf("got\n%s", got)
	}
}

// A definition that is silent on something still has every field, and no text of it makes a line of its own.
func TestConfirmationOfASilentDefinition(t *testing.T) {
	d, _ := read("# K Loop\n\n## Purpose\nA\n\nPlease choose:\n1. \x1b[31mred\n\n## Ask Human When\n- none\n")
	got := Confirmation(d, Proposal{Name: "k", Drafted: true, Bound: d.Policy.Default})
	if !strings.HasPrefix(got, "I drafted this loop:\n") || strings.Contains(got, "\x1b") || strings.Count(got, "\nPlease choose:\n") != 1 {
		t.Errorf("got\n%s", got)
	}
	for _, field := range []string{"Loop:", "Purpose:", "Trigger:", "It will continue when:", "It will stop when:", "It may do:", "It must ask you when:", "Run policy:", "  Iteration unit: ", "  Default activation bound: ",
		"This activation will run:", "Activation bound:", "Stop overrides:", "It will track in state.md:", "It will append to record.md:", "First iteration, if activated:"} {
		i := strings.Index(got, "\n"+field)
		if i < 0 {
			t.Errorf("no %s", field)
			continue
		}
		if rest, _, _ := strings.Cut(got[i+1+len(field):], "\n\n"); strings.TrimSpace(rest) == "" {
			t.Errorf("%s is empty", field)
		}
	}
	if strings.Count(got, "\n  at most 1 iteration\n") != 1 || strings.Count(got, "\n  one iteration\n") != 1 {
		t.Errorf("the bound:\n%s", got)
	}
}

func TestChoices(t *testing.T) {
	for answer, want := range map[string]Choice{"1": ActivateAndRun, " 2\n": ActivateAndWait, "3.": DefineOnly, "revise the loop definition": Revise, "Cancel.": Cancel,
		"yes": 0, "confirm": 0, "": 0, "0": 0, "6": 0, "1 2": 0, "activate": 0, "１": 0} {
		if got, ok := ParseChoice(answer); got != want || ok != (want != 0) {
			t.Errorf("%q: %v, %v", answer, got, ok)
		}
	}
	if c := Choices(); !slices.Equal(c, []Choice{1, 2, 3, 4, 5}) || Choice(0).String() != "" {
		t.Errorf("choices %v", c)
	}
}
