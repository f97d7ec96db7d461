package supervisor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/sourcegraph/conc"

	"loopd/journal"
	"loopd/supervisor/worktree"
)

// handIn is what a worker hands in: what it said, and its change under a ref, "" where it changed nothing.
type handIn struct {
	unit  unit
	brief string
	exec  execution
	ref   string
	retry bool // it was told that the attempt before had failed
	// red says which of its checks failed in its own working tree, "" for none.
	red string
	err error
}

// round is one round of manager and workers (spec/dialects.md, "contract", topologies): the manager names independent units,
// workers do them at the same time, each in a working tree of its own, and hand in a change under a ref. The iterations that
// follow join them one by one: each is an iteration like any other, whose agent has worked already. Where the manager names
// nothing, the next iteration is an ordinary one.
func (r *run) round(ctx context.Context) error {
	p := r.joining
	if p == nil || len(p.queue) > 0 || p.alone {
		return nil
	}
	it := &iteration{}
	if err := r.load(it); err != nil {
		return err
	}
	gate, err := r.gate(ctx, it)
	if err != nil || gate.Action != GateGo {
		return err // the iteration's own gate says so
	}
	if gate, err = r.enter(ctx, it); err != nil || gate.Action != GateGo {
		return err
	}
	if gate, err = r.pin(ctx, it); err != nil || gate.Action != GateGo {
		return err
	}
	units, err := r.units(ctx, it)
	if err != nil {
		return err
	}
	if len(units) == 0 {
		p.alone = true
		return r.through()
	}
	if err := r.reach(leaseRecord{Step: "workers"}); err != nil {
		return err
	}
	p.queue, err = r.workers(ctx, it, units)
	// What workers did to guarded files, which all trees share, cannot be told apart: it is undone, and said.
	if cerr := r.controlFiles(it); cerr != nil {
		err = errors.Join(err, cerr)
	}
	for _, g := range append(it.guardrail, it.nearMiss...) {
		r.emit(Event{Kind: EventWarning, Text: "a worker changed what no agent may, and it was put back: " + g})
	}
	return errors.Join(err, r.through())
}

// joining is the state of a run with workers.
type joining struct {
	most  int      // workers at once
	queue []handIn // handed in and not yet joined
	alone bool     // the manager named no units: the next iteration is an ordinary one
}

// units asks the manager.
func (r *run) units(ctx context.Context, it *iteration) ([]unit, error) {
	most := r.joining.most
	if b := it.loop.Charter.Budget.MaxIterations; b > 0 {
		most = min(most, b-(it.loop.State.Iteration-it.loop.State.Private.Before))
	}
	r.step(it, "manager", it.wall)
	prompt := r.redact.String(managerPrompt(it.loop, most))
	x, err := r.exec(ctx, task{harness: it.maker, model: it.model, readOnly: true, prompt: prompt, wall: it.wall, idle: it.idle, iteration: it.number, label: "manager"})
	if err != nil {
		return nil, err
	}
	if context.Cause(ctx) != nil {
		return nil, nil // the iteration that follows is interrupted, and says so
	}
	return independent(unitsOf(x.Reply.Text, prompt), most), nil
}

// workers lets the workers work, each in a working tree of its own, and parks what they changed.
func (r *run) workers(ctx context.Context, it *iteration, units []unit) ([]handIn, error) {
	out := make([]handIn, len(units))
	trees := make([]string, len(units))
	for i := range units {
		trees[i] = filepath.Join(r.workersDir(), fmt.Sprint(it.number+i))
		if err := r.tree.AddDetached(ctx, trees[i]); err != nil {
			return nil, err
		}
	}
	var all conc.WaitGroup
	for i, u := range units {
		all.Go(func() { out[i] = r.worker(ctx, it, u, trees[i], it.number+i) })
	}
	all.Wait()
	var errs []error
	for i, h := range out {
		if h.err != nil {
			errs = append(errs, fmt.Errorf("worker %d: %w", it.number+i, h.err))
			continue // its tree stays; the next start settles it
		}
		errs = append(errs, r.tree.RemoveLinked(context.WithoutCancel(ctx), trees[i]))
	}
	return out, errors.Join(errs...)
}

func (r *run) workersDir() string {
	return filepath.Join(r.main.CommonDir(), "loopd", "workers", r.s.Ref.Name)
}

func (r *run) unitRef(n string) string { return fmt.Sprintf("refs/loopd/%s/unit/%s", r.s.Ref.Name, n) }

// worker does one unit in its tree. It shares nothing that is written with the run: w is a copy with a tree of its own.
func (r *run) worker(ctx context.Context, it *iteration, u unit, dir string, n int) handIn {
	h := handIn{unit: u}
	t, err := worktree.Open(ctx, dir, r.s.git(r.marker), worktree.Options{Protected: r.s.Protected})
	if err != nil {
		h.err = err
		return h
	}
	w := *r
	sub, err := filepath.Rel(r.main.Root(), r.s.Ref.Root)
	if err != nil {
		h.err = err
		return h
	}
	w.tree, w.work, w.swept = t, filepath.Join(dir, sub), 0
	mark, err := t.Mark(ctx)
	if err != nil {
		h.err = err
		return h
	}
	brief := briefOf(it, it.maker.Name(), it.wall)
	brief.Iteration, h.retry = n, brief.Retry
	h.brief = r.s.Dialect.Brief(it.loop, brief) + fmt.Sprintf("\nYou are one of several workers. Your unit, and nothing else: %s\nTouch only: %s\n", u.text, strings.Join(u.paths, ", "))
	if h.exec, h.err = w.exec(ctx, task{harness: it.maker, model: it.model, prompt: h.brief, maxTurns: turnsLeft(it.loop), maxCost: costLeft(it.loop, r.s.Options.MaxCost),
		wall: it.wall, idle: it.idle, iteration: n, label: "worker"}); h.err != nil {
		return h
	}
	look := context.WithoutCancel(ctx)
	print, err := t.Fingerprint(look, mark)
	if err != nil {
		h.err = err
		return h
	}
	for _, c := range print.Changed {
		if !journal.MatchAny(u.paths, c.Path) && !within(filepath.Join("/", u.paths[0]), filepath.Join("/", c.Path)) {
			h.red = "it changed " + c.Path + ", which is none of its paths"
		}
	}
	if context.Cause(ctx) == nil && h.exec.HasText {
		checks, err := w.checks(ctx, it.loop.Charter.Verification, min(checkLimit, it.wall))
		if err != nil {
			h.err = err
			return h
		}
		for _, c := range checks {
			if !c.OK && h.red == "" {
				h.red = "its checks failed in its own tree: " + c.Line()
			}
		}
	}
	if !print.Same(mark) {
		h.ref, h.err = t.Park(look, mark, print, r.unitRef(fmt.Sprint(n)), fmt.Sprintf("loopd: %s, unit of a worker\n\n%s", r.s.Ref.Name, u.text))
	}
	return h
}

