package supervisor

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/sourcegraph/conc"

	"loopd/harness"
	"loopd/journal"
	"loopd/journal/disk"
	"loopd/supervisor/worktree"
)

// UsageError is a mistake in what loopd was told: exit 80.
type UsageError struct {
	Err error
	Fix string
}

func (e *UsageError) Error() string { return e.Err.Error() }
func (e *UsageError) Unwrap() error { return e.Err }

// HeldError is something that only a person can settle: exit 13.
type HeldError struct {
	Err error
	Fix string
}

func (e *HeldError) Error() string { return e.Err.Error() }
func (e *HeldError) Unwrap() error { return e.Err }

// UnusableError is the cause of exit 15 before anything was launched.
type UnusableError struct{ why string }

func (e *UnusableError) Error() string { return e.why }

// run is one run of a loop: a lease held, a tree opened.
type run struct {
	s      *Supervisor
	place  place
	main   *worktree.Tree // of the folder that holds the loop; nil outside git
	tree   *worktree.Tree // of the work; the same but in worktree mode
	work   string
	marker string
	redact *redactor
	guard  *guarded

	treeLease, loopLease *lease
	allowEnv             []string
	swept                int
	said                 bool // what is said once before the first exec
	deadline             time.Time
	startHead            string // where the loop's branch was at the start
	iterations           int
	contract             contractRun
	joining              *joining // nil for a run without workers
	sandboxed            sandboxed
	sandboxFact          string
	looked               string    // the day of the last look at the notices
	nextNotice           time.Time // when the first that waits may be tried again
	launched             bool      // an agent was started: the command line's flags of a skill are used up
}

// Run runs iterations until something stops the loop, and says what it was. The lease is held from the first load to
// the end; whatever an earlier supervisor left behind is settled first.
func (s *Supervisor) Run(ctx context.Context) (Ending, error) {
	r, err := s.open(ctx)
	if err != nil {
		return Ending{}, err
	}
	if s.Options.DryRun {
		return r.plan(ctx)
	}
	if err := r.refuseDefects(); err != nil && !r.diedHere() {
		return Ending{}, err // a dead iteration may have made the defects: it is put back first
	}
	if err := r.refuseUnfit(); err != nil {
		return Ending{}, err
	}
	if err := r.take(); err != nil {
		return Ending{}, err
	}
	defer r.letGo()
	if err := r.recover(ctx); err != nil {
		return Ending{}, fmt.Errorf("recover the dead iteration: %w", err)
	}
	if err := r.sweepFiles(); err != nil {
		return Ending{}, err
	}
	if err := r.startWorkers(ctx); err != nil {
		return Ending{}, err
	}
	if s.Options.For > 0 {
		r.deadline = time.Now().Add(s.Options.For)
	}
	if err := r.resend(ctx, true); err != nil {
		return Ending{}, err
	}
	end, err := r.loop(ctx)
	end.Iterations = r.iterations
	if err == nil {
		err = r.final(ctx, end)
	}
	r.where(context.WithoutCancel(ctx), &end)
	return end, err
}

// sweepFiles removes the temporary files that a killed write left beside the loop's files: outside of its folder they would
// be debris. The lease is held, so nobody else writes them.
func (r *run) sweepFiles() error {
	l, err := r.s.Dialect.Load(r.s.Ref)
	if err != nil {
		return fmt.Errorf("load loop %s: %w", r.s.Ref.Name, err)
	}
	files := slices.Clone(l.Charter.Own)
	for _, name := range []string{"state.json", "state.md", "signs.md", "backlog.md", "STEER.md", "loop.md", journal.MemoryFile} {
		files = append(files, filepath.Join(l.Dir, name))
	}
	for _, f := range files {
		if err := disk.Leftovers(f); err != nil {
			return err
		}
	}
	return nil
}

// open finds the tree and loopd's own folders; nothing is written yet.
func (s *Supervisor) open(ctx context.Context) (*run, error) {
	r := &run{s: s, work: s.Ref.Root, redact: newRedactor(s.Env, s.Known), marker: "LOOPD_RUN=" + newRunID()}
	l, err := s.Dialect.Load(s.Ref)
	if err != nil {
		return nil, fmt.Errorf("load loop %s: %w", s.Ref.Name, err)
	}
	t, err := worktree.Open(ctx, s.Ref.Root, s.git(r.marker), worktree.Options{Protected: s.Protected})
	outside := errors.Is(err, worktree.ErrNotRepo)
	switch unmanaged := l.Charter.Unmanaged && !s.Options.Protect; {
	case outside && !unmanaged && !s.Options.NoGit && !s.Options.Operate:
		return nil, &HeldError{Err: fmt.Errorf("%s is not inside a git repository: a failed iteration could not be put back", s.Ref.Root), Fix: "git init, or run with --no-git"}
	case err != nil && !outside && !s.Options.NoGit:
		return nil, fmt.Errorf("open working tree: %w", err)
	case err != nil:
		t = nil
	case !unmanaged && !s.Options.NoGit:
		r.main, r.tree = t, t
		if err := r.leave(ctx, t, l); err != nil {
			return nil, err
		}
	}
	// Where the tree is the agent's or nobody's, two loops in it at once are not meant all the same: the lease lies where it
	// always lies, and where an operator looks for it.
	r.place = r.placeFor(t, s.Ref.Name)
	return r, nil
}

