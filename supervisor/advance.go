package supervisor

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"loopd/journal"
)

// Step is one concluded iteration, as the counters see it.
type Step struct {
	Verdict  Verdict
	Observed Observed
	Charter  journal.Charter
	Number   int // of the entry; 0 where it does not count
	Agent    string
	Now      time.Time // the end

	Before, After Reading
	Struck        int    // backlog items that were verified and struck
	Signature     string // of the failure, "" for none
	FailedCheck   string
	Output        string // what failed, cut to size
	Paths         []string
	Parked        *journal.Parked

	// EscalateTo is the second vendor, "" where there is none.
	EscalateTo string
	// CheckerNamed: a clean cycle needs its PASS.
	CheckerNamed bool
	NearMiss     bool
	Findings     string // of the checker
	Drift        bool
	Cost         float64
	CostUntold   bool
	Tokens       int64
	ToolCalls    int64
	Seconds      float64
	ModelCalls   int64
	Lines, Files int    // changed
	Unmet        string // signature of a goal that is not reached
	Reset        time.Time
	// Asks: the loop puts the idle question; Attended: somebody is there to answer it.
	Asks, Attended bool
	// CarryAdd and CarryDrop are the flags that the outcome carries to the next wake.
	CarryAdd, CarryDrop []string
	SignWritten         bool // this step wrote the sign of the pending failure
}

// Advance gives the state after an iteration. It is pure; what a person must be told of is in the state that it gives.
func Advance(s journal.State, t Step) journal.State {
	p := s.Private
	p.Format = 1
	p.Refusal, p.Deaths = nil, 0
	p.Spent.Cost += t.Cost
	if t.CostUntold {
		p.Spent.Untold++
	}
	p.Spent.Tokens += t.Tokens
	p.Spent.ToolCalls += t.ToolCalls
	p.Spent.Seconds += t.Seconds
	if t.Charter.Protocol != nil {
		p.Spent.ModelCalls += t.ModelCalls
		if t.Verdict.Kept {
			p.Spent.ReviewLines += t.Lines
			p.Spent.ReviewFiles += t.Files
		}
	}
	p.Parked = append([]journal.Parked(nil), p.Parked...)
	if t.Parked != nil {
		p.Parked = append(p.Parked, *t.Parked)
	}
	v := t.Verdict
	p.LimitedRow, p.UnavailableRow = rows(p, v.Outcome, !t.Reset.IsZero())
	p.NotBefore, p.WakeWhy, p.Limited = time.Time{}, "", false
	s.Private = p
	if v.Outcome == journal.Limited || v.Outcome == journal.Unavailable {
		s = tally(s, t.Agent, journal.Tally{Away: 1})
	}
	if !v.Outcome.Counts() {
		if v.Outcome == journal.Unavailable && s.Private.UnavailableRow >= unavailMaxInRow {
			s.Private.UnavailableRow = 0
		}
		return s
	}
	s.Iteration = t.Number
	s.LastRun, s.LastAgent = t.Now, t.Agent
	s.Private.Answer, s.Private.Drift = "", t.Drift
	s.Private.Approval, s.Private.Proposed = nil, ""
	if t.Verdict.Class == journal.BlockedPermission {
		s.Private.Proposed = t.Observed.Report.Account.Proposed
	}
	s.Private.Findings = t.Findings
	s.Private.CarryAdd, s.Private.CarryDrop = t.CarryAdd, t.CarryDrop
	switch v.Outcome {
	case journal.Failed:
		s = tally(s, t.Agent, journal.Tally{Failed: 1})
	case journal.Shipped, journal.Finished, journal.Filed:
		s = tally(s, t.Agent, journal.Tally{Good: 1})
	}
	second := s.Private.HypothesisBy
	s = ratchetAfter(s, t)
	if second != "" && s.Private.HypothesisBy == "" {
		s = tally(s, second, journal.Tally{Unblocked: 1})
	}
	s = cleanAfter(s, t)
	s = failureAfter(s, t)
	switch v.Outcome {
	case journal.Idle:
		s.Private.Idle++
	case journal.Shipped, journal.Filed, journal.Rejected, journal.Finished:
		s.Private.Idle = 0
	}
	return statusAfter(s, t)
}

func rows(p journal.Private, o journal.Outcome, known bool) (limitedRow, unavailableRow int) {
	switch o {
	case journal.Limited:
		if known {
			return 0, 0
		}
		return p.LimitedRow + 1, 0
	case journal.Unavailable:
		return 0, p.UnavailableRow + 1
	case journal.Interrupted:
		return p.LimitedRow, p.UnavailableRow
	}
	return 0, 0
}

