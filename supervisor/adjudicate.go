package supervisor

import (
	"context"
	"errors"
	"fmt"
	"time"

	"loopd/journal"
	"loopd/supervisor/worktree"
)

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
