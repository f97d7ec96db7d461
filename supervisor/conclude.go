package supervisor

import (
	"fmt"
	"strings"

	"loopd/harness"
	"loopd/journal"
)

// Movement is what two readings of a ratchet say.
type Movement string

// The movements of a ratchet.
const (
	NoRatchet  Movement = "none"
	Better     Movement = "better"
	HeldStill  Movement = "held"
	Worse      Movement = "worse"
	Unreadable Movement = "unreadable"
)

// CheckerVerdict is what a checker said.
type CheckerVerdict string

// What a checker can say. CheckerSilent is one that was asked and gave no verdict: never taken for a PASS.
const (
	CheckerNone   CheckerVerdict = ""
	CheckerPass   CheckerVerdict = "PASS"
	CheckerNeeds  CheckerVerdict = "NEEDS_WORK"
	CheckerSilent CheckerVerdict = "no verdict"
)

// Observed is everything that was seen of one iteration: by loopd, and in Report the agent's own words.
type Observed struct {
	Archetype journal.Archetype
	// Native is false for dialects that leave tree, checks and ratchet to the agent.
	Native bool
	// GoesOn: an answer that cannot be read is one that did not meet the objective, and holds nothing (tracking).
	GoesOn bool

	// NotStarted says why the harness could not be started, "" where it ran.
	NotStarted string
	Interrupt  string // signal name or "STOP": an operator ended it
	Stop       harness.StopReason
	TimedOut   string // "wall" or "idle" where loopd ended it by a limit
	HasText    bool   // there is a final message
	Asked      string // a permission that the CLI rejected by itself, where that ended the run
	Report     journal.Report

	TreeChanged bool
	// Guardrails names what was touched that must not be; each is a violation.
	Guardrails []string
	// DefinitionEdited: the agent changed the definition of a loop that is held then.
	DefinitionEdited bool
	// Lost are guarded files that could not be put back, because loopd's copies of them were changed too.
	Lost []string
	// OverReview says which review limit the diff passes, "" for none.
	OverReview string

	Checks   []CheckResult
	Ratchet  Movement
	DoneWhen bool
	// GoalKnown: there is something that shows whether the goal is reached.
	GoalKnown bool
	Checker   CheckerVerdict
	// Protocol holds the rules of a contract, nil for any other loop. Retry: the attempt before failed. NoWork: the query
	// showed no eligible work; Outputs is how many outputs there are all the same.
	Protocol *journal.Protocol
	Retry    bool
	NoWork   bool
	Outputs  int
	// KeepOnNeedsWork: the charter keeps a change that the checker sent back.
	KeepOnNeedsWork bool
}

// Verdict is what loopd made of an iteration.
type Verdict struct {
	Outcome journal.Outcome
	// PutBack: the change is parked and the tree restored.
	PutBack bool
	Flags   []string
	// Rule names the row of the table that matched.
	Rule string
	// NeedsPerson says why a person has to act besides (a check that cannot run); "" for no need.
	NeedsPerson string
	// Kept: the change in the tree was verified and stays.
	Kept bool
	// Class is how a contract stands, Ends the exit code with which its run ends here; 0 for none.
	Class journal.Class
	Ends  int
}

// putBack says when a row puts the tree back.
type putBack int

const (
	keep putBack = iota
	always
	ifChanged
)

// row is one line of the outcome table.
type row struct {
	name    string
	when    func(o Observed) bool
	outcome func(o Observed) journal.Outcome
	back    putBack
	flags   func(o Observed) []string
}

func is(v journal.Outcome) func(Observed) journal.Outcome {
	return func(Observed) journal.Outcome { return v }
}

func flag(s ...string) func(Observed) []string { return func(Observed) []string { return s } }

