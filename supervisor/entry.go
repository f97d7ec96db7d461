package supervisor

import (
	"fmt"
	"strings"

	"loopd/journal"
)

// entry is what the journal says: the agent dictates Unit, Did and Next, everything else was observed.
func (r *run) entry(it *iteration) *journal.Entry {
	e := &journal.Entry{N: it.number, Time: it.step.Now, Agent: it.maker.Name(), Unit: unitOf(it), Did: orElse(it.report.Did, it.report.Detail),
		Verify: evidence(it.checks), Next: it.report.Next, Steer: r.redact.String(it.loop.Steer), Flags: flagsOf(it, r.swept), Text: it.report.Text, Outcome: it.verdict.Outcome, Reason: orElse(it.doneSeen, it.report.Reason)}
	e.Failed = it.verdict.Outcome == journal.Failed
	e.Account, e.Class, e.Stop, e.Outputs, e.RecoveryPoint, e.Parked = it.report.Account, it.verdict.Class, stopName(it.exec), it.outputs, it.mark.Head.OID, it.result.Parked
	if it.state.Status == journal.Stalled {
		e.Class = journal.NoProgress
	}
	for _, c := range it.print.Changed {
		e.Changed = append(e.Changed, fmt.Sprintf("%s +%d −%d", c.Path, c.Added, c.Deleted))
	}
	e.Took = journal.Spent{Cost: it.step.Cost, Tokens: it.step.Tokens, ToolCalls: it.step.ToolCalls, Seconds: it.step.Seconds, ModelCalls: it.step.ModelCalls, ReviewLines: it.step.Lines, ReviewFiles: it.step.Files}
	for i := range e.Flags {
		e.Flags[i] = r.redact.String(e.Flags[i])
	}
	if it.loop.Charter.Ratchet.Present() && it.before.Err == nil {
		e.Ratchet = it.before.String() + " → " + it.after.String()
	}
	return e
}

// flagsOf gives loopd's flags first, then the agent's own.
func flagsOf(it *iteration, swept int) []string {
	out := append([]string(nil), it.verdict.Flags...)
	for _, n := range it.nearMiss {
		out = append(out, "guardrail near-miss: "+n+", undone")
	}
	out = append(out, it.print.Notes...)
	if swept > 0 {
		out = append(out, fmt.Sprintf("swept %d left-over processes", swept))
	}
	out = append(out, it.exec.Reply.Flags...)
	if it.checksWrote {
		out = append(out, "a check changed the tree")
	}
	if it.unmatched != "" && it.report.Status == journal.ReportShipped {
		out = append(out, "unit not in the backlog: "+it.unmatched)
	}
	if it.findings != "" {
		out = append(out, "checker: "+it.findings)
	}
	for _, f := range it.report.Flags {
		if f != "" && !strings.EqualFold(f, "none") {
			out = append(out, "agent: "+f)
		}
	}
	return out
}

func unitOf(it *iteration) string {
	switch {
	case it.report.Unit != "":
		return it.report.Unit
	case it.verdict.Outcome == journal.Heartbeat, it.verdict.Outcome == journal.Idle:
		return "nothing to do"
	}
	return "(none named)"
}

// stopName is the normalised stop reason of an exec.
func stopName(x execution) string {
	switch {
	case x.NotStarted != "":
		return "not started"
	case x.Interrupt != "":
		return "interrupted"
	case x.TimedOut != "":
		return "truncated: " + x.TimedOut + " limit"
	}
	return orElse(string(x.Reply.Stop), "unknown")
}
