package supervisor

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"loopd/journal"
)

// errStopNow is the cause of a context that `loopd stop --now` cancelled.
var errStopNow = errors.New("STOP --now")

// InterruptedBy is the cause of a context that an operator's signal cancelled.
type InterruptedBy struct{ Signal syscall.Signal }

func (i InterruptedBy) Error() string { return "interrupted by " + i.Signal.String() }

// interruptName says who ended the agent.
func interruptName(ctx context.Context) string {
	cause := context.Cause(ctx)
	var sig InterruptedBy
	switch {
	case errors.Is(cause, errStopNow):
		return "STOP"
	case errors.As(cause, &sig):
		return unix.SignalName(sig.Signal)
	}
	return "interrupt"
}

// interruptCode is the exit code of an interrupted run.
func interruptCode(ctx context.Context) int {
	cause := context.Cause(ctx)
	var sig InterruptedBy
	if errors.Is(cause, errStopNow) {
		return CodeRefused
	}
	if errors.As(cause, &sig) {
		return 128 + int(sig.Signal)
	}
	return CodeInterrupt
}

// outcomeCode is what --once ends with (spec/cli.md, Exit codes).
func outcomeCode(it *iteration) int {
	switch it.state.Status {
	case journal.Blocked, journal.Stalled:
		return CodeHeld // stalled and failed in one iteration: 13 (decision 34)
	}
	switch it.verdict.Outcome {
	case journal.Failed:
		return CodeFailed
	case journal.Held:
		return CodeHeld
	case journal.Limited:
		return CodeLimited
	case journal.Unavailable:
		return CodeUnavailable
	}
	return CodeOK
}

// paceFacts collects what the next wake depends on.
func (r *run) paceFacts(it *iteration) PaceFacts {
	s := it.state.Private
	f := PaceFacts{Outcome: it.verdict.Outcome, Status: it.state.Status, Idle: s.Idle, LimitedRow: s.LimitedRow, UnavailableRow: it.loop.State.Private.UnavailableRow + 1,
		Reset: it.step.Reset, Cadence: it.loop.Charter.Budget.Cadence, Drain: r.s.Options.Drain, Missing: it.exec.NotStarted != "" && len(r.s.Options.Fallback) == 0, Bounded: r.s.Options.Max > 0 || r.s.Options.For > 0 || r.s.Options.Until != "",
		Start: it.exec.Start, End: it.exec.End, CacheTTL: it.maker.CacheTTL(), Asks: it.step.Asks, Jitter: time.Duration(rand.Int64N(int64(resetJitterMost)))}
	if f.End.IsZero() {
		f.End = it.step.Now
	}
	return f
}

// publish gives the result line of an iteration.
func (r *run) publish(it *iteration) {
	res := it.result
	res.Loop, res.Iteration, res.Outcome, res.Counted = r.s.Ref.Name, it.number, it.verdict.Outcome, it.verdict.Outcome.Counts()
	res.Unit, res.Next, res.PutBack = unitOf(it), it.report.Next, it.verdict.PutBack
	res.Agent, res.Model = it.maker.Name(), it.model
	res.Cost, res.CostKnown = it.step.Cost, it.exec.CostKnown
	res.Tokens, res.Seconds = it.step.Tokens, it.step.Seconds
	res.Code, res.Why = outcomeCode(it), it.pace.Why
	res.Flags = flagsOf(it, r.swept)
	if it.loop.Charter.Ratchet.Present() && it.before.Err == nil && res.Counted {
		res.Ratchet = it.before.String() + "→" + it.after.String()
	}
	if !it.pace.Stop {
		res.Wake = it.pace.Wake
	}
	if it.verdict.Outcome == journal.Heartbeat {
		res.OKToken = it.loop.Charter.Harness.OKToken
	}
	if res.Counted {
		r.iterations++
	}
	r.remember(it, res)
	if it.pace.TakeOver != "" {
		r.emit(Event{Kind: EventNotice, Iteration: it.number, Text: fmt.Sprintf("%s is %s (%s); %s", res.Agent, res.Outcome, r.cause(it), it.pace.Why)})
		return // the line of this iteration is the one of the harness that takes it
	}
	text := explain(it, r)
	if it.verdict.Outcome == journal.Held {
		text = "" // the notice that follows says it
	}
	r.emit(Event{Kind: EventEnd, Iteration: it.number, Text: text, Result: &res})
}

