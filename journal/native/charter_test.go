package native

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"loopd/journal"
)

// wholeCharter is a whole charter; the cases change one thing in it.
const wholeCharter = "# Loop: k\n\n## Goal\nNo TODO line is left in work.txt.\n\n## Done-when\n`grep -c TODO work.txt` exits 1\n\n## Archetype\nratchet-climb of the usual kind\n\n" +
	"## Iteration contract\n- Unit: one TODO line\n- Start: pick the first TODO.\n- End: unit verified.\n- Never: start a second unit.\n\n" +
	"## Verification\n- `sh check.sh` → exits 0\n\n## Ratchet\n- Metric: TODO lines\n- Direction: decreasing\n- Read via: `grep -c TODO work.txt || true`\n- On regression: revert.\n\n" +
	"## Guardrails\n- No push.\n- Protected: check.sh\n\n## Escalation\n- Stalled: 2 iterations without movement → append via `cat >> \"/tmp/inbox.txt\"`\n- Blocked on a decision: stop.\n\n" +
	"## Budget\n- Max iterations: 20\n- Max wall-clock per iteration: 1\n- Cadence: on-demand\n\n" +
	"## Promotion\n- Current mode: propose-only\n- Write access requires: 4 consecutive clean cycles\n- Write scope when promoted: work.txt\n"

func readText(text string) (journal.Charter, []journal.Finding) {
	return readCharter(filepath.FromSlash("/r/.loop/k/LOOP.md"), []byte(text), "/r")
}

func TestReadsACharter(t *testing.T) {
	c, findings := readText(wholeCharter + "\n## Harness\n- Maker: claude\n- Checker: codex\n- Escalate to: codex:gpt-x\n- Model: opus\n- Setup: `npm ci`\n- OK token: ALL_QUIET\n- Env: `DB_URL`, `CI_TOKEN`\n- On needs-work: keep\n")
	if len(findings) != 0 {
		t.Fatalf("findings: %v", findings)
	}
	want := journal.Charter{
		Goal: "No TODO line is left in work.txt.", Archetype: journal.RatchetClimb, ArchetypeNote: "of the usual kind",
		Unit: "one TODO line", Start: "pick the first TODO.", End: "unit verified.", Never: "start a second unit.",
		Ratchet:    journal.Ratchet{Metric: "TODO lines", Direction: journal.Decreasing, Command: "grep -c TODO work.txt || true", OnRegression: "revert.", Line: 21},
		Guardrails: "- No push.\n- Protected: check.sh", Protected: []string{"check.sh"},
		Escalation: journal.Escalation{Stalled: 2, Channels: []journal.Channel{{Command: "cat >> \"/tmp/inbox.txt\""}}, Blocked: "stop."},
		Budget:     journal.Budget{MaxIterations: 20, PerIteration: time.Minute, Cadence: journal.Cadence{Kind: journal.OnDemand, Text: "on-demand"}},
		Promotion:  journal.Promotion{Mode: journal.ProposeOnly, Required: 4, Scope: []string{"work.txt"}},
		Harness: journal.HarnessWish{Maker: "claude", Checker: "codex", EscalateTo: "codex:gpt-x", Model: "opus", Setup: "npm ci", OKToken: "ALL_QUIET",
			Env: []string{"DB_URL", "CI_TOKEN"}, KeepOnNeedsWork: true},
	}
	c.File, c.Source = "", nil
	if len(c.DoneWhen) != 1 || c.DoneWhen[0].Check.Command != "grep -c TODO work.txt" || c.DoneWhen[0].Check.Want.Exit != 1 || c.DoneWhen[0].Line != 7 {
		t.Errorf("Done-when: %+v", c.DoneWhen)
	}
	if len(c.Verification) != 1 || c.Verification[0].Command != "sh check.sh" || c.Verification[0].Line != 19 {
		t.Errorf("Verification: %+v", c.Verification)
	}
	c.DoneWhen, c.Verification = nil, nil
	if d := cmp.Diff(want, c); d != "" {
		t.Error(d)
	}
}

