package supervisor

// Baseline is what became of a check that was run before the iteration too: a check that failed before it is told apart
// from one that the iteration broke (spec/dialects.md, "The family around the native format").
type Baseline string

// The four ways, and NoBaseline where the check was not run before.
const (
	NoBaseline   Baseline = ""
	Clean        Baseline = "clean"         // green, and green before
	Regressed    Baseline = "regressed"     // red, and green before: the iteration broke it
	BrokenBefore Baseline = "broken before" // red, and red before
	Repaired     Baseline = "repaired"      // green, and red before
)

// compareChecks says of each check what became of it since the baseline.
func compareChecks(before, after []CheckResult) {
	was := map[string]bool{}
	for _, b := range before {
		was[b.Command] = b.OK
	}
	for i, c := range after {
		ok, known := was[c.Command]
		switch {
		case !known:
		case ok && c.OK:
			after[i].Baseline = Clean
		case ok:
			after[i].Baseline = Regressed
		case c.OK:
			after[i].Baseline = Repaired
		default:
			after[i].Baseline = BrokenBefore
		}
	}
}