// outcomes is the table of spec/iteration.md ("Conclude") in the order that decisions.md (3, 5, 6, 7, 18, 32, 33, 34)
// settled. The first row that matches wins.
var outcomes = []row{
	{"not started", func(o Observed) bool { return o.NotStarted != "" }, is(journal.Unavailable), ifChanged,
		func(o Observed) []string { return []string{o.NotStarted} }},
	{"interrupted", func(o Observed) bool { return o.Interrupt != "" }, is(journal.Interrupted), ifChanged, flag("interrupted")},
	{"limited", func(o Observed) bool { return o.Stop == harness.Limited }, is(journal.Limited), ifChanged, nil},
	{"unavailable", func(o Observed) bool { return unavailable(o.Stop) }, is(journal.Unavailable), ifChanged,
		func(o Observed) []string { return []string{string(o.Stop)} }},
	{"guardrail", func(o Observed) bool { return len(o.Guardrails) > 0 }, is(journal.Failed), always,
		func(o Observed) []string { return []string{"guardrail: " + strings.Join(o.Guardrails, ", ")} }},
	{"watch loops change nothing", func(o Observed) bool { return o.Archetype == journal.WatchAndReport && o.TreeChanged },
		is(journal.Failed), always, flag("guardrail: a watch-and-report loop changed the tree")},
	{"review budget", func(o Observed) bool { return o.OverReview != "" }, is(journal.Failed), always,
		func(o Observed) []string { return []string{"review budget: " + o.OverReview} }},
	{"permission rejected", func(o Observed) bool { return o.Asked != "" && !o.HasText }, is(journal.Held), ifChanged, flag("question")},
	{"no final message", func(o Observed) bool { return !o.HasText }, is(journal.Failed), ifChanged, noAnswer},
	{"heartbeat", func(o Observed) bool { return o.Report.OK && !o.TreeChanged && complete(o) }, is(journal.Heartbeat), keep, nil},
	{"contract violation", func(o Observed) bool {
		return complete(o) && o.Report.Status == "" && (!o.GoesOn || o.Report.Question != "")
	}, is(journal.Held), ifChanged,
		func(o Observed) []string {
			if o.Report.Question != "" {
				return []string{"question"}
			}
			return []string{"contract violation"}
		}},
	{"question", func(o Observed) bool { return o.Report.Status == journal.ReportBlocked || o.Report.Question != "" },
		is(journal.Held), ifChanged, flag("question")},
	{"retry without diagnosis", func(o Observed) bool {
		return o.Protocol != nil && o.Retry && !nothingToDo(o) && (o.Report.Account.Diagnosis == "" || o.Report.Account.Changed == "")
	}, is(journal.Held), ifChanged, flag("a retry without a named diagnosis and what is changed")},
	{"no-op without proof", func(o Observed) bool {
		return o.Protocol != nil && nothingToDo(o) && (!o.NoWork || o.TreeChanged || o.Outputs > o.Protocol.Outputs)
	}, is(journal.Held), ifChanged, func(o Observed) []string { return []string{"NO_OP not accepted: " + unproven(o)} }},
	{"check cannot run", func(o Observed) bool { return anyCheck(o, CheckResult.misconfigured) }, is(journal.Failed), ifChanged, flag("check cannot run")},
	{"check fails", checkFails, is(journal.Failed), ifChanged, func(o Observed) []string {
		if anyCheck(o, func(c CheckResult) bool { return c.Hung }) {
			return []string{"gate timeout"}
		}
		return nil
	}},
	{"ratchet", func(o Observed) bool { return o.Ratchet == Worse || o.Ratchet == Unreadable }, is(journal.Failed), ifChanged,
		func(o Observed) []string {
			if o.Ratchet == Unreadable {
				return []string{"ratchet unreadable"}
			}
			return []string{"regression reverted"}
		}},
	{"cut off but better", func(o Observed) bool { return !complete(o) && cutOff(o) && o.Ratchet == Better && len(o.Checks) > 0 }, shippedOrDone, keep, cutFlags},
	{"cut off", func(o Observed) bool { return !complete(o) }, is(journal.Failed), ifChanged, cutFlags},
	{"checker", func(o Observed) bool { return o.Checker == CheckerNeeds && !o.KeepOnNeedsWork }, is(journal.Failed), ifChanged, flag("findings")},
	{"unchecked", func(o Observed) bool { return o.Protocol != nil && o.Protocol.Checker && o.Checker == CheckerSilent }, is(journal.Failed), ifChanged, flag("unchecked")},
	{"claim without result", func(o Observed) bool { return o.Protocol != nil && o.Report.Met && o.GoalKnown && !o.DoneWhen }, is(journal.Failed), ifChanged,
		flag("COMPLETE was claimed and does not hold")},
	{"change without claim", func(o Observed) bool { return nothingToDo(o) && o.TreeChanged }, is(journal.Failed), always, flag("change without claim")},
	{"done without change", func(o Observed) bool { return o.DoneWhen && !o.TreeChanged }, is(journal.Finished), keep, nil},
	{"claim without change", func(o Observed) bool { return !o.TreeChanged && o.Report.Status == journal.ReportShipped && o.Native },
		is(journal.NoChange), keep, flag("claim without change")},
	{"idle", nothingToDo, is(journal.Idle), keep, nil},
	{"rejected", func(o Observed) bool { return o.Report.Status == journal.ReportRejected && o.TreeChanged && o.Native },
		is(journal.Rejected), always, flag("rejected")},
	{"keeps only improvements", func(o Observed) bool {
		return o.Archetype == journal.EvaluateOptimize && o.TreeChanged && o.Ratchet != Better && !(o.Ratchet == NoRatchet && o.DoneWhen)
	}, is(journal.NoChange), always, flag("not kept")},
	{"done", func(o Observed) bool { return o.DoneWhen }, is(journal.Finished), keep, nil},
	{"filed", func(o Observed) bool { return o.Report.Status == journal.ReportFiled }, is(journal.Filed), keep, nil},
	{"unreadable answer", func(o Observed) bool { return o.Report.Status == "" }, is(journal.NoChange), keep, flag("unreadable answer")},
	{"otherwise", func(o Observed) bool { return true }, func(o Observed) journal.Outcome {
		if o.Report.Status == journal.ReportRejected {
			return journal.Rejected
		}
		return journal.Shipped
	}, keep, nil},
}

