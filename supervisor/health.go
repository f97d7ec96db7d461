package supervisor

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"loopd/journal"
	"loopd/signs"
)

// Vitals are what the loop doctor's H1 to H9 look at (spec/dialects.md, "The family around the native format").
type Vitals struct {
	Loop journal.Loop
	// Entries are those of the journal, oldest first, as many as could be read; Whole says that these are all.
	Entries []journal.Entry
	Whole   bool
	// Debris are changes in the working tree that the loop did not make; nil where git is not the loop's matter.
	Debris []string
	Signs  []signs.Sign
	// SignsSize is that of signs.md, in bytes.
	SignsSize int
	// Longest is the longest iteration that was measured, 0 where none was.
	Longest time.Duration
}

// Ailment is a health rule that does not hold.
type Ailment struct {
	Rule string // H1 to H9
	Read string // what was seen
	Want string
	Fix  string // what to do next
}

// healthRule is one rule. applies says why it does not concern a loop, "" where it does.
type healthRule struct {
	id      string
	what    string
	applies func(v Vitals) string
	check   func(v Vitals) *Ailment
}

// What a sign file may be: all of it stands in every brief.
const (
	signsMost     = 50
	signsMostSize = 8 << 10 // bytes
)

// healthRules is the table of H1 to H9.
var healthRules = []healthRule{
	{"H1", "entries match the iteration count", anyLoop, entriesMatch},
	{"H2", "the ratchet moved within the threshold", managed, ratchetMoved},
	{"H3", "no unhandled ❌ in the last 3", anyLoop, failuresHandled},
	{"H4", "the tree is clean", managed, treeClean},
	{"H5", "clean-cycle arithmetic", managed, cyclesAddUp},
	{"H6", "wall-clock within budget", anyLoop, timeInBudget},
	{"H7", "no unit more than twice in a row without a note", journaled, unitsMoveOn},
	{"H8", "every ❌ with a cause has a sign", journaled, failuresTaught},
	{"H9", "the signs file is small", journaled, signsSmall},
}

func anyLoop(Vitals) string { return "" }

func managed(v Vitals) string {
	if v.Loop.Charter.Unmanaged {
		return "git, checks and ratchet are the agent's own matter in this loop"
	}
	return ""
}

func journaled(v Vitals) string {
	if v.Loop.Charter.Unmanaged || v.Loop.Charter.Protocol != nil || len(v.Loop.Charter.StopWhen) > 0 {
		return "this kind of loop keeps no signs and no units in a journal"
	}
	return ""
}

// Health gives the rules that do not hold, in their order, and those that do not concern the loop with the reason.
func Health(v Vitals) (ailments []Ailment, passed map[string]string) {
	passed = map[string]string{}
	for _, r := range healthRules {
		if why := r.applies(v); why != "" {
			passed[r.id] = why
			continue
		}
		if a := r.check(v); a != nil {
			a.Rule = r.id
			ailments = append(ailments, *a)
		}
	}
	return ailments, passed
}

// HealthRules lists the rules in their order, each with what must hold.
func HealthRules() (out [][2]string) {
	for _, r := range healthRules {
		out = append(out, [2]string{r.id, r.what})
	}
	return out
}

func entriesMatch(v Vitals) *Ailment {
	n, name := v.Loop.State.Iteration, v.Loop.Name
	fix := "see which of the two is right (loopd log " + name + "), and correct the other by hand"
	if v.Loop.Entries != n {
		return &Ailment{Read: fmt.Sprintf("the newest entry is %d, the state says iteration %d", v.Loop.Entries, n), Want: "the same number", Fix: fix}
	}
	if !v.Whole {
		return nil
	}
	seen := map[int]int{}
	for _, e := range v.Entries {
		seen[e.N]++
	}
	for i := 1; i <= n; i++ {
		switch {
		case seen[i] == 0:
			return &Ailment{Read: fmt.Sprintf("entry %d is missing", i), Want: "one entry an iteration", Fix: fix}
		case seen[i] > 1:
			return &Ailment{Read: fmt.Sprintf("entry %d stands %d times", i, seen[i]), Want: "one entry an iteration", Fix: fix}
		}
	}
	return nil
}

func ratchetMoved(v Vitals) *Ailment {
	s := v.Loop.State
	if most := max(v.Loop.Charter.Escalation.Stalled, 1); s.Ratchet.StallCount >= most {
		return &Ailment{Read: fmt.Sprintf("%d iterations without movement", s.Ratchet.StallCount), Want: fmt.Sprintf("fewer than %d", most),
			Fix: "look at the last entries, regenerate the backlog or mend the charter, then loopd resume " + v.Loop.Name}
	}
	return nil
}

// failuresHandled: a ❌ is handled by a later entry without one, by a sign that it earned, or by a person who is asked.
func failuresHandled(v Vitals) *Ailment {
	last := v.Entries[max(0, len(v.Entries)-3):]
	for i, e := range last {
		later := slices.ContainsFunc(last[i+1:], func(o journal.Entry) bool { return !o.Failed })
		taught := slices.ContainsFunc(v.Signs, func(s signs.Sign) bool { return s.Iteration == e.N })
		if e.Failed && !later && !taught {
			return &Ailment{Read: fmt.Sprintf("iteration %d failed: %s", e.N, journal.OneLine(cause(e), 200)), Want: "a later iteration that is good, or a sign",
				Fix: fmt.Sprintf("loopd log %s -n 3; loopd parked %s show %d", v.Loop.Name, v.Loop.Name, e.N)}
		}
	}
	return nil
}

