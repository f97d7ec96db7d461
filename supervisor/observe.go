package supervisor

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"loopd/harness"
	"loopd/journal"
)

// patchMost bounds a diff in a prompt.
const patchMost = 200 << 10

// verify observes what the iteration did: control files first (they are put back at once, so that what runs next runs
// under the person's rules), then the tree, then the checks, the ratchet and Done-when. For outcomes that are no
// iteration nothing is run: there is nothing to verify.
func (r *run) verify(ctx context.Context, it *iteration) error {
	if err := r.reach(leaseRecord{Step: "verify"}); err != nil {
		return err
	}
	// What an operator interrupted is still looked at, and put back.
	look := context.WithoutCancel(ctx)
	r.step(it, "verify", 0)
	if err := r.controlFiles(it); err != nil {
		return err
	}
	if err := r.fingerprint(look, it); err != nil {
		return err
	}
	if it.exec.NotStarted != "" || it.exec.Interrupt != "" || uncounted(it.exec.Reply.Stop) {
		return nil
	}
	l := it.loop
	limit := min(checkLimit, it.wall)
	var err error
	if it.checks, err = r.checks(ctx, l.Charter.Verification, limit); err != nil {
		return r.interruptedBy(ctx, it, err)
	}
	if it.joined != nil && l.Charter.Protocol != nil {
		gate, err := r.checks(ctx, l.Charter.Protocol.Gate, limit)
		if it.checks = append(it.checks, gate...); err != nil {
			return r.interruptedBy(ctx, it, err)
		}
	}
	compareChecks(it.baseline, it.checks)
	if l.Charter.Ratchet.Present() {
		if it.after, err = r.read(ctx, l.Charter.Ratchet, limit); err != nil {
			return r.interruptedBy(ctx, it, err)
		}
	}
	r.matchUnit(it)
	g, err := r.doneWhen(ctx, asStruck(l, it.strike, it.report.Split), limit)
	if err != nil {
		return r.interruptedBy(ctx, it, err)
	}
	it.done, it.doneSeen, it.unmet = g.met, g.seen, g.unmet
	if len(l.Charter.DoneWhen) == 0 && l.Charter.DoneAfter && it.judge != nil && it.report.Status != "" {
		if err := r.judgeObjective(ctx, it); err != nil {
			return r.interruptedBy(ctx, it, err)
		}
	}
	if len(l.Charter.DoneWhen) == 0 && l.Charter.DoneAfter && it.report.Met {
		it.done, it.doneSeen = true, orElse(it.report.Reason, "the agent judges it met") // nothing else decides
	}
	if err := r.noOp(ctx, it, limit); err != nil {
		return r.interruptedBy(ctx, it, err)
	}
	return r.sameTree(look, it)
}

// uncounted are the stop reasons that make no iteration.
func uncounted(s harness.StopReason) bool { return s == harness.Limited || unavailable(s) }

// interruptedBy turns an operator's interrupt during the checks into the outcome; any other error stays one.
func (r *run) interruptedBy(ctx context.Context, it *iteration, err error) error {
	if context.Cause(ctx) == nil {
		return err
	}
	it.exec.Interrupt = interruptName(ctx)
	return nil
}

// controlFiles finds and undoes what the agent did to guarded files.
func (r *run) controlFiles(it *iteration) error {
	violations, misses, err := r.undoControlFiles(it)
	it.guardrail = append(it.guardrail, violations...)
	it.nearMiss = append(it.nearMiss, misses...)
	return err
}

func (r *run) undoControlFiles(it *iteration) (violations, misses []string, err error) {
	if r.tree != nil && !exists(r.tree.GitDir()) {
		return nil, nil, nil // the git directory is gone: the look at the tree tells
	}
	if !exists(r.place.guarded()) {
		violations = append(violations, r.shown(r.place.loop)+" removed")
		if err := r.place.make(); err != nil {
			return nil, nil, err
		}
		for _, l := range []*lease{r.loopLease, r.treeLease} {
			if l == nil {
				continue
			}
			if err := l.again(); err != nil {
				return nil, nil, err
			}
		}
	}
	all, err := r.undoTouched(it.number)
	if err != nil {
		return nil, nil, err
	}
	for _, t := range all {
		it.edited = it.edited || t.Path == it.loop.Charter.File
		name := r.shown(t.Path)
		if filepath.Dir(t.Path) == it.loop.Dir && nearMiss[filepath.Base(t.Path)] {
			misses = append(misses, name+" "+t.What)
		} else {
			violations = append(violations, name+" "+t.What)
		}
		if t.Lost {
			it.lost = append(it.lost, name)
		}
	}
	return violations, misses, nil
}

// fingerprint looks at tree and refs against the pin, and finds what no iteration may touch.
func (r *run) fingerprint(ctx context.Context, it *iteration) error {
	if r.tree == nil {
		// Outside git nobody can tell: the agent's word stands for the tree, the checks decide.
		it.changed = it.report.Status == journal.ReportShipped
		return nil
	}
	p, err := r.tree.Fingerprint(ctx, it.mark)
	if err != nil {
		return fmt.Errorf("look at working tree: %w", err)
	}
	it.print = p
	it.changed = len(p.Changed) > 0
	it.guardrail = append(it.guardrail, p.Problems...)
	c := it.loop.Charter
	for _, ch := range p.Changed {
		if journal.MatchAny(c.Protected, ch.Path) {
			it.guardrail = append(it.guardrail, "protected path "+ch.Path)
		}
		if len(c.Scope) > 0 && !journal.MatchAny(c.Scope, ch.Path) || journal.MatchAny(c.Except, ch.Path) {
			it.guardrail = append(it.guardrail, "outside the scope: "+ch.Path)
		}
		if it.loop.State.Promotion.Mode == journal.WriteScoped && !journal.MatchAny(c.Promotion.Scope, ch.Path) {
			it.guardrail = append(it.guardrail, "outside the write scope: "+ch.Path)
		}
	}
	return nil
}

