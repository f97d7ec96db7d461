package contract

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"loopd/journal"
)

// whole22 is the contract of the acceptance case 17.
const whole22 = `# Loop Contract
- Objective: Make the unit tests of the parser pass.
- Mode: Goal
- Trigger: Manual start.
- Scope: parser/ and its tests.
- Non-goals: No new dependency.
- Owner: The build team.
- Inputs: The failing log.
- Artifacts path: .agent/artifacts
- State path: .agent/state.json
- Work clock: .agent/clock.md
- Success metric: ` + "`go test ./parser`" + ` exits 0.
- Evidence: Fresh command output.
- Verifier: go test on self-hosted CI.
- Topology: maker-checker
- Max iterations: 4
- Time limit: 30 minutes
- Budget: 20 tool calls
- Review budget: 400 changed lines, 6 files
- Stop condition: The command passes or a cap fires.
- Write-back: Append a receipt to the state path.
- Permission boundary: Local writes only; no push and no deploy.
- Recovery: Put the tree back after a regression.
`

// with gives the whole contract with the value of one field exchanged.
func with(t *testing.T, field, value string) string {
	t.Helper()
	out, done := []string{}, false
	for l := range strings.SplitSeq(whole22, "\n") {
		if strings.HasPrefix(l, "- "+titled(field)+":") {
			l, done = "- "+titled(field)+": "+value, true
		}
		out = append(out, l)
	}
	if !done {
		t.Fatalf("the contract has no %s", field)
	}
	return strings.Join(out, "\n")
}

// judged reads a text strictly and compares its findings with "line field: part", one for each.
func judged(t *testing.T, src string, want ...string) Contract {
	t.Helper()
	c, findings := Read("c.md", []byte(src), true)
	compare(t, findings, want)
	return c
}

func compare(t *testing.T, findings []journal.Finding, want []string) {
	t.Helper()
	rest := slices.Clone(want)
	for _, f := range findings {
		i := slices.IndexFunc(rest, func(w string) bool { return tells(f, w) })
		if i < 0 {
			t.Errorf("not wanted: %s", f)
			continue
		}
		rest = slices.Delete(rest, i, i+1)
	}
	if len(rest) > 0 {
		t.Errorf("not found: %q", rest)
	}
}

func tells(f journal.Finding, want string) bool {
	place, part, _ := strings.Cut(want, ": ")
	return fmt.Sprintf("%d %s", f.Line, f.Field) == place && strings.Contains(f.String(), part) && f.Column > 0 && f.Want != "" && f.File == "c.md" && !f.Warning
}

// The acceptance case: the contract is good, and each of the eight changes is named with its field and line, and nothing
// else is.
func TestAcceptanceCase(t *testing.T) {
	judged(t, whole22)
	for _, c := range []struct{ old, new, want string }{
		{"go test on self-hosted CI.", "the same builder", "14 verifier: builder"},
		{"Max iterations: 4", "Max iterations: 4, otherwise unlimited", "16 max iterations: unlimited"},
		{"30 minutes", "0 minutes", "17 time limit: above 0"},
		{"- Recovery: Put the tree back after a regression.\n", "", "22 recovery: add the field"},
		{"400 changed", "4000 changed", "19 review budget: at most 1000"},
		{"Topology: maker-checker", "Topology: swarm", "15 topology: single-agent, maker-checker or manager-workers"},
		{"The command passes or a cap fires", "keep improving", "20 stop condition: keep improving"},
		{"Local writes only; no push and no deploy", "May deploy to production", "22 permission boundary: approval and rollback"},
	} {
		if !strings.Contains(whole22, c.old) {
			t.Fatalf("the contract lacks %q", c.old)
		}
		judged(t, strings.Replace(whole22, c.old, c.new, 1), c.want)
	}
}

