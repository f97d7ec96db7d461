package signs

import "strings"

// Failure is an iteration that failed, with what failed in it, such as a command.
type Failure struct {
	Iteration int
	Cause     string
}

// Standing is a rule with the newest failure that matches it.
type Standing struct {
	Sign
	// Last is the iteration of the newest failure that matches; 0 for a rule without provenance that none matches.
	Last int
	// Matched counts the failures that match, the one that earned the rule included.
	Matched int
}

// Stand finds which failures match each rule: the one that earned it, and each one whose cause the rule or its own cause
// names, as a whole.
func Stand(list []Sign, failures []Failure) []Standing {
	var out []Standing
	for _, s := range list {
		st := Standing{Sign: s, Last: s.Iteration}
		if s.Iteration > 0 {
			st.Matched = 1
		}
		for _, f := range failures {
			cause := strings.TrimSpace(f.Cause)
			if f.Iteration == s.Iteration || cause == "" || !strings.Contains(s.Why, cause) && !strings.Contains(s.Rule, cause) {
				continue
			}
			st.Matched++
			st.Last = max(st.Last, f.Iteration)
		}
		out = append(out, st)
	}
	return out
}

// Stale reports whether no failure matched the rule in the last n iterations before and including now. A rule that no
// failure is known to have earned is as old as the loop.
func (s Standing) Stale(now, n int) bool { return now-s.Last >= n }