// join brings a worker's change into the loop's tree in place of an exec: what follows is the integration gate. What does
// not fit on what was joined before it stays under its ref.
func (r *run) join(ctx context.Context, it *iteration) error {
	h := r.joining.queue[0]
	r.joining.queue = r.joining.queue[1:]
	r.step(it, "join", 0)
	if err := r.reach(leaseRecord{Step: "exec"}); err != nil {
		return err
	}
	it.brief, it.exec, it.joined = h.brief, h.exec, &h
	if h.ref == "" {
		return nil
	}
	if err := r.tree.ApplyParked(ctx, h.ref); err != nil {
		it.guardrail = append(it.guardrail, "the integration gate: it does not fit on what was joined before")
		it.parked = &journal.Parked{N: it.number, Ref: h.ref, Why: "it does not fit on what was joined before", Unit: h.unit.text, At: time.Now()}
		it.result.Parked = h.ref
		return nil
	}
	if h.red != "" {
		it.guardrail = append(it.guardrail, h.red)
	}
	return nil
}

// joinedNow drops the ref of a worker's change that was joined, or that the put-back keeps under another one.
func (r *run) joinedNow(ctx context.Context, it *iteration) error {
	h := it.joined
	if h == nil || h.ref == "" || it.parked != nil && it.parked.Ref == h.ref {
		return nil
	}
	return r.tree.DropParked(context.WithoutCancel(ctx), h.ref)
}

// settleWorkers settles what a dead supervisor's workers left: each tree's change is parked and the tree removed; changes
// that were handed in and never joined are listed, so that a person finds them.
func (r *run) settleWorkers(ctx context.Context) error {
	if r.main == nil {
		return nil
	}
	left := r.main.Linked(r.workersDir())
	for _, dir := range left {
		if err := r.parkWorker(ctx, dir); err != nil {
			return err
		}
	}
	refs, err := r.main.ParkedBelow(ctx, r.unitRef(""))
	if err != nil || len(refs) == 0 {
		return err
	}
	l, err := r.s.Dialect.Load(r.s.Ref)
	if err != nil || len(l.Defects()) > 0 {
		return err
	}
	next := l.State
	next.Private.Parked = append([]journal.Parked(nil), next.Private.Parked...)
	known := map[string]bool{}
	for _, p := range next.Private.Parked {
		known[p.Ref] = true
	}
	for _, ref := range refs {
		if !known[ref] {
			n := 0
			_, _ = fmt.Sscan(filepath.Base(ref), &n)
			next.Private.Parked = append(next.Private.Parked, journal.Parked{N: n, Ref: ref, Why: "a worker's change that was never joined", At: time.Now()})
			r.emit(Event{Kind: EventWarning, Text: "a worker's change was never joined; it is kept under " + ref})
		}
	}
	return r.saveState(l, next)
}

func (r *run) parkWorker(ctx context.Context, dir string) error {
	t, err := worktree.Open(ctx, dir, r.s.git(r.marker), worktree.Options{Protected: r.s.Protected})
	if err != nil {
		return fmt.Errorf("open a worker's tree: %w", err)
	}
	dirt, err := t.Debris(ctx)
	if err != nil {
		return err
	}
	head, err := t.Head(ctx)
	if err != nil {
		return err
	}
	main, err := r.main.Head(ctx)
	if err != nil {
		return err
	}
	if len(dirt) > 0 || head.OID != main.OID {
		m, err := t.Mark(ctx)
		if err != nil {
			return err
		}
		p, err := t.Fingerprint(ctx, m)
		if err != nil {
			return err
		}
		if _, err := t.Park(ctx, m, p, r.unitRef(filepath.Base(dir)), "loopd: "+r.s.Ref.Name+", a worker that died with its supervisor"); err != nil {
			return fmt.Errorf("park what a worker left: %w", err)
		}
	}
	return r.main.RemoveLinked(ctx, dir)
}

// startWorkers prepares a run of a contract with workers.
func (r *run) startWorkers(ctx context.Context) error {
	l, err := r.s.Dialect.Load(r.s.Ref)
	if err != nil {
		return fmt.Errorf("load loop %s: %w", r.s.Ref.Name, err)
	}
	if l.Charter.Protocol == nil || !l.Charter.Protocol.Workers || r.main == nil || r.s.Options.Worktree {
		return nil
	}
	r.joining = &joining{most: max(1, r.s.Options.Workers)}
	if err := os.MkdirAll(r.workersDir(), 0o755); err != nil {
		return fmt.Errorf("make room for workers: %w", err)
	}
	return r.settleWorkers(ctx)
}