// cause is what failed in an entry: its red check, else its flags.
func cause(e journal.Entry) string {
	for _, line := range e.Verify {
		if strings.Contains(line, "❌") {
			return line
		}
	}
	return strings.Join(e.Flags, "; ")
}

// redCommand is the command of an entry's first red check, "" where none is red.
func redCommand(e journal.Entry) string {
	for _, line := range e.Verify {
		if command, after, ok := strings.Cut(strings.TrimPrefix(line, "`"), "`"); ok && strings.HasPrefix(line, "`") && strings.Contains(after, "❌") {
			return command
		}
	}
	return ""
}

// Failures are the failed iterations of a journal with the command that was red in each.
func Failures(entries []journal.Entry) (out []signs.Failure) {
	for _, e := range entries {
		if e.Failed {
			out = append(out, signs.Failure{Iteration: e.N, Cause: redCommand(e)})
		}
	}
	return out
}

func treeClean(v Vitals) *Ailment {
	if len(v.Debris) == 0 {
		return nil
	}
	return &Ailment{Read: listed(v.Debris, 5), Want: "no change that the loop did not make", Fix: "loopd adjudicate " + v.Loop.Name + " --park, --keep or --backlog"}
}

// cyclesAddUp: the count cannot be more than the good entries at the journal's end, nor the mode wider than what was
// earned and approved.
func cyclesAddUp(v Vitals) *Ailment {
	p := v.Loop.State.Promotion
	good := 0
	for _, e := range slices.Backward(v.Entries) {
		nearMiss := slices.ContainsFunc(e.Flags, func(f string) bool { return strings.HasPrefix(f, "guardrail") })
		if e.Failed || nearMiss {
			break
		}
		good++
	}
	known := v.Whole || good < len(v.Entries)
	switch {
	case known && p.Clean > good:
		return &Ailment{Read: fmt.Sprintf("clean_cycles is %d, the journal ends in %d entries without ❌ or near-miss", p.Clean, good), Want: "at most as many",
			Fix: "correct promotion.clean_cycles in the state by hand"}
	case p.Mode.Wider(journal.ProposeOnly) && v.Loop.State.Private.ApprovedBy == "" && !v.Loop.Charter.Promotion.Mode.Wider(journal.ProposeOnly):
		return &Ailment{Read: "mode " + string(p.Mode) + ", approved by nobody", Want: "a person's leave", Fix: "loopd demote " + v.Loop.Name + ", then loopd promote --by WHO once it is earned"}
	}
	return nil
}

func timeInBudget(v Vitals) *Ailment {
	b, spent := v.Loop.Charter.Budget, v.Loop.State.Private.Spent.Seconds
	total := time.Duration(spent * float64(time.Second)).Round(time.Second)
	switch {
	case b.Total > 0 && total > b.Total:
		return &Ailment{Read: fmt.Sprintf("%s in all", total), Want: "at most " + b.Total.String(), Fix: "raise Max total wall-clock in " + v.Loop.Charter.File + ", or end the loop: loopd retire " + v.Loop.Name}
	case b.PerIteration > 0 && v.Longest > b.PerIteration+b.PerIteration/10:
		return &Ailment{Read: fmt.Sprintf("an iteration took %s", v.Longest.Round(time.Second)), Want: "at most " + b.PerIteration.String(), Fix: "make the units smaller, or raise Max wall-clock per iteration"}
	}
	return nil
}

// unitsMoveOn: a unit that comes a third time in a row says why, by a flag of the agent's or the operator's steering.
func unitsMoveOn(v Vitals) *Ailment {
	row := 0
	for i, e := range v.Entries {
		noted := e.Steer != "" || slices.ContainsFunc(e.Flags, func(f string) bool { return strings.HasPrefix(f, "agent: ") })
		if i > 0 && e.Unit != "" && e.Unit == v.Entries[i-1].Unit && !noted && e.Unit != "nothing to do" && e.Unit != "(none named)" {
			row++
		} else {
			row = 0
		}
		if row >= 2 && i >= len(v.Entries)-3 {
			return &Ailment{Read: fmt.Sprintf("unit %q in iterations %d to %d", journal.OneLine(e.Unit, 80), e.N-2, e.N), Want: "twice in a row at most, or a note why",
				Fix: "split the unit or take it out: loopd steer " + v.Loop.Name + " \"…\""}
		}
	}
	return nil
}

func failuresTaught(v Vitals) *Ailment {
	for _, e := range v.Entries {
		command := redCommand(e)
		taught := slices.ContainsFunc(signs.Stand(v.Signs, []signs.Failure{{Iteration: e.N, Cause: command}}), func(s signs.Standing) bool { return s.Last == e.N })
		// The newest one may still get its sign: the next iteration is asked for it.
		if e.Failed && command != "" && !taught && e.N != v.Loop.State.Iteration {
			return &Ailment{Read: fmt.Sprintf("iteration %d failed at `%s`, and no sign names it", e.N, journal.OneLine(command, 120)), Want: "a rule that would have prevented it",
				Fix: "write one into signs.md beside the charter"}
		}
	}
	return nil
}

func signsSmall(v Vitals) *Ailment {
	if len(v.Signs) <= signsMost && v.SignsSize <= signsMostSize {
		return nil
	}
	return &Ailment{Read: fmt.Sprintf("%d rules, %d KiB", len(v.Signs), (v.SignsSize+1023)>>10), Want: fmt.Sprintf("at most %d rules and %d KiB: all of it stands in every brief", signsMost, signsMostSize>>10),
		Fix: "loopd signs " + v.Loop.Name + " --stale lists rules that nothing matched for long; take out by hand what is obsolete"}
}
