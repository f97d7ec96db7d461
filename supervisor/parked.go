package supervisor

import (
	"context"
	"fmt"

	"loopd/journal"
)

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

// PeekParked gives the beginning of a parked change as text, at most that many bytes of its patch, without secrets: for
// reports, which may be handed on. cut says that there is more.
func (s *Supervisor) PeekParked(ctx context.Context, ref string, most int) (text string, cut bool, err error) {
	r, err := s.open(ctx)
	if err != nil {
		return "", false, err
	}
	if r.tree == nil {
		return "", false, fmt.Errorf("%s: no git here", ref)
	}
	text, cut, err = r.tree.PeekParked(ctx, ref, most)
	return r.redact.String(text), cut, err
}
