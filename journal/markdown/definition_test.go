package markdown

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"loopd/journal"
)

// triage is the definition of acceptance case 18; the cases change one thing in it.
const triage = `# Triage Loop

## Use For
Removing TODO lines.

## Purpose
Keep removing TODO lines.

## Direction
work.txt only.

## Trigger
A manual tick.

## Run Policy
Iteration unit: one TODO line
Default activation bound: one iteration

## Continue When
- work.txt has a TODO line: ` + "`grep -c TODO work.txt`" + ` → exits 0

## Stop When
- no TODO is left: ` + "`grep -c TODO work.txt`" + ` → exits 1

## Allowed Actions
- edit work.txt

## Ask Human When
- the file is missing: ` + "`test -e work.txt`" + ` → exits 1

## State To Track
- current focus

## Record Each Iteration
Signal, action, result, next.
`

func read(text string) (Definition, []journal.Finding) {
	return Read("loops/triage/LOOP.md", []byte(text))
}

func TestReadsADefinition(t *testing.T) {
	d, findings := read(triage + "\n## Iteration Pattern\nLook, act, record.\n\n## Verification\n- `sh check.sh` → exits 0\n\n## Ratchet\n- Metric: none\n")
	if len(findings) != 0 {
		t.Fatalf("findings: %v", findings)
	}
	check := func(command string, exit, line int) *journal.Check {
		text := fmt.Sprintf("exits %d", exit)
		return &journal.Check{Command: command, Want: journal.Expectation{Text: text, Kind: journal.ExitStatus, Exit: exit}, Line: line}
	}
	d.Source = nil
	want := Definition{
		File: "loops/triage/LOOP.md", Name: "Triage", UseFor: "Removing TODO lines.", Purpose: "Keep removing TODO lines.", Direction: "work.txt only.",
		Trigger: "A manual tick.", External: true, Pattern: "Look, act, record.",
		Policy:       Policy{Written: true, Unit: "one TODO line", Default: Bound{Kind: BoundCount, N: 1, Text: "one iteration"}},
		ContinueWhen: []Condition{{"work.txt has a TODO line: `grep -c TODO work.txt` → exits 0", check("grep -c TODO work.txt", 0, 20), 20}},
		StopWhen:     []Condition{{"no TODO is left: `grep -c TODO work.txt` → exits 1", check("grep -c TODO work.txt", 1, 23), 23}},
		Allowed:      []Line{{"edit work.txt", 26}},
		AskWhen:      []Condition{{"the file is missing: `test -e work.txt` → exits 1", check("test -e work.txt", 1, 29), 29}},
		TrackText:    "- current focus", Record: "Signal, action, result, next.", RecordLines: []Line{{"Signal, action, result, next.", 35}},
		Verification: "- `sh check.sh` → exits 0", Ratchet: "- Metric: none",
	}
	if diff := cmp.Diff(want, d); diff != "" {
		t.Error(diff)
	}
}