// leave tells the tree which paths are no iteration's: the loop's own, and those of other loops that git does not track.
// What is tracked stays seen, whatever a contract calls its own.
func (r *run) leave(ctx context.Context, t *worktree.Tree, l journal.Loop) error {
	below := func(paths []string) (out []string) {
		for _, p := range paths {
			if rel, err := filepath.Rel(r.s.Ref.Root, p); err != nil || !filepath.IsLocal(rel) || rel == "." {
				continue
			}
			if rel, err := filepath.Rel(r.main.Root(), p); err == nil {
				out = append(out, filepath.ToSlash(rel))
			}
		}
		return out
	}
	others := below(r.s.Own)
	tracked, err := t.Tracked(ctx, others)
	if err != nil {
		return fmt.Errorf("look at the paths of other loops: %w", err)
	}
	t.Leave(below(l.Charter.Own))
	t.Leave(slices.DeleteFunc(others, func(p string) bool { return tracked[p] }))
	return nil
}

func (r *run) placeFor(t *worktree.Tree, name string) place {
	if t == nil {
		return placeOf("", "", r.s.StateHome, r.s.Ref.Root, name)
	}
	return placeOf(t.GitDir(), t.CommonDir(), r.s.StateHome, r.s.Ref.Root, name)
}

// refuseDefects loads the loop once before anything is written: a loop with defects must not cost a byte (decision 35).
func (r *run) refuseDefects() error {
	l, err := r.s.Dialect.Load(r.s.Ref)
	if err != nil {
		return fmt.Errorf("load loop %s: %w", r.s.Ref.Name, err)
	}
	return defectError(l)
}

// refuseUnfit refuses a run that lacks what it was asked for: a sandbox, and what a contract needs (NEEDS_INPUT). Nothing
// was written yet.
func (r *run) refuseUnfit() error {
	l, err := r.s.Dialect.Load(r.s.Ref)
	if err != nil {
		return fmt.Errorf("load loop %s: %w", r.s.Ref.Name, err)
	}
	if err := r.chooseSandbox(l); err != nil {
		return err
	}
	p, o := l.Charter.Protocol, r.s.Options
	switch {
	case p == nil:
	case p.Checker && o.Checker == "" && l.Charter.Harness.Checker == "":
		return &UsageError{Err: fmt.Errorf("%s: %s: Topology is maker-checker and there is no checker", journal.NeedsInput, l.Charter.File), Fix: "name one: --checker HARNESS, or the line - Checker: HARNESS in the contract"}
	case p.Isolated && !o.Worktree && r.sandboxed.kind == "":
		return &UsageError{Err: fmt.Errorf("%s: %s: AutoResearch runs in a worktree of its own, or in a sandbox", journal.NeedsInput, l.Charter.File), Fix: "add --worktree or --sandbox landlock"}
	}
	return nil
}

// diedHere reports whether a dead iteration waits in the tree's lease.
func (r *run) diedHere() bool {
	f, err := os.Open(r.place.treeLease())
	if err != nil {
		return false
	}
	defer f.Close()
	return deadIteration(readRecords(f)).pin != nil
}

func defectError(l journal.Loop) error {
	d := l.Defects()
	if len(d) == 0 {
		return nil
	}
	errs := make([]error, 0, len(d))
	for _, f := range d {
		errs = append(errs, errors.New(f.String()))
	}
	return &UsageError{Err: errors.Join(errs...), Fix: "mend it, then: loopd check " + l.Name}
}

// take takes the lease of the loop and of the working tree.
func (r *run) take() error {
	if err := r.writables(); err != nil {
		return err
	}
	if err := r.place.make(); err != nil {
		return err
	}
	h := r.holder()
	var err error
	if r.loopLease, err = takeLease(r.place.loopLease(), h, r.s.Fault); err != nil {
		return err
	}
	if r.s.Options.Worktree {
		return nil // the tree's lease is the worktree's, taken when it is there
	}
	if r.treeLease, err = takeLease(r.place.treeLease(), h, r.s.Fault); err != nil {
		r.loopLease.release()
		return err
	}
	r.guard = openGuarded(r.place.guarded())
	return nil
}

// writables finds out, before anything is started, whether the loop's folder and git's can be written. A folder that one
// may not write is wrong input and costs no byte; a full disk is a fault.
func (r *run) writables() error {
	folders := []string{r.s.Ref.Dir}
	if r.main != nil {
		folders = append(folders, r.main.GitDir())
	}
	for _, dir := range folders {
		err := writable(dir)
		switch {
		case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
			return &UsageError{Err: fmt.Errorf("%s cannot be written, nothing was started: %w", dir, err), Fix: "give yourself the right to write there, or use another checkout"}
		case err != nil:
			return fmt.Errorf("%s cannot be written, nothing was started: %w", dir, err)
		}
	}
	return nil
}