// What the contract of the acceptance case says, as data.
func TestData(t *testing.T) {
	c := judged(t, whole22)
	for _, x := range []struct{ name, got, want string }{
		{"texts", strings.Join([]string{c.Objective, c.Trigger, c.Scope, c.NonGoals, c.Owner, c.Inputs, c.ArtifactsPath, c.StatePath, c.WorkClock, c.Evidence, c.Verifier, c.StopCondition, c.WriteBack, c.Boundary, c.Recovery}, "|"),
			"Make the unit tests of the parser pass.|Manual start.|parser/ and its tests.|No new dependency.|The build team.|The failing log.|.agent/artifacts|.agent/state.json|.agent/clock.md|Fresh command output.|go test on self-hosted CI.|The command passes or a cap fires.|Append a receipt to the state path.|Local writes only; no push and no deploy.|Put the tree back after a regression."},
		{"closed sets", fmt.Sprint(c.Mode, " ", c.Topology), "goal maker-checker"},
		{"caps", fmt.Sprint(c.MaxIterations, c.TimeLimit, c.Budget, c.ReviewBudget, c.ReviewEach, c.BudgetEach, c.TimePerIteration), "4 30m0s [{20 tool calls}] {400 6} {0 0} [] 0s"},
		{"checks", fmt.Sprint(commandsOf(c.MetricChecks), commandsOf(c.VerifierChecks), commandsOf(c.RecoveryChecks)), "[go test ./parser=0][][]"},
		{"lines", fmt.Sprint(len(c.Lines), c.Lines["objective"], c.Lines["recovery"], c.MetricChecks[0].Line), "22 2 23 12"},
	} {
		if x.got != x.want {
			t.Errorf("%s: %s\nwant %s", x.name, x.got, x.want)
		}
	}
}

func commandsOf(checks []journal.Check) string {
	var out []string
	for _, k := range checks {
		s := k.Command
		switch k.Want.Kind {
		case journal.ExitStatus:
			s += fmt.Sprintf("=%d", k.Want.Exit)
		case journal.NumberIs:
			s += fmt.Sprint(k.Want.Op, k.Want.Number)
		default:
			s += " has " + k.Want.Want
		}
		out = append(out, s)
	}
	return "[" + strings.Join(out, " | ") + "]"
}

// Without strict the three rules that hold before a run are left out, and nothing else.
func TestStrictAdds(t *testing.T) {
	for _, c := range []struct{ field, value, want string }{
		{review, "4000 changed lines", "19 review budget: at most 1000"},
		{review, "6 files", "19 review budget: how many lines"},
		{review, "1000 changed lines", ""},
		{topology, "manager-workers", "15 topology: integration gate"},
		{mode, "Automation", "4 trigger: schedule"},
	} {
		src := with(t, c.field, c.value)
		if _, findings := Read("c.md", []byte(src), false); len(findings) > 0 {
			t.Errorf("%s: %s: not strict: %v", c.field, c.value, findings)
		}
		var want []string
		if c.want != "" {
			want = []string{c.want}
		}
		judged(t, src, want...)
	}
}

// Each field is required: without it there is one finding, on the line of the next field, and an empty one is found where
// it stands.
func TestRequired(t *testing.T) {
	lines := strings.Split(whole22, "\n")
	for i, f := range Fields() {
		gone := strings.Join(append(slices.Clone(lines[:i+1]), lines[i+2:]...), "\n")
		judged(t, gone, fmt.Sprintf("%d %s: - %s: ", min(i+2, 22), f, titled(f)))
		for _, empty := range []string{"", "-", "—", "n/a", "N/A", "na", "none", "None.", "NONE!", "tbd", "TBD.", "todo", "ToDo:", "unknown", "**unknown**", "`tbd`", "_none_", "*n/a*.", "<placeholder>", "<your words here>.",
			"**<placeholder>**", "(none)", "none (yet)", "TODO: ask the owner", "TODO(you)", "TBD by the team", "to be decided", "?", "...", "…", "{{value}}", "[fill in]", "<a> <b>", "none yet", "To do", "n / a", "not sure", "pending", "unknown so far"} {
			judged(t, with(t, f, empty), fmt.Sprintf("%d %s: fill it in", i+2, f))
		}
	}
}

// Words that look empty and are not.
func TestSaid(t *testing.T) {
	judged(t, with(t, metric, "`<test command>` exits 0"), "12 success metric: fill it in")
	for _, s := range []string{"TODO lines in work.txt", "No new dependency", "none of the other packages", "Unknown errors in the log", "the todo list", "-1 is never returned", "<https://example.test/log>", "nil pointers", "n/a values in the table", "0", "なし以外", "`<a>` elements in page.html"} {
		for _, f := range []string{objective, "inputs", "non-goals"} {
			judged(t, with(t, f, s))
		}
	}
}
