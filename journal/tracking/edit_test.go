package tracking

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
	"pgregory.net/rapid"

	"loopd/journal"
)

const row3 = "| 3 | did it | NOT_MET | one is left |"

func TestAppendRow(t *testing.T) {
	for _, c := range []struct{ name, before, after string }{
		{"at the end", shape, shape + row3 + "\n"},
		{"no final line end", strings.TrimSuffix(shape, "\n"), shape + row3 + "\n"},
		{"text below", shape + "\nNotes: | x\n", shape + row3 + "\n\nNotes: | x\n"},
		{"text directly below", shape + "Notes\n", shape + row3 + "\nNotes\n"},
		{"carriage returns", crlf(bom + shape + "\nmore"), crlf(bom + shape + row3 + "\n\nmore")},
		{"carriage returns, none at the end", crlf(strings.TrimSuffix(shape, "\n")), crlf(shape + row3 + "\n")},
		{"an empty row", shape + "| | | | |\n", shape + "| | | | |\n" + row3 + "\n"},
		{"indented", strings.ReplaceAll(shape, "\n|", "\n  |"), strings.ReplaceAll(shape+row3+"\n", "\n|", "\n  |") + ""},
		{"other columns", columns(shape), columns(shape) + "|  | 3 | did it | NOT_MET | one is left |  |\n"},
	} {
		before := []byte(c.before)
		got, err := AppendRow(before, Row{Result: "did\nit", Reason: "one is left"})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if diff := cmp.Diff(c.after, string(got)); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
		if string(before) != c.before {
			t.Errorf("%s: its argument changed", c.name)
		}
	}
	for n, want := range map[int]string{1: "its number is 1, the table's next is 3", 4: "its number is 4", -1: "its number is -1"} {
		if _, err := AppendRow([]byte(shape), Row{N: n}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("row %d: %v", n, err)
		}
	}
	if got, err := AppendRow([]byte(shape), Row{N: 3, Verdict: Met}); err != nil || string(got) != shape+"| 3 |  | MET |  |\n" {
		t.Error(string(got), err)
	}
}

func crlf(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }

func columns(s string) string {
	s = strings.NewReplacer("| # |", "| Time | # |", "Reason |", "Reason | Cost |", "| --- | --- |", "| --- | --- | --- | --- |").Replace(s)
	return strings.NewReplacer("| 1 |", "| x | 1 |", "| 2 |", "| y | 2 |").Replace(s)
}

func TestSetStatusAndMax(t *testing.T) {
	for _, c := range []struct{ name, before, status, max string }{
		{"as it is", shape, strings.Replace(shape, ":** running", ":** max-reached", 1), strings.Replace(shape, ":** 3", ":** 12", 1)},
		{"carriage returns", crlf(bom + shape), crlf(bom + strings.Replace(shape, ":** running", ":** max-reached", 1)), crlf(bom + strings.Replace(shape, ":** 3", ":** 12", 1))},
		{"emphasis", strings.NewReplacer(":** running", ":**   `Running` ", ":** 3", ":**3").Replace(shape),
			strings.NewReplacer(":** running", ":**   `max-reached` ", ":** 3", ":**3").Replace(shape), strings.NewReplacer(":** running", ":**   `Running` ", ":** 3", ":**12").Replace(shape)},
		{"bold as a whole", strings.NewReplacer("Status:** running", "Status: running**", "iterations:** 3", "iterations: 3**").Replace(shape),
			strings.NewReplacer("Status:** running", "Status: max-reached**", "iterations:** 3", "iterations: 3**").Replace(shape),
			strings.NewReplacer("Status:** running", "Status: running**", "iterations:** 3", "iterations: 12**").Replace(shape)},
	} {
		got, err := SetStatus([]byte(c.before), MaxReached)
		if diff := cmp.Diff(c.status, string(got)); diff != "" || err != nil {
			t.Errorf("%s: %v %s", c.name, err, diff)
		}
		if got, err = SetMax([]byte(c.before), 12); err != nil || string(got) != c.max {
			t.Errorf("%s: %v %s", c.name, err, cmp.Diff(c.max, string(got)))
		}
		if got, err = SetStatus([]byte(c.before), Running); err != nil || string(got) != c.before {
			t.Errorf("%s: the status that it has changes bytes", c.name)
		}
		if got, err = SetMax([]byte(c.before), 3); err != nil || string(got) != c.before {
			t.Errorf("%s: the bound that it has changes bytes", c.name)
		}
	}
	if _, err := SetStatus([]byte(shape), "done"); err == nil {
		t.Error("a status that is none")
	}
	for _, n := range []int{0, -1, mostIterations + 1} {
		if _, err := SetMax([]byte(shape), n); err == nil {
			t.Errorf("max %d", n)
		}
	}
	if _, err := SetStatus([]byte("# Loop: x\n"), Running); err == nil {
		t.Error("another tool's file was edited")
	}
	if _, err := SetMax([]byte("# Loop: x\n"), 3); err == nil || !strings.Contains(err.Error(), "loop.md:1:1: document") {
		t.Error(err)
	}
}

// frame takes the middle out: what two texts have in common at their ends.
func frame(a, b []byte) (from, tailA, tailB int) {
	for from < min(len(a), len(b)) && a[from] == b[from] {
		from++
	}
	tailA, tailB = len(a), len(b)
	for tailA > from && tailB > from && a[tailA-1] == b[tailB-1] {
		tailA, tailB = tailA-1, tailB-1
	}
	return from, tailA, tailB
}

