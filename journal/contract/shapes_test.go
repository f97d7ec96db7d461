package contract

import (
	"fmt"
	"strings"
	"testing"
)

// template is the seed's, filled in.
const template = "Objective: Make the unit tests pass.                 Mode: Goal\n" +
	"Trigger: Manual start.            Scope: parser/                 Non-goals: No new dependency.\n" +
	"Owner: The build team.  Inputs:\tThe failing log.\n" +
	"Artifacts path: .agent/artifacts            State path: .agent/state.json            Work clock: .agent/clock.md\n" +
	"Success metric: `go test ./parser   Mode: x` exits 0            Evidence: Fresh output.            Verifier: CI\n" +
	"Topology: single-agent\n" +
	"Max iterations: 4            Time limit: 30 minutes            Budget: 20 tool calls\n" +
	"Review budget: 400 changed lines             Stop condition: The command passes.\n" +
	"Write-back: To the state path.                 Permission boundary: Local writes only.   Recovery: Restore.\n"

// rewritten gives the whole contract with every field in another shape.
func rewritten(line func(name, value string) string) string {
	out := []string{"# Loop Contract"}
	for l := range strings.SplitSeq(whole22, "\n") {
		if name, value, ok := strings.Cut(strings.TrimPrefix(l, "- "), ": "); ok {
			out = append(out, line(name, value))
		}
	}
	return strings.Join(out, "\n") + "\n"
}

// The shapes in which people write the 22 fields.
func TestShapes(t *testing.T) {
	shape := func(format string) string {
		return rewritten(func(name, value string) string { return fmt.Sprintf(format, name, value) })
	}
	for name, src := range map[string]string{
		"bullets":                       whole22,
		"stars":                         shape("* %s: %s"),
		"plus":                          shape("+ %s: %s"),
		"numbers":                       shape("1. %s: %s"),
		"numbers in parentheses":        shape("12) %s: %s"),
		"check boxes":                   shape("- [ ] %s: %s"),
		"bold with the colon":           shape("* **%s:** %s"),
		"bold before the colon":         shape("- **%s**: %s"),
		"bold without a list":           shape("**%s:** %s"),
		"bold without a colon":          shape("- **%s** — %s"),
		"underlined":                    shape("- __%s__: %s"),
		"italics":                       shape("- *%s*: %s"),
		"code":                          shape("- `%s`: %s"),
		"plain":                         shape("%s: %s"),
		"apart":                         shape("%s: %s\n"),
		"bold paragraphs":               shape("**%s**\n\n%s\n"),
		"bold paragraphs and colon":     shape("**%s:**\n\n%s\n"),
		"a wide colon":                  shape("- %s：%s"),
		"many blanks":                   shape("-    %s   :    %s   "),
		"no blank":                      shape("- %s:%s"),
		"tabs":                          shape("-\t%s:\t%s"),
		"indented":                      shape("  - %s: %s"),
		"indented by a tab":             shape("\t- %s: %s"),
		"table":                         strings.Replace(shape("| %s | %s |"), "Contract\n", "Contract\n\n| Field | Value |\n|---|---|\n", 1),
		"table, bold":                   strings.Replace(shape("| **%s:** | %s"), "Contract\n", "Contract\n\n| Field | Value |\n|:--|--:|\n", 1),
		"table without a head":          shape("| %s | %s |"),
		"table with an empty cell":      shape("| %s | %s | |"),
		"value below":                   shape("- %s:\n  %s"),
		"value in a list":               shape("- %s:\n  - %s"),
		"value in a list, plain":        shape("%s:\n- %s"),
		"value in a list, apart":        shape("**%s**\n\n- %s\n"),
		"lower case":                    rewritten(func(n, v string) string { return "- " + strings.ToLower(n) + ": " + v }),
		"upper case":                    rewritten(func(n, v string) string { return "- " + strings.ToUpper(n) + ": " + v }),
		"underscores":                   rewritten(func(n, v string) string { return strings.ReplaceAll(strings.ToLower(n), " ", "_") + ": " + v }),
		"remarks in the keys":           shape("- %s (required): %s"),
		"the template of the seed":      template,
		"CRLF":                          strings.ReplaceAll(whole22, "\n", "\r\n"),
		"old line ends":                 strings.ReplaceAll(whole22, "\n", "\r"),
		"mixed line ends":               strings.Replace(whole22, "\n", "\r\n", 9),
		"BOM":                           bom + whole22,
		"no last line end":              strings.TrimSpace(whole22),
		"groups":                        strings.NewReplacer("- Objective", "## What\n\n- Objective", "- Max iter", "## Limits\n\n- Max iter", "- Stop", "---\n\n- Stop").Replace(whole22),
		"groups in a list":              strings.NewReplacer("\n- ", "\n  - ", "# Loop Contract\n- ", "# Loop Contract\n- What:\n  - ", "- Max iter", "- Limits\n  - Max iter").Replace(whole22),
		"caps below Budget":             strings.NewReplacer("- Max iterations: 4\n- Time limit: 30 minutes\n- Budget: 20 tool calls\n", "- Budget: 20 tool calls\n  - Max iterations: 4\n  - Time limit: 30 minutes\n    (a hard stop)\n").Replace(whole22),
		"a nested key of the same name": strings.Replace(whole22, "Local writes only; no push and no deploy.", "\n  - Scope: local writes\n  - Budget: nothing\n  - no push and no deploy", 1),
		"aliases":                       strings.NewReplacer("Work clock", "Global work clock", "Review budget", "Change budget").Replace(whole22),
		"alias":                         strings.Replace(whole22, "Review budget", "**Review bandwidth**", 1),
		"others":                        strings.Replace(whole22, "- Owner", "- Version: 3\n- Model: opus\n- NO_OP: `gh issue list` prints \"none\"\n- Owner", 1),
		"comments":                      "<!-- Mode: Loop\n- Mode: Loop -->\n" + strings.Replace(whole22, "- Owner", "<!-- - Owner: nobody -->\n- Owner", 1),
		"wrapped":                       strings.Replace(whole22, "Make the unit tests of the parser pass.", "Make the unit\n  tests of the\nparser pass.", 1),
		"quotes and prose between":      strings.Replace(whole22, "- Owner", "> Mode: Loop\n\nSome words on the matter.\n\n- Owner", 1),
	} {
		t.Run(name, func(t *testing.T) {
			c := judged(t, src)
			if len(c.Others) > 0 && !strings.Contains(name, "group") && name != "others" {
				t.Errorf("others: %+v", c.Others)
			}
			if c.Mode != Goal || c.MaxIterations != 4 || c.TimeLimit.Minutes() != 30 || len(c.Budget) != 1 || c.ReviewBudget.Lines != 400 || len(c.Lines) != 22 || !strings.HasPrefix(c.Objective, "Make the unit tests") || c.StatePath != ".agent/state.json" ||
				!strings.HasPrefix(commandsOf(c.MetricChecks), "[go test ./parser") || !strings.HasPrefix(c.Boundary, "Local writes only") && name != "a nested key of the same name" {
				t.Errorf("%+v", c)
			}
		})
	}
}

