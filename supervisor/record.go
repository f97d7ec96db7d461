package supervisor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"loopd/journal"
	"loopd/supervisor/worktree"
)

// record brings the iteration to the disk: the commit is prepared (hooks run, no branch moves), then journal, state,
// signs and backlog, then the branch moves. The journal entry is the commit point: recovery rolls forward with it and
// back without it.
func (r *run) record(ctx context.Context, it *iteration) error {
	ctx = context.WithoutCancel(ctx)
	r.step(it, "record", 0)
	commit, err := r.settle(ctx, it)
	if err != nil {
		return err
	}
	plan := &recordPlan{Iteration: it.number, Commit: commit, Evidence: -1}
	if plan.Writes, err = r.render(it); err != nil {
		return err
	}
	if it.verdict.Outcome.Counts() {
		plan.Evidence = 0 // a dialect gives evidence before state
	}
	if plan.Evidence >= 0 {
		if err := r.reach(leaseRecord{Step: "record", Plan: plan}); err != nil {
			return err
		}
	}
	if err := r.doWrites(plan.Writes); err != nil {
		return err
	}
	if commit != nil {
		if err := r.tree.Land(ctx, commit); err != nil {
			return fmt.Errorf("move the branch to the verified commit %s: %w", commit.OID, err)
		}
		it.result.Commit = commit.OID
	}
	if err := r.joinedNow(ctx, it); err != nil {
		return err
	}
	return r.through()
}

// settle makes the tree what the verdict says: put back, or committed. A commit hook that refuses turns the verdict.
func (r *run) settle(ctx context.Context, it *iteration) (*worktree.Prepared, error) {
	// What changed no file may still have moved HEAD or staged something; what only the checks wrote is nobody's work.
	strayed := r.tree != nil && !it.changed && !it.print.Same(it.mark)
	if it.verdict.PutBack || strayed {
		if err := r.putBack(ctx, it); err != nil {
			return nil, err
		}
	}
	r.advance(it)
	if r.tree == nil || it.verdict.PutBack || !it.changed || !it.verdict.Outcome.Counts() {
		return nil, nil
	}
	extra, err := r.trackedWrites(ctx, it)
	if err != nil {
		return nil, err
	}
	commit, err := r.tree.Prepare(ctx, it.mark, it.print, worktree.Commit{Message: commitMessage(it, r.s.Ref.Name), Extra: extra})
	var hook *worktree.HookError
	switch {
	case errors.As(err, &hook):
		it.verdict = Verdict{Outcome: journal.Failed, PutBack: true, Rule: "commit hook", Flags: []string{"commit hook " + hook.Hook + " refused: " + lastLine(r.redact.String(hook.Words))}}
		it.hookWords = r.redact.String(lastLines(hook.Words, 20))
		return r.settle(ctx, it)
	case err != nil:
		return nil, fmt.Errorf("prepare commit: %w", err)
	case commit.TreeChanged:
		return r.verifyHooked(ctx, it, commit)
	}
	return commit, nil
}

// verifyHooked runs the checks once more on what a commit hook made of the change.
func (r *run) verifyHooked(ctx context.Context, it *iteration, commit *worktree.Prepared) (*worktree.Prepared, error) {
	checks, err := r.checks(ctx, it.loop.Charter.Verification, min(checkLimit, it.wall))
	if err != nil {
		return nil, err
	}
	compareChecks(it.baseline, checks)
	it.checks, it.observed.Checks = checks, checks
	if checkFails(it.observed) {
		it.verdict = Verdict{Outcome: journal.Failed, PutBack: true, Rule: "commit hook", Flags: []string{"a commit hook changed the tree and the checks failed"}}
		return r.settle(ctx, it)
	}
	return commit, nil
}

// putBack parks the change, then restores the tree to exactly what it was.
func (r *run) putBack(ctx context.Context, it *iteration) error {
	if r.tree == nil {
		it.verdict.PutBack = false
		it.verdict.Flags = append(it.verdict.Flags, "not reverted")
		return nil
	}
	if it.print.Broken {
		it.verdict.PutBack = false
		it.verdict.Flags = append(it.verdict.Flags, "not reverted")
		it.verdict.NeedsPerson = "the repository is damaged and nothing could be put back: " + strings.Join(it.print.Problems, ", ")
		return nil
	}
	if !it.print.Same(it.mark) {
		ref, err := r.tree.Park(ctx, it.mark, it.print, fmt.Sprintf("refs/loopd/%s/%d", r.s.Ref.Name, it.number),
			fmt.Sprintf("loopd: %s iteration %d, put back\n\n%s\n%s", r.s.Ref.Name, it.number, it.verdict.Rule, strings.Join(it.verdict.Flags, "\n")))
		if err != nil {
			return fmt.Errorf("park the change (nothing was put back yet): %w", err)
		}
		why := orElse(strings.Join(it.verdict.Flags, "; "), it.verdict.Rule)
		it.parked = &journal.Parked{N: it.number, Ref: ref, Why: journal.OneLine(why, 200), Unit: it.report.Unit, At: time.Now()}
		it.result.Parked = ref
	}
	if err := r.tree.Restore(ctx, it.mark, r.s.Protected); err != nil {
		return fmt.Errorf("put the tree back (the change is kept under %s): %w", it.result.Parked, err)
	}
	return nil
}