// The same charter in the shapes in which people and tools write it reads the same, without a finding.
func TestShapesOfTheSameCharter(t *testing.T) {
	want, _ := readText(wholeCharter)
	for name, change := range map[string]func(string) string{
		"CRLF":                  func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") },
		"BOM":                   func(s string) string { return "\ufeff" + s },
		"BOM and CRLF":          func(s string) string { return "\ufeff" + strings.ReplaceAll(s, "\n", "\r\n") },
		"no final newline":      func(s string) string { return strings.TrimRight(s, "\n") },
		"ASCII arrows":          func(s string) string { return strings.ReplaceAll(s, "→", "->") },
		"star bullets":          func(s string) string { return strings.ReplaceAll(s, "\n- ", "\n* ") },
		"plus bullets":          func(s string) string { return strings.ReplaceAll(s, "\n- ", "\n+ ") },
		"indented bullets":      func(s string) string { return strings.ReplaceAll(s, "\n- ", "\n  - ") },
		"tab behind the bullet": func(s string) string { return strings.ReplaceAll(s, "\n- ", "\n-\t") },
		"bold keys":             func(s string) string { return strings.ReplaceAll(s, "- Unit:", "- **Unit:**") },
		"bold keys, colon out":  func(s string) string { return strings.ReplaceAll(s, "- Max iterations:", "- **Max iterations**:") },
		"keys in other case":    func(s string) string { return strings.ReplaceAll(s, "- Max Iterations:", "- max iterations:") },
		"closed headings":       func(s string) string { return strings.ReplaceAll(s, "## Budget", "## Budget ##") },
		"underlined heading":    func(s string) string { return strings.ReplaceAll(s, "## Budget", "Budget\n------") },
		"wrapped bullet":        func(s string) string { return strings.ReplaceAll(s, "without movement →", "without\n  movement →") },
		"lazy wrapped bullet":   func(s string) string { return strings.ReplaceAll(s, "without movement →", "without\nmovement →") },
		"blank lines in lists":  func(s string) string { return strings.ReplaceAll(s, "\n- ", "\n\n- ") },
		"comment in a value": func(s string) string {
			return strings.ReplaceAll(s, "iterations: 20", "iterations: 20 <!-- was 50 -->")
		},
		"comment before": func(s string) string { return "<!-- ## Goal\nnot this -->\n" + s },
		"comment as a block": func(s string) string {
			return strings.ReplaceAll(s, "## Budget\n", "## Budget\n<!--\n- Max iterations: 99\n-->\n")
		},
		"heading in a fence": func(s string) string {
			return strings.ReplaceAll(s, "## Budget\n", "## Budget\n```\n## Goal\n- Max iterations: 99\n```\n")
		},
		"unknown section": func(s string) string { return s + "\n## Notes for people\n- anything: at all\n" },
		"unknown bullet": func(s string) string {
			return strings.ReplaceAll(s, "## Budget\n", "## Budget\n- Colour of the shed: green\n")
		},
		"sub-heading": func(s string) string {
			return strings.ReplaceAll(s, "## Budget\n", "## Budget\n### Why so little\nBecause.\n")
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, findings := readText(change(wholeCharter))
			if len(findings) != 0 {
				t.Fatalf("findings: %v", findings)
			}
			a, b := want, got
			for _, c := range []*journal.Charter{&a, &b} {
				c.DoneWhen, c.Verification = append([]journal.Condition(nil), c.DoneWhen...), append([]journal.Check(nil), c.Verification...)
				for i := range c.DoneWhen {
					k := *c.DoneWhen[i].Check
					k.Line = 0
					c.DoneWhen[i].Check, c.DoneWhen[i].Line = nil, 0
					c.DoneWhen[i].Text = fmt.Sprintf("%+v", k)
				}
				for i := range c.Verification {
					c.Verification[i].Line = 0
				}
			}
			a.Source, b.Source, a.Guardrails, b.Guardrails, a.Ratchet.Line, b.Ratchet.Line = nil, nil, "", "", 0, 0
			norm := func(c journal.Charter) string { return strings.ReplaceAll(fmt.Sprintf("%+v", c), "->", "→") }
			if norm(a) != norm(b) {
				t.Errorf("reads differently:\n%s\n%s", norm(a), norm(b))
			}
		})
	}
}

