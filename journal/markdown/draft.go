package markdown

import (
	"fmt"
	"strings"

	"loopd/journal"
)

// drafted is what differs between the archetypes of a drafted definition.
type drafted struct {
	useFor, trigger, unit, bound, goesOn, stop, action, focus string
}

var drafts = map[journal.Archetype]drafted{
	journal.BacklogDrain: {"Working a list of items off, one after the other.", "A manual tick, while items are open.", "one open item", "up to 3 items",
		"an item is open: `TODO(you): your command` → exits 0", "no item is open: `TODO(you): your command` → exits 0", "finish the one item", "the first open item"},
	journal.RatchetClimb: {"Moving one number one way.", "A manual tick, while the number can move.", "one change that moves the number", "up to 3 items",
		"the number is not there yet: `TODO(you): your command` → exits 0", "the number is there: `TODO(you): your command` → exits 0", "make one change that moves the number", "the number, before and after"},
	journal.RedGreen: {"Making failing tests pass, one after the other.", "A failing test.", "one failing test", "up to 3 items",
		"a test fails: `TODO(you): your test command` → exits 1", "all tests pass: `TODO(you): your test command` → exits 0", "make the first failing test pass without changing it", "the failing test"},
	journal.WatchAndReport: {"Looking at something and reporting, without changing it.", "An external schedule, such as cron, ticks it.", "one look", "one item",
		"there is something new to look at", "what is watched is over: `TODO(you): your command` → exits 0", "look and report; change no file", "what was seen last"},
	journal.EvaluateOptimize: {"Trying variants and keeping what improves a score.", "A manual tick, while the score can improve.", "one experiment", "up to 3 items",
		"the score is not there yet: `TODO(you): your command` → exits 0", "the score is there: `TODO(you): your command` → exits 0", "try one variant; keep it only if the score improves", "the best score, and what gave it"},
	journal.Babysitter: {"Bringing one thing through, blocker by blocker.", "An external schedule, such as cron, ticks it.", "the present blocker", "one item",
		"something is in the way: `TODO(you): your command` → exits 1", "it is through: `TODO(you): your command` → exits 0", "remove the present blocker, never around a check", "the present blocker"},
	journal.Pipeline: {"Taking items through the same stages.", "A manual tick, while items are open.", "one stage of the first open item", "up to 3 items",
		"an item is open: `TODO(you): your command` → exits 0", "no item is open: `TODO(you): your command` → exits 0", "do the next stage of the first open item", "item and stage"},
}

// Draft writes a definition in the protocol's shape ("Recommended LOOP.md Shape") that can be read but for what only a
// person can say, which is marked journal.OnlyYou.
func Draft(name string, a journal.Archetype, goal string) []byte {
	d := drafts[a]
	if goal = strings.TrimSpace(goal); goal == "" {
		goal = journal.OnlyYou + ": one sentence that says what this loop keeps doing."
	}
	title := strings.ToUpper(name[:1]) + name[1:]
	var w strings.Builder
	section := func(head, text string) { fmt.Fprintf(&w, "\n## %s\n%s\n", head, text) }
	fmt.Fprintf(&w, "# %s Loop\n", title)
	section(useFor, d.useFor)
	section(purpose, goal)
	section(direction, journal.OnlyYou+": what it stays focused on, and what it must not drift into.")
	section(trigger, d.trigger)
	section(runPolicy, "Iteration unit: "+d.unit+"\nDefault activation bound: "+d.bound)
	section(continueWhen, "- "+d.goesOn)
	section(stopWhen, "- "+d.stop)
	section(allowed, "- "+d.action+"\n- "+journal.OnlyYou+": the files and commands that it may touch and run")
	section(askWhen, "- the way on is not clear, or would leave the direction\n- "+journal.OnlyYou+": what it must ask you before")
	section(stateToTrack, "- "+d.focus)
	section(recordEach, "Signal, action, result, next.")
	return []byte(w.String())
}
