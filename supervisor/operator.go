package supervisor

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"loopd/journal"
	"loopd/journal/disk"
	"loopd/supervisor/worktree"
)

// noteAdjudicated is the word of a ruling in the journal.
const noteAdjudicated = "adjudicated"

// Acted says what an operator's command did.
type Acted struct {
	Text string
	Next string // what to type next, "" for nothing
}

// Steer leaves text for the next iteration; what was there already stays above it.
func Steer(d disk.Disk, ref journal.Ref, text string) error {
	path := filepath.Join(ref.Dir, "STEER.md")
	old, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("read steering: %w", err)
	}
	if len(old) > 0 && !bytes.HasSuffix(old, []byte("\n")) {
		old = append(old, '\n')
	}
	if err := d.Replace("steer", path, append(old, strings.TrimSpace(text)+"\n"...)); err != nil {
		return fmt.Errorf("write steering: %w", err)
	}
	return nil
}

// StopFile gives the path of a loop's STOP file, or of the whole fleet's for an empty name.
func StopFile(root, name string) string { return filepath.Join(root, ".loop", name, "STOP") }

// SetStatus pauses, retires, resumes or activates a loop. On a running loop it leaves a request for the next boundary.
func (s *Supervisor) SetStatus(ctx context.Context, status journal.Status, answer string) (Acted, error) {
	r, err := s.open(ctx)
	if err != nil {
		return Acted{}, err
	}
	name := s.Ref.Name
	if h, step, is := running(r.place.loopLease()); is {
		if answer != "" {
			if err := Steer(s.Disk, s.Ref, answer); err != nil {
				return Acted{}, err
			}
		}
		return Acted{Text: fmt.Sprintf("%s runs (pid %d, step %s): it becomes %s at the next boundary", name, h.PID, step, status)}, leave(r.place, "status-"+string(status), "")
	}
	l, err := s.Dialect.Load(s.Ref)
	if err != nil {
		return Acted{}, fmt.Errorf("load loop %s: %w", name, err)
	}
	if err := defectError(l); err != nil {
		return Acted{}, err
	}
	was := orElse(string(l.State.Status), string(journal.Designed))
	next := l.State
	next.Status = status
	if status == journal.Active {
		next = resumed(next, answer)
	}
	if err := r.saveState(l, next); err != nil {
		return Acted{}, err
	}
	a := Acted{Text: fmt.Sprintf("%s: %s → %s", name, was, status)}
	if status == journal.Active {
		a.Next = "loopd run " + name
		if f := r.stopFile(); f != "" {
			a.Next = "loopd stop " + name + " --clear (" + f + " still holds it)"
		}
	}
	return a, nil
}

// resumed clears what held a loop: idle, stall, escalation, signature, deaths, refusal. An answer becomes steering
// (decisions 22 and 36).
func resumed(s journal.State, answer string) journal.State {
	s.Status = journal.Active
	s.Ratchet.StallCount = 0
	p := &s.Private
	p.Idle, p.Deaths, p.UnavailableRow = 0, 0, 0
	p.Escalated, p.Hypothesis, p.HypothesisBy = "", "", ""
	p.Refusal, p.Question = nil, ""
	if p.Failure != nil {
		f := *p.Failure
		f.Row, f.Signature, f.Approaches = 0, "", nil
		p.Failure = &f
	}
	if answer != "" {
		p.Answer = answer
	}
	return s
}

// StopNow asks a running loopd to end the agent at once; false where nobody runs the loop.
func (s *Supervisor) StopNow(ctx context.Context) (bool, error) {
	r, err := s.open(ctx)
	if err != nil {
		return false, err
	}
	if _, _, is := running(r.place.loopLease()); !is {
		return false, nil
	}
	return true, leave(r.place, requestNow, time.Now().Format(time.RFC3339))
}

// Promote climbs one rung where the record earned it; who and when are journaled.
func (s *Supervisor) Promote(ctx context.Context, by string) (Acted, error) {
	return s.changeMode(ctx, by, func(l journal.Loop) (journal.Mode, error) {
		p := l.State.Promotion
		if p.Clean < p.Required {
			return "", &HeldError{Err: fmt.Errorf("%s has %d clean cycles of the %d that its charter requires", l.Name, p.Clean, p.Required), Fix: "loopd log " + l.Name}
		}
		switch p.Mode {
		case journal.ProposeOnly:
			if len(l.Charter.Promotion.Scope) == 0 {
				return "", &HeldError{Err: fmt.Errorf("%s: the charter names no write scope", l.Name), Fix: "add `Write scope when promoted:` to " + l.Charter.File}
			}
			return journal.WriteScoped, nil
		case journal.WriteScoped:
			return journal.WriteFull, nil
		}
		return "", &HeldError{Err: fmt.Errorf("%s is at %s already", l.Name, p.Mode), Fix: "loopd demote " + l.Name}
	})
}

