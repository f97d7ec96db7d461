package supervisor

import (
	"fmt"
	"time"

	"loopd/journal"
)

// GateFacts is what the gate looks at. Facts that cost a process are functions: a row that refuses earlier saves them.
type GateFacts struct {
	Now     time.Time
	Charter journal.Charter
	State   journal.State
	Entries int
	// StopFile is the STOP file that is there, "" for none.
	StopFile string
	// Defects of the charter or the state file.
	Defects []journal.Finding
	// NotConfirmed: the loop was never run and nobody typed this start (--if-due).
	NotConfirmed bool

	Once, IfDue, Anyway bool // --once, --if-due, --now
	// MaxCost is the cap of this run in USD, 0 for none.
	MaxCost float64

	DoneWhen func() (bool, string, error) // what was seen
	NoWork   func() (bool, string, error) // what the query for eligible work showed
	Debris   func() ([]string, error)
}

// GateAction is what the gate decided.
type GateAction string

// The gate's decisions.
const (
	GateGo     GateAction = "go"
	GateRefuse GateAction = "refuse" // nothing is launched; Note goes to the journal once
	GateFinish GateAction = "finish" // Done-when already holds
	GateWait   GateAction = "wait"   // not before a time; a run that goes on sleeps until then
)

// Decision is the gate's answer.
type Decision struct {
	Action GateAction
	Rule   string
	Code   int
	Why    string
	Fix    string // what to type next
	// Block sets the status: debris and the like wait for a person.
	Block bool
	// Silent: nothing is written at all (not due, defects).
	Silent bool
	// Idle: there was nothing to do, which finishes no loop.
	Idle bool
	// Tell: the operator is told through the channel.
	Tell bool
	Wake time.Time
}

type gateRow struct {
	name   string
	decide func(f GateFacts) (Decision, bool, error)
}

// clearFix is the command that takes the STOP file away which holds the loop: its own, or everybody's.
func clearFix(f GateFacts) string {
	if f.StopFile == StopFile("", "") {
		return "loopd stop --all --clear"
	}
	return "loopd stop " + f.State.Name + " --clear"
}

// gates is the gate's table, in the order of spec/iteration.md: STOP files, status, charter defects, budgets,
// not-before time, Done-when already true, dirty working tree. The protected branch is entered after the gate passed
// (decision 37).
var gates = []gateRow{
	{"stop file", func(f GateFacts) (Decision, bool, error) {
		return Decision{Action: GateRefuse, Code: CodeRefused, Why: f.StopFile + " exists", Fix: clearFix(f) + " takes it away"}, f.StopFile != "", nil
	}},
	{"status", gateStatus},
	{"defects", func(f GateFacts) (Decision, bool, error) {
		if len(f.Defects) == 0 {
			return Decision{}, false, nil
		}
		return Decision{Action: GateRefuse, Silent: true, Code: CodeUsage, Why: f.Defects[0].String(), Fix: "loopd check " + f.State.Name + " lists all of them"}, true, nil
	}},
	{"budgets", gateBudgets},
	{"not before", gateNotBefore},
	{"done", func(f GateFacts) (Decision, bool, error) {
		done, seen, err := f.DoneWhen()
		return Decision{Action: GateFinish, Code: CodeOK, Why: seen}, done, err
	}},
	{"no eligible work", func(f GateFacts) (Decision, bool, error) {
		if f.Charter.Protocol == nil || f.Charter.Protocol.Query == nil {
			return Decision{}, false, nil
		}
		none, seen, err := f.NoWork()
		d := Decision{Action: GateFinish, Code: CodeOK, Why: "no eligible work: " + seen, Idle: true}
		if wake := dueAfter(f.Charter.Budget.Cadence, f.Now); !f.Once && wake.After(f.Now) {
			d.Action, d.Wake = GateWait, wake
		}
		return d, none, err
	}},
	{"debris", func(f GateFacts) (Decision, bool, error) {
		paths, err := f.Debris()
		if err != nil || len(paths) == 0 {
			return Decision{}, false, err
		}
		return Decision{Action: GateRefuse, Block: true, Tell: true, Code: CodeHeld, Why: "the working tree has changes that this loop did not make: " + listed(paths, 5),
			Fix: fmt.Sprintf("loopd adjudicate %s --park (keep them under a ref), --keep (commit them) or --backlog (park and add an item); or commit them yourself, then loopd resume %s", f.State.Name, f.State.Name)}, true, nil
	}},
}

// Gate decides go, refuse, wait or finish; nothing has been spent yet. The first row that speaks wins.
func Gate(f GateFacts) (Decision, error) {
	for _, r := range gates {
		d, ok, err := r.decide(f)
		if err != nil {
			return Decision{}, fmt.Errorf("check gate %q: %w", r.name, err)
		}
		if ok {
			d.Rule = r.name
			return d, nil
		}
	}
	return Decision{Action: GateGo, Rule: "go"}, nil
}