// explain says in one sentence why an outcome is what it is; "" where the result line says it all.
func explain(it *iteration, r *run) string {
	switch it.verdict.Outcome {
	case journal.Shipped, journal.Finished, journal.Heartbeat, journal.Idle, journal.Filed, journal.Interrupted:
		return ""
	case journal.Limited, journal.Unavailable:
		return r.cause(it)
	case journal.Held:
		return it.state.Private.Question
	}
	s := it.verdict.Rule
	if check, _ := failedPart(it); check != "" && check != s {
		s += ": " + check
	}
	flags := slices.DeleteFunc(slices.Clone(it.verdict.Flags), func(f string) bool { return strings.Contains(s, f) })
	if len(flags) > 0 {
		s += " (" + strings.Join(flags, "; ") + ")"
	}
	if it.parked != nil {
		s += "; the change is kept: loopd parked " + r.s.Ref.Name + " show " + fmt.Sprint(it.parked.N)
	}
	return s
}

// ending tells whether the run stops after an iteration, and with which code.
func (r *run) ending(ctx context.Context, it *iteration) (Ending, bool) {
	o := r.s.Options
	code := outcomeCode(it)
	name := r.s.Ref.Name
	p := it.state.Private
	end := Ending{Code: code, Why: it.pace.Why, Fix: afterIteration(name, it), Wake: it.pace.Wake, Flags: Carry(p.Flags, p.CarryAdd, p.CarryDrop), Idle: p.Idle}
	switch {
	case it.verdict.Outcome == journal.Interrupted:
		return Ending{Code: it.endCode, Why: "interrupted (" + it.exec.Interrupt + "); the tree was put back"}, true
	case it.state.Status == journal.Done:
		return Ending{Code: CodeOK, Why: "done: " + it.doneSeen}, true
	case it.state.Status == journal.Blocked || it.state.Status == journal.Stalled:
		return Ending{Code: CodeHeld, Why: string(it.state.Status) + ": " + it.state.Private.Question, Fix: HoldFix(it.state)}, true
	case it.pace.TakeOver != "":
		return Ending{}, false
	case it.verdict.Ends != 0:
		return Ending{Code: it.verdict.Ends, Why: fmt.Sprintf("%s: %s", it.verdict.Class, explain(it, r)), Fix: "loopd log " + name}, true
	case it.verdict.Class == journal.NoOp && !timed(it.loop.Charter.Budget.Cadence):
		return Ending{Code: CodeOK, Why: "no eligible work"}, true
	case it.exec.NotStarted != "" && len(o.Fallback) == 0:
		return Ending{Code: CodeUnavailable, Why: it.exec.NotStarted, Fix: end.Fix}, true
	case o.Once:
		end.Why = fmt.Sprintf("iteration %d: %s", it.number, it.verdict.Outcome)
		if it.verdict.Outcome == journal.Limited && !it.pace.Wake.IsZero() {
			end.Why += "; not before " + it.pace.Wake.Local().Format(time.RFC3339)
		}
		return end, true
	case it.pace.Ask:
		if end, stop := r.askIdle(ctx, it); stop {
			return end, true
		}
	}
	if o.Until != "" {
		met, err := r.until(ctx)
		if err != nil {
			return Ending{Code: CodeFault, Why: err.Error()}, true
		}
		if met {
			return Ending{Code: CodeOK, Why: "--until holds: " + o.Until}, true
		}
	}
	if o.Max > 0 && r.iterations >= o.Max {
		if o.Until != "" {
			return Ending{Code: CodeBudget, Why: fmt.Sprintf("--max %d is used up and --until does not hold", o.Max)}, true
		}
		end.Why = fmt.Sprintf("--max %d", o.Max)
		return end, true
	}
	if !r.deadline.IsZero() && !time.Now().Before(r.deadline) {
		return r.timeUp(code), true
	}
	if it.pace.Stop {
		return end, true
	}
	return Ending{}, false
}