// An edit leaves every other byte alone, and what it wrote reads back.
func TestEditsKeepAllOtherBytes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawDocument(t)
		src := string(New(d))
		if rapid.Bool().Draw(t, "notes") {
			src = strings.Replace(src, "- **Status", "- **Owner:** "+journal.OneLine(rapid.String().Draw(t, "owner"), 0)+"\n- **Status", 1) + "\n## Notes\n\nText | with a pipe\n"
		}
		if rapid.Bool().Draw(t, "cut") {
			src = strings.TrimSuffix(src, "\n")
		}
		if rapid.Bool().Draw(t, "crlf") {
			src = crlf(src)
		}
		if rapid.Bool().Draw(t, "bom") {
			src = bom + src
		}
		before, findings := Read("", []byte(src))
		for _, f := range findings {
			if !f.Warning {
				t.Fatalf("%s\n%s", f, src)
			}
		}
		anything := rapid.OneOf(rapid.String(), rapid.StringMatching("[a|\\\\` <>\n\r\x1b\\[-]{0,30}"))
		r := Row{Result: anything.Draw(t, "result"), Verdict: rapid.SampledFrom([]Verdict{Met, NotMet}).Draw(t, "verdict"), Reason: anything.Draw(t, "reason")}
		out, err := AppendRow([]byte(src), r)
		if err != nil {
			t.Fatal(err)
		}
		if from, tail, _ := frame([]byte(src), out); from != tail {
			t.Fatalf("%q became %q", src, out)
		}
		want := before
		want.Rows = append(slices.Clone(before.Rows), Row{len(before.Rows) + 1, journal.OneLine(r.Result, cellRoom), r.Verdict, journal.OneLine(r.Reason, cellRoom)})
		if got, _ := Read("", out); !cmp.Equal(want, got) {
			t.Fatalf("%s\n%q", cmp.Diff(want, got), out)
		}
		status, max := rapid.SampledFrom([]Status{Running, Complete, MaxReached}).Draw(t, "to"), rapid.IntRange(1, 99).Draw(t, "max")
		next, err := SetStatus(out, status)
		if err != nil {
			t.Fatal(err)
		}
		if from, tail, _ := frame(out, next); strings.Trim(string(out[from:tail]), "abcdefghijklmnopqrstuvwxyz-") != "" {
			t.Fatalf("%q became %q", out, next)
		}
		last, err := SetMax(next, max)
		if err != nil {
			t.Fatal(err)
		}
		if from, tail, _ := frame(next, last); strings.Trim(string(next[from:tail]), "0123456789") != "" {
			t.Fatalf("%q became %q", next, last)
		}
		want.Status, want.Max = status, max
		if got, _ := Read("", last); !cmp.Equal(want, got) {
			t.Fatalf("%s\n%q", cmp.Diff(want, got), last)
		}
	})
}

// Another reader of Markdown sees the same table: as many rows, four cells in each, nothing that is a tag or code.
func TestCellsHoldInAnotherReader(t *testing.T) {
	md := goldmark.New(goldmark.WithExtensions(extension.Table))
	rapid.Check(t, func(t *rapid.T) {
		anything := rapid.OneOf(rapid.String(), rapid.StringMatching("[a|\\\\` <>/!\n\r-]{0,30}"))
		d := Document{Slug: "x", Task: "t", Objective: "o", Max: 3}
		for i := range 3 {
			d.Rows = append(d.Rows, Row{i + 1, anything.Draw(t, "result"), NotMet, anything.Draw(t, "reason")})
		}
		src := append(New(d), "\nbelow\n"...)
		root := md.Parser().Parse(text.NewReader(src))
		var table ast.Node
		for n := root.FirstChild(); n != nil; n = n.NextSibling() {
			if n.Kind() == extast.KindTable && table == nil {
				table = n
			} else if n.Kind() == extast.KindTable {
				t.Fatalf("two tables in %s", src)
			}
		}
		if table == nil || table.ChildCount() != 4 {
			t.Fatalf("not one table of four lines: %s", src)
		}
		for row := table.FirstChild(); row != nil; row = row.NextSibling() {
			if row.ChildCount() != 4 {
				t.Fatalf("%d cells in %s", row.ChildCount(), src)
			}
		}
		_ = ast.Walk(table, func(n ast.Node, _ bool) (ast.WalkStatus, error) {
			if k := n.Kind(); k == ast.KindRawHTML || k == ast.KindCodeSpan {
				t.Fatalf("%s in %s", k, src)
			}
			return ast.WalkContinue, nil
		})
	})
}

func TestCells(t *testing.T) {
	for text, want := range map[string]string{
		"removed one | line": `removed one \| line`,
		`C:\new`:             `C:\\new`,
		`a\|b`:               `a\\\|b`,
		"run `go test`":      "run \\`go test\\`",
		"</table>":           `\</table>`,
		"a\r\nb\tc":          "a b c",
		"\x1b[31mred\x1b[0m": "red",
		"":                   "",
	} {
		got := renderCell(text)
		if got != want {
			t.Errorf("%q is written %q, want %q", text, got, want)
		}
		if back := readCell(got); back != journal.OneLine(text, 0) {
			t.Errorf("%q reads %q", got, back)
		}
	}
	for raw, want := range map[string]string{`C:\new folder`: `C:\new folder`, `a \* b`: `a \* b`, `\`: `\`, ` x `: "x"} {
		if got := readCell(raw); got != want {
			t.Errorf("%q of another tool reads %q, want %q", raw, got, want)
		}
	}
	flood := strings.Repeat("|🙂", 5000)
	if row := renderRow(Row{N: 1, Result: flood, Reason: flood}, tableHead{0, 1, 2, 3, 4}); len(row) > 8<<10 {
		t.Errorf("a row has %d bytes", len(row))
	}
	if !bytes.Contains(New(shapeDocument()), []byte(`removed one \| line`)) {
		t.Error("the pipe is not escaped")
	}
}