// sameTree makes sure that what the checks left is known: it goes with the change, or, where the agent changed nothing,
// it is undone with the rest of the record.
func (r *run) sameTree(ctx context.Context, it *iteration) error {
	if r.tree == nil || len(it.checks) == 0 && !it.loop.Charter.Ratchet.Present() {
		return nil
	}
	p, err := r.tree.Fingerprint(ctx, it.mark)
	if err != nil {
		return fmt.Errorf("look at working tree after the checks: %w", err)
	}
	if p.Tree != it.print.Tree {
		it.print, it.checksWrote = p, true
	}
	return nil
}

// matchUnit finds the backlog item that the report names (decision 24).
func (r *run) matchUnit(it *iteration) {
	it.strike, it.unmatched = nil, ""
	if it.report.Unit == "" || len(it.loop.Backlog) == 0 {
		return
	}
	if r.tree != nil && !it.changed && it.report.Status == journal.ReportShipped {
		return // nothing was seen of it: a claim strikes no item, and reaches no Done-when that asks for none
	}
	i, ok, why := journal.MatchUnit(it.loop.Backlog, it.report.Unit)
	if ok {
		it.strike = []int{i}
		it.report.Unit = it.loop.Backlog[i].Text
		return
	}
	it.unmatched = why
}

// asStruck is the loop as its backlog will be after this iteration's record: Done-when counts that.
func asStruck(l journal.Loop, strike []int, add []string) journal.Loop {
	items := append([]journal.Item(nil), l.Backlog...)
	for _, i := range strike {
		items[i].Done = true
	}
	for _, a := range add {
		items = append(items, journal.Item{Text: a})
	}
	l.Backlog = items
	return l
}

// askChecker lets another harness look at a change that passed everything else, without write tools.
func (r *run) askChecker(ctx context.Context, it *iteration) error {
	r.observe(it)
	if it.checker == nil || !it.changed {
		return nil
	}
	if v := Conclude(it.observed); v.PutBack || !v.Outcome.Counts() || v.Outcome == journal.Held {
		return nil
	}
	r.step(it, "check", it.wall)
	diff := ""
	if r.tree != nil {
		var err error
		if diff, err = r.tree.Patch(ctx, it.mark, it.print, patchMost); err != nil {
			return fmt.Errorf("show change to the checker: %w", err)
		}
	}
	ratchet := ""
	if it.loop.Charter.Ratchet.Present() {
		ratchet = it.before.String() + " → " + it.after.String()
	}
	x, err := r.exec(ctx, task{harness: it.checker, model: it.checkerModel, readOnly: true, wall: it.wall, idle: it.idle, iteration: it.number, label: "checker",
		prompt: r.redact.String(review(it.loop, diff, it.checks, ratchet, it.report))})
	if err != nil {
		return err
	}
	it.checkCost = x
	if x.Interrupt != "" {
		it.exec.Interrupt = x.Interrupt
		return nil
	}
	it.verdictBy, it.findings = CheckerSilent, ""
	if x.HasText && x.Reply.Stop == harness.Complete {
		it.verdictBy, it.findings = verdictOf(x.Reply.Text)
	}
	if it.verdictBy == CheckerSilent {
		r.emit(Event{Kind: EventWarning, Iteration: it.number, Text: fmt.Sprintf("the checker %s gave no verdict (%s): this change is unchecked", it.checker.Name(),
			r.redact.String(orElse(orElse(x.NotStarted, x.Reply.Cause), "no answer that says PASS or NEEDS_WORK")))})
	}
	// A checker may look, not touch.
	if err := r.controlFiles(it); err != nil {
		return err
	}
	tree := it.print.Tree
	if err := r.fingerprint(context.WithoutCancel(ctx), it); err != nil {
		return err
	}
	if it.print.Tree != tree {
		it.guardrail = append(it.guardrail, "the checker changed the tree")
	}
	return nil
}

// evidence gives the Verify bullets.
func evidence(checks []CheckResult) []string {
	var out []string
	for _, c := range checks {
		out = append(out, c.Line())
	}
	return out
}

// failedPart names what failed, with its output for the next brief.
func failedPart(it *iteration) (check, output string) {
	for _, c := range it.checks {
		if !c.OK {
			return c.Command, fmt.Sprintf("$ %s\n%s\n→ %s", c.Command, c.Tail, c.Got)
		}
	}
	switch it.observed.Ratchet {
	case Worse:
		return "ratchet", fmt.Sprintf("the ratchet got worse: %s → %s", it.before, it.after)
	case Unreadable:
		return "ratchet", "the ratchet could not be read: " + it.after.Err.Error()
	}
	if len(it.verdict.Flags) > 0 {
		return it.verdict.Rule, strings.Join(it.verdict.Flags, "; ")
	}
	return it.verdict.Rule, ""
}

// changedPaths names the changed files for a sign, folders where there are many.
func changedPaths(it *iteration) []string {
	var out []string
	seen := map[string]bool{}
	for _, c := range it.print.Changed {
		p := c.Path
		if len(it.print.Changed) > 3 {
			p = path.Dir(p) + "/"
		}
		if !seen[p] && len(out) < 3 {
			seen[p] = true
			out = append(out, p)
		}
	}
	return out
}
