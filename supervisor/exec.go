package supervisor

import (
	"context"
	"errors"
	"fmt"
	"time"

	"loopd/harness"
	"loopd/journal"
	"loopd/supervisor/proc"
)

// execution is one exec of a harness and what became of it.
type execution struct {
	Harness    harness.Harness
	Model      string
	Prompt     string
	Reply      harness.Reply
	HasText    bool
	NotStarted string // why it could not be started
	TimedOut   string
	Interrupt  string
	Swept      int
	Lingered   bool
	Code       int
	Start, End time.Time
	Cost       float64
	CostKnown  bool
	Transcript string
}

// task is what an exec is asked for.
type task struct {
	harness    harness.Harness
	model      string
	prompt     string
	readOnly   bool
	wall, idle time.Duration
	iteration  int
	maxTurns   int          // 0 for no limit
	maxCost    float64      // in USD, 0 for no limit
	label      string       // "agent", "checker", "second vendor"
	begin      func() error // called just before the start, once nothing but the start can fail; nil for nothing
}

// exec runs a harness in a fresh context and gives its reply. An agent that goes wrong is data; an error is a fault of
// loopd or of the machine.
func (r *run) exec(ctx context.Context, t task) (execution, error) {
	x := execution{Harness: t.harness, Model: t.model, Prompt: t.prompt, Start: time.Now()}
	if r.s.Fault != nil {
		if err := r.s.Fault("exec", t.label); err != nil {
			return x, fmt.Errorf("start %s: %w", t.label, err)
		}
	}
	tr, err := newTranscript(r.place.transcripts(), t.iteration, r.redact)
	if err != nil {
		return x, err
	}
	x.Transcript = tr.path
	beside := tr.beside()
	a := agent{
		harness: t.harness, request: harness.Request{Prompt: t.prompt, Model: t.model, ReadOnly: t.readOnly, Dir: r.work, MaxTurns: t.maxTurns, MaxCost: t.maxCost},
		host: r.s.Host, known: r.s.Known, env: r.s.Env, allow: r.allowEnv,
		wall: t.wall, idle: t.idle, grace: r.s.Options.Grace, marker: r.marker, stdout: tr, stderr: beside, begin: t.begin,
		sandbox: func(inv harness.Invocation) proc.Sandbox { return r.sandbox(inv, t.readOnly) },
	}
	if r.s.Watched {
		a.told = func(text string) {
			r.emit(Event{Kind: EventAgent, Iteration: t.iteration, Step: t.label, Text: r.redact.String(text)})
		}
	}
	got, err := a.run(ctx, r.redact)
	x.End = time.Now()
	cerr := errors.Join(tr.Close(), beside.Close())
	if o := r.s.Options; o.KeepTranscripts > 0 {
		cerr = errors.Join(cerr, pruneTranscripts(r.place.transcripts(), o.KeepTranscripts, o.KeepBytes))
	}
	if cerr != nil {
		r.emit(Event{Kind: EventWarning, Text: fmt.Sprintf("the transcript %s is incomplete: %v", tr.path, cerr)})
	}
	if err != nil || got.notStarted != "" {
		x.NotStarted = got.notStarted
		return x, err
	}
	res := got.result
	x.Code, x.Swept, x.Lingered = res.Exit, res.Swept, res.Stopped == proc.Lingered
	r.swept += res.Swept
	if len(res.Alive) > 0 {
		return x, fmt.Errorf("end process tree of %s: still alive: %v", t.harness.Name(), res.Alive)
	}
	x.Reply = got.reply
	x.HasText = x.Reply.HasText
	x.Cost, x.CostKnown = r.cost(x.Reply, t.model)
	switch res.Stopped {
	case proc.AtWall, proc.AtIdle:
		x.TimedOut = string(res.Stopped)
	case proc.Interrupted, proc.Killed:
		x.Interrupt = interruptName(ctx)
	}
	if x.Reply.Stop == harness.Interrupted && x.Interrupt == "" && x.TimedOut == "" {
		x.Interrupt = "a signal from outside"
	}
	if x.Reply.Stop == harness.Complete {
		x.TimedOut = "" // the answer was whole before the limit came
	}
	if !x.HasText && x.TimedOut == "" && x.Interrupt == "" && (res.Exit == 127 || res.Exit == 126) {
		x.NotStarted = fmt.Sprintf("%s could not be started (exit %d): %s; see loopd harness test %s", t.harness.Name(), res.Exit, orElse(lastLine(got.stderr), "no message"), t.harness.Name())
	}
	return x, nil
}

// cost gives what an exec cost in USD: the harness's own figure, else by the price table. An unknown price is not
// guessed.
func (r *run) cost(reply harness.Reply, model string) (float64, bool) {
	if reply.CostKnown {
		return reply.Cost, true
	}
	p, ok := r.s.Prices[model]
	if !ok {
		return 0, false
	}
	u := reply.Usage
	return (float64(u.Input+u.CacheWrite)*p.Input + float64(u.CacheRead)*p.Cached + float64(u.Output)*p.Output) / 1e6, true
}

func tokens(u harness.Usage) int64 { return u.Input + u.Output + u.CacheRead + u.CacheWrite }

// turnsLeft is how many turns the budget of tool calls leaves: each turn but the last makes a call at least.
func turnsLeft(l journal.Loop) int {
	most := l.Charter.Budget.ToolCalls
	if most <= 0 {
		return 0
	}
	return int(max(1, most-l.State.Private.Spent.ToolCalls+1))
}

// costLeft is what the charter and --max-cost leave to spend, in USD; 0 where nothing limits it. The gate has seen to it
// that something is left.
func costLeft(l journal.Loop, run float64) float64 {
	left := 0.0
	for _, most := range []float64{l.Charter.Budget.Cost, run} {
		if rest := most - l.State.Private.Spent.Cost; most > 0 && rest > 0 && (left == 0 || rest < left) {
			left = rest
		}
	}
	return left
}
