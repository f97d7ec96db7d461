package tracking

import "strings"

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
	switch bareWord(text) {
	case "MET":
		return Met, true
	case "NOT_MET", "NOT MET", "NOT-MET":
		return NotMet, true
	}
	return NotMet, false
}

// bareWord takes emphasis and one closing mark off.
func bareWord(text string) string {
	bare := func(s string) string {
		return strings.TrimFunc(s, func(r rune) bool { return strings.ContainsRune(emphasis+" \t\u00a0", r) })
	}
	s := bare(text)
	if n := len(s); n > 0 && (s[n-1] == '.' || s[n-1] == '!') {
		s = bare(s[:n-1])
	}
	return s
}