// advance computes the state after the iteration.
func (r *run) advance(it *iteration) {
	check, output := "", ""
	if it.verdict.Outcome == journal.Failed {
		check, output = failedPart(it)
		if it.hookWords != "" {
			check, output = "commit hook", it.hookWords
		}
	}
	end := time.Now()
	x, c := it.exec, it.checkCost
	seconds := end.Sub(x.Start).Seconds()
	t := Step{
		Verdict: it.verdict, Observed: it.observed, Charter: it.loop.Charter, Number: it.number, Agent: it.maker.Name(), Now: end,
		Before: it.before, After: it.after, FailedCheck: check, Output: cutText(output, 8<<10), Paths: changedPaths(it), Parked: it.parked,
		EscalateTo: secondName(it), CheckerNamed: it.checker != nil, NearMiss: len(it.nearMiss) > 0, Findings: it.findings,
		Drift: x.End.Sub(x.Start).Seconds() > driftShare*it.wall.Seconds() && it.verdict.Outcome != journal.Failed,
		Cost:  x.Cost + c.Cost, CostUntold: !x.CostKnown && x.NotStarted == "", Tokens: tokens(x.Reply.Usage) + tokens(c.Reply.Usage), ToolCalls: int64(x.Reply.ToolCalls), Seconds: seconds, ModelCalls: int64(x.Reply.Turns), Lines: reviewLines(it.print.Changed), Files: len(it.print.Changed),
		Asks: it.loop.Charter.Protocol == nil && asksIdle(it.loop.Charter.Archetype), Attended: r.s.Terminal != nil, Struck: len(it.strike), CarryAdd: it.report.CarryAdd, CarryDrop: it.report.CarryDrop,
	}
	if t.Drift {
		it.verdict.Flags = append(it.verdict.Flags, "drift")
		t.Verdict = it.verdict
	}
	if l := x.Reply.Limit; l != nil && l.Known {
		t.Reset = l.Reset
	}
	if it.loop.Charter.Protocol != nil && !it.done {
		t.Unmet = it.unmet
	}
	if check != "" {
		t.Signature = Signature(check, output)
	}
	it.signs, t.SignWritten = r.signs(it, check)
	it.step = t
	it.state = Advance(it.start, t)
	it.pace = NextWake(r.paceFacts(it))
	if len(r.s.Options.Fallback) > 0 {
		it.state.Private.Resting = rest(it.state.Private.Resting, it.maker.Name(), it.verdict.Outcome, it.pace.Wake)
		if !it.verdict.Outcome.Counts() && !it.pace.Stop {
			it.pace = takeOver(it.pace, it.candidates, it.state.Private.Resting, time.Now())
		}
	}
	if !it.pace.Stop {
		it.state.Private.NotBefore, it.state.Private.WakeWhy, it.state.Private.Limited = it.pace.Wake, it.pace.Why, it.pace.Limited
	}
}

// render gives all bytes of the record, before any of them is written.
func (r *run) render(it *iteration) ([]journal.Write, error) {
	rec := journal.Record{State: &it.state, At: it.step.Now, Class: it.verdict.Class}
	if it.verdict.Outcome.Counts() {
		rec.Entry = r.entry(it)
		rec.UsedSteer = it.loop.Steer
		rec.Signs = it.signs
		if it.verdict.Kept || it.verdict.Outcome == journal.Filed || it.verdict.Outcome == journal.Finished {
			rec.Strike = it.strike
		}
		if it.verdict.Outcome != journal.Held {
			rec.Add = it.report.Split
		}
	}
	writes, err := r.s.Dialect.Record(it.loop, rec)
	if err != nil {
		return nil, fmt.Errorf("render record: %w", err)
	}
	return writes, nil
}

// trackedWrites gives the bytes that loopd's own tracked files will have, for the iteration's commit.
func (r *run) trackedWrites(ctx context.Context, it *iteration) (map[string][]byte, error) {
	if r.tree != r.main {
		return nil, nil // in a worktree of its own the loop's files are not in the work's tree
	}
	writes, err := r.render(it)
	if err != nil {
		return nil, err
	}
	byPath := map[string]journal.Write{}
	var rel []string
	for _, w := range writes {
		if p, err := filepath.Rel(r.tree.Root(), w.Path); err == nil && !strings.HasPrefix(p, "..") && w.Kind != journal.WriteRemove {
			byPath[p] = w
			rel = append(rel, p)
		}
	}
	tracked, err := r.tree.Tracked(ctx, rel)
	if err != nil {
		return nil, fmt.Errorf("find tracked loop files: %w", err)
	}
	extra := map[string][]byte{}
	for p, w := range byPath {
		if !tracked[p] {
			continue
		}
		data := w.Data
		if w.Kind == journal.WriteAppend {
			old, err := os.ReadFile(w.Path)
			if err != nil && !os.IsNotExist(err) {
				return nil, fmt.Errorf("read %s: %w", w.Path, err)
			}
			data = append(old, w.Data...)
		}
		extra[p] = data
	}
	return extra, nil
}

func commitMessage(it *iteration, loop string) string {
	subject := journal.OneLine(orElse(it.report.Unit, orElse(it.report.Detail, "one unit")), 68)
	body := journal.OneLine(orElse(it.report.Did, it.report.Detail), 500)
	msg := subject + "\n\n"
	if body != "" && body != subject {
		msg += body + "\n\n"
	}
	return msg + fmt.Sprintf("Loop: %s\nLoop-Iteration: %d\n", loop, it.number)
}

func cutText(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return "…" + strings.ToValidUTF8(s[len(s)-most:], "")
}

func secondName(it *iteration) string {
	if it.second == nil {
		return ""
	}
	return it.second.Name()
}

// asksIdle: the idle question holds for loops that look for work, not for watchers (decision 27).
func asksIdle(a journal.Archetype) bool {
	return a != journal.WatchAndReport && a != journal.Babysitter
}
