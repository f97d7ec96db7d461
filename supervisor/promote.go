package supervisor

import (
	"context"
	"fmt"
	"time"

	"loopd/journal"
)

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
	word, event := "promoted", EventPromoted
	if mode == journal.ProposeOnly {
		word, event = "demoted", EventDemoted
	}
	note := journal.Note(word, now, fmt.Sprintf("%s → %s by %s after %d clean cycles", was, mode, by, l.State.Promotion.Clean))
	if err := r.write(l, journal.Record{Note: note, State: &next}); err != nil {
		return Acted{}, err
	}
	if l, err = s.Dialect.Load(s.Ref); err != nil {
		return Acted{}, fmt.Errorf("load loop %s: %w", s.Ref.Name, err)
	}
	next = l.State
	s.Terminal = nil // who types it knows
	if r.tell(ctx, l, &next.Private, notice{Loop: l.Name, Event: event, Text: fmt.Sprintf("%s → %s by %s", was, mode, by)}) {
		if err := r.saveState(l, next); err != nil {
			return Acted{}, err
		}
	}
	return Acted{Text: fmt.Sprintf("%s: %s → %s", l.Name, was, mode), Next: "loopd run " + l.Name}, nil
}