// Demote goes back to propose-only.
func (s *Supervisor) Demote(ctx context.Context) (Acted, error) {
	return s.changeMode(ctx, "the operator", func(journal.Loop) (journal.Mode, error) { return journal.ProposeOnly, nil })
}

func (s *Supervisor) changeMode(ctx context.Context, by string, to func(journal.Loop) (journal.Mode, error)) (Acted, error) {
	r, l, err := s.still(ctx)
	if err != nil {
		return Acted{}, err
	}
	defer r.letGo()
	mode, err := to(l)
	if err != nil {
		return Acted{}, err
	}
	now := time.Now()
	next := l.State
	was := next.Promotion.Mode
	next.Promotion.Mode, next.Promotion.Clean = mode, 0
	next.Private.Approved, next.Private.ApprovedBy, next.Private.ApprovedAt = mode, by, now
	if mode == journal.WriteScoped {
		next.Promotion.Scope = l.Charter.Promotion.Scope
	}
	word := "promoted"
	if mode == journal.ProposeOnly {
		word = "demoted"
	}
	note := journal.Note(word, now, fmt.Sprintf("%s → %s by %s after %d clean cycles", was, mode, by, l.State.Promotion.Clean))
	if err := r.write(l, journal.Record{Note: note, State: &next}); err != nil {
		return Acted{}, err
	}
	return Acted{Text: fmt.Sprintf("%s: %s → %s", l.Name, was, mode), Next: "loopd run " + l.Name}, nil
}

// still opens a loop that nobody runs, with its leases held, for an operator's act.
func (s *Supervisor) still(ctx context.Context) (*run, journal.Loop, error) {
	r, err := s.open(ctx)
	if err != nil {
		return nil, journal.Loop{}, err
	}
	if err := r.refuseDefects(); err != nil {
		return nil, journal.Loop{}, err
	}
	if err := r.take(); err != nil {
		return nil, journal.Loop{}, err
	}
	if err := r.recover(ctx); err != nil {
		r.letGo()
		return nil, journal.Loop{}, fmt.Errorf("recover the dead iteration: %w", err)
	}
	l, err := s.Dialect.Load(s.Ref)
	if err != nil {
		r.letGo()
		return nil, journal.Loop{}, fmt.Errorf("load loop %s: %w", s.Ref.Name, err)
	}
	return r, l, nil
}

// Ruling is the operator's answer to a dirty tree or a parked change.
type Ruling string

// The rulings of `loopd adjudicate`.
const (
	RulePark    Ruling = "park"    // keep it under a ref, put the tree back
	RuleKeep    Ruling = "keep"    // commit it, or apply and commit the newest parked change
	RuleBacklog Ruling = "backlog" // park it and add a backlog item
)

// Adjudicate settles a dirty tree, or where the tree is clean the newest parked change. The loop becomes active again
// where it was blocked.
func (s *Supervisor) Adjudicate(ctx context.Context, ruling Ruling) (Acted, error) {
	r, l, err := s.still(ctx)
	if err != nil {
		return Acted{}, err
	}
	defer r.letGo()
	if r.tree == nil {
		return Acted{}, &HeldError{Err: errors.New("outside git there is nothing to adjudicate"), Fix: "loopd resume " + l.Name}
	}
	dirt, err := r.tree.Debris(ctx)
	if err != nil {
		return Acted{}, err
	}
	next := l.State
	if next.Status == journal.Blocked {
		next = resumed(next, "")
	}
	if len(dirt) == 0 {
		return r.adjudicateParked(ctx, l, next, ruling)
	}
	m, err := r.tree.Mark(ctx)
	if err != nil {
		return Acted{}, err
	}
	p, err := r.tree.Fingerprint(ctx, m)
	if err != nil {
		return Acted{}, err
	}
	now := time.Now()
	rec := journal.Record{State: &next}
	if ruling == RuleKeep {
		c, err := r.tree.Prepare(ctx, m, p, worktree.Commit{Message: fmt.Sprintf("Keep work found in the tree\n\nAdjudicated by the operator.\n\nLoop: %s\n", l.Name)})
		if err != nil {
			return Acted{}, fmt.Errorf("commit what was found: %w", err)
		}
		rec.Note = journal.Note(noteAdjudicated, now, "kept as "+c.OID)
		if err := r.tree.Land(ctx, c); err != nil {
			return Acted{}, err
		}
		return Acted{Text: fmt.Sprintf("%s: %d paths committed as %s", l.Name, len(p.Changed), c.OID), Next: "loopd run " + l.Name}, r.write(l, rec)
	}
	ref, err := r.tree.Park(ctx, m, p, fmt.Sprintf("refs/loopd/%s/found-%s", l.Name, now.Format("20060102-150405")), "loopd: found in the tree, parked by the operator")
	if err != nil {
		return Acted{}, err
	}
	if err := r.tree.Restore(ctx, m, s.Protected); err != nil {
		return Acted{}, err
	}
	next.Private.Parked = append(append([]journal.Parked(nil), next.Private.Parked...), journal.Parked{N: next.Iteration, Ref: ref, Why: "found in the tree", At: now})
	rec.Note = journal.Note(noteAdjudicated, now, "parked as "+ref)
	if ruling == RuleBacklog {
		rec.Add = []string{"look at what was found in the tree: " + ref + " (" + listed(dirt, 3) + ")"}
	}
	return Acted{Text: fmt.Sprintf("%s: %d paths kept under %s, the tree is clean", l.Name, len(p.Changed), ref), Next: "loopd run " + l.Name}, r.write(l, rec)
}

