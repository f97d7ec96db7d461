package supervisor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"loopd/harness"
	"loopd/journal"
	"loopd/supervisor/worktree"
)

// gate collects the facts and decides; nothing is spent yet but the Done-when commands.
func (r *run) gate(ctx context.Context, it *iteration) (Decision, error) {
	l := it.loop
	o := r.s.Options
	f := GateFacts{
		Now: time.Now(), Charter: l.Charter, State: l.State, Entries: l.Entries, StopFile: r.stopFile(), Defects: l.Defects(),
		NotConfirmed: o.IfDue && (!l.HasState || l.State.Status == journal.Designed),
		Once:         o.Once, IfDue: o.IfDue, Anyway: o.Now, MaxCost: o.MaxCost,
		DoneWhen: func() (bool, string, error) {
			if l.Charter.DoneAfter {
				return false, "", nil
			}
			r.step(it, "gate", 0)
			g, err := r.doneWhen(ctx, l, min(checkLimit, it.wall))
			return g.met, g.seen, err
		},
		NoWork: func() (bool, string, error) { return r.noWork(ctx, l, min(checkLimit, it.wall)) },
		Debris: func() ([]string, error) {
			if r.tree == nil || o.Worktree {
				return nil, nil
			}
			return r.tree.Debris(ctx)
		},
	}
	return Gate(f)
}

// enter goes to where the work is done: the loop's branch in place, or its worktree. Where that changes what the files
// say, the loop is loaded and gated again (decision 37).
func (r *run) enter(ctx context.Context, it *iteration) (Decision, error) {
	goOn := Decision{Action: GateGo}
	if r.main == nil {
		return goOn, nil
	}
	if r.s.Options.Worktree {
		if r.treeLease != nil {
			return goOn, nil
		}
		if err := r.enterWorktree(ctx, it); err != nil {
			return goOn, err
		}
		// What died there was settled only now, and recorded: the iteration that is about to begin may be another one.
		if err := r.load(it); err != nil {
			return Decision{}, err
		}
		return r.gate(ctx, it)
	}
	if it.loop.State.Promotion.Mode != journal.ProposeOnly {
		return goOn, nil
	}
	got, err := r.tree.Enter(ctx, r.s.Ref.Name, r.s.Protected)
	if errors.Is(err, worktree.ErrCheckedOut) {
		return Decision{}, &HeldError{Err: err, Fix: "run the loop there, or use --worktree"}
	}
	if err != nil {
		return Decision{}, fmt.Errorf("enter branch of the loop: %w", err)
	}
	if !got.Switched {
		return goOn, nil
	}
	r.emit(Event{Kind: EventNotice, Text: orElse(got.Said, "works on branch "+got.Branch)})
	before := string(it.loop.Charter.Source)
	if err := r.load(it); err != nil {
		return Decision{}, err
	}
	if string(it.loop.Charter.Source) != before {
		if err := defectError(it.loop); err != nil {
			return Decision{}, fmt.Errorf("on branch %s: %w", got.Branch, err)
		}
	}
	return r.gate(ctx, it)
}

// enterWorktree makes or reuses the loop's own worktree; its lease is taken, and what died in it recovered.
func (r *run) enterWorktree(ctx context.Context, it *iteration) error {
	dir := filepath.Join(r.main.CommonDir(), "loopd", "worktrees", r.s.Ref.Name)
	created, err := r.main.AddWorktree(ctx, r.s.Ref.Name, dir)
	if err != nil {
		return fmt.Errorf("make worktree: %w", err)
	}
	sub, err := filepath.Rel(r.main.Root(), r.s.Ref.Root)
	if err != nil {
		return fmt.Errorf("open worktree: %w", err)
	}
	t, err := worktree.Open(ctx, dir, r.s.git(r.marker), worktree.Options{Protected: r.s.Protected})
	if err != nil {
		return fmt.Errorf("open worktree: %w", err)
	}
	if err := r.leave(ctx, t, it.loop); err != nil {
		return err
	}
	r.tree, r.work = t, filepath.Join(dir, sub)
	r.place = r.placeFor(t, r.s.Ref.Name)
	if err := r.place.make(); err != nil {
		return err
	}
	if r.treeLease, err = takeLease(r.place.treeLease(), r.holder(), r.s.Fault); err != nil {
		return err
	}
	r.guard = openGuarded(r.place.guarded())
	if err := r.recover(ctx); err != nil {
		return fmt.Errorf("recover the dead iteration: %w", err)
	}
	if setup := it.loop.Charter.Harness.Setup; created && setup != "" {
		c, err := r.command(ctx, setup, r.work, r.checkEnv(), setupLimit)
		if err != nil {
			return fmt.Errorf("set up worktree: %w", err)
		}
		if c.Exit != 0 || c.Hung {
			return &HeldError{Err: fmt.Errorf("the charter's Setup `%s`: %s: %s", setup, c.Got, lastLine(c.Tail)), Fix: "mend the Setup bullet or the worktree " + dir}
		}
	}
	return nil
}

