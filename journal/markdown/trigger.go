package markdown

import (
	"regexp"
	"strings"
	"sync"
)

// outside are words for what starts an iteration from outside of the loop (the protocol's text on Trigger: time, events,
// files, reviews, tests, an external runner).
var outside = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(?:` +
		`cron\w*|launchd|systemd|timers?|schedul\w+|hourly|daily|nightly|weekly|monthly|every \d+ ?\w+|every (?:hour|day|night|week|month|morning|evening|minute|weekday)|` +
		`(?:mon|tues|wednes|thurs|fri|satur|sun)days?|` +
		`ticks?|manual\w*|external\w*|runners?|by hand|on demand|(?:github )?actions?|workflow_dispatch|` +
		`webhooks?|events?|push(?:es|ed)?|pull requests?|prs?|merge[sd]?|merge requests?|review\w*|comments?|issues?|tickets?|e?mails?|messages?|` +
		`ci|pipelines?|builds?|deploy\w*|release[sd]?|alerts?|` +
		`files?|tests?|` +
		`users?|operators?|humans?|persons?|maintainers?|somebody|someone` +
		`)\b`)
})

// inside are words for what the loop itself brings about: they are no outside trigger, whatever stands beside them.
var inside = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(?:previous|last|prior|preceding) (?:iteration|item|unit|step)\b|\bimmediately\b|\bright after\b`)
})

// denied are words that turn a sentence round.
var denied = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(?:no|not|none|never|without)\b`)
})

// IsExternal reports whether a trigger's text names something outside of the loop. A sentence that denies it does not
// count. Where nothing is recognised the answer is false: such a loop stops at its bound, and a person starts it again.
func IsExternal(text string) bool {
	for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(".;,\n", r) }) {
		if outside().MatchString(part) && !inside().MatchString(part) && !denied().MatchString(part) {
			return true
		}
	}
	return false
}
