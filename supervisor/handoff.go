package supervisor

import (
	"context"
	"fmt"
	"strings"

	"loopd/harness"
	"loopd/journal"
)

// handOff does what must leave the loop directory after the record: a stall to the second vendor or to a human, a
// question, the good news, a demotion. Silence is the contract where nothing needs attention. The iteration's own line comes
// first: what is told below it can only be understood then.
func (r *run) handOff(ctx context.Context, it *iteration) error {
	next, before := it.state, it.state
	if r.secondIsDue(it) {
		if err := r.secondVendor(ctx, it, &next); err != nil {
			return err
		}
	}
	it.state = next
	r.publish(it)
	waits := false
	say := func(event, text, fix string) {
		waits = r.tell(ctx, it.loop, &next.Private, notice{Loop: r.s.Ref.Name, Event: event, Text: text, Fix: fix}) || waits
	}
	name := r.s.Ref.Name
	if it.loop.State.Promotion.Mode != next.Promotion.Mode {
		say(EventDemoted, fmt.Sprintf("iteration %d failed after promotion: back to %s", it.number, next.Promotion.Mode), "loopd log "+name)
	}
	for _, f := range it.report.Flags {
		if it.verdict.Outcome.Counts() && strings.HasPrefix(strings.ToLower(f), "charter defect") {
			say(EventCharter, f, "mend "+it.loop.Charter.File)
		}
	}
	for _, p := range it.guardrail {
		if strings.Contains(p, "pushed") {
			say(EventIrreversible, "the agent pushed: "+p+"; loopd cannot take that back", "look at the remote")
		}
	}
	switch {
	case next.Status == journal.Done:
		say(EventDone, fmt.Sprintf("done after %d iterations: %s", next.Iteration, it.doneSeen), "")
	case next.Status == journal.Stalled:
		say(EventStalled, next.Private.Question, HoldFix(next))
	case next.Status == journal.Blocked:
		say(EventBlocked, fmt.Sprintf("iteration %d: %s", it.number, next.Private.Question), HoldFix(next))
	case it.verdict.Outcome == journal.Filed && it.loop.Charter.Archetype == journal.WatchAndReport:
		say(EventReport, orElse(it.report.Detail, it.report.Did), "loopd log "+name)
	case it.verdict.Outcome == journal.Unavailable && it.loop.State.Private.UnavailableRow+1 >= unavailMaxInRow:
		say(EventUnavailable, fmt.Sprintf("%s was unavailable %d times in a row: %s", it.maker.Name(), unavailMaxInRow, r.cause(it)), "loopd harness test "+it.maker.Name())
	case it.verdict.Outcome == journal.Failed:
		say(EventFailed, fmt.Sprintf("iteration %d: %s", it.number, explain(it, r)), "loopd log "+name)
	case it.verdict.Outcome == journal.Limited:
		say(EventLimited, fmt.Sprintf("%s: %s", it.maker.Name(), r.cause(it)), "")
	case mayBePromoted(it.loop.State.Promotion, next.Promotion):
		say(EventPromoted, fmt.Sprintf("%d clean cycles of %d: it may be promoted", next.Promotion.Clean, next.Promotion.Required), "loopd promote "+name+" --by YOU")
	}
	changed := waits || next.Private.Escalated != before.Private.Escalated || next.Status != before.Status
	it.state = next
	if !changed {
		return nil
	}
	l, err := r.s.Dialect.Load(r.s.Ref)
	if err != nil {
		return fmt.Errorf("load loop %s: %w", name, err)
	}
	return r.saveState(l, next)
}

// mayBePromoted reports that an iteration completed the case for more access.
func mayBePromoted(before, after journal.PromotionState) bool {
	return after.Required > 0 && before.Clean < after.Required && after.Clean >= after.Required && after.Mode == journal.ProposeOnly
}

// secondIsDue reports a stall that no other harness was asked about yet and that holds nobody.
func (r *run) secondIsDue(it *iteration) bool {
	s := it.state
	held := s.Status == journal.Done || s.Status == journal.Stalled || s.Status == journal.Blocked
	return !held && it.verdict.Outcome.Counts() && stalled(s, it.loop.Charter) && it.second != nil && s.Private.Escalated == ""
}

