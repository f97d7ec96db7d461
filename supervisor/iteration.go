package supervisor

import (
	"context"
	"fmt"
	"time"

	"loopd/harness"
	"loopd/journal"
	"loopd/supervisor/worktree"
)

// iteration is everything that one pass from load to record came to know. Each step fills its part.
type iteration struct {
	loop journal.Loop
	// start is the loop's state with what was carried to this iteration; the one in loop is that of the file.
	start  journal.State
	number int
	wall   time.Duration
	idle   time.Duration

	// pin
	mark     worktree.Mark
	before   Reading
	baseline []CheckResult
	maker    harness.Harness
	// candidates are maker and fallbacks, in order.
	candidates []string
	model      string
	checker    harness.Harness // nil for none
	second     harness.Harness // nil for none
	judge      harness.Harness // nil: the maker judges conditions, and nobody the objective
	judgeModel string
	// checkerModel and secondModel are what stands behind the colon of HARNESS:MODEL.
	checkerModel, secondModel string

	brief  string
	exec   execution
	report journal.Report

	// verify
	print     worktree.Print
	changed   bool
	checks    []CheckResult
	after     Reading
	done      bool
	doneSeen  string
	unmet     string // signature of what was seen where the goal is not reached
	guardrail []string
	edited    bool // the charter was, and is put back
	nearMiss  []string
	lost      []string // guarded files that could not be put back
	strike    []int
	unmatched string // why the unit names no backlog item
	// checksWrote: a verification command changed the tree after the agent was done.
	checksWrote bool

	joined *handIn // a worker did it

	// noWork and outputs are what was seen of a NO_OP.
	noWork  bool
	outputs int

	verdictBy CheckerVerdict
	findings  string
	checkCost execution

	observed Observed
	verdict  Verdict
	state    journal.State // after the iteration
	step     Step
	signs    []string
	pace     Pace
	watch    stopwatch
	endCode  int // of an interrupted run
	parked   *journal.Parked
	result   Result
	// hookWords is what a commit hook said when it refused.
	hookWords string
}

// iterate is one iteration: the steps of spec/iteration.md in their order, and nothing else. What the gate refuses is a
// Decision; an error is a fault of loopd or of its surroundings.
func (r *run) iterate(ctx context.Context) (it *iteration, gate Decision, err error) {
	it = &iteration{}
	if err := r.load(it); err != nil {
		return it, Decision{}, err
	}
	if gate, err = r.gate(ctx, it); err != nil || gate.Action != GateGo {
		return it, gate, err
	}
	if gate, err = r.conditions(ctx, it); err != nil || gate.Action != GateGo {
		return it, gate, err
	}
	if gate, err = r.enter(ctx, it); err != nil || gate.Action != GateGo {
		return it, gate, err
	}
	if gate, err = r.pin(ctx, it); err != nil || gate.Action != GateGo {
		return it, gate, err
	}
	it.brief = r.s.Dialect.Brief(it.loop, briefOf(it, it.maker.Name(), it.wall))
	if err := r.launch(ctx, it); err != nil {
		return it, gate, err
	}
	it.report = r.parse(it)
	if err := r.verify(ctx, it); err != nil {
		return it, gate, err
	}
	if err := r.askChecker(ctx, it); err != nil {
		return it, gate, err
	}
	r.observe(it)
	it.verdict = Conclude(it.observed)
	if err := r.record(ctx, it); err != nil {
		return it, gate, err
	}
	return it, gate, r.handOff(ctx, it)
}

// load reads the loop; a bad file is a finding with a position and the gate's matter.
func (r *run) load(it *iteration) error {
	r.swept = 0
	l, err := r.s.Dialect.Load(r.s.Ref)
	if err != nil {
		return fmt.Errorf("load loop %s: %w", r.s.Ref.Name, err)
	}
	l.Charter.Unmanaged = l.Charter.Unmanaged && !r.s.Options.Protect
	l.State = r.fresh(l)
	it.loop, it.start = l, r.carry(l.State)
	it.number = l.State.Iteration + 1
	it.wall, it.idle = r.limits(l.Charter.Budget)
	r.allowEnv = l.Charter.Harness.Env
	return nil
}

// limits gives the wall clock and the idle limit of an iteration (decision 11: never unbounded).
func (r *run) limits(b journal.Budget) (wall, idle time.Duration) {
	wall = defaultWall
	if b.PerIteration > 0 {
		wall = b.PerIteration
	}
	if r.s.Options.Timeout > 0 {
		wall = r.s.Options.Timeout
	}
	idle = defaultIdle
	if r.s.Options.Idle > 0 {
		idle = r.s.Options.Idle
	}
	return wall, idle
}