func (r *run) adjudicateParked(ctx context.Context, l journal.Loop, next journal.State, ruling Ruling) (Acted, error) {
	if len(next.Private.Parked) == 0 {
		return Acted{Text: l.Name + ": the tree is clean and nothing is parked", Next: "loopd run " + l.Name}, r.saveState(l, next)
	}
	p := next.Private.Parked[len(next.Private.Parked)-1]
	rec := journal.Record{State: &next}
	now := time.Now()
	switch ruling {
	case RuleKeep:
		if err := r.tree.ApplyParked(ctx, p.Ref); err != nil {
			return Acted{}, &HeldError{Err: err, Fix: "loopd parked " + l.Name + " show " + fmt.Sprint(p.N)}
		}
		rec.Note = journal.Note(noteAdjudicated, now, p.Ref+" applied to the tree")
		return Acted{Text: p.Ref + " is applied to the working tree, uncommitted", Next: "commit it, then loopd run " + l.Name}, r.write(l, rec)
	case RuleBacklog:
		rec.Add = []string{fmt.Sprintf("look at the parked change %s: %s", p.Ref, p.Why)}
	}
	rec.Note = journal.Note(noteAdjudicated, now, p.Ref+" stays parked")
	return Acted{Text: p.Ref + " stays parked", Next: "loopd run " + l.Name}, r.write(l, rec)
}

// ParkedAct does show, apply or drop on parked change n; the newest of that number counts.
func (s *Supervisor) ParkedAct(ctx context.Context, act string, n int) (Acted, error) {
	r, err := s.open(ctx)
	if err != nil {
		return Acted{}, err
	}
	l, err := s.Dialect.Load(s.Ref)
	if err != nil {
		return Acted{}, fmt.Errorf("load loop %s: %w", s.Ref.Name, err)
	}
	var found *journal.Parked
	for i, p := range l.State.Private.Parked {
		if p.N == n {
			found = &l.State.Private.Parked[i]
		}
	}
	if found == nil || r.tree == nil {
		return Acted{}, &UsageError{Err: fmt.Errorf("%s has no parked change %d", l.Name, n), Fix: "loopd parked " + l.Name}
	}
	if act == "show" {
		text, err := r.tree.ShowParked(ctx, found.Ref)
		return Acted{Text: text}, err
	}
	held, l, err := s.still(ctx)
	if err != nil {
		return Acted{}, err
	}
	defer held.letGo()
	if act == "apply" {
		if err := held.tree.ApplyParked(ctx, found.Ref); err != nil {
			return Acted{}, &HeldError{Err: err, Fix: fmt.Sprintf("loopd parked %s show %d", l.Name, n)}
		}
		return Acted{Text: found.Ref + " is applied to the working tree, uncommitted", Next: "git diff; then commit it"}, nil
	}
	if err := held.tree.DropParked(ctx, found.Ref); err != nil {
		return Acted{}, err
	}
	next := l.State
	next.Private.Parked = nil
	for _, p := range l.State.Private.Parked {
		if p.Ref != found.Ref {
			next.Private.Parked = append(next.Private.Parked, p)
		}
	}
	return Acted{Text: found.Ref + " is dropped"}, held.saveState(l, next)
}