func (r *run) letGo() {
	if r.treeLease != nil {
		r.treeLease.release()
	}
	r.loopLease.release()
}

// loop runs iterations and waits between them.
func (r *run) loop(ctx context.Context) (Ending, error) {
	for {
		if end, stop := r.boundary(ctx); stop {
			return end, nil
		}
		if r.noticesDue(time.Now()) {
			if err := r.resend(ctx, false); err != nil {
				return Ending{}, err
			}
		}
		it, gate, err := r.watched(ctx)
		if err != nil {
			fault := r.salvage(ctx, err)
			var by interruptedError
			if fault == err && errors.As(err, &by) {
				return Ending{Code: by.code, Why: "interrupted before an agent was at work"}, nil
			}
			return Ending{}, fault
		}
		if gate.Action == GateWait {
			if end, stop := r.sleep(ctx, Pace{Wake: gate.Wake, Why: gate.Why, Limited: it.loop.State.Private.Limited}); stop {
				return end, nil
			}
			continue
		}
		if gate.Action != GateGo {
			return r.refused(ctx, it, gate)
		}
		r.stands(it)
		if end, stop := r.ending(ctx, it); stop {
			return end, nil
		}
		if end, stop := r.sleep(ctx, it.pace); stop {
			return end, nil
		}
	}
}

// interruptedError is a step that an operator ended: no fault of anything.
type interruptedError struct {
	error
	code int
}

func (e interruptedError) Unwrap() error { return e.error }

// watched is one iteration that `loopd stop --now` can end. While the loop sleeps nobody has to watch beside it.
func (r *run) watched(ctx context.Context) (*iteration, Decision, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	var watch conc.WaitGroup
	defer watch.Wait()
	defer cancel(nil)
	watch.Go(func() { r.watchStop(ctx, cancel) })
	it, gate := &iteration{}, Decision{}
	err := r.round(ctx)
	if err == nil {
		it, gate, err = r.iterate(ctx)
	}
	switch {
	case err != nil && context.Cause(ctx) != nil:
		err = interruptedError{err, interruptCode(ctx)}
	case it.verdict.Outcome == journal.Interrupted:
		it.endCode = interruptCode(ctx)
	}
	return it, gate, err
}

// reach notes in both leases where the iteration is: the tree's for recovery, the loop's for whoever asks.
func (r *run) reach(rec leaseRecord) error {
	if err := r.treeLease.step(rec); err != nil {
		return err
	}
	return r.loopLease.step(leaseRecord{Step: rec.Step})
}

// through notes that the iteration is over.
func (r *run) through() error {
	if err := r.treeLease.clear(); err != nil {
		return err
	}
	return r.loopLease.clear()
}

func newRunID() string {
	var b [8]byte
	_, _ = rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

func (r *run) emit(e Event) {
	e.At = time.Now()
	e.Text = r.redact.String(e.Text)
	r.s.Emit(e)
}

func (r *run) step(it *iteration, name string, limit time.Duration) {
	it.watch.enter(name, time.Now())
	r.emit(Event{Kind: EventStep, Iteration: it.number, Step: name, Limit: limit})
}

// checkEnv is the environment of verification, ratchet, setup and channel commands: no secrets.
func (r *run) checkEnv() []string {
	return append(harness.CheckEnviron(r.s.Env, r.s.Known, r.allowEnv), r.marker)
}

// saveState writes the state alone, for what is no iteration.
func (r *run) saveState(l journal.Loop, next journal.State) error {
	return r.write(l, journal.Record{State: &next})
}

// write renders a record and brings it to the disk in its order.
func (r *run) write(l journal.Loop, rec journal.Record) error {
	writes, err := r.s.Dialect.Record(l, at(rec))
	if err != nil {
		return fmt.Errorf("render record of %s: %w", l.Name, err)
	}
	return r.doWrites(writes)
}

func (r *run) doWrites(writes []journal.Write) error {
	for _, w := range writes {
		if err := r.s.Disk.Do(w); err != nil {
			return fmt.Errorf("write %s of loop %s: %w", w.Label, r.s.Ref.Name, err)
		}
		if r.guard != nil && w.Kind == journal.WriteAppend {
			r.guard.appended(w.Path, w.Data)
		}
	}
	return nil
}

// stopFile gives the STOP file that holds this loop, "" for none. The fleet's holds loops of every convention, wherever
// their folder is (decision 30).
func (r *run) stopFile() string {
	for _, p := range slices.Compact([]string{StopFile(r.s.Ref.Root, ""), filepath.Join(filepath.Dir(r.s.Ref.Dir), "STOP"), filepath.Join(r.s.Ref.Dir, "STOP")}) {
		if exists(p) {
			if rel, err := filepath.Rel(r.s.Ref.Root, p); err == nil {
				return rel
			}
			return p
		}
	}
	return ""
}