// Conclude gives the one outcome of an iteration: the first row of the table that matches.
func Conclude(o Observed) Verdict {
	for _, r := range outcomes {
		if !r.when(o) {
			continue
		}
		v := Verdict{Outcome: r.outcome(o), Rule: r.name}
		v.PutBack = r.back == always || r.back == ifChanged && (o.TreeChanged || len(o.Guardrails) > 0)
		if r.flags != nil {
			v.Flags = append(v.Flags, r.flags(o)...)
		}
		if r.name == "check cannot run" {
			v.NeedsPerson = "a verification command cannot run: " + misconfigured(o)
		}
		if len(o.Lost) > 0 {
			v.NeedsPerson = "could not be put back, the agent changed loopd's copy too: " + strings.Join(o.Lost, ", ")
		}
		if o.DefinitionEdited && v.NeedsPerson == "" {
			v.NeedsPerson = "the agent edited the loop's definition; it was put back. Shall the definition be changed?"
		}
		v.Kept = !v.PutBack && v.Outcome.Counts() && o.TreeChanged
		if brokenBefore(o) {
			v.Flags = append(v.Flags, "broken before")
		}
		if v.Outcome == journal.Shipped && len(o.Checks) == 0 {
			v.Flags = append(v.Flags, "unverified")
		}
		if o.Checker == CheckerSilent {
			v.Flags = append(v.Flags, "unchecked")
		}
		if o.Checker == CheckerNeeds && v.Kept {
			v.Flags = append(v.Flags, "findings")
		}
		if o.Protocol != nil {
			return routed(o, v)
		}
		return v
	}
	panic("unreachable: the last row matches everything")
}

// complete reports whether the harness said that its answer is whole.
func complete(o Observed) bool { return o.Stop == harness.Complete && o.TimedOut == "" }

// cutOff is a final message that a limit cut short; a crash or a refusal is none (decision 32).
func cutOff(o Observed) bool {
	switch o.Stop {
	case harness.Truncated, harness.TurnLimit, harness.CostLimit:
		return true
	}
	return o.TimedOut != ""
}

func unavailable(s harness.StopReason) bool {
	switch s {
	case harness.Login, harness.Overloaded, harness.Misused:
		return true
	}
	return false
}

func shippedOrDone(o Observed) journal.Outcome {
	if o.DoneWhen {
		return journal.Finished
	}
	return journal.Shipped
}

func noAnswer(o Observed) []string {
	if f := cutFlags(o); len(f) > 0 {
		return append(f, "no answer")
	}
	return []string{"no answer"}
}

func cutFlags(o Observed) []string {
	switch {
	case o.TimedOut == "idle":
		return []string{"overrun: no output within the idle limit"}
	case o.TimedOut != "":
		return []string{"overrun"}
	case o.Stop == harness.Refused:
		return []string{"refused"}
	case cutOff(o):
		return []string{"truncated: " + string(o.Stop)}
	case o.Stop == harness.Complete:
		return nil
	}
	return []string{string(o.Stop)}
}

func nothingToDo(o Observed) bool {
	return o.Report.Status == journal.ReportEmpty || o.Report.Status == journal.ReportGateKilled
}

// unproven says why a NO_OP is not believed.
func unproven(o Observed) string {
	switch {
	case o.Protocol.Query == nil:
		return "the contract declares no eligibility query"
	case !o.NoWork:
		return "`" + o.Protocol.Query.Command + "` shows eligible work"
	case o.TreeChanged:
		return "the tree was changed"
	}
	return fmt.Sprintf("%d outputs, at most %d", o.Outputs, o.Protocol.Outputs)
}

func anyCheck(o Observed, f func(CheckResult) bool) bool {
	for _, c := range o.Checks {
		if f(c) {
			return true
		}
	}
	return false
}

// checkFails holds where a check is red and the iteration answers for it: not where the tree is as it was (decision 6),
// and not in a red-green loop where the check was red before and the ratchet improved.
func checkFails(o Observed) bool {
	return anyCheck(o, func(c CheckResult) bool {
		if c.OK || !o.TreeChanged {
			return false
		}
		return !(o.Archetype == journal.RedGreen && c.Baseline == BrokenBefore && o.Ratchet == Better)
	})
}

func misconfigured(o Observed) string {
	for _, c := range o.Checks {
		if c.misconfigured() {
			return "`" + c.Command + "` → " + c.Got
		}
	}
	return ""
}

func brokenBefore(o Observed) bool {
	return anyCheck(o, func(c CheckResult) bool { return !c.OK && (c.Baseline == BrokenBefore || !o.TreeChanged) })
}