// secondVendor hands a stall, once, to another harness: read-only, it answers with a hypothesis for the next brief.
func (r *run) secondVendor(ctx context.Context, it *iteration, next *journal.State) error {
	if err := r.guard.pin(guardedPaths(it.loop, r.commonDir(), r.busy)); err != nil {
		return err
	}
	if err := r.reach(leaseRecord{Step: "hand off"}); err != nil {
		return err
	}
	r.step(it, "hand off", it.wall)
	r.emit(Event{Kind: EventNotice, Iteration: it.number, Text: fmt.Sprintf("no movement for %d iterations: %s is asked for a hypothesis", next.Ratchet.StallCount, it.second.Name())})
	l, err := r.s.Dialect.Load(r.s.Ref)
	if err != nil {
		return fmt.Errorf("load loop %s: %w", r.s.Ref.Name, err)
	}
	diffs := ""
	if r.tree != nil {
		for _, p := range l.State.Private.Parked {
			if p.N > it.number-max(it.loop.Charter.Escalation.Stalled, 1) {
				s, err := r.tree.ShowParked(ctx, p.Ref)
				if err == nil {
					diffs += cutText(s, patchMost/4) + "\n"
				}
			}
		}
	}
	x, err := r.exec(ctx, task{harness: it.second, model: it.secondModel, readOnly: true, prompt: r.redact.String(blocker(l, diffs)), wall: it.wall, idle: it.idle, iteration: it.number, label: "second vendor"})
	if err != nil {
		return err
	}
	if err := r.undoReadOnly(ctx, it); err != nil {
		return err
	}
	next.Private.Spent.Cost += x.Cost
	next.Private.Spent.Tokens += tokens(x.Reply.Usage)
	next.Private.Escalated = it.second.Name()
	if x.HasText && x.Reply.Stop == harness.Complete {
		next.Private.Hypothesis = cutText(r.redact.String(x.Reply.Text), 4<<10)
		next.Private.HypothesisBy = it.second.Name()
		return r.through()
	}
	*next = held(*next, journal.Stalled, fmt.Sprintf("%s; %s was asked and gave no hypothesis (%s)", stallText(*next), it.second.Name(), orElse(orElse(x.NotStarted, x.Reply.Cause), string(x.Reply.Stop))), "")
	return r.through()
}

// undoReadOnly puts back what a read-only exec changed all the same.
func (r *run) undoReadOnly(ctx context.Context, it *iteration) error {
	violations, misses, err := r.undoControlFiles(it)
	if err != nil {
		return err
	}
	for _, v := range append(violations, misses...) {
		r.emit(Event{Kind: EventWarning, Iteration: it.number, Text: "changed by a read-only exec and put back: " + v})
	}
	if r.tree == nil {
		return nil
	}
	ctx = context.WithoutCancel(ctx)
	dirt, err := r.tree.Debris(ctx)
	if err != nil || len(dirt) == 0 {
		return err
	}
	m, err := r.tree.Mark(ctx)
	if err != nil {
		return fmt.Errorf("look at working tree: %w", err)
	}
	p, err := r.tree.Fingerprint(ctx, m)
	if err != nil {
		return fmt.Errorf("look at working tree: %w", err)
	}
	ref, err := r.tree.Park(ctx, m, p, fmt.Sprintf("refs/loopd/%s/%d", r.s.Ref.Name, it.number), "loopd: changed by a read-only exec")
	if err != nil {
		return fmt.Errorf("park the change of a read-only exec: %w", err)
	}
	r.emit(Event{Kind: EventWarning, Iteration: it.number, Text: "a read-only exec changed the tree; the change is kept under " + ref})
	return r.tree.Restore(ctx, m, r.s.Protected)
}

// cause says why a harness was not available.
func (r *run) cause(it *iteration) string {
	return orElse(orElse(it.exec.NotStarted, it.exec.Reply.Cause), string(it.exec.Reply.Stop))
}