// The same definition in the shapes in which people and tools write it reads the same, without a finding.
func TestShapesOfTheSameDefinition(t *testing.T) {
	want, _ := read(triage)
	section := func(s, name string) string {
		at := strings.Index(s, "## "+name)
		end := at + 1 + strings.Index(s[at+1:]+"\n## ", "\n## ")
		return s[at:min(end, len(s))]
	}
	for name, change := range map[string]func(string) string{
		"CRLF":                   func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") },
		"old line ends":          func(s string) string { return strings.ReplaceAll(s, "\n", "\r") },
		"mixed line ends":        func(s string) string { return strings.Replace(s, "\n", "\r\n", 9) },
		"BOM":                    func(s string) string { return "\ufeff" + s },
		"BOM and CRLF":           func(s string) string { return "\ufeff" + strings.ReplaceAll(s, "\n", "\r\n") },
		"no final newline":       func(s string) string { return strings.TrimRight(s, "\n") },
		"star bullets":           func(s string) string { return strings.ReplaceAll(s, "\n- ", "\n* ") },
		"numbers":                func(s string) string { return strings.ReplaceAll(s, "\n- ", "\n1. ") },
		"indented bullets":       func(s string) string { return strings.ReplaceAll(s, "\n- ", "\n  - ") },
		"bullets behind a tab":   func(s string) string { return strings.ReplaceAll(s, "\n- ", "\n\t- ") },
		"tab behind the bullet":  func(s string) string { return strings.ReplaceAll(s, "\n- ", "\n-\t") },
		"check boxes":            func(s string) string { return strings.ReplaceAll(s, "\n- ", "\n- [ ] ") },
		"closed headings":        func(s string) string { return strings.ReplaceAll(s, "## Stop When", "## Stop When ##") },
		"headings in other case": func(s string) string { return strings.ReplaceAll(s, "## Stop When", "## STOP when") },
		"headings with a colon":  func(s string) string { return strings.ReplaceAll(s, "## Stop When", "## **Stop When:**") },
		"numbered headings":      func(s string) string { return strings.ReplaceAll(s, "## Stop When", "## 9. Stop When") },
		"underlined headings":    func(s string) string { return strings.ReplaceAll(s, "## Stop When", "Stop When\n---------") },
		"underlined title":       func(s string) string { return strings.ReplaceAll(s, "# Triage Loop", "Triage Loop\n===========") },
		"blank lines":            func(s string) string { return strings.ReplaceAll(s, "\n", "\n\n") },
		"blank lines below":      func(s string) string { return strings.ReplaceAll(s, "\n## ", "\n\n\n## ") },
		"a rule below":           func(s string) string { return strings.ReplaceAll(s, "work.txt only.\n", "work.txt only.\n\n---\n") },
		"a wrapped bullet":       func(s string) string { return strings.ReplaceAll(s, "is left: ", "is left:\n  ") },
		"a comment":              func(s string) string { return "<!-- ## Purpose\nnot this -->\n" + s },
		"a comment in a value":   func(s string) string { return strings.ReplaceAll(s, "edit work.txt", "edit work.txt <!-- only -->") },
		"a comment as a block": func(s string) string {
			return strings.ReplaceAll(s, "## Stop When\n", "## Stop When\n<!--\n- never\n-->\n")
		},
		"front matter": func(s string) string { return "---\nname: triage\n---\n" + s },
		"another order": func(s string) string {
			return strings.Replace(s, section(s, "Direction"), "", 1) + "\n" + section(s, "Direction")
		},
		"an unknown section":   func(s string) string { return s + "\n## Notes for people\n- Stop When: never\n" },
		"a heading in a fence": func(s string) string { return s + "\n## Notes\n```\n## Stop When\n```\n" },
		"a sub-heading": func(s string) string {
			return strings.ReplaceAll(s, "## Stop When\n", "## Stop When\n\n### All of them\n\n")
		},
		"an introduction": func(s string) string {
			return strings.ReplaceAll(s, "## Stop When\n", "## Stop When\nIt stops when one of these holds:\n")
		},
		"a quotation":           func(s string) string { return strings.ReplaceAll(s, "\n- edit", "\n> - edit") },
		"policy in lines below": func(s string) string { return strings.ReplaceAll(s, "unit: one", "unit:\n  one") },
		"policy in bullets": func(s string) string {
			return strings.ReplaceAll(strings.ReplaceAll(s, "Iteration unit", "- Iteration unit"), "Default", "- Default")
		},
		"policy in bold": func(s string) string { return strings.ReplaceAll(s, "Iteration unit:", "**Iteration unit:**") },
		"policy as headings": func(s string) string {
			return strings.ReplaceAll(s, "Default activation bound: ", "\n### Default activation bound\n\n")
		},
		"policy in other case": func(s string) string { return strings.ReplaceAll(s, "Iteration unit", "iteration Unit") },
		"policy with Optional": func(s string) string {
			return strings.ReplaceAll(s, "\n\n## Continue", "\n\nOptional:\n  Auto-continue:\n\n## Continue")
		},
		"policy with another key": func(s string) string {
			return strings.ReplaceAll(s, "\n\n## Continue", "\nReview: by hand\n\n## Continue")
		},
		"policy in a table": func(s string) string {
			return strings.Replace(strings.Replace(s, "Iteration unit: one TODO line", "| key | value |\n|---|---|\n| Iteration unit | one TODO line |", 1),
				"Default activation bound: one iteration", "| **Default activation bound** | one iteration |", 1)
		},
	} {
		t.Run(name, func(t *testing.T) {
			text := change(triage)
			if text == triage {
				t.Fatal("nothing was changed")
			}
			got, findings := read(text)
			if len(findings) != 0 {
				t.Fatalf("findings: %v", findings)
			}
			if diff := cmp.Diff(shapeless(want), shapeless(got)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// shapeless leaves lines and the texts as written out of a definition.
func shapeless(d Definition) string {
	var b strings.Builder
	put := func(what string, v any) { fmt.Fprintf(&b, "%s %v\n", what, v) }
	flat := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	put("name", d.Name)
	put("texts", []string{flat(d.UseFor), flat(d.Purpose), flat(strings.Trim(d.Direction, "-\n ")), flat(d.Trigger), flat(d.Pattern), flat(d.Record)})
	put("policy", fmt.Sprint(d.Policy.Unit, d.Policy.Default, d.Policy.AutoContinue))
	for _, c := range slices.Concat(d.ContinueWhen, d.StopWhen, d.AskWhen) {
		put("condition", c.Text)
		if c.Check != nil {
			put("check", fmt.Sprint(c.Check.Command, c.Check.Want))
		}
	}
	put("allowed", lineTexts(d.Allowed))
	put("record", lineTexts(d.RecordLines))
	put("track", fmt.Sprint(d.Track))
	return b.String()
}
