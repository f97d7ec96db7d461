package tracking

import "loopd/journal"

// Verdict says whether the objective is met.
type Verdict string

// The verdicts.
const (
	Met    Verdict = "MET"
	NotMet Verdict = "NOT_MET"
)

// emphasis is what may stand around a word without changing it. "~" is not among it: what is struck through is not said.
const emphasis = "*_`"

// ReadVerdict reads a verdict strictly: exactly MET in capitals, in emphasis and with one full stop or exclamation mark
// behind it or not, is Met. Everything else is NotMet. ok is false where it is not one of the two words ("NOT MET" and
// "NOT-MET" included), so that a caller can say what stood there.
func ReadVerdict(text string) (v Verdict, ok bool) {
	switch journal.BareWord(text) {
	case "MET":
		return Met, true
	case "NOT_MET", "NOT MET", "NOT-MET":
		return NotMet, true
	}
	return NotMet, false
}
