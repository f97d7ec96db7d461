package supervisor

import (
	"fmt"
	"strings"
	"time"

	"loopd/journal"
)

// briefOf collects what the prompt says beside the loop's own files.
func briefOf(it *iteration, harness string, wall time.Duration) journal.Brief {
	l, p := it.loop, it.start.Private
	b := journal.Brief{Iteration: l.State.Iteration + 1, Harness: harness, Flags: p.Flags, Mode: l.State.Promotion.Mode, Findings: p.Findings, Answer: p.Answer, Smaller: p.Drift,
		Hypothesis: p.Hypothesis, HypothesisBy: p.HypothesisBy, Limit: wall}
	b.Retry, b.Approval = l.Charter.Protocol != nil && retried(p), p.Approval
	for _, c := range l.Charter.Verification {
		b.Checks = append(b.Checks, c.Command)
	}
	if f := p.Failure; f != nil {
		b.LastFailure, b.FailedIteration = f.Output, f.Iteration
		if f.Row >= 2 {
			b.Forbidden = append(append([]string(nil), f.Approaches...), f.Approach)
		}
	}
	return b
}

// blocker is what the second vendor gets, read-only: goal, last entries, parked diffs, failing output.
func blocker(l journal.Loop, diffs string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "You are asked for a second opinion. A supervised loop does not get on; another agent has worked on it. You may read everything in this working tree and change nothing.\n\n")
	fmt.Fprintf(&b, "Goal: %s\nDone when: %s\n", l.Charter.Goal, conditions(l.Charter))
	if l.Charter.Ratchet.Present() {
		fmt.Fprintf(&b, "Ratchet: %s, %s; it has not moved for %d iterations.\n", l.Charter.Ratchet.Metric, l.Charter.Ratchet.Direction, l.State.Ratchet.StallCount)
	}
	b.WriteString("\n## The last entries of the journal\n")
	for _, e := range l.Recent {
		b.WriteString(strings.TrimRight(e.Raw, "\n") + "\n\n")
	}
	if f := l.State.Private.Failure; f != nil && f.Output != "" {
		fmt.Fprintf(&b, "## What failed, as observed\n%s\n\n", f.Output)
	}
	if diffs != "" {
		fmt.Fprintf(&b, "## Changes that were put back\n%s\n\n", diffs)
	}
	if l.Signs != "" {
		fmt.Fprintf(&b, "## Rules earned from failures\n%s\n\n", l.Signs)
	}
	b.WriteString("Answer with one hypothesis: what is really in the way, the evidence for it, and the one next step that would tell. At most 20 lines.\n")
	return b.String()
}

// review is what the checker gets: charter, diff and evidence.
func review(l journal.Loop, diff string, checks []CheckResult, ratchet string, report journal.Report) string {
	var b strings.Builder
	b.WriteString("You check another agent's work on one unit of a supervised loop. You may read everything in this working tree and change nothing.\n\n## The charter\n")
	b.Write(l.Charter.Source)
	fmt.Fprintf(&b, "\n## The unit, in the maker's words\n%s\n%s\n\n## Evidence observed by the supervisor\n", report.Unit, report.Did)
	for _, c := range checks {
		b.WriteString("- " + c.Line() + "\n")
	}
	if ratchet != "" {
		b.WriteString("- Ratchet: " + ratchet + "\n")
	}
	fmt.Fprintf(&b, "\n## The change\n```diff\n%s\n```\n\n", diff)
	b.WriteString("Does the change do the unit, whole and within the charter, without weakening a check? Answer in the last line with exactly one of:\nPASS\nNEEDS_WORK: <what, in one line>\n")
	return b.String()
}

// verdictOf reads a checker's answer: the last line that is one of the two words counts, nothing else is guessed.
func verdictOf(text string) (CheckerVerdict, string) {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i := len(lines) - 1; i >= 0; i-- {
		s := strings.Trim(strings.TrimSpace(lines[i]), "*`> ")
		if s == string(CheckerPass) {
			return CheckerPass, ""
		}
		if rest, ok := strings.CutPrefix(s, string(CheckerNeeds)); ok {
			what := strings.TrimSpace(strings.TrimLeft(rest, ":*` "))
			return CheckerNeeds, orElse(what, "the checker says no more")
		}
	}
	return CheckerSilent, ""
}

func conditions(c journal.Charter) string {
	var s []string
	for _, k := range c.DoneWhen {
		s = append(s, k.Text)
	}
	return strings.Join(s, " AND ")
}
