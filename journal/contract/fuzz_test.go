package contract

import (
	"bytes"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// hostile are pieces that a slow reader would take the square of.
var hostile = []string{"`", "` `` ", "```\n", "<!--", "<!-- -->", "-->", "#\n", "# Contract\n", "**Loop Contract**\n", "- Mode: Goal\n", "  - Mode: x\n", "- a: b\n", "| Mode | x |\n", "|", "| a ", "\\|", "  Mode:", "\tMode:", " a:", ":", "：", "(", "((", ")", "**", "_", "> ",
	"- + ", "1. ", "---\nx\n", "->", " and", ", or", "no ", "no, ", "not forbidden ", "may ", "deploy ", "no deploy, ", "deploys are ", "unless ", "without approval ", "4 ", "4, ", "1-", "1:", "$", "four ", "per ", "keep improving until ", "the agent ", "tests ", "own ",
	"e.g. ", "...", "./", "\u00a0", "ß", "İ", "Ⱥ", "don't ", "'", "\r", "\t", "<loop_contract>\n", "</loop_contract>\n", "<a> ", "integration ", "`a` and ", "`a` exits 1 ", "manual or ", "x", "0", "~~~\n"}

// linear reads a large text. What took the square of its size would not end within the time of a test.
func linear(t *testing.T, name string, text func(size int) string) {
	t.Helper()
	if _, findings := Read("c.md", []byte(text(32<<10)), true); len(findings) > findingsMax {
		t.Errorf("%s: %d findings", name, len(findings))
	}
}

// Hostile input costs no more than large input: each piece alone, behind a contract, and as the value of some field.
func TestHostileContracts(t *testing.T) {
	fields := []string{boundary, maxIter, metric, verifier, stop, trigger, topology, recovery, scope, review}
	for i, s := range hostile {
		flood := func(size int) string { return strings.Repeat(s, 1+size/len(s)) }
		linear(t, s, func(n int) string { return whole22 + flood(n/2) })
		linear(t, s, func(n int) string { return flood(n / 2) })
		linear(t, fields[i%len(fields)]+": "+s, func(n int) string {
			return strings.Replace(with(t, fields[i%len(fields)], "a "+flood(n)), "Mode: Goal", "Mode: Automation", 1)
		})
	}
}

// Sentences that nobody writes, each of them a search that might go on to the end of the text for every word.
func TestHostileSentences(t *testing.T) {
	for _, c := range []struct{ field, before, piece, after string }{
		{boundary, "No ", "deploy ", ""}, {boundary, "", "deploy or ", " is forbidden"}, {boundary, "", "no deploy, or deploy ", "unless asked"}, {boundary, "No ", "deploy:", ""}, {boundary, "may ", "approval not needed ", ""},
		{recovery, "", "integration gate ", "is forbidden"}, {recovery, "No ", "integration gate or ", ""}, {recovery, "", "if `a` ", ""}, {stop, "", "keep improving until x ", ""}, {stop, "", "never stop, ", ""},
		{timeLimit, "", "1 hour 1 minute ", ""}, {timeLimit, "", "1h1m", ""}, {budget, "", "1 call or $1 ", ""}, {review, "", "(1 line) ", "4 lines"}, {maxIter, "4 ", "(", ""}, {metric, "", "`a` prints ", ""}, {metric, "", "`a` and ", "`b` exits 1"}, {metric, "", "`a` exits 1 \"", ""},
		{verifier, "", "the agent own check by the ", ""}, {mode, "Goal ", "or (", "Loop"}, {mode, "Goal ", ", the ", "Loop"}, {objective, "", "`` ` ``` ", ""}, {scope, "", "not `a` ", ""}, {trigger, "", "manual or ", ""},
	} {
		linear(t, c.field+": "+c.piece, func(size int) string {
			return with(t, c.field, c.before+strings.Repeat(c.piece, size/len(c.piece))+c.after)
		})
	}
}

// Read never panics, changes no byte, gives every finding a place in the file, and no contract without findings lacks a
// limit.
func FuzzRead(f *testing.F) {
	for _, s := range []string{"", whole22, template, example, bom + strings.ReplaceAll(whole22, "\n", "\r\n"), strings.ReplaceAll(whole22, "- ", "* **"), "<loop_contract>" + whole22, "| Mode | Goal |\n|---|---|\n| Budget | 4 |\n", strings.Join(hostile, "")} {
		f.Add([]byte(s), true)
		f.Add([]byte(s), false)
	}
	for _, s := range hostile {
		f.Add([]byte(strings.Replace(whole22, "Local writes", s+s, 1)), true)
	}
	f.Fuzz(func(t *testing.T, src []byte, strict bool) {
		kept := bytes.Clone(src)
		c, findings := Read("c.md", src, strict)
		if !bytes.Equal(kept, src) {
			t.Fatal("bytes changed")
		}
		lines := bytes.Count(src, []byte("\n")) + bytes.Count(src, []byte("\r")) + 1
		for _, x := range findings {
			if x.File != "c.md" || x.Line < 1 || x.Line > lines || x.Column < 1 || x.Column > len(src)+1 || x.Want == "" || x.Warning || x.Field != whole && fieldOf(x.Field) != x.Field || !utf8.ValidString(x.Read) || len(x.Read) > 1000 {
				t.Fatalf("%+v", x)
			}
		}
		if len(findings) > 0 {
			return
		}
		if c.MaxIterations < 1 || c.TimeLimit < time.Second || c.TimeLimit > longest || len(c.Budget) == 0 || c.Mode == "" || c.Topology == "" || len(c.Lines) != len(required) || strict && (c.ReviewBudget.Lines < 1 || c.ReviewEach.Lines > reviewMost) {
			t.Fatalf("no finding and %+v", c)
		}
		for _, a := range append(c.Budget, c.BudgetEach...) {
			if a.N <= 0 || a.N != a.N || a.Unit == "" {
				t.Fatalf("%+v", a)
			}
		}
		for _, s := range []string{c.Objective, c.Scope, c.Verifier, c.StopCondition, c.Boundary, c.Recovery, c.StatePath, c.ArtifactsPath} {
			if s == "" || strings.ContainsAny(s, "\n\r") {
				t.Fatalf("%q", s)
			}
		}
	})
}
