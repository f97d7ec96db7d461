package contract

import (
	"encoding/json"
	"fmt"
	"strings"

	"loopd/journal"
)

// Brief is the prompt of one iteration: the contract, where the run stands, and how to answer.
func (Loops) Brief(l journal.Loop, b journal.Brief) string {
	var out strings.Builder
	c := l.Charter
	attempt := b.Iteration - l.State.Private.Before
	fmt.Fprintf(&out, "You do one iteration of a loop contract, attempt %d of at most %d. Observe the state and the repository as they are now, update one hypothesis, choose the smallest action that can move the metric, do that one action, and report. A supervisor runs the verifier, decides, and writes state and receipts.\n\n", attempt, c.Budget.MaxIterations)
	fmt.Fprintf(&out, "## The contract\n%s\n\n", strings.TrimSpace(strings.TrimPrefix(string(c.Source), bom)))
	out.WriteString("## Where the run stands\n")
	state(&out, l)
	for _, e := range l.Recent {
		out.WriteString("\n" + e.Raw)
	}
	if b.LastFailure != "" {
		fmt.Fprintf(&out, "\n## What failed, as observed\n%s\n", strings.TrimSpace(b.LastFailure))
	}
	if b.Retry {
		out.WriteString("\nThis is a retry. It counts only with a named diagnosis of that failure and a changed input, tool, scope or strategy: give DIAGNOSIS and CHANGED.\n")
	}
	section := func(head, text string) {
		if text = strings.TrimSpace(text); text != "" {
			fmt.Fprintf(&out, "\n%s\n%s\n", head, text)
		}
	}
	section("Not to be tried again:", strings.Join(b.Forbidden, "\n"))
	if b.Hypothesis != "" {
		section("A hypothesis of "+b.HypothesisBy+", to be tested, not believed:", b.Hypothesis)
	}
	section("The checker sent the work back; this is the action:", b.Findings)
	section("The operator's answer to the question of the last attempt:", b.Answer)
	section("The operator adds:", l.Steer)
	if a := b.Approval; a != nil {
		fmt.Fprintf(&out, "\n%s allows this one action, in this iteration: %s\n", a.By, a.What)
	}
	rules(&out, c, b)
	fmt.Fprintf(&out, `
End your last message with these lines, each with your own words:
STATUS: <%s>
RESULT: <what came of it, in one line>
HYPOTHESIS: <the one that you worked on>
ACTION: <the one action>
EVIDENCE: <what you saw, with the command>
UNKNOWNS: <known | probeable | testable | blocked: what you do not know; or none>
`, words())
	if b.Retry {
		out.WriteString("DIAGNOSIS: <why the attempt before failed>\nCHANGED: <the input, tool, scope or strategy that is different now>\n")
	}
	out.WriteString("PROPOSED: <with TOOL_REQUEST or BLOCKED_PERMISSION only: the exact action and its arguments>\nNEXT_ACTION: <stop | retry | approval | recovery | handoff>\n")
	return out.String()
}

// rules are those of the contract that the engine holds the agent to.
func rules(out *strings.Builder, c journal.Charter, b journal.Brief) {
	out.WriteString("\n## Rules\n")
	if len(c.Scope) > 0 {
		fmt.Fprintf(out, "- Change only: %s. Anything else is put back.\n", strings.Join(c.Scope, ", "))
	}
	if len(c.Except) > 0 {
		fmt.Fprintf(out, "- Never change: %s.\n", strings.Join(c.Except, ", "))
	}
	out.WriteString("- State and receipts are the supervisor's: do not edit them, nor the contract. Artifacts go below the artifacts path.\n")
	out.WriteString("- What crosses the permission boundary is not done: answer TOOL_REQUEST with the exact action in PROPOSED, and stop.\n")
	for _, check := range b.Checks {
		fmt.Fprintf(out, "- The supervisor runs `%s`; if it fails the change is put back.\n", check)
	}
	for _, d := range c.DoneWhen {
		fmt.Fprintf(out, "- The goal is reached when %s. Say COMPLETE only if you saw that: a COMPLETE that does not hold is put back.\n", d.Text)
	}
	if c.Protocol.Query != nil {
		fmt.Fprintf(out, "- NO_OP is believed only if `%s` shows no eligible work and nothing was changed.\n", c.Protocol.Query.Command)
	}
	if b.Limit > 0 {
		fmt.Fprintf(out, "- You have %s.\n", b.Limit)
	}
}

// state writes where the run stands in a few lines.
func state(out *strings.Builder, l journal.Loop) {
	var s State
	if l.State.Raw == nil || json.Unmarshal(l.State.Raw, &s) != nil || s.RunID == "" {
		out.WriteString("Nothing was done yet.\n")
		return
	}
	line := func(key, value string) {
		if value != "" {
			fmt.Fprintf(out, "- %s: %s\n", key, value)
		}
	}
	line("Last hypothesis", s.Hypothesis)
	line("Last error", s.LastError)
	line("Metric", s.Metric)
	for _, u := range s.Unknowns {
		line("Unknown", strings.TrimPrefix(u.Kind+": ", ": ")+u.Text)
	}
}
