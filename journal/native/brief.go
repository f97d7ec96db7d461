package native

import (
	"fmt"
	"strings"
	"time"

	"loopd/journal"
)

// What is cut in a brief, so that a long history does not push the charter out of an agent's sight.
const (
	briefItems   = 50       // open backlog items
	briefOutput  = 6 << 10  // bytes of the last failure
	briefEntries = 24 << 10 // bytes of the last entries
)

// renderBrief is the prompt of one iteration. What stays the same from one iteration to the next comes first, so that a
// prompt cache holds it: role, protocol, how to answer, charter, signs. What changes comes last: state, entries, backlog,
// steering. Charter and signs are whole and verbatim; the rest is cut to a stated size (spec/iteration.md, "brief").
func renderBrief(l journal.Loop, b journal.Brief) string {
	var w strings.Builder
	w.WriteString(role)
	w.WriteString(answer(l))
	fmt.Fprintf(&w, "# The charter (.loop/%s/LOOP.md)\n\n%s\n", l.Name, fenced(string(l.Charter.Source)))
	if s := strings.TrimSpace(l.Signs); s != "" {
		fmt.Fprintf(&w, "# Signs: rules earned from failures of this loop\n\nEach binds like a guardrail.\n\n%s\n", fenced(s))
	}
	w.WriteString(mode(b.Mode))
	w.WriteString(now(l, b))
	w.WriteString(recent(l.Recent))
	w.WriteString(backlog(l.Backlog))
	w.WriteString(pressing(l, b))
	return w.String()
}

const role = `You are one iteration of a supervised loop. You start without memory: everything you need to know is below and in the working tree. You do exactly ONE unit of work, then you report and stop. Another iteration, in a fresh context, goes on from what you leave.

# How to work

- Pick one unit by the charter's iteration contract. Prefer the last entry's "Next:" unless it is no longer eligible. Operator steering outranks "Next:"; it never outranks the guardrails or the promotion mode.
- Touch only what the unit requires. Resist doing one more.
- If the unit turns out too large, stop at a coherent boundary, report the finished part as your unit, and hand the rest back as "Split:" lines.
- Run the charter's verification commands yourself, and fix what they find within your time, before you answer. The supervisor runs them again: what it observes is what is recorded. A claim is no evidence.
- Never weaken, skip or edit a check to make work pass.
- The supervisor keeps the loop's files. Do not edit anything under .loop/ (LOOP.md, state.json, journal.md, signs.md, backlog.md, STOP files) and nothing under .git/. Such edits are undone, and count against the loop.
- Do not leave processes running. Whatever is still alive when you end is ended.
- If the charter itself is wrong, do not work around it: report "Flags: charter defect: <what>" and stop.
- If you need a decision or a permission, do not guess: answer "blocked" with the question.
- A retry after a failure names its diagnosis, and what is different this time, in "Did:".

`

// answer tells how to report. The template's status is in angle brackets: echoed back it is no valid outcome.
func answer(l journal.Loop) string {
	s := `# How to answer

End your final message with these lines, each at the start of a line. The supervisor reads them and nothing else:

` + "```" + `
LOOP-OUTCOME: <shipped|filed|rejected|empty|gate_killed|blocked> — <one line>
- Unit: <the unit, as the backlog or the charter names it>
- Did: <what you changed and why, one line>
- Next: <the unit that the next iteration should take>
- Flags: <what a person should know, or none>
- Sign: <only if a failure was observed: the rule that would have prevented it>
- Split: <a new backlog item; the line may repeat>
` + "```" + `

shipped: you finished a unit and changed files. filed: you filed a finding for a person to look at. rejected: you made a candidate and it was turned down. empty: you looked and there is nothing to do. gate_killed: there were candidates and none was good enough. blocked: a person must decide; the one line is the question.
A message without exactly one valid outcome line stops the loop and calls a person.
`
	if ok := l.Charter.Harness.OKToken; ok != "" {
		s += fmt.Sprintf("If nothing at all needed attention and you changed nothing, your whole message may be just: %s\n", ok)
	}
	return s + "\n"
}

func mode(m journal.Mode) string {
	const head = "# What you may do with the change\n\n"
	switch m {
	case journal.WriteScoped:
		return head + "Mode write-scoped: the supervisor commits a verified change on the current branch, only if every changed path is inside the charter's write scope. Do not push, publish, send, deploy or spend.\n\n"
	case journal.WriteFull:
		return head + "Mode write-full: the supervisor commits a verified change on the current branch. Do not push, publish, send, deploy or spend.\n\n"
	}
	return head + "Mode propose-only: leave the change in the working tree; the supervisor commits it on the loop's own branch once it is verified. Do not switch branches. Do not push, publish, send, deploy or spend, whatever the unit seems to need.\n\n"
}

