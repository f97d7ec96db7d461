package supervisor

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"loopd/journal"
)

// onDuty gives the harness that makes the next iteration: the first of the candidates that does not rest, so that the
// maker is tried again once its limit is reset; where all rest, the one that is back first.
func onDuty(candidates []string, resting map[string]time.Time, now time.Time) string {
	for _, name := range candidates {
		if !resting[name].After(now) {
			return name
		}
	}
	return slices.MinFunc(candidates, func(a, b string) int { return resting[a].Compare(resting[b]) })
}

// rest notes until when a harness rests after an outcome, and forgets one that worked.
func rest(resting map[string]time.Time, name string, o journal.Outcome, until time.Time) map[string]time.Time {
	out := maps.Clone(resting)
	if out == nil {
		out = map[string]time.Time{}
	}
	delete(out, name)
	if o == journal.Limited || o == journal.Unavailable {
		out[name] = until
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// takeOver changes the pace after a limit or an unavailability: where another candidate does not rest it takes the same
// iteration at once, where all rest the earliest is waited for.
func takeOver(p Pace, candidates []string, resting map[string]time.Time, now time.Time) Pace {
	next := onDuty(candidates, resting, now)
	at := resting[next]
	if at.After(now) {
		if p.Limited && at.Before(p.Wake) {
			p.Wake, p.Why = at, fmt.Sprintf("all of %v rest; %s is back first", candidates, next)
		}
		return p
	}
	return Pace{Wake: now, Why: next + " takes the same iteration", TakeOver: next}
}
