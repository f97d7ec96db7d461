package supervisor

import (
	"fmt"

	"loopd/journal"
)

// held makes a state wait for a person: on what, and what they type to end it. fix "" stands for an answer to the
// question; the gate repeats it at every start until then.
func held(s journal.State, status journal.Status, question, fix string) journal.State {
	s.Status = status
	s.Private.Question, s.Private.Fix = question, fix
	return s
}

// HoldFix is what a person types about a loop that waits for them (status stalled or blocked).
func HoldFix(s journal.State) string {
	switch {
	case s.Private.Fix != "":
		return s.Private.Fix
	case s.Status == journal.Stalled:
		return stallFix(s.Name)
	}
	return fmt.Sprintf("answer it: loopd resume %s --answer TEXT", s.Name)
}

func stallFix(name string) string {
	return fmt.Sprintf("look at loopd log %[1]s and the backlog, then loopd resume %[1]s", name)
}

func idleFix(name string) string {
	return fmt.Sprintf("loopd resume %[1]s keeps it going, with --answer TEXT it is told where to; loopd retire %[1]s ends it", name)
}

func mendFix(name string) string { return "mend that, then loopd resume " + name }

// answerFix is what a person types after an iteration that a question held: where the agent asked nothing in words, what it
// said has to be read first.
func answerFix(name string, iteration int, o Observed) string {
	switch {
	case o.Asked != "" && !o.HasText:
		return fmt.Sprintf("allow that in the CLI's own settings, then loopd resume %[1]s (loopd log %[1]s --transcript %[2]d shows what led to it)", name, iteration)
	case o.Report.Question == "" && o.Report.Status == "":
		return fmt.Sprintf("loopd log %[1]s --transcript %[2]d shows what it said; then loopd resume %[1]s --answer TEXT", name, iteration)
	}
	return ""
}

// afterIteration is what a person types where a run ends with this iteration, "" where nothing is to be done.
func afterIteration(name string, it *iteration) string {
	switch it.verdict.Outcome {
	case journal.Unavailable:
		if it.exec.NotStarted != "" {
			return "install it, or choose another with --harness: loopd harness list shows what is here"
		}
		return "loopd harness test " + it.maker.Name()
	case journal.Failed, journal.NoChange:
		return fmt.Sprintf("loopd log %s --transcript %d shows what the agent did", name, it.number)
	case journal.Limited:
		return "--now runs it all the same"
	}
	return ""
}