func now(l journal.Loop, b journal.Brief) string {
	var w strings.Builder
	fmt.Fprintf(&w, "# Where the loop stands\n\nThis is iteration %d", b.Iteration)
	if n := l.Charter.Budget.MaxIterations; n > 0 {
		fmt.Fprintf(&w, " of at most %d", n)
	}
	if b.Limit > 0 {
		fmt.Fprintf(&w, "; you have %s", b.Limit.Round(time.Second))
	}
	w.WriteString(".")
	if r := l.State.Ratchet; l.Charter.Ratchet.Present() && r.Value != nil {
		fmt.Fprintf(&w, " Ratchet %s (%s): %s", l.Charter.Ratchet.Metric, l.Charter.Ratchet.Direction, journal.FormatNumber(*r.Value))
		if r.Best != nil {
			fmt.Fprintf(&w, ", best %s", journal.FormatNumber(*r.Best))
		}
		fmt.Fprintf(&w, "; %d of %d iterations without movement.", r.StallCount, l.Charter.Escalation.Stalled)
	}
	if len(b.Checks) > 0 {
		w.WriteString(" Afterwards the supervisor runs:\n\n")
		for _, c := range b.Checks {
			w.WriteString("- `" + c + "`\n")
		}
	} else {
		w.WriteString("\n")
	}
	if b.Smaller {
		w.WriteString("\nThe last unit used over 80 % of its time: choose a smaller one, or split it.\n")
	}
	return w.String() + "\n"
}

func recent(entries []journal.Entry) string {
	if len(entries) == 0 {
		return ""
	}
	var w strings.Builder
	for _, e := range entries {
		w.WriteString(strings.TrimRight(e.Raw, "\r\n") + "\n\n")
	}
	return "# The last entries of the journal, oldest first\n\n" + fenced(cutFront(w.String(), briefEntries)) + "\n"
}

// backlog numbers the open items as the report may name them (decision 24).
func backlog(items []journal.Item) string {
	var w strings.Builder
	open := 0
	for i, it := range items {
		if it.Done {
			continue
		}
		if open++; open <= briefItems {
			fmt.Fprintf(&w, "- %s %s\n", journal.UnitTag(i), it.Text)
		}
	}
	if open == 0 {
		return ""
	}
	s := "# The backlog: open units, the first has priority\n\nName the one you took in \"Unit:\", with its number, e.g. " + journal.UnitTag(0) + ".\n\n" + w.String()
	if open > briefItems {
		s += fmt.Sprintf("(%d more are not shown)\n", open-briefItems)
	}
	return s + "\n"
}

// pressing is what this iteration has to heed above all; it stands last, where it is read last.
func pressing(l journal.Loop, b journal.Brief) string {
	var w strings.Builder
	if b.LastFailure != "" {
		fmt.Fprintf(&w, "# Iteration %d failed and was put back\n\nObserved:\n\n%s\nDiagnose it before you try again, and dictate a \"Sign:\" that would have prevented it.\n\n", b.FailedIteration, fenced(cutFront(b.LastFailure, briefOutput)))
	}
	if len(b.Forbidden) > 0 {
		w.WriteString("# Forbidden approaches\n\nThese were tried on this unit and failed. Do not take them again, in any form:\n\n")
		for _, f := range b.Forbidden {
			w.WriteString("- " + journal.OneLine(f, 400) + "\n")
		}
		w.WriteString("\n")
	}
	if b.Hypothesis != "" {
		fmt.Fprintf(&w, "# A second opinion\n\nThe loop stalled; %s was asked and says (a hypothesis, not a fact):\n\n%s\n", b.HypothesisBy, quoted(b.Hypothesis))
	}
	if b.Findings != "" {
		fmt.Fprintf(&w, "# Your unit: the checker's findings\n\n%s\n", quoted(b.Findings))
	}
	if b.Answer != "" {
		fmt.Fprintf(&w, "# The operator's answer to the last question\n\noperator steering: %s\n\n", strings.TrimSpace(b.Answer))
	}
	if s := strings.TrimSpace(l.Steer); s != "" {
		fmt.Fprintf(&w, "# Steering\n\noperator steering: %s\n\n", s)
	}
	return w.String()
}

// fenced puts text into a code fence that the text itself cannot close.
func fenced(text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + "\n" + strings.TrimRight(text, "\r\n") + "\n" + fence + "\n"
}

func quoted(text string) string {
	return "> " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n> ") + "\n"
}

// cutFront keeps the end of a text, from a line's start where it can, and says that it was cut.
func cutFront(text string, most int) string {
	if len(text) <= most {
		return text
	}
	text = text[len(text)-most:]
	if i := strings.IndexByte(text, '\n'); i >= 0 {
		text = text[i+1:]
	}
	return "[cut]\n" + strings.ToValidUTF8(text, "")
}