// pin settles what the iteration starts from: harnesses, baseline tree, guarded files, baseline readings. After it the
// iteration can be put back, by this process or by the next.
func (r *run) pin(ctx context.Context, it *iteration) (Decision, error) {
	r.step(it, "pin", 0)
	if err := r.harnesses(it); err != nil {
		return Decision{}, err
	}
	l := it.loop
	limit := min(checkLimit, it.wall)
	if l.Charter.Ratchet.Present() {
		reading, err := r.read(ctx, l.Charter.Ratchet, limit)
		if err != nil {
			return Decision{}, err
		}
		if reading.Err != nil {
			return Decision{Action: GateRefuse, Rule: "ratchet", Code: CodeHeld, Block: true, Tell: true,
				Why: "the ratchet cannot be read before the iteration: " + reading.Err.Error(), Fix: "mend Ratchet (Read via) in " + l.Charter.File + ", then loopd resume " + l.Name}, nil
		}
		it.before = reading
	}
	if r.s.Options.Baseline || l.Charter.Archetype == journal.RedGreen {
		var err error
		if it.baseline, err = r.checks(ctx, l.Charter.Verification, limit); err != nil {
			return Decision{}, err
		}
	}
	if err := r.trigger(it); err != nil {
		return Decision{}, err
	}
	l = it.loop
	if !l.HasState || l.State.Status == journal.Designed {
		if err := r.activate(it); err != nil {
			return Decision{}, err
		}
	}
	pin := &pinRecord{Iteration: it.number, Work: r.work, NoGit: r.tree == nil}
	if r.tree != nil {
		if err := r.tree.Identity(ctx); err != nil {
			return Decision{}, &HeldError{Err: fmt.Errorf("commit as you: %w", err), Fix: "git config user.name … and git config user.email …"}
		}
		var err error
		if it.mark, err = r.tree.Mark(ctx); err != nil {
			return Decision{}, fmt.Errorf("pin working tree: %w", err)
		}
		pin.Mark = it.mark
		if r.startHead == "" {
			r.startHead = it.mark.Head.OID
		}
	}
	if err := r.guard.pin(guardedPaths(it.loop, r.commonDir(), r.busy)); err != nil {
		return Decision{}, err
	}
	if err := r.reach(leaseRecord{Step: "pin", Pin: pin}); err != nil {
		return Decision{}, err
	}
	r.sayOnce(it)
	return Decision{Action: GateGo}, nil
}

// activate makes a designed loop active: a person typed the command.
func (r *run) activate(it *iteration) error {
	l := it.loop
	r.emit(Event{Kind: EventNotice, Text: fmt.Sprintf("loop %s starts for the first time: %s; works until %s", l.Name, strings.TrimRight(l.Charter.Goal, "."), conditions(l.Charter))})
	next := l.State
	next.Status = journal.Active
	if next.Created == "" {
		next.Created = time.Now().Format(time.DateOnly)
	}
	if err := r.saveState(l, next); err != nil {
		return err
	}
	return r.load(it)
}

// commonDir is the repository's git directory, "" outside git.
func (r *run) commonDir() string {
	if r.main == nil {
		return ""
	}
	return r.main.CommonDir()
}

// busy reports whether a loop of the same repository runs now: then its files change without the agent.
func (r *run) busy(loopDir string) bool {
	_, _, is := running(r.place.of(filepath.Base(loopDir)).loopLease())
	return is
}