// timed reports whether a cadence waits for a time.
func timed(c journal.Cadence) bool {
	return c.Kind == journal.Every && c.Every > 0 || c.Kind == journal.Daily || c.Kind == journal.Cron
}

// timeUp is the end of --for.
func (r *run) timeUp(code int) Ending {
	if r.s.Options.Until != "" {
		return Ending{Code: CodeBudget, Why: fmt.Sprintf("--for %s is over and --until does not hold", r.s.Options.For)}
	}
	return Ending{Code: code, Why: fmt.Sprintf("--for %s is over", r.s.Options.For)}
}

func (r *run) until(ctx context.Context) (bool, error) {
	c, err := r.command(ctx, r.s.Options.Until, r.work, r.checkEnv(), checkLimit)
	if err != nil {
		return false, err
	}
	if c.Missing || c.Hung {
		return false, fmt.Errorf("--until `%s`: %s", r.s.Options.Until, c.Got)
	}
	return c.Exit == 0, nil
}

// askIdle puts the idle question on a terminal. An unanswered prompt follows the unattended rule (decision 25).
func (r *run) askIdle(ctx context.Context, it *iteration) (Ending, bool) {
	name := r.s.Ref.Name
	answer, ok := "", false
	if r.s.Terminal != nil {
		answer, ok = r.s.Terminal.Ask(ctx, fmt.Sprintf("Loop %s found nothing to do %d times in a row.", name, it.state.Private.Idle), []string{"keep going", "redirect", "stop"})
	}
	switch {
	case ok && answer == "keep going":
		return Ending{}, false
	case ok && answer == "redirect":
		if it.loop.Charter.TakesFlags {
			return r.redirect(ctx, it)
		}
		text, ok := r.s.Terminal.Ask(ctx, "Where to? (goes to the next iteration as operator steering)", nil)
		if ok && text != "" {
			if err := Steer(r.s.Disk, r.s.Ref, text); err != nil {
				return Ending{Code: CodeFault, Why: err.Error()}, true
			}
			return r.wakeNow(it, func(*journal.Private) {})
		}
		return Ending{}, false
	case ok:
		return Ending{Code: CodeOK, Why: "stopped by the operator"}, true
	}
	next := held(it.state, journal.Blocked, idleText(it.state), idleFix(name))
	l, err := r.s.Dialect.Load(r.s.Ref)
	if err == nil {
		r.tell(ctx, l, &next.Private, notice{Loop: name, Event: EventBlocked, Text: next.Private.Question, Fix: HoldFix(next)})
		err = r.saveState(l, next)
	}
	if err != nil {
		return Ending{Code: CodeFault, Why: err.Error()}, true
	}
	return Ending{Code: CodeHeld, Why: next.Private.Question, Fix: HoldFix(next)}, true
}

// redirect asks for other flags, or another skill, of a loop that is driven (the loop driver seed).
func (r *run) redirect(ctx context.Context, it *iteration) (Ending, bool) {
	text, ok := r.s.Terminal.Ask(ctx, "Where to? Other flags for the next wake (--issue=7), or another skill with its flags (/other --auto)", nil)
	words := strings.Fields(text)
	switch {
	case !ok || len(words) == 0:
		return Ending{}, false
	case strings.HasPrefix(words[0], "/"):
		next := "loopd run " + words[0][1:]
		if len(words) > 1 {
			next += " -- " + strings.Join(words[1:], " ")
		}
		return Ending{Code: CodeOK, Why: "redirected to " + words[0], Fix: next}, true
	}
	r.s.Options.GivenFlags = false // the command's flags were the old way
	return r.wakeNow(it, func(p *journal.Private) {
		p.Flags, p.CarryAdd, p.CarryDrop, p.Idle = words, nil, nil, 0
	})
}

