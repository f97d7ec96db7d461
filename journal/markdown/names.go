package markdown

import (
	"slices"
	"strings"

	"loopd/journal"
)

// The sections of LOOP.md, as the protocol's text spells them, and the two that loopd adds.
const (
	useFor       = "Use For"
	purpose      = "Purpose"
	detailsName  = "Required Activation Details"
	direction    = "Direction"
	trigger      = "Trigger"
	pattern      = "Iteration Pattern"
	runPolicy    = "Run Policy"
	continueWhen = "Continue When"
	stopWhen     = "Stop When"
	allowed      = "Allowed Actions"
	askWhen      = "Ask Human When"
	stateToTrack = "State To Track"
	recordEach   = "Record Each Iteration"
	verification = "Verification"
	ratchet      = "Ratchet"
)

// sectionNames lists them in the order of the protocol's text. The order is advice: a file may have another.
var sectionNames = []string{useFor, purpose, detailsName, direction, trigger, pattern, runPolicy, continueWhen, stopWhen, allowed, askWhen,
	stateToTrack, recordEach, verification, ratchet}

// templateWords are what the protocol's text writes into the sections of its recommended shape. A section that still says
// so was not filled in.
var templateWords = []string{
	"What workflow is this loop for?",
	"What is this loop trying to keep doing?",
	"Optional. What concrete target, command, artifact, scope, or limit must be confirmed before activation?",
	"What must this loop stay focused on?",
	"What must it avoid drifting into?",
	"What starts the next iteration?",
	"If this depends on time, events, files, reviews, tests, or an external runner, say so here.",
	"Optional. What pattern should each iteration follow?",
	"What counts as one iteration?",
	"How far should one activation run if the user does not specify otherwise?",
	"What bounds are valid for this loop?",
	"When may the agent continue within the same activation?",
	"When should the agent stop after one unit even if continuation is possible?",
	"What conditions allow another iteration?",
	"What conditions require the loop to stop or complete?",
	"Stop conditions override continue conditions.",
	"What may the agent do during one iteration?",
	"What conditions require pausing and asking the user?",
	"What variables must state.md preserve between iterations?",
	"What is the smallest useful record shape for this loop?",
	"What must the next iteration know to avoid repeating work, losing context, or continuing when it should pause?",
	"This skill does not create background schedulers. Scheduled or watch-style loops require an external trigger such as cron, launchd, GitHub Actions, a manual loop tick, or another approved runner.",
	"Trigger says why this iteration is being considered. Continue When says whether another iteration is allowed after the trigger.",
}

// sectionNamed gives the section that a heading names, whatever its case and with a colon or a number beside it, "" for
// none.
func sectionNamed(heading string) string {
	bare := strings.Join(strings.Fields(strings.Trim(heading, "*_:： \t")), " ")
	if i := strings.IndexAny(bare, " "); i > 0 && strings.Trim(bare[:i], "0123456789.)") == "" {
		bare = bare[i+1:]
	}
	if i := slices.IndexFunc(sectionNames, func(n string) bool { return strings.EqualFold(n, bare) }); i >= 0 {
		return sectionNames[i]
	}
	return ""
}

// emptyWords are what people write where they have not decided yet.
var emptyWords = []string{"tbd", "todo", "to do", "to be decided", "to be determined", "to be defined", "unknown", "fill in", "fixme", "xxx", "?", "??", "???"}

// unsaid reports whether a value is missing: nothing, marks, a word for "not yet", "<words>", or the template's own.
func unsaid(value string) bool {
	s := strings.Join(strings.Fields(value), " ")
	bare := strings.ToLower(strings.Trim(s, " .…`*_-—:"))
	if bare == "" || slices.Contains(emptyWords, bare) || strings.Contains(s, journal.OnlyYou) || isPlaceholder(s) {
		return true
	}
	for _, words := range templateWords { // one text of the template may be followed by the next
		s = strings.ReplaceAll(s, words, "")
	}
	return strings.Trim(s, " *-+") == ""
}

// isPlaceholder recognises "<words>"; <https://…> and <a@b> are links.
func isPlaceholder(s string) bool {
	s = strings.Trim(s, " .`*")
	return len(s) > 2 && s[0] == '<' && s[len(s)-1] == '>' && !strings.ContainsAny(s[1:len(s)-1], "<>") && !strings.Contains(s, "://") && !strings.Contains(s, "@")
}

// none reports whether a value says that there is nothing: that is an answer. "None of the tests fails" does not.
func none(value string) bool {
	s := strings.ToLower(strings.TrimLeft(strings.TrimSpace(value), "`*_"))
	for _, word := range []string{"none", "nothing", "n/a", "not applicable"} {
		if rest, ok := strings.CutPrefix(s, word); ok {
			rest = strings.TrimSpace(strings.TrimLeft(rest, "`*_"))
			return rest == "" || strings.ContainsAny(rest[:1], ".,;:(-") || strings.HasPrefix(rest, "—")
		}
	}
	return false
}

// never reports whether a condition is the word alone: "Never automatically" is one that somebody has to judge.
func never(value string) bool { return strings.EqualFold(strings.Trim(value, " .`*_"), "never") }

// nearestSection gives the section that a misspelt heading most likely means, "" for none.
func nearestSection(heading string) string { return journal.Nearest(heading, sectionNames) }
