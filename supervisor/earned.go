package supervisor

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"loopd/journal"
	"loopd/signs"
)

// signs gives the rules that this iteration earns: the agent's own words for a failure that was observed, now or in the
// iteration that it was shown; where it gave none for the latter, loopd's.
func (r *run) signs(it *iteration, failedCheck string) (lines []string, written bool) {
	if !it.verdict.Outcome.Counts() {
		return nil, false
	}
	old := it.loop.State.Private.Failure
	date := time.Now().Format(time.DateOnly)
	add := func(rule, why string, n int) bool {
		s, err := signs.Admit(signs.Sign{Date: date, Rule: rule, Why: why, Iteration: n})
		if err != nil {
			it.verdict.Flags = append(it.verdict.Flags, "sign not admitted: "+err.Error())
			return false
		}
		if line, fresh := signs.Append(it.loop.Signs, s); fresh {
			lines = append(lines, line)
		}
		return true
	}
	misconfigured := anyCheck(it.observed, CheckResult.misconfigured)
	switch {
	case it.report.Sign != "" && it.verdict.Outcome == journal.Failed && !misconfigured:
		written = add(it.report.Sign, failedCheck, it.number)
		return lines, written
	case it.report.Sign != "" && old != nil && old.NeedSign:
		written = add(it.report.Sign, old.Check, old.Iteration)
	case it.report.Sign != "":
		it.verdict.Flags = append(it.verdict.Flags, "sign without an observed failure dropped")
	}
	if !written && old != nil && old.NeedSign && staysGreen(it.loop.Charter, old.Check) {
		where := "this loop"
		if len(old.Paths) > 0 {
			where = strings.Join(old.Paths, ", ")
		}
		written = add(fmt.Sprintf("before changing %s, make sure that `%s` stays green", where, old.Check), "it failed", old.Iteration)
	}
	return lines, written
}

// staysGreen reports whether a failure has a cause that a rule can name: a check of the charter, or the ratchet. That an
// agent crashed or said nothing teaches the next one nothing.
func staysGreen(c journal.Charter, check string) bool {
	return check == "ratchet" || slices.ContainsFunc(c.Verification, func(v journal.Check) bool { return v.Command == check })
}