// wakeNow lets the next iteration begin at once, with what change made of the state.
func (r *run) wakeNow(it *iteration, change func(*journal.Private)) (Ending, bool) {
	l, err := r.s.Dialect.Load(r.s.Ref)
	if err == nil {
		next := l.State
		next.Private.NotBefore, next.Private.WakeWhy = time.Time{}, ""
		change(&next.Private)
		err = r.saveState(l, next)
	}
	if err != nil {
		return Ending{Code: CodeFault, Why: err.Error()}, true
	}
	it.pace.Wake, it.pace.Why = time.Now(), "redirected by the operator"
	return Ending{}, false
}

// refused ends a run that the gate did not let go on. The same refusal again in a row only counts.
func (r *run) refused(ctx context.Context, it *iteration, d Decision) (Ending, error) {
	end := Ending{Code: d.Code, Why: d.Why, Fix: d.Fix, Wake: d.Wake}
	l := it.loop
	now := time.Now()
	class := gateClass[d.Rule]
	if l.Charter.Protocol != nil && d.Action == GateFinish {
		if err := r.trigger(it); err != nil {
			return end, err
		}
		l = it.loop
	}
	if class != "" {
		r.contract.class = class
	}
	if d.Idle {
		next := l.State
		return end, r.write(l, journal.Record{Note: journal.Note(journal.NoteRefused, now, r.redact.String(d.Why)), State: &next, Class: class})
	}
	if d.Action == GateFinish {
		next := l.State
		next.Status = journal.Done
		next.Private.Refusal = nil
		r.tell(ctx, l, &next.Private, notice{Loop: l.Name, Event: EventDone, Text: d.Why})
		end.Why = "done: " + d.Why
		return end, r.write(l, journal.Record{Note: journal.Note(journal.NoteDone, now, r.redact.String(d.Why)), State: &next, Class: class})
	}
	if d.Code == CodeUsage {
		return Ending{}, defectError(l)
	}
	if d.Silent {
		return end, nil
	}
	next := l.State
	rec := journal.Record{State: &next, Class: class}
	reason := journal.OneLine(r.redact.String(d.Why), 300)
	if old := l.State.Private.Refusal; old != nil && old.Reason == reason {
		next.Private.Refusal = &journal.Refusal{Reason: reason, Count: old.Count + 1}
	} else {
		next.Private.Refusal = &journal.Refusal{Reason: reason, Count: 1}
		rec.Note = journal.Note(journal.NoteRefused, now, reason)
		if d.Tell {
			r.tell(ctx, l, &next.Private, notice{Loop: l.Name, Event: refusalEvent(d), Text: d.Why, Fix: d.Fix})
		}
	}
	if d.Block {
		next = held(next, journal.Blocked, reason, d.Fix)
	}
	return end, r.write(l, rec)
}

// refusalEvent is what a refusal that a human is told of is called.
func refusalEvent(d Decision) string {
	if d.Block {
		return EventBlocked
	}
	return EventBudget
}

// where tells where the work lies and how many commits there are.
func (r *run) where(ctx context.Context, end *Ending) {
	if r.tree == nil || r.startHead == "" {
		return
	}
	h, err := r.tree.Head(ctx)
	if err != nil {
		return
	}
	end.Branch, end.Base = strings.TrimPrefix(h.Branch, "refs/heads/"), r.startHead
	if n, err := r.tree.CountCommits(ctx, r.startHead, h.OID); err == nil {
		end.Commits = n
	}
}
