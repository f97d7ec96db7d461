package contract

import (
	"fmt"
	"strings"

	"loopd/journal"
)

// drafted is what differs between the archetypes of a drafted contract.
type drafted struct {
	mode, trigger, metric, stop string
	more                        string // keys beside the 22
}

var drafts = map[journal.Archetype]drafted{
	journal.BacklogDrain: {"Loop", "manual start", "TODO(you): `your check` exits 0", "the query shows no open item, or a cap fires",
		"- NO_OP query: TODO(you): `the command that lists what is open, and prints nothing when there is none`\n- Output policy: 0 outputs without work\n"},
	journal.RatchetClimb:     {"Goal", "manual start", "TODO(you): `the command that prints the number` = 0", "the metric holds or a cap fires", ""},
	journal.RedGreen:         {"Goal", "manual start", "TODO(you): `your test command` exits 0", "the metric holds or a cap fires", ""},
	journal.WatchAndReport:   {"Automation", "cron 0 * * * *", "TODO(you): `the command that tells that the report is there` exits 0", "the report is written or a cap fires", ""},
	journal.EvaluateOptimize: {"AutoResearch", "manual start", "TODO(you): `the command that prints the score` >= 90", "the score is reached or a cap fires", ""},
	journal.Babysitter: {"Loop", "every 30m", "TODO(you): `your check` exits 0", "nothing is in the way, or a cap fires",
		"- NO_OP query: TODO(you): `the command that lists what is in the way, and prints nothing when there is nothing`\n- Output policy: 0 outputs without work\n"},
	journal.Pipeline: {"Goal", "manual start", "TODO(you): `the command that tells that all items are through` exits 0", "the metric holds or a cap fires", ""},
}

// Draft writes a contract with the seed's 22 fields that passes the strict check but for what only a person can say, which
// is marked journal.OnlyYou.
func Draft(name string, a journal.Archetype, goal string) []byte {
	d := drafts[a]
	if goal = strings.TrimSpace(goal); goal == "" {
		goal = journal.OnlyYou + ": what is true in the end"
	}
	var w strings.Builder
	field := func(key, value string) { fmt.Fprintf(&w, "- %s: %s\n", key, value) }
	w.WriteString("# Loop Contract\n")
	field("Objective", goal)
	field("Mode", d.mode)
	field("Trigger", d.trigger)
	field("Scope", journal.OnlyYou+": the paths that may change, as globs in back-ticks")
	field("Non-goals", journal.OnlyYou+": what it must leave alone")
	field("Owner", journal.OnlyYou+": who answers for it")
	field("Inputs", "the working tree and the receipts of earlier iterations")
	field("Artifacts path", ".agent/"+name)
	field("State path", ".agent/"+name+".json")
	field("Work clock", ".agent/"+name+"-clock.md")
	field("Success metric", d.metric)
	field("Evidence", "fresh output of the metric's and the verifier's commands")
	field("Verifier", journal.OnlyYou+": `the command that must pass whatever the metric does` exits 0")
	field("Topology", "single-agent")
	field("Max iterations", "10")
	field("Time limit", "2 hours")
	field("Budget", "300 tool calls")
	field("Review budget", "400 changed lines, 20 files")
	field("Stop condition", d.stop)
	field("Write-back", "the receipts in the artifacts path")
	field("Permission boundary", "local writes only; no push, no deploy, no message to anyone")
	field("Recovery", "loopd puts the tree back after a failed attempt; by hand `git restore .`")
	w.WriteString(d.more)
	return []byte(w.String())
}
