package supervisor

import (
	"testing"

	"loopd/harness"
	"loopd/journal"
)

// shipped is an iteration in which everything went well; each case changes what it is about.
func shippedIteration() Observed {
	return Observed{Archetype: journal.RatchetClimb, Native: true, Stop: harness.Complete, HasText: true, TreeChanged: true,
		Report: journal.Report{Status: journal.ReportShipped}, Checks: []CheckResult{{Command: "test", OK: true}}, Ratchet: Better}
}

func TestConcludeRows(t *testing.T) {
	red := []CheckResult{{Command: "test", OK: false, Exit: 1}}
	cases := []struct {
		name    string
		change  func(o *Observed)
		rule    string
		outcome journal.Outcome
		putBack bool
		flag    string
	}{
		{"shipped", func(o *Observed) {}, "otherwise", journal.Shipped, false, ""},
		{"not started, tree as it was", func(o *Observed) { o.NotStarted, o.TreeChanged = "not found", false }, "not started", journal.Unavailable, false, "not found"},
		{"not started, tree changed", func(o *Observed) { o.NotStarted = "exit 127" }, "not started", journal.Unavailable, true, "exit 127"},
		{"interrupted beats a limit", func(o *Observed) { o.Interrupt, o.Stop = "interrupt", harness.Limited }, "interrupted", journal.Interrupted, true, "interrupted"},
		{"limited", func(o *Observed) { o.Stop = harness.Limited }, "limited", journal.Limited, true, ""},
		{"login", func(o *Observed) { o.Stop, o.TreeChanged = harness.Login, false }, "unavailable", journal.Unavailable, false, ""},
		{"overloaded", func(o *Observed) { o.Stop = harness.Overloaded }, "unavailable", journal.Unavailable, true, ""},
		{"guardrail beats a good report", func(o *Observed) { o.Guardrails = []string{".loop/k/LOOP.md changed"} }, "guardrail", journal.Failed, true, "guardrail: .loop/k/LOOP.md changed"},
		{"guardrail with an unchanged tree", func(o *Observed) { o.Guardrails, o.TreeChanged = []string{"HEAD detached"}, false }, "guardrail", journal.Failed, true, "guardrail: HEAD detached"},
		{"guardrail beats a question", func(o *Observed) { o.Guardrails, o.Report.Status = []string{"x"}, journal.ReportBlocked }, "guardrail", journal.Failed, true, ""},
		{"watchers change nothing", func(o *Observed) { o.Archetype = journal.WatchAndReport }, "watch loops change nothing", journal.Failed, true, ""},
		{"review budget", func(o *Observed) { o.OverReview = "500 changed lines of 400" }, "review budget", journal.Failed, true, "review budget: 500 changed lines of 400"},
		{"a permission that ended the run is a question", func(o *Observed) { o.HasText, o.Stop, o.Asked = false, harness.None, "edit (x)" }, "permission rejected", journal.Held, true, "question"},
		{"no final message", func(o *Observed) { o.HasText = false }, "no final message", journal.Failed, true, "no answer"},
		{"no final message is never shipped, however good the ratchet", func(o *Observed) { o.HasText, o.Stop = false, harness.Truncated }, "no final message", journal.Failed, true, "no answer"},
		{"heartbeat", func(o *Observed) { o.Report, o.TreeChanged = journal.Report{OK: true}, false }, "heartbeat", journal.Heartbeat, false, ""},
		{"OK token with a change is no outcome line", func(o *Observed) { o.Report = journal.Report{OK: true} }, "contract violation", journal.Held, true, "contract violation"},
		{"no outcome line", func(o *Observed) { o.Report, o.TreeChanged = journal.Report{Violation: "none"}, false }, "contract violation", journal.Held, false, "contract violation"},
		{"no outcome line beats red checks", func(o *Observed) { o.Report, o.Checks = journal.Report{Violation: "none"}, red }, "contract violation", journal.Held, true, ""},
		{"tracking: an unreadable answer", func(o *Observed) { o.Report, o.GoesOn, o.Native = journal.Report{Violation: "none"}, true, false }, "unreadable answer", journal.NoChange, false, "unreadable answer"},
		{"tracking: an unreadable answer, but the check is met", func(o *Observed) { o.Report, o.GoesOn, o.DoneWhen = journal.Report{Violation: "none"}, true, true }, "done", journal.Finished, false, ""},
		{"tracking: a question", func(o *Observed) { o.Report, o.GoesOn = journal.Report{Question: "May I?"}, true }, "contract violation", journal.Held, true, "question"},
		{"a refusal in words is a question", func(o *Observed) { o.Report = journal.Report{Question: "May I?"} }, "contract violation", journal.Held, true, "question"},
		{"blocked beats red checks", func(o *Observed) { o.Report.Status, o.Checks = journal.ReportBlocked, red }, "question", journal.Held, true, "question"},
		{"check cannot run", func(o *Observed) { o.Checks = []CheckResult{{Command: "x", Missing: true, Exit: 127}} }, "check cannot run", journal.Failed, true, ""},
		{"check fails", func(o *Observed) { o.Checks = red }, "check fails", journal.Failed, true, ""},
		{"check hangs", func(o *Observed) { o.Checks = []CheckResult{{Command: "x", Hung: true}} }, "check fails", journal.Failed, true, "gate timeout"},
		{"red before and tree unchanged: the report decides", func(o *Observed) { o.Checks, o.TreeChanged, o.Report.Status = red, false, journal.ReportEmpty }, "idle", journal.Idle, false, "broken before"},
		{"red-green: red before and after, ratchet better", func(o *Observed) {
			o.Archetype, o.Checks = journal.RedGreen, []CheckResult{{Command: "x", Baseline: BrokenBefore}}
		}, "otherwise", journal.Shipped, false, "broken before"},
		{"red-green: red before and after, ratchet held", func(o *Observed) {
			o.Archetype, o.Checks, o.Ratchet = journal.RedGreen, []CheckResult{{Command: "x", Baseline: BrokenBefore}}, HeldStill
		}, "check fails", journal.Failed, true, ""},
		{"ratchet worse", func(o *Observed) { o.Ratchet = Worse }, "ratchet", journal.Failed, true, "regression reverted"},
		{"ratchet unreadable", func(o *Observed) { o.Ratchet = Unreadable }, "ratchet", journal.Failed, true, "ratchet unreadable"},
		{"cut off but green and better", func(o *Observed) { o.Stop, o.Report = harness.TurnLimit, journal.Report{} }, "cut off but better", journal.Shipped, false, ""},
		{"cut off, ratchet held", func(o *Observed) { o.Stop, o.Ratchet = harness.TurnLimit, HeldStill }, "cut off", journal.Failed, true, ""},
		{"overrun with a better ratchet", func(o *Observed) { o.TimedOut, o.Stop = "wall", harness.Crashed }, "cut off but better", journal.Shipped, false, "overrun"},
		{"a crash is not cut off by a limit", func(o *Observed) { o.Stop = harness.Crashed }, "cut off", journal.Failed, true, ""},
		{"a structured refusal", func(o *Observed) { o.Stop = harness.Refused }, "cut off", journal.Failed, true, "refused"},
		{"checker says no", func(o *Observed) { o.Checker = CheckerNeeds }, "checker", journal.Failed, true, "findings"},
		{"checker says no, charter keeps", func(o *Observed) { o.Checker, o.KeepOnNeedsWork = CheckerNeeds, true }, "otherwise", journal.Shipped, false, "findings"},
		{"checker says nothing", func(o *Observed) { o.Checker = CheckerSilent }, "otherwise", journal.Shipped, false, "unchecked"},
		{"claim without change", func(o *Observed) { o.TreeChanged = false }, "claim without change", journal.NoChange, false, "claim without change"},
		{"change without claim", func(o *Observed) { o.Report.Status = journal.ReportGateKilled }, "change without claim", journal.Failed, true, "change without claim"},
		{"idle", func(o *Observed) { o.Report.Status, o.TreeChanged = journal.ReportEmpty, false }, "idle", journal.Idle, false, ""},
		{"rejected with a change", func(o *Observed) { o.Report.Status = journal.ReportRejected }, "rejected", journal.Rejected, true, "rejected"},
		{"rejected without a change", func(o *Observed) { o.Report.Status, o.TreeChanged = journal.ReportRejected, false }, "otherwise", journal.Rejected, false, ""},
		{"evaluate-optimize keeps improvements only", func(o *Observed) { o.Archetype, o.Ratchet = journal.EvaluateOptimize, HeldStill }, "keeps only improvements", journal.NoChange, true, "not kept"},
		{"done", func(o *Observed) { o.DoneWhen = true }, "done", journal.Finished, false, ""},
		{"done though nothing changed", func(o *Observed) { o.DoneWhen, o.TreeChanged, o.Report.Status = true, false, journal.ReportEmpty }, "done without change", journal.Finished, false, ""},
		{"red checks beat done", func(o *Observed) { o.DoneWhen, o.Checks = true, red }, "check fails", journal.Failed, true, ""},
		{"filed", func(o *Observed) { o.Report.Status = journal.ReportFiled }, "filed", journal.Filed, false, ""},
		{"contract: a retry says what is different", func(o *Observed) { o.Protocol, o.Retry, o.Report.Account.Diagnosis = &journal.Protocol{}, true, "why" }, "retry without diagnosis", journal.Held, true, ""},
		{"contract: a retry that says it", func(o *Observed) {
			o.Protocol, o.Retry, o.Report.Account = &journal.Protocol{}, true, journal.Account{Diagnosis: "why", Changed: "the tool"}
		}, "otherwise", journal.Shipped, false, ""},
		{"contract: no query, no NO_OP", func(o *Observed) {
			o.Protocol, o.Report.Status, o.TreeChanged = &journal.Protocol{}, journal.ReportEmpty, false
		}, "no-op without proof", journal.Held, false, "NO_OP not accepted: the contract declares no eligibility query"},
		{"contract: the query shows work", func(o *Observed) {
			o.Protocol, o.Report.Status, o.TreeChanged = &journal.Protocol{Query: &journal.Check{Command: "q"}}, journal.ReportEmpty, false
		}, "no-op without proof", journal.Held, false, "NO_OP not accepted: `q` shows eligible work"},
		{"contract: a NO_OP with a change", func(o *Observed) {
			o.Protocol, o.Report.Status, o.NoWork = &journal.Protocol{Query: &journal.Check{Command: "q"}}, journal.ReportEmpty, true
		}, "no-op without proof", journal.Held, true, "NO_OP not accepted: the tree was changed"},
		{"contract: a NO_OP with outputs", func(o *Observed) {
			o.Protocol, o.Report.Status, o.NoWork, o.TreeChanged, o.Outputs = &journal.Protocol{Query: &journal.Check{}}, journal.ReportEmpty, true, false, 1
		}, "no-op without proof", journal.Held, false, "NO_OP not accepted: 1 outputs, at most 0"},
		{"contract: a proven NO_OP", func(o *Observed) {
			o.Protocol, o.Report.Status, o.NoWork, o.TreeChanged = &journal.Protocol{Query: &journal.Check{}}, journal.ReportEmpty, true, false
		}, "idle", journal.Idle, false, ""},
		{"contract: a checker that says nothing passes nothing", func(o *Observed) { o.Protocol, o.Checker = &journal.Protocol{Checker: true}, CheckerSilent }, "unchecked", journal.Failed, true, "unchecked"},
		{"contract: complete is no evidence", func(o *Observed) { o.Protocol, o.Report.Met, o.GoalKnown = &journal.Protocol{}, true, true }, "claim without result", journal.Failed, true, ""},
		{"contract: complete, and it is", func(o *Observed) {
			o.Protocol, o.Report.Met, o.GoalKnown, o.DoneWhen = &journal.Protocol{}, true, true, true
		}, "done", journal.Finished, false, ""},
		{"research without a number keeps what reaches the goal", func(o *Observed) {
			o.Archetype, o.Ratchet, o.DoneWhen = journal.EvaluateOptimize, NoRatchet, true
		}, "done", journal.Finished, false, ""},
		{"no command was run", func(o *Observed) { o.Checks = nil }, "otherwise", journal.Shipped, false, "unverified"},
	}
	seen := map[string]bool{}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			o := shippedIteration()
			c.change(&o)
			v := Conclude(o)
			seen[v.Rule] = true
			if v.Rule != c.rule || v.Outcome != c.outcome || v.PutBack != c.putBack {
				t.Fatalf("got rule %q, outcome %q, put back %v; want %q, %q, %v", v.Rule, v.Outcome, v.PutBack, c.rule, c.outcome, c.putBack)
			}
			if c.flag != "" && !contains(v.Flags, c.flag) {
				t.Fatalf("flags %q lack %q", v.Flags, c.flag)
			}
		})
	}
	for _, r := range outcomes {
		if !seen[r.name] {
			t.Errorf("row %q of the table has no case", r.name)
		}
	}
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}