func gateStatus(f GateFacts) (Decision, bool, error) {
	n := f.State.Name
	d := Decision{Action: GateRefuse, Why: "status is " + string(f.State.Status)}
	if q := f.State.Private.Question; q != "" {
		d.Why += ": " + q
	}
	switch f.State.Status {
	case journal.Paused:
		d.Code, d.Fix = CodeRefused, "loopd resume "+n
	case journal.Retired:
		d.Code, d.Fix = CodeRefused, "a retired loop stays retired; loopd resume "+n+" takes it back into service"
	case journal.Stalled, journal.Blocked:
		d.Code, d.Fix = CodeHeld, HoldFix(f.State)
	case journal.Done:
		d.Code, d.Fix = CodeDone, "nothing is left to do; loopd resume "+n+" opens it again"
		d.Silent = true
	default:
		if !f.NotConfirmed {
			return Decision{}, false, nil
		}
		d = Decision{Action: GateRefuse, Silent: true, Code: CodeRefused, Why: "the loop was never started by a person", Fix: "loopd activate " + n}
	}
	// A scheduler asks every few minutes: with --if-due a held loop writes nothing either.
	d.Silent = d.Silent || f.IfDue
	return d, true, nil
}

func gateBudgets(f GateFacts) (Decision, bool, error) {
	b, p, spent := f.Charter.Budget, f.Charter.Protocol, f.State.Private.Spent
	used := f.State.Iteration - f.State.Private.Before
	d := Decision{Action: GateRefuse, Tell: true, Code: CodeBudget, Fix: "raise it in " + f.Charter.File + " (Budget) if the loop shall go on"}
	switch {
	case b.MaxIterations > 0 && used >= b.MaxIterations:
		d.Why = fmt.Sprintf("Max iterations: %d of %d are used", used, b.MaxIterations)
	case b.Total > 0 && spent.Seconds >= b.Total.Seconds():
		d.Why = fmt.Sprintf("Max total wall-clock: %s of %s are used", time.Duration(spent.Seconds*float64(time.Second)).Round(time.Second), b.Total)
	case b.Cost > 0 && spent.Cost >= b.Cost:
		d.Why = fmt.Sprintf("Max cost: $%.2f of $%.2f are used", spent.Cost, b.Cost)
	case f.MaxCost > 0 && spent.Cost >= f.MaxCost:
		d.Why, d.Fix = fmt.Sprintf("--max-cost: $%.2f of $%.2f are used", spent.Cost, f.MaxCost), "raise --max-cost if the loop shall go on"
	case b.Tokens > 0 && spent.Tokens >= b.Tokens:
		d.Why = fmt.Sprintf("Max tokens: %d of %d are used", spent.Tokens, b.Tokens)
	case b.ToolCalls > 0 && spent.ToolCalls >= b.ToolCalls:
		d.Why = fmt.Sprintf("Max tool calls: %d of %d are used", spent.ToolCalls, b.ToolCalls)
	case b.ModelCalls > 0 && spent.ModelCalls >= b.ModelCalls:
		d.Why = fmt.Sprintf("Max model calls: %d of %d are used", spent.ModelCalls, b.ModelCalls)
	case p != nil && p.ReviewLines > 0 && spent.ReviewLines >= p.ReviewLines:
		d.Why = fmt.Sprintf("Review budget: %d of %d changed lines are used", spent.ReviewLines, p.ReviewLines)
	case p != nil && p.ReviewFiles > 0 && spent.ReviewFiles >= p.ReviewFiles:
		d.Why = fmt.Sprintf("Review budget: %d of %d changed files are used", spent.ReviewFiles, p.ReviewFiles)
	default:
		return Decision{}, false, nil
	}
	return d, true, nil
}

func gateNotBefore(f GateFacts) (Decision, bool, error) {
	wake, why, limited := f.State.Private.NotBefore, f.State.Private.WakeWhy, f.State.Private.Limited
	if f.IfDue && wake.IsZero() && !f.State.LastRun.IsZero() {
		wake, why = dueAfter(f.Charter.Budget.Cadence, f.State.LastRun), "cadence "+f.Charter.Budget.Cadence.Text
	}
	if f.Anyway || !wake.After(f.Now) {
		return Decision{}, false, nil
	}
	when := fmt.Sprintf("not before %s (%s)", wake.Local().Format(time.RFC3339), why)
	switch {
	case f.IfDue:
		return Decision{Action: GateRefuse, Silent: true, Code: CodeRefused, Why: "not due: " + when, Wake: wake, Fix: "--now runs it all the same"}, true, nil
	case f.Once && limited:
		return Decision{Action: GateRefuse, Silent: true, Code: CodeLimited, Why: when, Wake: wake, Fix: "--now overrides a usage limit too"}, true, nil
	case f.Once:
		return Decision{}, false, nil
	}
	return Decision{Action: GateWait, Why: why, Wake: wake}, true, nil
}

// dueAfter is the next start that a cadence asks for after the last run; zero where it asks for none of its own.
func dueAfter(c journal.Cadence, last time.Time) time.Time {
	switch c.Kind {
	case journal.Every:
		return last.Add(c.Every)
	case journal.Daily, journal.Cron:
		return c.Next(last, last.Location())
	}
	return time.Time{}
}

// listed joins at most n names and says how many more there are.
func listed(names []string, n int) string {
	s := ""
	for i, p := range names {
		if i == n {
			return fmt.Sprintf("%s and %d more", s, len(names)-n)
		}
		if i > 0 {
			s += ", "
		}
		s += p
	}
	return s
}