// Every defect and warning names what was read, where, and what would do.
func TestDefectsOfACharter(t *testing.T) {
	line := func(old, new string) func(string) string {
		return func(s string) string {
			if !strings.Contains(s, old) {
				panic("the charter lacks " + old)
			}
			return strings.Replace(s, old, new, 1)
		}
	}
	cases := []struct {
		name    string
		change  func(string) string
		field   string
		line    int
		part    string // of the finding's text
		warning bool
	}{
		{"no title", line("# Loop: k\n", "\n"), "title", 1, "# Loop: k", false},
		{"another title", line("# Loop: k", "# My loop"), "title", 1, "My loop", false},
		{"another name", line("# Loop: k", "# Loop: j"), "title", 1, "the name of the folder", false},
		{"missing section", line("## Budget\n- Max iterations: 20\n- Max wall-clock per iteration: 1\n- Cadence: on-demand\n\n", ""), "Budget", 35, "a section ## Budget", false},
		{"misspelt section", line("## Guardrails", "## Guardrail"), "Guardrails", 27, `read "Guardrail"`, false},
		{"section in other case", line("## Goal", "## GOAL"), "Goal", 3, "## Goal", false},
		{"section of another level", line("## Goal", "### Goal"), "Goal", 3, "two #", false},
		{"repeated section", line("## Promotion", "## Goal\nAnother.\n\n## Promotion"), "Goal", 40, "each section once", false},
		{"misplaced section", func(s string) string {
			s = strings.Replace(s, "## Goal\nNo TODO line is left in work.txt.\n\n", "", 1)
			return s + "\n## Goal\nNo TODO line.\n"
		}, "Goal", 42, "behind ## Promotion", false},
		{"empty goal", line("No TODO line is left in work.txt.\n", ""), "Goal", 3, "one sentence", false},
		{"prose as Done-when", line("`grep -c TODO work.txt` exits 1", "everything is nice"), "Done-when", 7, "prose cannot be checked", false},
		{"prose beside a command in Done-when", line("exits 1", "exits 1 AND it looks good"), "Done-when", 7, "it looks good", false},
		{"unknown archetype", line("ratchet-climb", "rachet-climb"), "Archetype", 10, "did you mean ratchet-climb?", false},
		{"no unit", line("- Unit: one TODO line\n", ""), "Iteration contract Unit", 12, "Unit:", false},
		{"no Never", line("- Never: start a second unit.\n", ""), "Iteration contract Never", 12, "Never:", true},
		{"no verification", line("- `sh check.sh` → exits 0\n", ""), "Verification", 18, "at least one", false},
		{"verification without back-ticks", line("`sh check.sh`", "sh check.sh"), "Verification", 19, "back-ticks", false},
		{"bad expression", line("exits 0", "matches /(/"), "Verification", 19, "LOOP.md:19", false},
		{"words that are not tested", line("exits 0", "all is well"), "Verification", 19, "all is well", true},
		{"no metric", line("- Metric: TODO lines\n", ""), "Ratchet Metric", 21, "or none", false},
		{"sideways", line("decreasing", "sideways"), "Ratchet Direction", 23, "decreasing or increasing", false},
		{"no Read via", line("- Read via: `grep -c TODO work.txt || true`\n", ""), "Ratchet Read via", 21, "a file", false},
		{"Read via in words", line("`grep -c TODO work.txt || true`", "count the lines"), "Ratchet Read via", 24, "back-ticks", false},
		{"no guardrails", line("- No push.\n- Protected: check.sh\n", ""), "Guardrails", 27, "must never happen", false},
		{"a stall of zero", line("Stalled: 2", "Stalled: 0"), "Escalation Stalled", 32, "above 0", false},
		{"a channel into the loop", line("append via `cat >> \"/tmp/inbox.txt\"`", "file:.loop/k/inbox"), "Escalation Stalled", 32, "outside of .loop/", false},
		{"no iterations", line("- Max iterations: 20\n", ""), "Budget Max iterations", 35, "Max iterations: N", false},
		{"negative iterations", line("Max iterations: 20", "Max iterations: -1"), "Budget Max iterations", 36, `read "-1"`, false},
		{"unlimited iterations", line("Max iterations: 20", "Max iterations: unlimited"), "Budget Max iterations", 36, "unlimited", false},
		{"half an iteration", line("Max iterations: 20", "Max iterations: 1.5"), "Budget Max iterations", 36, "whole number", false},
		{"no time", line("per iteration: 1", "per iteration: soon"), "Budget Max wall-clock per iteration", 37, "soon", false},
		{"bad cadence", line("on-demand", "whenever"), "Budget Cadence", 38, "whenever", false},
		{"no cadence", line("- Cadence: on-demand\n", ""), "Budget Cadence", 35, "Cadence", false},
		{"bad cost", line("- Cadence", "- Max cost: cheap\n- Cadence"), "Budget Max cost", 38, "cheap", false},
		{"bad review budget", line("- Cadence", "- Review budget: some\n- Cadence"), "Budget Review budget", 38, "changed lines", false},
		{"unknown mode", line("propose-only", "yolo"), "Promotion Current mode", 41, "yolo", false},
		{"starts with write access", line("propose-only", "write-full"), "Promotion Current mode", 41, "write-full", true},
		{"pull requests", line("- Write scope", "- Proposals: a pull request each\n- Write scope"), "Promotion", 40, "pull request", true},
		{"a placeholder", line("one TODO line", "TODO(you): what one iteration does"), "Iteration contract Unit", 13, "only a person can say this", false},
		{"another tool's placeholder", line("one TODO line", "<the unit>"), "Iteration contract Unit", 13, "only a person can say this", false},
		{"long", func(s string) string { return s + strings.Repeat("\nmore", 100) + "\n" }, "LOOP.md", 144, "at most 120", true},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, findings := readText(c.change(wholeCharter))
			for _, f := range findings {
				if f.Field == c.field && f.Warning == c.warning && f.Line == c.line && strings.Contains(f.String(), c.part) {
					if f.File != ".loop/k/LOOP.md" {
						t.Errorf("the file is named %q", f.File)
					}
					return
				}
			}
			t.Errorf("no finding on %q in line %d with %q (warning %v) among:\n%v", c.field, c.line, c.part, c.warning, findings)
		})
	}
}

