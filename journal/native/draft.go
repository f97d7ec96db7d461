package native

import (
	"fmt"
	"strings"

	"loopd/journal"
)

// draft holds what differs between the archetypes. A value that only a person can know is marked, so that check names
// exactly those lines.
type draft struct {
	note                             string
	done, unit, start, never, verify string
	metric, direction, readVia       string
	iterations, minutes              int
	cadence                          string
	backlog                          bool
}

// commandOfYours is a command that only a person can name.
const commandOfYours = "TODO(you): `your command` → exits 0"

var drafts = map[journal.Archetype]draft{
	journal.BacklogDrain: {
		note: "works a list of units off, top first", done: "backlog.md has no unchecked items",
		unit: "the first open item of backlog.md", start: "read the last entries; take the first eligible item.", never: "start a second item.",
		verify: commandOfYours, metric: "open items", direction: "decreasing", readVia: "`grep -c '^- \\[ \\]' .loop/%s/backlog.md || true`",
		iterations: 50, minutes: 45, cadence: "on-demand", backlog: true,
	},
	journal.RatchetClimb: {
		note: "moves one number one way", done: "TODO(you): `the command that prints the number` → = 0",
		unit: "one change that moves the number", start: "read the number and the last entries; pick the smallest change that moves it.", never: "trade the number against a check.",
		verify: commandOfYours, metric: "TODO(you): what is counted", direction: "decreasing", readVia: "TODO(you): `the command that prints the number`",
		iterations: 40, minutes: 45, cadence: "on-demand",
	},
	journal.RedGreen: {
		note: "makes failing tests pass, one after the other", done: "TODO(you): `your test command` → exits 0",
		unit: "one failing test", start: "run the tests; take the first failing one.", never: "change or skip a test to make it pass.",
		verify: "TODO(you): `your test command` → exits 0", metric: "failing tests", direction: "decreasing", readVia: "TODO(you): `the command that prints the number of failing tests`",
		iterations: 40, minutes: 45, cadence: "on-demand",
	},
	journal.WatchAndReport: {
		note: "looks, reports, changes nothing", done: "`false` → exits 0",
		unit: "one look at TODO(you): what is watched", start: "look; compare with the last entries.", never: "change a file.",
		verify: "`git diff --quiet` → exits 0", metric: "none",
		iterations: 500, minutes: 10, cadence: "every 1h",
	},
	journal.EvaluateOptimize: {
		note: "keeps a change only if the score improved", done: "TODO(you): `the command that prints the score` → >= 90",
		unit: "one experiment", start: "read the score and what was tried; form one hypothesis.", never: "touch the evaluation itself.",
		verify: commandOfYours, metric: "TODO(you): the score", direction: "increasing", readVia: "TODO(you): `the command that prints the score`",
		iterations: 30, minutes: 60, cadence: "on-demand",
	},
	journal.Babysitter: {
		note: "brings one thing through, blocker by blocker", done: "TODO(you): `the command that tells that it is through` → exits 0",
		unit: "the present blocker", start: "look what is in the way now.", never: "work around a check that blocks.",
		verify: commandOfYours, metric: "none",
		iterations: 100, minutes: 30, cadence: "every 30m",
	},
	journal.Pipeline: {
		note: "takes items through the same stages", done: "backlog.md has no unchecked items",
		unit: "one stage of the first open item of backlog.md", start: "read the last entry for the stage that was reached.", never: "skip a stage.",
		verify: commandOfYours, metric: "open items", direction: "decreasing", readVia: "`grep -c '^- \\[ \\]' .loop/%s/backlog.md || true`",
		iterations: 60, minutes: 45, cadence: "on-demand", backlog: true,
	},
}

// Draft writes a charter of an archetype that passes the reader but for what only a person can say, which is marked
// TODO(you). An empty goal is marked too.
func Draft(name string, a journal.Archetype, goal string) []byte {
	d := drafts[a]
	if goal = strings.TrimSpace(goal); goal == "" {
		goal = journal.OnlyYou + ": one sentence that says what is true in the end."
	}
	var w strings.Builder
	p := func(format string, args ...any) { fmt.Fprintf(&w, format+"\n", args...) }
	p("# Loop: %s\n\n## Goal\n%s\n\n## Done-when\n%s\n\n## Archetype\n%s %s\n", name, goal, d.done, a, d.note)
	p("## Iteration contract\n- Unit: %s\n- Start: %s\n- End: the unit is verified and reported.\n- Never: %s\n", d.unit, d.start, d.never)
	p("## Verification\n- %s\n", d.verify)
	p("## Ratchet\n- Metric: %s", d.metric)
	if d.metric != "none" {
		via := d.readVia
		if strings.Contains(via, "%s") {
			via = fmt.Sprintf(via, name)
		}
		p("- Direction: %s\n- Read via: %s\n- On regression: the change is put back; do not take the same approach again.", d.direction, via)
	}
	p("\n## Guardrails\n- No push, no publish, no deploy.\n- Removing or weakening a check to make work pass is unacceptable.\n- Everything in CLAUDE.md and AGENTS.md holds, where they are there.\n")
	p("## Escalation\n- Stalled: 3 iterations without movement → TODO(you): how you are told: a command in back-ticks (the message on its stdin), a notification URL, a file outside the repository, or the name of a channel of config.toml\n- Blocked on a decision: stop and escalate.\n")
	p("## Budget\n- Max iterations: %d\n- Max wall-clock per iteration: %d\n- Cadence: %s\n", d.iterations, d.minutes, d.cadence)
	p("## Promotion\n- Current mode: propose-only\n- Write access requires: 3 consecutive clean cycles\n- Write scope when promoted: none")
	return []byte(w.String())
}

// DraftBacklog is a starter list for archetypes that use one, nil for the others.
func DraftBacklog(a journal.Archetype) []byte {
	if !drafts[a].backlog {
		return nil
	}
	return []byte("<!-- One unit a line, the first has priority. A unit is what one agent finishes in one go. -->\n- [ ] TODO(you): the first unit\n")
}