// harnesses chooses maker, checker and second vendor: flag, charter, config (resolved into the options by the program).
func (r *run) harnesses(it *iteration) error {
	o, wish := r.s.Options, it.loop.Charter.Harness
	find := func(flag, charter string) (harness.Harness, string, error) {
		name, model, _ := strings.Cut(orElse(flag, charter), ":")
		if name == "" {
			return nil, "", nil
		}
		h, err := r.s.Lookup(name)
		if err != nil {
			return nil, "", &UsageError{Err: err, Fix: "loopd harness list"}
		}
		return h, model, nil
	}
	var model string
	var err error
	if it.maker, model, err = find(o.Maker, wish.Maker); err != nil {
		return err
	}
	if it.maker != nil && len(o.Fallback) > 0 {
		first, name := it.maker, ""
		it.candidates = append([]string{first.Name()}, o.Fallback...)
		if name = onDuty(it.candidates, it.loop.State.Private.Resting, time.Now()); name != first.Name() {
			model = "" // it was the maker's
			if it.maker, model, err = find(name, ""); err != nil {
				return err
			}
		}
	}
	if it.model = model; len(it.candidates) == 0 || it.maker.Name() == it.candidates[0] {
		it.model = orElse(orElse(o.Model, wish.Model), model)
	}
	if it.maker == nil {
		return &UnusableError{"no agent CLI was found; install one (claude, codex) or name one with --harness"}
	}
	if it.checker, it.checkerModel, err = find(o.Checker, wish.Checker); err != nil {
		return err
	}
	if it.second, it.secondModel, err = find(o.EscalateTo, wish.EscalateTo); err != nil {
		return err
	}
	if it.judge, it.judgeModel, err = find(o.Judge, ""); err != nil {
		return err
	}
	for _, h := range []harness.Harness{it.checker, it.second, it.judge} {
		if h == nil {
			continue
		}
		if _, err := h.Invoke(harness.Request{ReadOnly: true, Dir: r.work, ScratchDir: os.TempDir()}); err != nil {
			return &UsageError{Err: fmt.Errorf("%s cannot be asked without write tools: %w", h.Name(), err), Fix: "loopd harness test " + h.Name()}
		}
	}
	if _, priced := r.s.Prices[it.model]; (o.MaxCost > 0 || it.loop.Charter.Budget.Cost > 0) && !it.maker.Caps().ReportsCost && !priced {
		return &UsageError{Err: fmt.Errorf("a cost cap is set, %s reports no cost, and there is no price for model %q", it.maker.Name(), it.model),
			Fix: fmt.Sprintf("add [price.%q] with input, output, cached and as_of to .loop/config.toml, or cap tokens or time instead", orElse(it.model, "MODEL"))}
	}
	return nil
}

// sayOnce tells, before the first exec of a run, what the agent may do and what it will use.
func (r *run) sayOnce(it *iteration) {
	if r.said {
		return
	}
	r.said = true
	credential := harness.WhichCredential(it.maker, r.s.Env, exists)
	uses := strings.TrimSpace(string(credential.Kind) + " " + credential.Source)
	if credential.Kind == harness.Unknown {
		uses = "none seen"
	}
	r.emit(Event{Kind: EventNotice, Text: fmt.Sprintf("%s runs with all permissions in %s, at most %s an iteration; credential: %s", it.maker.Name(), r.work, it.wall, uses)})
	if r.sandboxFact != "" {
		r.emit(Event{Kind: EventNotice, Text: r.sandboxFact})
	}
	if credential.Warning != "" {
		r.emit(Event{Kind: EventWarning, Text: credential.Warning})
	}
	if r.s.Options.MaxCost == 0 && it.loop.Charter.Budget.Cost == 0 {
		r.emit(Event{Kind: EventNotice, Text: "no cost cap is set (Budget: Max cost, or --max-cost)"})
	}
	switch {
	case it.loop.Charter.Unmanaged:
		r.emit(Event{Kind: EventNotice, Text: "git is the agent's own matter in this loop: nothing is checked, put back or committed"})
	case r.tree == nil:
		r.emit(Event{Kind: EventWarning, Text: "outside git nothing can be put back: a failed iteration is flagged, its change stays"})
	}
}
