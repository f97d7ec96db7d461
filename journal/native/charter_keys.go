package native

import (
	"slices"
	"strings"

	"loopd/journal"
)

// bulletKeys are the bullets that a section is read for (spec/loop.md, the table and "optional additions").
var bulletKeys = map[string][]string{
	"Iteration contract": {"Unit", "Start", "End", "Never"},
	"Ratchet":            {"Metric", "Direction", "Read via", "On regression"},
	"Guardrails":         {"Protected"},
	"Escalation":         {"Stalled", "Blocked on a decision"},
	"Budget": {"Max iterations", "Max wall-clock per iteration", "Cadence", "Max total wall-clock", "Max cost", "Max tokens",
		"Max tool calls", "Review budget"},
	"Promotion": {"Current mode", "Write access requires", "Write scope when promoted"},
	"Harness":   {"Maker", "Checker", "Escalate to", "Model", "Setup", "OK token", "Sandbox", "Env", "On needs-work"},
}

// mayRepeat are the bullets whose values add up.
var mayRepeat = []string{"Protected"}

// keys finds bullets that would be passed over without a word: one that stands twice, and one that is nearly a known one.
func (r *charterReader) keys(name string, s *section) {
	known := bulletKeys[name]
	seen := map[string]bool{}
	var strange []bullet
	for _, b := range s.bullets {
		i := slices.IndexFunc(known, func(k string) bool { return strings.EqualFold(k, b.key) })
		switch {
		case b.key == "":
		case i < 0:
			strange = append(strange, b)
		case seen[known[i]] && !slices.Contains(mayRepeat, known[i]):
			r.defect("D1", name+" "+known[i], b.at, b.key+": "+b.value, "the bullet once", "two values cannot both hold: take one out")
		default:
			seen[known[i]] = true
		}
	}
	for _, b := range strange {
		if near := journal.Nearest(b.key, known); near != "" && !seen[near] {
			r.warn("D1", name+" "+b.key, b.at, b.key, near+":", "an unknown bullet is only handed to the agent: did you mean "+near+"?")
		} else if name == "Budget" && strings.HasPrefix(strings.ToLower(b.key), "max ") {
			r.warn("D9", name+" "+b.key, b.at, b.key, "one of "+strings.Join(known, ", "), "nothing enforces this limit")
		}
	}
}

// first gives the first bullet of a key, whatever its case.
func (s *section) first(k string) (bullet, bool) {
	for _, b := range s.bullets {
		if strings.EqualFold(b.key, k) {
			return b, true
		}
	}
	return bullet{}, false
}

// find is first, with the items of a list below the bullet joined to its value.
func (s *section) find(k string) (bullet, bool) {
	b, ok := s.first(k)
	for _, p := range b.parts {
		if b.value == "" {
			b.value = p.value
		} else {
			b.value += "; " + p.value
		}
	}
	b.parts = nil
	return b, ok
}