// tally adds to a harness's counts. The map is another one afterwards: the state before is still somebody's.
func tally(s journal.State, harness string, more journal.Tally) journal.State {
	m := make(map[string]journal.Tally, len(s.Private.Harness)+1)
	maps.Copy(m, s.Private.Harness)
	n := m[harness]
	m[harness] = journal.Tally{Good: n.Good + more.Good, Failed: n.Failed + more.Failed, Away: n.Away + more.Away, Unblocked: n.Unblocked + more.Unblocked}
	s.Private.Harness = m
	return s
}

// ratchetAfter moves value and best only for a change that stays, and counts the stall: in a loop with a ratchet every
// counted iteration in which it did not move the right way, idle ones too, without one failed and no-change ones
// (decision 8). Watchers and babysitters have no stall; a heartbeat counts as nothing (decision 3).
func ratchetAfter(s journal.State, t Step) journal.State {
	v, o := t.Verdict, t.Observed
	has := t.Charter.Ratchet.Present()
	// A ratchet that counts the backlog is read before loopd strikes the unit: what was struck has moved it.
	moved := has && (o.Ratchet == Better || o.Ratchet == HeldStill && t.Struck > 0) && !v.PutBack && v.Outcome != journal.NoChange && v.Outcome != journal.Failed
	if has {
		kept := t.Before
		if !v.PutBack && v.Outcome != journal.NoChange && v.Outcome != journal.Failed {
			kept = t.After
		}
		if kept.Err == nil {
			value := kept.Value
			best := Best(t.Charter.Ratchet.Direction, s.Ratchet.Best, value)
			s.Ratchet.Value, s.Ratchet.Best = &value, &best
		}
	}
	switch {
	case t.Charter.Archetype == journal.WatchAndReport, t.Charter.Archetype == journal.Babysitter, v.Outcome == journal.Heartbeat:
	case moved:
		s.Ratchet.StallCount = 0
	case has:
		s.Ratchet.StallCount++
	case v.Outcome == journal.Failed, v.Outcome == journal.NoChange:
		s.Ratchet.StallCount++
	case v.Outcome == journal.Shipped && t.Unmet != "" && t.Unmet == s.Private.Unmet:
		s.Ratchet.StallCount++ // the change was kept, and the goal is as far away as before
	case v.Outcome == journal.Shipped, v.Outcome == journal.Finished, v.Outcome == journal.Filed:
		s.Ratchet.StallCount = 0
	}
	if t.Charter.Protocol != nil {
		s.Private.Unmet = t.Unmet
	}
	if s.Ratchet.StallCount == 0 {
		s.Private.Escalated, s.Private.Hypothesis, s.Private.HypothesisBy = "", "", ""
	}
	return s
}

// cleanAfter counts clean cycles, and demotes at once what failed after its promotion (spec/loop.md, Promotion).
func cleanAfter(s journal.State, t Step) journal.State {
	v, o := t.Verdict, t.Observed
	red := v.Outcome == journal.Failed || anyCheck(o, func(c CheckResult) bool { return !c.OK }) || o.Ratchet == Worse || o.Ratchet == Unreadable || len(o.Guardrails) > 0
	switch {
	case red, t.NearMiss:
		s.Promotion.Clean = 0
	case v.Outcome == journal.Shipped, v.Outcome == journal.Finished && o.TreeChanged:
		if !t.CheckerNamed || o.Checker == CheckerPass {
			s.Promotion.Clean++
		}
	}
	if v.Outcome == journal.Failed && s.Promotion.Mode != journal.ProposeOnly {
		s.Promotion.Mode = journal.ProposeOnly
		s.Private.Approved = journal.ProposeOnly
	}
	return s
}

// failureAfter remembers a failure for the next brief. The first repeat of a unit or a signature forbids the approach,
// the second stalls (decision 19).
func failureAfter(s journal.State, t Step) journal.State {
	old := s.Private.Failure
	if t.SignWritten && old != nil {
		done := *old
		done.NeedSign = false
		old = &done
	}
	if t.Verdict.Outcome != journal.Failed {
		if t.Verdict.Outcome == journal.Shipped || t.Verdict.Outcome == journal.Finished {
			old = nil
		}
		s.Private.Failure = old
		return s
	}
	f := &journal.Failure{Iteration: t.Number, Signature: t.Signature, Unit: t.Observed.Report.Unit, Approach: orElse(t.Observed.Report.Did, t.Observed.Report.Detail),
		Output: t.Output, Row: 1, Check: t.FailedCheck, Paths: t.Paths}
	f.NeedSign = !t.SignWritten && t.FailedCheck != ""
	if old != nil && (f.Unit != "" && f.Unit == old.Unit || f.Signature != "" && f.Signature == old.Signature) {
		f.Row = old.Row + 1
		f.Approaches = append(append([]string(nil), old.Approaches...), old.Approach)
	}
	s.Private.Failure = f
	return s
}

