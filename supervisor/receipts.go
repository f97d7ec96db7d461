package supervisor

import (
	"context"
	"fmt"
	"time"

	"loopd/journal"
)

// contractRun is what one run of a contract has to remember for its receipts.
type contractRun struct {
	open  bool          // it has its trigger's receipt, so it gets a final one
	class journal.Class // how it stands
}

// fresh gives a run of its own its counts, where the last one is over: an automation's trigger begins anew, whatever the
// one before came to. What waits for a person goes on waiting.
func (r *run) fresh(l journal.Loop) journal.State {
	s := l.State
	if p := l.Charter.Protocol; p == nil || !p.EachRun || r.contract.open || !s.Private.Ended {
		return s
	}
	switch s.Status {
	case journal.Active, journal.Done:
	default:
		return s
	}
	s.Status, s.Ratchet.StallCount = journal.Active, 0
	p := &s.Private
	p.Before, p.Spent, p.Failure, p.Unmet, p.Idle, p.Refusal = s.Iteration, journal.Spent{}, nil, "", 0, nil
	return s
}

// trigger writes the receipt of a run that begins; one that was never ended goes on. It is no evidence that anything
// happens: until an iteration has its receipt the contract stands at TRIGGERED (the seed, "Edge Cases").
func (r *run) trigger(it *iteration) error {
	l := it.loop
	if l.Charter.Protocol == nil || r.contract.open {
		return nil
	}
	r.contract = contractRun{open: true, class: journal.Triggered}
	if l.HasState && !l.State.Private.Ended && !l.Charter.Protocol.EachRun {
		return nil
	}
	by := "a person"
	if r.s.Options.IfDue || r.s.Terminal == nil {
		by = "a scheduler or script"
	}
	next := l.State
	next.Private.Ended = false
	if err := r.write(l, journal.Record{State: &next, Trigger: &journal.Trigger{Run: newRunID(), By: by}}); err != nil {
		return err
	}
	return r.load(it)
}

// final writes the last receipt of a run, and hands it to where the contract's Write-back says.
func (r *run) final(ctx context.Context, end Ending) error {
	if !r.contract.open {
		return nil
	}
	l, err := r.s.Dialect.Load(r.s.Ref)
	if err != nil {
		return fmt.Errorf("load loop %s: %w", r.s.Ref.Name, err)
	}
	if len(l.Defects()) > 0 || l.Charter.Protocol == nil {
		return nil // somebody edits it: the next start sees that the run was never ended
	}
	next := l.State
	next.Private.Ended = true
	rec := journal.Record{State: &next, Final: &journal.Final{Class: r.contract.class, Result: r.redact.String(end.Why), Code: end.Code}}
	if err := r.write(l, rec); err != nil {
		return err
	}
	text := fmt.Sprintf("status: %s\nresult: %s\nexit: %d\n", r.contract.class, r.redact.String(end.Why), end.Code)
	if l, err = r.s.Dialect.Load(r.s.Ref); err == nil && l.Receipt != "" {
		text = l.Receipt
	}
	for _, c := range l.Charter.Protocol.WriteBack {
		if err := r.send(context.WithoutCancel(ctx), c, "loopd: "+l.Name+" "+string(r.contract.class), text); err != nil {
			r.emit(Event{Kind: EventWarning, Text: fmt.Sprintf("write-back through %s failed: %v; the receipt is in %s", c, err, l.Charter.Protocol.Artifacts)})
		}
	}
	return nil
}

// stands remembers how the contract stands after an iteration.
func (r *run) stands(it *iteration) {
	if it.verdict.Class == "" {
		return
	}
	r.contract.class = it.verdict.Class
	if it.state.Status == journal.Stalled {
		r.contract.class = journal.NoProgress
	}
}

// at gives a record its time.
func at(rec journal.Record) journal.Record {
	if rec.At.IsZero() {
		rec.At = time.Now()
	}
	return rec
}
