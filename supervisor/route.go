package supervisor

import (
	"slices"

	"loopd/harness"
	"loopd/journal"
)

// route says how a contract stands after an iteration, and whether its run goes on (seeds/loop-engineering.txt, "Failure
// Protocol"; spec/dialects.md, "contract").
type route struct {
	rules []string // of the outcome table; none for every other
	when  func(o Observed) bool
	class journal.Class
	// hold: a person is needed, the run ends with 13.
	hold bool
	// ends is the exit code with which the run ends, 0 where it goes on.
	ends int
}

// routes is the protocol as a table; the first row that matches counts. What is held already by its outcome needs no hold
// here.
var routes = []route{
	{rules: []string{"question", "contract violation"}, when: func(o Observed) bool { return o.Report.Class == journal.NeedsInput }, class: journal.NeedsInput},
	{rules: []string{"question"}, when: func(o Observed) bool { return o.Report.Class == journal.NoProgress }, class: journal.NoProgress},
	{rules: []string{"permission rejected", "question"}, class: journal.BlockedPermission},
	{rules: []string{"contract violation", "retry without diagnosis", "no-op without proof"}, class: journal.NoProgress},
	{rules: []string{"review budget"}, class: journal.BudgetStop, ends: CodeBudget},
	{rules: []string{"ratchet"}, class: journal.VerifyFailed, ends: CodeFailed}, // "stop on metric regression", put back first
	// "refusal, error, or unknown escalates"; a truncated answer goes on within the budget.
	{rules: []string{"no final message", "cut off"}, when: func(o Observed) bool { return !cutOff(o) }, class: journal.NoProgress, hold: true},
	{rules: []string{"no final message", "cut off"}, class: journal.BudgetStop},
	{rules: []string{"claim without change", "keeps only improvements", "unreadable answer"}, class: journal.NoProgress},
	{rules: []string{"idle", "heartbeat"}, class: journal.NoOp},
	{when: func(o Observed) bool { return o.Stop == harness.Limited || unavailable(o.Stop) || o.NotStarted != "" }},
	{when: func(o Observed) bool { return o.Interrupt != "" }, class: journal.Ended},
}

// routed puts the class, and what follows from it, into a contract's verdict.
func routed(o Observed, v Verdict) Verdict {
	for _, r := range routes {
		if len(r.rules) > 0 && !slices.Contains(r.rules, v.Rule) || r.when != nil && !r.when(o) {
			continue
		}
		v.Class, v.Ends = r.class, r.ends
		if r.hold && v.NeedsPerson == "" {
			v.NeedsPerson = "the model stopped by " + orElse(string(o.Stop), "nothing that is known") + ", not with an answer"
		}
		return v
	}
	switch v.Outcome {
	case journal.Failed:
		v.Class = journal.VerifyFailed
	case journal.Finished:
		v.Class = journal.Complete
	default:
		v.Class = journal.Running
	}
	return v
}

// gateClass is how a contract stands that the gate did not let go on, by the gate's row; "" leaves that as it is.
var gateClass = map[string]journal.Class{
	"budgets": journal.BudgetStop, "done": journal.Complete, "no eligible work": journal.NoOp, "ratchet": journal.NeedsInput, "debris": journal.NeedsInput,
}
