package supervisor

import (
	"testing"

	"loopd/harness"
	"loopd/journal"
)

// Each row of the failure protocol, by an iteration that leads to it.
func TestRoutes(t *testing.T) {
	red := []CheckResult{{Command: "test", Exit: 1}}
	cases := []struct {
		name   string
		change func(o *Observed)
		class  journal.Class
		ends   int
		held   bool // a person is needed though the outcome does not say so
	}{
		{"kept", func(o *Observed) {}, journal.Running, 0, false},
		{"reached", func(o *Observed) { o.DoneWhen = true }, journal.Complete, 0, false},
		{"it needs input", func(o *Observed) { o.Report = journal.Report{Status: journal.ReportBlocked, Class: journal.NeedsInput} }, journal.NeedsInput, 0, false},
		{"it says that it gets nowhere", func(o *Observed) { o.Report = journal.Report{Status: journal.ReportBlocked, Class: journal.NoProgress} }, journal.NoProgress, 0, false},
		{"it asks for leave", func(o *Observed) {
			o.Report = journal.Report{Status: journal.ReportBlocked, Class: journal.BlockedPermission}
		}, journal.BlockedPermission, 0, false},
		{"the CLI rejected a permission", func(o *Observed) { o.HasText, o.Stop, o.Asked = false, harness.None, "edit" }, journal.BlockedPermission, 0, false},
		{"no status", func(o *Observed) { o.Report = journal.Report{Violation: "none"} }, journal.NoProgress, 0, false},
		{"a retry as before", func(o *Observed) { o.Retry = true }, journal.NoProgress, 0, false},
		{"review budget", func(o *Observed) { o.OverReview = "500 of 400" }, journal.BudgetStop, CodeBudget, false},
		{"metric regression", func(o *Observed) { o.Ratchet = Worse }, journal.VerifyFailed, CodeFailed, false},
		{"a guardrail fails while the metric improves", func(o *Observed) { o.Checks = red }, journal.VerifyFailed, 0, false},
		{"out of scope", func(o *Observed) { o.Guardrails = []string{"outside the scope: x"} }, journal.VerifyFailed, 0, false},
		{"the checker sends it back", func(o *Observed) { o.Checker = CheckerNeeds }, journal.VerifyFailed, 0, false},
		{"refusal escalates", func(o *Observed) { o.Stop = harness.Refused }, journal.NoProgress, 0, true},
		{"a crash escalates", func(o *Observed) { o.Stop, o.HasText = harness.Crashed, false }, journal.NoProgress, 0, true},
		{"truncation goes on within the budget", func(o *Observed) { o.Stop, o.Ratchet = harness.Truncated, HeldStill }, journal.BudgetStop, 0, false},
		{"so does a time limit", func(o *Observed) { o.TimedOut, o.HasText = "wall", false }, journal.BudgetStop, 0, false},
		{"nothing was changed", func(o *Observed) { o.TreeChanged = false }, journal.NoProgress, 0, false},
		{"no work", func(o *Observed) {
			o.Protocol, o.NoWork, o.TreeChanged, o.Report.Status = &journal.Protocol{Query: &journal.Check{}}, true, false, journal.ReportEmpty
		}, journal.NoOp, 0, false},
		{"limited is no iteration", func(o *Observed) { o.Stop = harness.Limited }, "", 0, false},
		{"interrupted", func(o *Observed) { o.Interrupt = "SIGINT" }, journal.Ended, 0, false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			o := shippedIteration()
			o.Protocol, o.GoalKnown = &journal.Protocol{}, true
			c.change(&o)
			v := Conclude(o)
			if v.Class != c.class || v.Ends != c.ends || (v.NeedsPerson != "") != c.held {
				t.Errorf("rule %q: class %q, ends %d, needs a person %q; want %q, %d, %v", v.Rule, v.Class, v.Ends, v.NeedsPerson, c.class, c.ends, c.held)
			}
		})
	}
}

// A contract stalls at the second failure of a kind, and where a kept change leaves the goal as far away as before.
func TestContractStalls(t *testing.T) {
	charter := journal.Charter{Protocol: &journal.Protocol{}, Escalation: journal.Escalation{Stalled: 2}}
	step := func(s journal.State, o journal.Outcome, unmet string) journal.State {
		return Advance(s, Step{Charter: charter, Number: s.Iteration + 1, Now: t0, Unmet: unmet, Signature: "same", FailedCheck: "x",
			Verdict: Verdict{Outcome: o, Kept: o == journal.Shipped}, Observed: Observed{TreeChanged: true, Protocol: charter.Protocol, Ratchet: NoRatchet}})
	}
	for _, c := range []struct {
		name  string
		steps []journal.Outcome
		unmet []string
		want  journal.Status
	}{
		{"one failure", []journal.Outcome{journal.Failed}, []string{""}, journal.Active},
		{"two failures", []journal.Outcome{journal.Failed, journal.Failed}, []string{"", ""}, journal.Stalled},
		{"a kept change between", []journal.Outcome{journal.Failed, journal.Shipped, journal.Failed}, []string{"a", "b", "b"}, journal.Active},
		{"the goal moves", []journal.Outcome{journal.Shipped, journal.Shipped, journal.Shipped}, []string{"3 fail", "2 fail", "1 fail"}, journal.Active},
		{"the goal stays", []journal.Outcome{journal.Shipped, journal.Shipped, journal.Shipped}, []string{"3 fail", "3 fail", "3 fail"}, journal.Stalled},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := journal.State{Name: "k", Status: journal.Active}
			for i, o := range c.steps {
				s = step(s, o, c.unmet[i])
			}
			if s.Status != c.want {
				t.Errorf("status %s (stall %d), want %s", s.Status, s.Ratchet.StallCount, c.want)
			}
		})
	}
}