func TestValuesOfACharter(t *testing.T) {
	for _, c := range []struct {
		old, new string
		got      func(journal.Charter) any
		want     any
	}{
		{"per iteration: 1", "per iteration: 90 min", func(c journal.Charter) any { return c.Budget.PerIteration }, 90 * time.Minute},
		{"per iteration: 1", "per iteration: 1.5 h", func(c journal.Charter) any { return c.Budget.PerIteration }, 90 * time.Minute},
		{"per iteration: 1", "per iteration: 45 minutes (be quick)", func(c journal.Charter) any { return c.Budget.PerIteration }, 45 * time.Minute},
		{"per iteration: 1", "per iteration: 1h30m", func(c journal.Charter) any { return c.Budget.PerIteration }, 90 * time.Minute},
		{"- Cadence", "- Max total wall-clock: 8 h\n- Cadence", func(c journal.Charter) any { return c.Budget.Total }, 8 * time.Hour},
		{"- Cadence", "- Max cost: $12.50\n- Cadence", func(c journal.Charter) any { return c.Budget.Cost }, 12.5},
		{"- Cadence", "- Max tokens: 2M\n- Cadence", func(c journal.Charter) any { return c.Budget.Tokens }, int64(2e6)},
		{"- Cadence", "- Max tool calls: 1,500\n- Cadence", func(c journal.Charter) any { return c.Budget.ToolCalls }, int64(1500)},
		{"- Cadence", "- Review budget: 400 changed lines, 6 files\n- Cadence", func(c journal.Charter) any { return [2]int{c.Budget.ReviewLines, c.Budget.ReviewFiles} }, [2]int{400, 6}},
		{"Cadence: on-demand", "Cadence: daily 06:30", func(c journal.Charter) any { return [2]int{c.Budget.Cadence.Hour, c.Budget.Cadence.Minute} }, [2]int{6, 30}},
		{"append via `cat >> \"/tmp/inbox.txt\"`", "file:../inbox.md", func(c journal.Charter) any { return c.Escalation.Channels[0].File }, "../inbox.md"},
		{"append via `cat >> \"/tmp/inbox.txt\"`", "ntfy://ntfy.sh/x", func(c journal.Charter) any { return c.Escalation.Channels[0].URL }, "ntfy://ntfy.sh/x"},
		{"append via `cat >> \"/tmp/inbox.txt\"`", "phone", func(c journal.Charter) any { return c.Escalation.Channels[0].Name }, "phone"},
		{"- Stalled: 2 iterations without movement → append via `cat >> \"/tmp/inbox.txt\"`\n", "", func(c journal.Charter) any { return c.Escalation.Stalled }, 3},
		{"- Write access requires: 4 consecutive clean cycles\n", "", func(c journal.Charter) any { return c.Promotion.Required }, 3},
		{"- Protected: check.sh", "- Protected: `a/**`, `b*.go`\n- Protected: c", func(c journal.Charter) any { return strings.Join(c.Protected, "|") }, "a/**|b*.go|c"},
		{"- Metric: TODO lines\n- Direction: decreasing\n- Read via: `grep -c TODO work.txt || true`\n", "- Metric: none\n", func(c journal.Charter) any { return c.Ratchet.Present() }, false},
		{"Read via: `grep -c TODO work.txt || true`", "Read via: build/score.txt", func(c journal.Charter) any { return c.Ratchet.File }, "build/score.txt"},
		{"`sh check.sh` → exits 0", "``echo `date` `` → contains \"20\"", func(c journal.Charter) any { return c.Verification[0].Command + "|" + c.Verification[0].Want.Want }, "echo `date`|20"},
		{"`grep -c TODO work.txt` exits 1", "`a AND b` exits 0 AND `backlog.md` has no unchecked items AND out.txt exists", func(c journal.Charter) any {
			return fmt.Sprint(c.DoneWhen[0].Check.Command, c.DoneWhen[1].File.Want, c.DoneWhen[2].File.Path, len(c.DoneWhen))
		}, "a AND bhas no unchecked itemsout.txt3"},
	} {
		t.Run(c.new, func(t *testing.T) {
			if !strings.Contains(wholeCharter, c.old) {
				t.Fatalf("the charter lacks %q", c.old)
			}
			got, findings := readText(strings.Replace(wholeCharter, c.old, c.new, 1))
			if len(findings) != 0 {
				t.Fatalf("findings: %v", findings)
			}
			if d := cmp.Diff(c.want, c.got(got)); d != "" {
				t.Error(d)
			}
		})
	}
}

