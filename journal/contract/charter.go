package contract

import (
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"loopd/journal"
)

// charterOf puts a contract into the engine's terms. What is a command in Success metric says when the goal is reached;
// those of Verifier that are no metric are guardrails, red ones are put back whatever the metric does. In Loop mode
// nothing is ever reached: the metric must hold after each iteration.
func charterOf(c Contract, ref journal.Ref, src []byte) journal.Charter {
	inRoot := func(p string) string { return filepath.Join(ref.Root, filepath.FromSlash(p)) }
	metric, guardrails := c.measures()
	t := journal.Charter{
		File: ref.File, Source: src, Goal: c.Objective, Unit: "the smallest action that can move the metric", Start: c.Trigger, End: c.StopCondition, Never: c.NonGoals,
		Guardrails: c.Boundary, Scope: c.ScopeGlobs, Except: c.ScopeExcepts, Verification: guardrails, Ratchet: c.ratchet(),
		Escalation: journal.Escalation{Stalled: 2}, // "stop on the same failure signature twice", "unchanged after a changed attempt"
		Promotion:  journal.Promotion{Mode: journal.ProposeOnly, Required: 3},
		Harness:    journal.HarnessWish{Maker: c.other("harness").Text, Checker: c.other("checker").Text, Model: c.other("model").Text},
	}
	p := &journal.Protocol{
		EachRun: c.Mode == Automation, Isolated: c.Mode == AutoResearch, Checker: c.Topology == MakerChecker, Workers: c.Topology == ManagerWorkers,
		Query: c.query(), Outputs: c.outputs(), WriteBack: c.WriteBackTo, Artifacts: inRoot(c.ArtifactsPath),
	}
	p.Gate = c.GateChecks
	p.CheckerDecides = p.Checker && len(metric) == 0
	for _, k := range c.RecoveryChecks {
		p.Rollback = append(p.Rollback, k.Command)
	}
	t.Protocol = p
	t.Own = []string{inRoot(c.ArtifactsPath), inRoot(c.StatePath), ref.File}
	if p := strings.TrimSpace(c.WorkClock); !strings.ContainsAny(p, " \t") && strings.Contains(p, "/") && filepath.IsLocal(p) {
		t.Own = append(t.Own, inRoot(p))
	}
	for _, w := range c.WriteBackTo {
		if w.File != "" {
			t.Own = append(t.Own, inRoot(w.File))
		}
	}
	t.Guarded = []string{ref.File, inRoot(c.StatePath), filepath.Join(p.Artifacts, receiptsFile), filepath.Join(ref.Dir, pointerFile)}
	switch c.Mode {
	case Loop:
		t.Verification = append(metric, guardrails...)
	case Automation:
		t.DoneAfter = true // it was triggered to do something, whatever the metric says by then
		fallthrough
	default:
		for _, k := range metric {
			t.DoneWhen = append(t.DoneWhen, journal.Condition{Check: &k, Text: conditionText(k), Line: k.Line})
		}
	}
	if c.Mode == AutoResearch {
		t.Archetype = journal.EvaluateOptimize
	}
	c.bound(&t)
	return t
}

// bound puts the caps into the charter's budget.
func (c Contract) bound(t *journal.Charter) {
	b := journal.Budget{MaxIterations: c.MaxIterations, Total: c.TimeLimit, PerIteration: c.TimePerIteration, ReviewLines: c.ReviewEach.Lines, ReviewFiles: c.ReviewEach.Files,
		Cadence: journal.Cadence{Kind: journal.Every, Text: "back to back"}}
	if b.PerIteration == 0 {
		b.PerIteration = min(c.TimeLimit, time.Hour)
	}
	if c.Mode == Loop {
		if cadence, err := journal.ParseCadence(c.Trigger); err == nil {
			b.Cadence = cadence
		}
	}
	t.Protocol.ReviewLines, t.Protocol.ReviewFiles = c.ReviewBudget.Lines, c.ReviewBudget.Files
	for _, a := range c.Budget {
		switch a.Unit {
		case ToolCalls:
			b.ToolCalls = int64(a.N)
		case ModelCalls:
			b.ModelCalls = int64(a.N)
		case Tokens:
			b.Tokens = int64(a.N)
		case USD:
			b.Cost = a.N
		}
	}
	t.Budget = b
}

// measures gives the commands that say whether the goal is reached, and those that must hold all the same. A contract
// whose metric is prose is measured by its verifier.
func (c Contract) measures() (metric, guardrails []journal.Check) {
	if len(c.MetricChecks) == 0 {
		return c.VerifierChecks, nil
	}
	is := map[string]bool{}
	for _, k := range c.MetricChecks {
		is[k.Command] = true
	}
	for _, k := range c.VerifierChecks {
		if !is[k.Command] {
			guardrails = append(guardrails, k)
		}
	}
	return c.MetricChecks, guardrails
}

// ratchet is a metric that is one number with a side on which it shall be.
func (c Contract) ratchet() journal.Ratchet {
	metric, _ := c.measures()
	if len(metric) != 1 || metric[0].Want.Kind != journal.NumberIs || c.Mode == Loop {
		return journal.Ratchet{}
	}
	k := metric[0]
	r := journal.Ratchet{Metric: c.SuccessMetric, Command: k.Command, Line: k.Line, OnRegression: "put back, VERIFY_FAILED"}
	switch {
	case strings.HasPrefix(k.Want.Op, ">"):
		r.Direction = journal.Increasing
	case strings.HasPrefix(k.Want.Op, "<"), k.Want.Number == 0:
		r.Direction = journal.Decreasing
	default:
		return journal.Ratchet{} // a number to hit has no side
	}
	return r
}

func conditionText(k journal.Check) string {
	if k.Want.Text == "" {
		return "`" + k.Command + "` exits 0"
	}
	return "`" + k.Command + "` " + k.Want.Text
}

// other is the first key of the block with one of these names, in any case, with blanks, dashes and underscores the same.
func (c Contract) other(names ...string) Other {
	plain := strings.NewReplacer("-", " ", "_", " ")
	for _, n := range names {
		for _, o := range c.Others {
			if strings.EqualFold(plain.Replace(o.Name), n) && !unsaid(o.Text) {
				return o
			}
		}
	}
	return Other{}
}

// query is the command that shows whether there is eligible work ("declare an allowed NO_OP outcome and its eligibility
// query"), nil where none is declared.
func (c Contract) query() *journal.Check {
	o := c.other("no op query", "eligibility query", "eligible work", "eligibility", "no op", "noop")
	if len(o.Checks) == 0 {
		return nil
	}
	return &o.Checks[0]
}

var digitsRun = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\d+`) })

// outputs is the policy for an iteration without work: the number in its words, 0 where nothing is said.
func (c Contract) outputs() int {
	n, err := strconv.Atoi(digitsRun().FindString(c.other("output policy", "output count", "outputs", "no op outputs").Text))
	if err != nil {
		return 0
	}
	return n
}