// statusAfter sets the status that the outcome asks for. A stall that a second vendor has not seen yet stays active.
func statusAfter(s journal.State, t Step) journal.State {
	v := t.Verdict
	switch {
	case v.Outcome == journal.Finished:
		s.Status = journal.Done
		return s
	case v.Outcome == journal.Held:
		if slices.Contains(protocolHolds, v.Rule) {
			return held(s, journal.Blocked, strings.Join(v.Flags, "; "), mendFix(s.Name))
		}
		return held(s, journal.Blocked, question(t.Observed), answerFix(s.Name, t.Number, t.Observed))
	case v.NeedsPerson != "":
		return held(s, journal.Blocked, v.NeedsPerson, mendFix(s.Name))
	}
	if stalled(s, t.Charter) {
		if t.EscalateTo == "" || s.Private.Escalated != "" {
			return held(s, journal.Stalled, stallText(s), "")
		}
		return s
	}
	if v.Outcome == journal.Idle && t.Asks && !t.Attended && s.Private.Idle%askEvery == 0 {
		return held(s, journal.Blocked, idleText(s), idleFix(s.Name))
	}
	return s
}

// protocolHolds are the rows that hold a contract for what loopd saw, not for what the agent asks.
var protocolHolds = []string{"retry without diagnosis", "no-op without proof"}

// stalled reports whether the stall's threshold is reached, by the count or by the same failure a third time.
func stalled(s journal.State, c journal.Charter) bool {
	if c.Archetype == journal.WatchAndReport || c.Archetype == journal.Babysitter {
		return false
	}
	return s.Ratchet.StallCount >= max(c.Escalation.Stalled, 1) || s.Private.Failure != nil && s.Private.Failure.Row >= repeats(c)
}

// repeats is how often the same failure in a row is a stall: a contract's stops at the second (the seed, "Retry Policy").
func repeats(c journal.Charter) int {
	if c.Protocol != nil {
		return 2
	}
	return 3
}

func stallText(s journal.State) string {
	if f := s.Private.Failure; f != nil && f.Row >= 3 {
		return fmt.Sprintf("the same failure %d times in a row (unit %q): regenerate the backlog or take the unit out", f.Row, f.Unit)
	}
	return fmt.Sprintf("%d iterations without movement; where the same units keep coming back, regenerate the backlog", s.Ratchet.StallCount)
}

func idleText(s journal.State) string {
	return fmt.Sprintf("idle %d times in a row: keep going, redirect or stop?", s.Private.Idle)
}

func question(o Observed) string {
	switch {
	case o.Asked != "" && !o.HasText:
		return o.Asked
	case o.Report.Question != "":
		return o.Report.Question
	case o.Report.Status == "":
		return "contract violation: " + orElse(o.Report.Violation, "no LOOP-OUTCOME line")
	}
	return orElse(o.Report.Detail, "the agent is blocked and says no more")
}

// maskers normalise a failing output, so that the same failure has the same signature whatever its numbers and paths.
var maskers = []struct {
	re   *regexp.Regexp
	with string
}{
	{regexp.MustCompile(`\x1b\[[0-9;]*[A-Za-z]`), ""},
	{regexp.MustCompile(`0x[0-9a-fA-F]+`), "#"},
	{regexp.MustCompile(`(?:/[\w.@+-]+)+/?`), "/"},
	{regexp.MustCompile(`[0-9]+(?:\.[0-9]+)?`), "#"},
	{regexp.MustCompile(`\s+`), " "},
}

// Signature normalises what failed: the check and its output with numbers and paths masked, at most 300 bytes.
func Signature(check, output string) string {
	s := lastLines(output, 8)
	for _, m := range maskers {
		s = m.re.ReplaceAllString(s, m.with)
	}
	s = check + " | " + strings.TrimSpace(s)
	if len(s) > 300 {
		s = strings.ToValidUTF8(s[:300], "")
	}
	return s
}