// A drafted charter passes but for what is marked, and check names exactly the marked lines.
func TestDraftsPassButForThePerson(t *testing.T) {
	for _, a := range journal.Archetypes() {
		t.Run(string(a), func(t *testing.T) {
			text := string(Draft("k", a, ""))
			_, findings := readText(text)
			named := map[int]bool{}
			for _, f := range findings {
				if !strings.Contains(strings.Split(text, "\n")[f.Line-1], journal.OnlyYou) {
					t.Errorf("a finding on a line that is not marked: %s", f)
				}
				named[f.Line] = true
			}
			for i, l := range strings.Split(text, "\n") {
				if strings.Contains(l, journal.OnlyYou) && !named[i+1] {
					t.Errorf("line %d is marked and not named: %s", i+1, l)
				}
			}
			if len(named) == 0 {
				t.Error("nothing is marked")
			}
		})
	}
}

func FuzzReadCharter(f *testing.F) {
	f.Add([]byte(wholeCharter))
	for _, a := range journal.Archetypes() {
		f.Add(Draft("k", a, "x"))
	}
	f.Add([]byte("\ufeff# Loop: k\r\n## Goal\r\n```\n## Done-when"))
	f.Fuzz(func(t *testing.T, src []byte) {
		_, findings := readCharter("/r/.loop/k/LOOP.md", src, "/r")
		for _, x := range findings {
			if x.Line < 1 {
				t.Fatalf("a finding without position: %s", x)
			}
		}
	})
}

func BenchmarkReadCharter(b *testing.B) {
	for _, size := range []int{1, 40} {
		text := wholeCharter + strings.Repeat("\n## More\n- key: value with `code` and words\n", 40*(size-1))
		b.Run(fmt.Sprintf("%dKiB", len(text)>>10), func(b *testing.B) {
			for b.Loop() {
				readText(text)
			}
		})
	}
}
