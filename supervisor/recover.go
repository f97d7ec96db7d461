package supervisor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"loopd/journal"
	"loopd/journal/disk"
	"loopd/supervisor/proc"
)

// mostDeaths is how many launches may die uncounted in a row before a person is asked (decision 21).
const mostDeaths = 3

// recover settles what an earlier supervisor left when it died inside an iteration. With the journal entry on disk the
// iteration is rolled forward: the remaining writes are done and the branch moves. Without it the change is parked, the
// tree put back, and one line says so. Afterwards the lease is this process's own.
func (r *run) recover(ctx context.Context) error {
	own := r.holder()
	if err := r.loopLease.begin(own); err != nil {
		return err
	}
	if r.treeLease == nil || len(r.treeLease.dead) == 0 {
		return nil // in worktree mode the tree's lease comes later
	}
	dead := r.treeLease.dead
	d := deadIteration(dead)
	if d.holder.Run != "" {
		proc.EndMarked(d.holder.Run)
	}
	if d.pin != nil {
		if err := r.settleDead(ctx, d); err != nil {
			return err
		}
	}
	return r.treeLease.begin(own)
}

// death is what the lease tells of a dead iteration.
type death struct {
	holder Holder
	step   string
	pin    *pinRecord
	plan   *recordPlan
	fault  error // why this very process could not go on; nil for an earlier one that died
}

func deadIteration(records []leaseRecord) death {
	var d death
	for _, rec := range records {
		if rec.Holder != nil {
			d.holder = *rec.Holder
		}
		if rec.Step != "" {
			d.step = rec.Step
		}
		if rec.Pin != nil {
			d.pin = rec.Pin
		}
		if rec.Plan != nil {
			d.plan = rec.Plan
		}
	}
	return d
}

// salvage settles the iteration under way after a fault of loopd or of the machine (a full disk, a broken git): the same
// two states as after a death, reached at once where that is still possible. Otherwise the next start does it.
func (r *run) salvage(ctx context.Context, fault error) error {
	if r.treeLease == nil || r.treeLease.file == nil {
		return fault
	}
	if _, err := r.treeLease.file.Seek(0, io.SeekStart); err != nil {
		return fault
	}
	d := deadIteration(readRecords(r.treeLease.file))
	if d.pin == nil {
		return fault
	}
	d.fault = fault
	if err := r.settleDead(context.WithoutCancel(ctx), d); err != nil {
		return errors.Join(fault, fmt.Errorf("put the iteration back (the next start tries again): %w", err))
	}
	return errors.Join(fault, r.through())
}

// settleDead reaches one of the two states. The dead loop may be another one than the loop that starts now: they share
// the working tree.
func (r *run) settleDead(ctx context.Context, d death) error {
	who := *r
	if d.holder.Ref.Dir != "" && d.holder.Ref.Dir != r.s.Ref.Dir {
		s := *r.s
		s.Ref = d.holder.Ref
		dialect, ok := r.s.Dialects(d.holder.Ref.Dialect)
		if !ok {
			return &HeldError{Err: fmt.Errorf("loop %s died inside an iteration and its dialect %q is unknown here", d.holder.Loop, d.holder.Ref.Dialect), Fix: "start the loopd that ran it"}
		}
		s.Dialect = dialect
		who.s = &s
		who.place = r.placeFor(r.tree, s.Ref.Name)
		who.guard = openGuarded(who.place.guarded())
	}
	if d.plan != nil {
		forward, err := who.evidenceOnDisk(d.plan)
		if err != nil {
			return err
		}
		if forward {
			return who.rollForward(ctx, d)
		}
	}
	return who.rollBack(ctx, d)
}

// evidenceOnDisk tells whether the journal entry was written whole. A torn one is cut off: it was never an entry.
func (r *run) evidenceOnDisk(p *recordPlan) (bool, error) {
	if p.Evidence < 0 {
		return false, nil
	}
	w := p.Writes[p.Evidence]
	standing, err := disk.Stands(w)
	if err != nil {
		return false, err
	}
	if standing == disk.Torn {
		return false, r.s.Disk.Retract(w)
	}
	return standing == disk.Whole, nil
}

