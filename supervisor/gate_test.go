package supervisor

import (
	"errors"
	"testing"
	"time"

	"loopd/journal"
)

func openGate() GateFacts {
	return GateFacts{
		Now:      t0,
		Charter:  journal.Charter{Budget: journal.Budget{MaxIterations: 20, Cadence: journal.Cadence{Kind: journal.Auto}}},
		State:    journal.State{Name: "k", Status: journal.Active},
		DoneWhen: func() (bool, string, error) { return false, "", nil },
		NoWork:   func() (bool, string, error) { return false, "", nil },
		Debris:   func() ([]string, error) { return nil, nil },
	}
}

func TestGateRows(t *testing.T) {
	done := func() (bool, string, error) { return true, "`x` → exit 1", nil }
	debris := func() ([]string, error) { return []string{"work.txt"}, nil }
	later := t0.Add(time.Hour)
	cases := []struct {
		name   string
		change func(f *GateFacts)
		action GateAction
		code   int
		rule   string
		silent bool
	}{
		{"go", func(f *GateFacts) {}, GateGo, 0, "go", false},
		{"STOP beats everything", func(f *GateFacts) { f.StopFile, f.State.Status, f.DoneWhen = ".loop/STOP", journal.Done, done }, GateRefuse, 10, "stop file", false},
		{"paused", func(f *GateFacts) { f.State.Status = journal.Paused }, GateRefuse, 10, "status", false},
		{"retired", func(f *GateFacts) { f.State.Status = journal.Retired }, GateRefuse, 10, "status", false},
		{"stalled", func(f *GateFacts) { f.State.Status = journal.Stalled }, GateRefuse, 13, "status", false},
		{"blocked", func(f *GateFacts) { f.State.Status = journal.Blocked }, GateRefuse, 13, "status", false},
		{"done before", func(f *GateFacts) { f.State.Status = journal.Done }, GateRefuse, 12, "status", true},
		{"never confirmed, by a scheduler", func(f *GateFacts) { f.NotConfirmed, f.IfDue = true, true }, GateRefuse, 10, "status", true},
		{"defects", func(f *GateFacts) { f.Defects = []journal.Finding{{File: "LOOP.md", Line: 3, Field: "Goal"}} }, GateRefuse, 80, "defects", true},
		{"iterations used up", func(f *GateFacts) { f.State.Iteration = 20 }, GateRefuse, 17, "budgets", false},
		{"time used up", func(f *GateFacts) {
			f.Charter.Budget.Total, f.State.Private.Spent.Seconds = time.Hour, 3600
		}, GateRefuse, 17, "budgets", false},
		{"cost used up", func(f *GateFacts) { f.Charter.Budget.Cost, f.State.Private.Spent.Cost = 5, 5.01 }, GateRefuse, 17, "budgets", false},
		{"--max-cost used up", func(f *GateFacts) { f.MaxCost, f.State.Private.Spent.Cost = 1, 1 }, GateRefuse, 17, "budgets", false},
		{"tokens used up", func(f *GateFacts) { f.Charter.Budget.Tokens, f.State.Private.Spent.Tokens = 10, 10 }, GateRefuse, 17, "budgets", false},
		{"tool calls used up", func(f *GateFacts) { f.Charter.Budget.ToolCalls, f.State.Private.Spent.ToolCalls = 10, 10 }, GateRefuse, 17, "budgets", false},
		{"not yet: a run waits", func(f *GateFacts) { f.State.Private.NotBefore = later }, GateWait, 0, "not before", false},
		{"not yet: --once runs all the same", func(f *GateFacts) { f.State.Private.NotBefore, f.Once = later, true }, GateGo, 0, "go", false},
		{"not yet: --once waits for a limit's reset", func(f *GateFacts) {
			f.State.Private.NotBefore, f.State.Private.Limited, f.Once = later, true, true
		}, GateRefuse, 16, "not before", true},
		{"not yet: --now overrides the limit too", func(f *GateFacts) {
			f.State.Private.NotBefore, f.State.Private.Limited, f.Once, f.Anyway = later, true, true, true
		}, GateGo, 0, "go", false},
		{"not due", func(f *GateFacts) { f.State.Private.NotBefore, f.Once, f.IfDue = later, true, true }, GateRefuse, 10, "not before", true},
		{"not due by the cadence alone", func(f *GateFacts) {
			f.Charter.Budget.Cadence = journal.Cadence{Kind: journal.Every, Every: time.Hour}
			f.State.LastRun, f.Once, f.IfDue = t0.Add(-30*time.Minute), true, true
		}, GateRefuse, 10, "not before", true},
		{"due", func(f *GateFacts) { f.State.Private.NotBefore, f.Once, f.IfDue = t0, true, true }, GateGo, 0, "go", false},
		{"done now", func(f *GateFacts) { f.DoneWhen = done }, GateFinish, 0, "done", false},
		{"done beats debris", func(f *GateFacts) { f.DoneWhen, f.Debris = done, debris }, GateFinish, 0, "done", false},
		{"a contract's model calls are used up", func(f *GateFacts) { f.Charter.Budget.ModelCalls, f.State.Private.Spent.ModelCalls = 10, 10 }, GateRefuse, 17, "budgets", false},
		{"a contract's review budget is used up", func(f *GateFacts) {
			f.Charter.Protocol, f.State.Private.Spent.ReviewLines = &journal.Protocol{ReviewLines: 400}, 400
		}, GateRefuse, 17, "budgets", false},
		{"a contract's files to read are used up", func(f *GateFacts) {
			f.Charter.Protocol, f.State.Private.Spent.ReviewFiles = &journal.Protocol{ReviewFiles: 6}, 6
		}, GateRefuse, 17, "budgets", false},
		{"an automation's run counts its own iterations", func(f *GateFacts) { f.State.Iteration, f.State.Private.Before = 25, 10 }, GateGo, 0, "go", false},
		{"no eligible work", func(f *GateFacts) {
			f.Charter.Protocol, f.NoWork = &journal.Protocol{Query: &journal.Check{}}, done
		}, GateFinish, 0, "no eligible work", false},
		{"no eligible work: an interval waits", func(f *GateFacts) {
			f.Charter.Protocol, f.NoWork = &journal.Protocol{Query: &journal.Check{}}, done
			f.Charter.Budget.Cadence = journal.Cadence{Kind: journal.Every, Every: time.Hour}
		}, GateWait, 0, "no eligible work", false},
		{"work is eligible", func(f *GateFacts) { f.Charter.Protocol = &journal.Protocol{Query: &journal.Check{}} }, GateGo, 0, "go", false},
		{"debris", func(f *GateFacts) { f.Debris = debris }, GateRefuse, 13, "debris", false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			f := openGate()
			c.change(&f)
			d, err := Gate(f)
			if err != nil {
				t.Fatal(err)
			}
			if d.Action != c.action || d.Code != c.code || d.Rule != c.rule || d.Silent != c.silent {
				t.Fatalf("got %q, code %d, rule %q, silent %v (%s); want %q, %d, %q, %v", d.Action, d.Code, d.Rule, d.Silent, d.Why, c.action, c.code, c.rule, c.silent)
			}
			if c.code != 0 && d.Fix == "" {
				t.Error("a refusal does not say what to type next")
			}
		})
	}
}

// What costs a process is not looked at where an earlier row speaks.
func TestGateSavesProcesses(t *testing.T) {
	f := openGate()
	f.State.Status = journal.Paused
	f.DoneWhen = func() (bool, string, error) { t.Error("Done-when was run for a paused loop"); return false, "", nil }
	f.Debris = func() ([]string, error) { t.Error("git was asked for a paused loop"); return nil, nil }
	if _, err := Gate(f); err != nil {
		t.Fatal(err)
	}
}

func TestGateGivesErrorsWithTheirRow(t *testing.T) {
	f := openGate()
	broken := errors.New("git is broken")
	f.Debris = func() ([]string, error) { return nil, broken }
	if _, err := Gate(f); !errors.Is(err, broken) {
		t.Fatalf("got %v", err)
	}
}