// What a value is: continuation lines and the list below it.
func TestValues(t *testing.T) {
	for _, c := range []struct{ value, read string }{
		{"a\n  b\nc", "a b c"},
		{"a\n\n  b", "a b"},
		{"a\n  - b\n  - c", "a; b; c"},
		{"a:\n  - b\n  - c", "a: b; c"},
		{"a.\n  - b.\n  - c", "a. b. c"},
		{"\n  - Never:\n    - b\n    - c", "Never: b, c"},
		{"a\n  - Mode: b", "a; Mode: b"},
		{"a\n  Note: b", "a Note: b"},
		{"a\n- Note: b", "a"},
		{"a\nNote: b", "a"},
		{"a\n\nb", "a"},
		{"a\n- b", "a"},
		{"a\n## b", "a"},
		{"a\n***\nb", "a"},
		{"a  b", "a  b"},
		{"a | b", "a | b"},
		{"一つの TODO 行を消す — не больше", "一つの TODO 行を消す — не больше"},
		{"see https://example.test/a:b", "see https://example.test/a:b"},
	} {
		if got := judged(t, with(t, objective, c.value)).Objective; got != c.read {
			t.Errorf("%q is %q, want %q", c.value, got, c.read)
		}
	}
}

// Other keys are kept, with their commands.
func TestOthers(t *testing.T) {
	c := judged(t, strings.Replace(whole22, "- Owner", "- Output policy: at most 1 a day\n  - and quiet\n- NO_OP query: `gh issue list` prints \"none\"\n- Owner", 1))
	if len(c.Others) != 2 || c.Others[0].Text != "at most 1 a day; and quiet" || c.Others[0].Line != 7 || commandsOf(c.Others[1].Checks) != "[gh issue list has none]" || c.Others[1].Name != "NO_OP query" {
		t.Errorf("%+v", c.Others)
	}
}