func (r *run) rollForward(ctx context.Context, d death) error {
	for i, w := range d.plan.Writes {
		if i == d.plan.Evidence {
			continue
		}
		if err := r.s.Disk.Redo(w); err != nil {
			return fmt.Errorf("finish the record of iteration %d: %w", d.plan.Iteration, err)
		}
	}
	if d.plan.Commit != nil && r.tree != nil {
		if err := r.tree.DropLocks(d.pin.Mark); err != nil {
			return fmt.Errorf("finish iteration %d: %w", d.plan.Iteration, err)
		}
		if err := r.tree.Land(ctx, d.plan.Commit); err != nil {
			return fmt.Errorf("finish iteration %d: %w", d.plan.Iteration, err)
		}
	}
	r.emit(Event{Kind: EventNotice, Text: fmt.Sprintf("iteration %d of %s was recorded when its supervisor died; the rest was done now", d.plan.Iteration, r.s.Ref.Name)})
	return r.note(fmt.Sprintf("iteration %d rolled forward after its supervisor died at step %s", d.plan.Iteration, d.step), nil, false)
}

func (r *run) rollBack(ctx context.Context, d death) error {
	tampered, err := r.undoTouched(d.pin.Iteration)
	if err != nil {
		return err
	}
	ref := ""
	if r.tree != nil && !d.pin.NoGit {
		if ref, err = r.parkDead(ctx, d); err != nil {
			return err
		}
	}
	if d.step == "pin" && ref == "" && len(tampered) == 0 {
		return nil // nothing was started: there is nothing to say
	}
	text := fmt.Sprintf("iteration %d died with its supervisor at step %s", d.pin.Iteration, d.step)
	if d.fault != nil {
		text = fmt.Sprintf("iteration %d could not be recorded (step %s: %v)", d.pin.Iteration, d.step, d.fault)
	}
	var parked *journal.Parked
	if ref != "" {
		parked = &journal.Parked{N: d.pin.Iteration, Ref: ref, Why: text, At: time.Now()}
		text += "; its change is kept under " + ref + ", the tree is what it was"
	}
	r.emit(Event{Kind: EventWarning, Text: text})
	return r.note(text, parked, true)
}

// parkDead parks what the dead iteration changed and restores the tree; "" where nothing was changed.
func (r *run) parkDead(ctx context.Context, d death) (string, error) {
	p, err := r.tree.Fingerprint(ctx, d.pin.Mark)
	if err != nil {
		return "", fmt.Errorf("look at the dead iteration's tree: %w", err)
	}
	ref := ""
	if !p.Same(d.pin.Mark) {
		name := r.s.Ref.Name
		ref, err = r.tree.Park(ctx, d.pin.Mark, p, fmt.Sprintf("refs/loopd/%s/%d", name, d.pin.Iteration), fmt.Sprintf("loopd: %s iteration %d, its supervisor died at step %s", name, d.pin.Iteration, d.step))
		if err != nil {
			return "", fmt.Errorf("park the dead iteration: %w", err)
		}
	}
	if err := r.tree.Restore(ctx, d.pin.Mark, r.s.Protected); err != nil {
		return "", fmt.Errorf("put the tree back (the change is kept under %s): %w", ref, err)
	}
	return ref, nil
}

// note journals one line about a recovery and counts the death.
func (r *run) note(text string, parked *journal.Parked, died bool) error {
	l, err := r.s.Dialect.Load(r.s.Ref)
	if err != nil {
		return fmt.Errorf("load loop %s: %w", r.s.Ref.Name, err)
	}
	rec := journal.Record{Note: journal.Note(journal.NoteRecovered, time.Now(), text)}
	if died && len(l.Defects()) == 0 {
		next := l.State
		next.Private.Deaths++
		if parked != nil {
			next.Private.Parked = append(append([]journal.Parked(nil), next.Private.Parked...), *parked)
		}
		if next.Private.Deaths >= mostDeaths {
			next = held(next, journal.Blocked, fmt.Sprintf("%d launches in a row died uncounted: see what ends them", next.Private.Deaths),
				fmt.Sprintf("loopd log %[1]s shows where they died; then loopd resume %[1]s", l.Name))
		}
		rec.State = &next
	}
	return r.write(l, rec)
}

func (r *run) holder() Holder {
	pid := os.Getpid()
	if r.s.Host.Guarded() {
		pid = os.Getppid() // the process that a person started and sees
	}
	id, _ := proc.StartTime(pid)
	host, _ := os.Hostname()
	return Holder{PID: pid, Identity: id, Host: host, Since: time.Now(), Run: r.marker, Loop: r.s.Ref.Name, Ref: r.s.Ref}
}
