package native

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"loopd/journal"
	"loopd/journal/journaltest"
)

// charterOfK is a charter without a fault.
const charterOfK = `# Loop: k

## Goal
No TODO line is left in work.txt.

## Done-when
` + "`grep -c TODO work.txt`" + ` exits 1

## Archetype
ratchet-climb

## Iteration contract
- Unit: one TODO line
- Start: read the state and the last 3 entries; pick the first TODO.
- End: unit verified and recorded.
- Never: start a second unit.

## Verification
- ` + "`sh check.sh`" + ` → exits 0

## Ratchet
- Metric: TODO lines
- Direction: decreasing
- Read via: ` + "`grep -c TODO work.txt || true`" + `
- On regression: revert the iteration's changes, journal it, do not retry the same approach.

## Guardrails
- No push, no publish, no deploy.
- Protected: check.sh

## Escalation
- Stalled: 3 iterations without ratchet movement → ` + "`cat >> /dev/null`" + `
- Blocked on a decision: stop and escalate.

## Budget
- Max iterations: 20
- Max wall-clock per iteration: 1
- Cadence: on-demand

## Promotion
- Current mode: propose-only
- Write access requires: 3 consecutive clean cycles reviewed by the owner
- Write scope when promoted: work.txt
`

const backlogOfK = "# Backlog\n\n- [x] ~~TODO zero~~\n- [ ] TODO one\n  with a note\n- [ ] TODO two\n\nWhat else there is.\n"

// makeLoop writes loop k with two entries.
func makeLoop(t *testing.T, root string) string {
	t.Helper()
	put(t, root, "LOOP.md", charterOfK)
	put(t, root, "state.json", strings.Replace(familyState, `"iteration": 0`, `"iteration": 2`, 1))
	put(t, root, "journal.md", journalOf(1, "> refused · 2026-11-02T10:00:00Z · STOP\n\n", 2))
	put(t, root, "signs.md", "- 2026-11-01 · do not edit gen (make: exit 2, it.1)\n")
	put(t, root, "backlog.md", backlogOfK)
	return "k"
}

// put writes a file of loop k.
func put(t *testing.T, root, file, text string) {
	t.Helper()
	path := filepath.Join(root, ".loop", "k", file)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func refOf(root string) journal.Ref {
	dir := filepath.Join(root, ".loop", "k")
	return journal.Ref{Name: "k", Dialect: "native", Root: root, Dir: dir, File: filepath.Join(dir, "LOOP.md")}
}

// loadK loads loop k, defects and all.
func loadK(t *testing.T, root string) journal.Loop {
	t.Helper()
	l, err := Native{}.Load(refOf(root))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestSuite(t *testing.T) {
	const fine = `{"name": "k", "status": "active", "iteration": 1`
	journaltest.Suite{
		Dialect: Native{},
		Make:    makeLoop,
		Text:    []string{"LOOP.md", "state.json", "journal.md", "signs.md", "backlog.md"},
		Ships: []string{
			"I removed it.\n\nLOOP-OUTCOME: shipped — removed TODO one\n- Unit: TODO one\n- Did: deleted line 1\n- Next: TODO two\n- Flags: none",
			"LOOP-OUTCOME: shipped",
		},
		Broken: []journaltest.Broken{
			{Name: "truncated state", File: "state.json", Data: fine, Field: "JSON"},
			{Name: "empty state", File: "state.json", Data: "", Field: "JSON"},
			{Name: "string for a number", File: "state.json", Data: fine + `, "ratchet": {"value": "12"}}`, Field: "ratchet.value"},
			{Name: "another tool's schema", File: "state.json", Data: `{"version": 3, "tasks": []}`, Field: "status"},
			{Name: "another loop's state", File: "state.json", Data: strings.Replace(fine, `"k"`, `"other"`, 1) + "}", Field: "name"},
			{Name: "a field twice", File: "state.json", Data: fine + `, "iteration": 2}`, Field: "iteration"},
			{Name: "a section missing", File: "LOOP.md", Data: strings.Replace(charterOfK, "## Budget", "## Bugdet", 1), Field: "Budget"},
			{Name: "an empty charter", File: "LOOP.md", Data: "", Field: "Goal"},
		},
	}.Run(t)
}
