package supervisor

import "testing"

func TestCompareChecks(t *testing.T) {
	before := []CheckResult{{Command: "a", OK: true}, {Command: "b", OK: true}, {Command: "c"}, {Command: "d"}}
	after := []CheckResult{{Command: "a", OK: true, Got: "exit 0"}, {Command: "b", Got: "exit 1"}, {Command: "c", OK: true, Got: "exit 0"}, {Command: "d", Got: "exit 1", Tail: "x"}, {Command: "e", OK: true, Got: "exit 0"}}
	compareChecks(before, after)
	for i, want := range []struct {
		baseline Baseline
		line     string
	}{
		{Clean, "`a` → exit 0 ✅"}, {Regressed, "`b` → exit 1 (regressed) ❌"}, {Repaired, "`c` → exit 0 (repaired) ✅"}, {BrokenBefore, "`d` → exit 1 (x) (broken before) ❌"}, {NoBaseline, "`e` → exit 0 ✅"},
	} {
		if after[i].Baseline != want.baseline || after[i].Line() != want.line {
			t.Errorf("%q, %q; want %q, %q", after[i].Baseline, after[i].Line(), want.baseline, want.line)
		}
	}
}

// With --baseline the journal tells what the iteration repaired from what it broke.
func TestBaselineInTheJournal(t *testing.T) {
	b := newBox(t, nil)
	b.write("broken.txt", "x")
	b.git("add", "-A")
	b.git("commit", "-qm", "broken")
	b.agent("maker", "rm broken.txt; "+ships)
	b.want(Options{Baseline: true}, 0)
	has(t, b.read(".loop/k/journal.md"), "- Verify: `sh check.sh` → exit 0 (repaired) ✅\n")
	b.agent("maker", "touch broken.txt; "+ships)
	b.want(Options{Baseline: true}, 14)
	has(t, b.read(".loop/k/journal.md"), "- Verify: `sh check.sh` → exit 1 (regressed) ❌\n")
}