// launch runs the maker.
func (r *run) launch(ctx context.Context, it *iteration) (err error) {
	if r.joining != nil && len(r.joining.queue) > 0 {
		return r.join(ctx, it)
	}
	if r.joining != nil {
		r.joining.alone = false // the next round asks the manager again
	}
	r.step(it, "exec", it.wall)
	r.launched = true
	it.exec, err = r.exec(ctx, task{harness: it.maker, model: it.model, prompt: it.brief, maxTurns: turnsLeft(it.loop), maxCost: costLeft(it.loop, r.s.Options.MaxCost), wall: it.wall, idle: it.idle, iteration: it.number, label: "agent",
		begin: func() error { return r.reach(leaseRecord{Step: "exec"}) }})
	return err
}

// parse lets the dialect read the final message. No answer is not an answer: without one there is no report.
func (r *run) parse(it *iteration) journal.Report {
	if !it.exec.HasText {
		return journal.Report{}
	}
	return r.s.Dialect.Parse(it.loop, it.exec.Reply.Text, it.brief)
}

// observe puts together what the table of outcomes looks at.
func (r *run) observe(it *iteration) {
	o := Observed{
		Archetype: it.loop.Charter.Archetype, Native: !it.loop.Charter.Unmanaged, GoesOn: it.loop.Charter.DoneAfter,
		NotStarted: it.exec.NotStarted, Interrupt: it.exec.Interrupt, Stop: it.exec.Reply.Stop, TimedOut: it.exec.TimedOut,
		HasText: it.exec.HasText, Report: it.report, TreeChanged: it.changed, Guardrails: it.guardrail,
		Checks: it.checks, DoneWhen: it.done, Checker: it.verdictBy, Ratchet: NoRatchet,
		KeepOnNeedsWork: it.loop.Charter.Harness.KeepOnNeedsWork,
	}
	if denied := it.exec.Reply.Denied; len(denied) > 0 && it.exec.Reply.Stop == harness.None {
		o.Asked = denied[len(denied)-1]
	}
	if it.loop.Charter.Ratchet.Present() {
		o.Ratchet = Move(it.loop.Charter.Ratchet.Direction, it.before, it.after)
	}
	o.OverReview = overReview(it.loop.Charter, it.loop.State.Private.Spent, it.print.Changed)
	o.Lost = it.lost
	o.DefinitionEdited = it.loop.Charter.HoldOnEdit && it.edited
	o.GoalKnown = len(it.loop.Charter.DoneWhen) > 0
	if o.Protocol = it.loop.Charter.Protocol; o.Protocol != nil {
		o.Retry, o.NoWork, o.Outputs = retried(it.start.Private), it.noWork, it.outputs
		if it.joined != nil {
			o.Retry = it.joined.retry // a unit does not answer for one that was joined before it
		}
		if o.Protocol.CheckerDecides && it.verdictBy == CheckerPass && it.report.Met {
			it.done, it.doneSeen, o.DoneWhen = true, "the checker passed it", true
		}
	}
	it.observed = o
}

// overReview says which part of the review budget the diff passes.
func overReview(c journal.Charter, spent journal.Spent, changed []worktree.Change) string {
	b, lines := c.Budget, reviewLines(changed)
	p := c.Protocol
	switch {
	case p != nil && p.ReviewLines > 0 && spent.ReviewLines+lines > p.ReviewLines:
		return fmt.Sprintf("%d changed lines of %d in this run", spent.ReviewLines+lines, p.ReviewLines)
	case p != nil && p.ReviewFiles > 0 && spent.ReviewFiles+len(changed) > p.ReviewFiles:
		return fmt.Sprintf("%d changed files of %d in this run", spent.ReviewFiles+len(changed), p.ReviewFiles)
	case b.ReviewLines > 0 && lines > b.ReviewLines:
		return fmt.Sprintf("%d changed lines of %d", lines, b.ReviewLines)
	case b.ReviewFiles > 0 && len(changed) > b.ReviewFiles:
		return fmt.Sprintf("%d changed files of %d", len(changed), b.ReviewFiles)
	}
	return ""
}

// reviewLines is how many changed lines a person would read.
func reviewLines(changed []worktree.Change) int {
	n := 0
	for _, c := range changed {
		n += c.Added + c.Deleted
	}
	return n
}

// retried: the attempt before failed. One that a person has spoken on since is none.
func retried(p journal.Private) bool { return p.Failure != nil && p.Failure.Row > 0 && p.Answer == "" }
