package tracking

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"loopd/journal"
)

// shape is the document of the text, with two rows.
const shape = `# Loop: remove-a-todo

- **Task:** Remove a TODO
- **Objective:** no TODO is left
- **Check:** ! grep -q TODO work.txt
- **Max iterations:** 3
- **Status:** running

| # | Result | Verdict | Reason |
| --- | --- | --- | --- |
| 1 | removed one \| line | NOT_MET | four are left |
| 2 | removed another | MET | none is left |
`

func shapeDocument() Document {
	return Document{Slug: "remove-a-todo", Task: "Remove a TODO", Objective: "no TODO is left", Check: "! grep -q TODO work.txt", Max: 3, Status: Running,
		Rows: []Row{{1, "removed one | line", NotMet, "four are left"}, {2, "removed another", Met, "none is left"}}}
}

func TestNewHasTheShapeOfTheText(t *testing.T) {
	d := shapeDocument()
	if diff := cmp.Diff(shape, string(New(d))); diff != "" {
		t.Error(diff)
	}
	d = Document{Slug: "x", Task: "one\n\n  two", Objective: "\x1b[31mred\x1b[0m <!-- gone", Max: 1}
	want := "# Loop: x\n\n- **Task:** one two\n- **Objective:** red <!- - gone\n- **Check:** (none — the loop agent judges)\n- **Max iterations:** 1\n- **Status:** running\n\n" +
		"| # | Result | Verdict | Reason |\n| --- | --- | --- | --- |\n"
	if diff := cmp.Diff(want, string(New(d))); diff != "" {
		t.Error(diff)
	}
}

// What people and other tools make of a document reads as the same document, without a finding.
func TestReadIsTolerant(t *testing.T) {
	rows := "| 1 | removed one \\| line | NOT_MET | four are left |\n| 2 | removed another | MET | none is left |\n"
	for name, edit := range map[string]func(string) string{
		"as it is":          func(s string) string { return s },
		"no final line end": func(s string) string { return strings.TrimRight(s, "\n") },
		"carriage returns":  func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") },
		"old Mac":           func(s string) string { return strings.ReplaceAll(s, "\n", "\r") },
		"byte order mark":   func(s string) string { return bom + s },
		"title in back":     func(s string) string { return strings.Replace(s, "remove-a-todo", "`remove-a-todo`", 1) },
		"front matter":      func(s string) string { return "---\ntags: [loop]\n---\n\n" + s },
		"bold with colon":   func(s string) string { return strings.ReplaceAll(s, ":**", "**:") },
		"bold as a whole":   func(s string) string { return strings.Replace(s, "**Status:** running", "**Status: running**", 1) },
		"bold task": func(s string) string {
			return strings.Replace(s, "**Task:** Remove a TODO", "**Task: Remove a TODO**", 1)
		},
		"no bold":     func(s string) string { return strings.ReplaceAll(s, "**", "") },
		"underscores": func(s string) string { return strings.ReplaceAll(s, "**", "__") },
		"stars":       func(s string) string { return strings.ReplaceAll(s, "- **", "*   **") },
		"other case": func(s string) string {
			return strings.NewReplacer("Max iterations", "max Iterations", "running", "Running").Replace(s)
		},
		"max": func(s string) string { return strings.Replace(s, "Max iterations", "Max", 1) },
		"values in ticks": func(s string) string {
			return strings.NewReplacer("running", "`running`", ":** 3", ":** **3**").Replace(s)
		},
		"check in ticks": func(s string) string {
			return strings.Replace(s, "! grep -q TODO work.txt", "`! grep -q TODO work.txt`", 1)
		},
		"check in a fence": func(s string) string {
			return strings.Replace(s, " ! grep -q TODO work.txt", "\n\n  ~~~\n  ! grep -q TODO work.txt\n  ~~~", 1)
		},
		"check below": func(s string) string {
			return strings.Replace(s, " ! grep -q TODO work.txt", "\n  ! grep -q TODO work.txt", 1)
		},
		"indented bullets": func(s string) string { return strings.ReplaceAll(s, "- **", "  - **") },
		"loose list":       func(s string) string { return strings.ReplaceAll(s, "\n- **", "\n\n- **") },
		"other order": func(s string) string {
			return strings.Replace(strings.Replace(s, "- **Max iterations:** 3\n", "", 1), "- **Task", "- **Max iterations:** 3\n- **Task", 1)
		},
		"unknown bullets": func(s string) string {
			return strings.Replace(s, "- **Status", "- **Owner:** me\n- free text\n- **Status", 1)
		},
		"nested bullets": func(s string) string {
			return strings.Replace(s, "- **Status", "- **Notes:**\n  - **Status:** complete\n    - Task: none\n- **Status", 1)
		},
		"hard wrap":          func(s string) string { return strings.Replace(s, "Remove a TODO", "Remove\n  a\nTODO", 1) },
		"a tab":              func(s string) string { return strings.Replace(s, "Remove a TODO", "Remove\n\ta TODO", 1) },
		"a second paragraph": func(s string) string { return strings.Replace(s, "Remove a TODO", "Remove a\n\n  TODO", 1) },
		"aligned":            func(s string) string { return strings.Replace(s, "| --- | --- | --- | --- |", "|:--|:-:|--:|-|", 1) },
		"wide columns": func(s string) string {
			return strings.NewReplacer("| Result |", "|    Result     |", "| 1 |", "|   1   |").Replace(s)
		},
		"narrow columns":    func(s string) string { return strings.NewReplacer(" \\| ", " \\| ", " | ", "|", "| ", "|").Replace(s) },
		"no trailing pipe":  func(s string) string { return strings.ReplaceAll(s, " |\n", "\n") },
		"no leading pipe":   func(s string) string { return strings.NewReplacer("| 1 |", "1 |", "| 2 |", "2 |").Replace(s) },
		"blanks at the end": func(s string) string { return strings.ReplaceAll(s, "\n", "  \n") },
		"indented table":    func(s string) string { return strings.ReplaceAll(s, "\n| ", "\n   | ") },
		"bold header":       func(s string) string { return strings.Replace(s, "| # | Result |", "| **#** | *result* |", 1) },
		"bold verdict":      func(s string) string { return strings.Replace(s, "| MET |", "| **MET.** |", 1) },
		"an empty row":      func(s string) string { return s + "|  |  |  |  |\n" },
		"no blank line":     func(s string) string { return strings.Replace(s, "\n\n|", "\n|", 1) },
		"text below": func(s string) string {
			return s + "directly below\n\n- **Status:** old\n- **Task:** other\n\n| a | b |\n|---|---|\n| 1 | 2 |\n| 7 | 8 |\n"
		},
		"a heading between": func(s string) string { return strings.Replace(s, "| # |", "## Log\n\n| # |", 1) },
		"a table in a fence": func(s string) string {
			return strings.Replace(s, "| # |", "```\n| # | Result | Verdict | Reason |\n|---|---|---|---|\n| 9 | x | MET | y |\n```\n\n| # |", 1)
		},
		"a fence below":     func(s string) string { return s + "\n````md\n" + shape + "````\n" },
		"an open one below": func(s string) string { return s + "\n~~~\nlog" },
		"a fence in a list": func(s string) string { return "- ```\n  | # | Result | Verdict | Reason |\n  ```\n" + s },
		"a comment":         func(s string) string { return "<!--\n- **Task:** old\n-->\n<!-- - **Task:** older -->\n" + s },
		"a quote":           func(s string) string { return "> - **Task:** old\n> ```\n\n" + s },
		"deep code":         func(s string) string { return "    | # | Result | Verdict | Reason |\n    |---|---|---|---|\n" + s },
		"more columns": func(s string) string {
			s = strings.NewReplacer("| # | Result |", "| Time | # | Owner | Result |", "| Reason |\n", "| Reason | Cost |\n", "| --- | --- |", "| --- | --- | --- | --- |").Replace(s)
			return strings.NewReplacer("| 1 |", "| 10:00 | 1 | me |", "| 2 |", "| 10:10 | 2 | you |", "left |\n", "left | 5 |\n").Replace(s)
		},
		"columns in another order": func(s string) string {
			s = strings.Replace(s, "| # | Result | Verdict | Reason |", "| Verdict | # | Reason | Result |", 1)
			return strings.Replace(s, rows, "|NOT_MET|1|four are left|removed one \\| line|\n|MET|2|none is left|removed another|\n", 1)
		},
	} {
		src := edit(shape)
		if src == shape && name != "as it is" {
			t.Errorf("%s: the edit changes nothing", name)
		}
		got, findings := Read("loop.md", []byte(src))
		for _, f := range findings {
			if f.Warning && f.Field == statusField { // the last row is MET
				continue
			}
			t.Errorf("%s: %s", name, f)
		}
		if diff := cmp.Diff(shapeDocument(), got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// Whatever is not sure is a finding that says where.
func TestReadIsStrict(t *testing.T) {
	without := func(text string) func(string) string {
		return func(s string) string { return strings.Replace(s, text, "", 1) }
	}
	with := func(old, new string) func(string) string {
		return func(s string) string { return strings.Replace(s, old, new, 1) }
	}
	for _, c := range []struct {
		name string
		edit func(string) string
		want string // a finding begins so
		warn bool
	}{
		{"no task", without("- **Task:** Remove a TODO\n"), `loop.md: Task; want what to repeat; add the bullet "- **Task:** …" above the table`, false},
		{"an empty task", with("Remove a TODO", " "), "loop.md:3:12: Task; want what to repeat; the field is empty", false},
		{"a misspelt objective", with("Objective", "Objektive"), `loop.md:4:1: Objective: read "Objektive"; want what ends the loop; spell it Objective`, false},
		{"no objective", without("- **Objective:** no TODO is left\n"), "loop.md: Objective; want what ends the loop", false},
		{"no max", without("- **Max iterations:** 3\n"), "loop.md: Max iterations; want how many iterations at most", false},
		{"no status", without("- **Status:** running\n"), "loop.md: Status; want running, complete or max-reached", false},
		{"a field below the table", func(s string) string {
			return strings.Replace(s, "- **Task:** Remove a TODO\n", "", 1) + "\n- **Task:** Remove a TODO\n"
		}, "loop.md: Task; want", false},
		{"two tasks", with("- **Check", "- Task: another\n- **Check"), `loop.md:5:9: Task: read "another"; want the field once, line 3 has it already`, false},
		{"two statuses", with("- **Status", "- **Status:** complete\n- **Status"), `loop.md:8:15: Status: read "running"; want the field once, line 7`, false},
		{"max 0", with(":** 3", ":** 0"), `loop.md:6:23: Max iterations: read "0"; want a whole number from 1`, false},
		{"max -1", with(":** 3", ":** -1"), `loop.md:6:23: Max iterations: read "-1"`, false},
		{"max in words", with(":** 3", ":** three"), `loop.md:6:23: Max iterations: read "three"`, false},
		{"max with a word", with(":** 3", ":** 3 or so"), `loop.md:6:23: Max iterations: read "3 or so"`, false},
		{"max on two lines", with(":** 3", ":** 3\n  4"), `loop.md:6:23: Max iterations: read "3 4"`, false},
		{"half", with(":** 3", ":** 2.5"), `loop.md:6:23: Max iterations: read "2.5"`, false},
		{"a huge max", with(":** 3", ":** 99999999999999999999"), "loop.md:6:23: Max iterations: read", false},
		{"no number", with(":** 3", ":**"), "loop.md:6:22: Max iterations; want", false},
		{"an unknown status", with("running", "done"), `loop.md:7:15: Status: read "done"; want running, complete or max-reached and nothing else`, false},
		{"a status with a remark", with("running", "running (2/3)"), `loop.md:7:15: Status: read "running (2/3)"`, false},
		{"a long status", with("running", strings.Repeat("é", 60)), `loop.md:7:15: Status: read "` + strings.Repeat("é", 40) + `…"; want`, false},
		{"a check on two lines", with("! grep -q TODO work.txt", "! grep -q TODO\n  work.txt"), `loop.md:5:14: Check: read "! grep -q TODO work.txt"; want a command on one line`, false},
		{"a check that hides something", with("! grep", "true \u202e# ! grep"), "loop.md:5:14: Check: read", false},
		{"no check line", without("- **Check:** ! grep -q TODO work.txt\n"), "loop.md: Check; want a command, or (none — the loop agent judges), as it reads now", true},
		{"an empty check", without(" ! grep -q TODO work.txt"), "loop.md:5:13: Check; want a command, or (none", true},
		{"no title", with("# Loop: remove", "# Remove"), "loop.md:1:1: title; want", true},
		{"a jump", with("| 2 |", "| 3 |"), `loop.md:12:1: #: read "3"; want row number 2`, false},
		{"a repeat", with("| 2 |", "| 1 |"), `loop.md:12:1: #: read "1"; want row number 2`, false},
		{"not from one", with("| 1 |", "| 2 |"), `loop.md:11:1: #: read "2"; want row number 1`, false},
		{"no row number", with("| 2 |", "| two |"), `loop.md:12:1: #: read "two"; want row number 2`, false},
		{"a verdict of its own", with("| NOT_MET |", "| MET? |"), `loop.md:11:1: Verdict: read "MET?"; want MET or NOT_MET; it reads as NOT_MET`, true},
		{"a pipe in a text", with("one \\| line", "one | line"), `loop.md:11:1: row: read "| 1 | removed one | line | NOT_MET | four are left |"; want 4 cells, there are 5`, true},
		{"complete without the word", func(s string) string { return s }, `loop.md:7:15: Status: read "running"; want complete: the last row is MET`, true},
		{"no rule", without("| --- | --- | --- | --- |\n"), `loop.md:9:1: table: read "| # | Result | Verdict | Reason |"; want a line | --- |`, false},
		{"no table", func(s string) string { return s[:strings.Index(s, "|")] }, "loop.md: table; want the header | # | Result | Verdict | Reason |", false},
		{"a column is missing", with("Verdict | Reason |", "Verdict |"), `loop.md:9:1: table: read "| # | Result | Verdict |"; want the header`, false},
		{"a column twice", with("| Reason |", "| Verdict |"), "loop.md:9:1: table: read", false},
		{"rows cut off", with("| 2 |", "\n| 2 |"), `loop.md:13:1: table: read "| 2 | removed another | MET | none is left |"; want all rows directly below each other`, false},
		{"the table twice", func(s string) string { return s + s[strings.Index(s, "\n| #"):] }, "loop.md:14:1: table: read \"| # | Result | Verdict | Reason |\"; want one table, line 9 begins one already", false},
		{"a merge conflict", with("| 2 |", "<<<<<<< HEAD\n| 2 | a | MET | b |\n=======\n| 2 |"), "loop.md:13:1: table: read", false},
		{"the table in a fence", func(s string) string { return strings.Replace(s, "| #", "```\n| #", 1) + "```\n" }, "loop.md: table; want the header", false},
		{"an open fence", with("| #", "```\n| #"), "loop.md: table; want the header", false},
	} {
		src := c.edit(shape)
		_, findings := Read("loop.md", []byte(src))
		if !slices.ContainsFunc(findings, func(f journal.Finding) bool { return strings.HasPrefix(f.String(), c.want) && f.Warning == c.warn }) {
			t.Errorf("%s: want %s\ngot %v", c.name, c.want, findings)
		}
		_, err := AppendRow([]byte(src), Row{})
		if (err == nil) != c.warn {
			t.Errorf("%s: AppendRow says %v", c.name, err)
		}
	}
}

func TestReadOfOtherFiles(t *testing.T) {
	for name, src := range map[string]string{
		"empty":              "",
		"blank":              "\n\n  \n",
		"a native charter":   "# Loop: x\n\n## Goal\n\nNo TODO.\n\n## Status\n\n- Status: active\n",
		"a README":           "# Project\n\n- fast\n- **Status:** beta\n\n| a | b |\n|---|---|\n",
		"JSON":               `{"name": "x", "status": "active"}`,
		"all of it in code":  "```markdown\n" + shape + "```\n",
		"an open code fence": "```markdown\n" + shape,
		"an open comment":    "<!-- \n" + shape,
		"UTF-16":             "\xff\xfe#\x00 \x00L\x00",
	} {
		d, findings := Read("f.md", []byte(src))
		if len(findings) == 0 || findings[0].Field != "document" || findings[0].Warning || findings[0].Fix == "" {
			t.Errorf("%s: %v", name, findings)
		}
		if len(d.Rows) > 0 || d.Status != "" {
			t.Errorf("%s: %+v", name, d)
		}
	}
}

// drawDocument draws a document that Valid takes, with any texts.
func drawDocument(t *rapid.T) Document {
	text := rapid.OneOf(rapid.String(), rapid.StringMatching("[a-z:|#>*_`<\\\\ \n\r-]{0,40}"))
	some := text.Filter(func(s string) bool { return journal.OneLine(s, 0) != "" })
	d := Document{Slug: Slug(text.Draw(t, "slug")), Task: some.Draw(t, "task"), Objective: some.Draw(t, "objective"), Max: rapid.IntRange(1, mostIterations).Draw(t, "max"),
		Check:  rapid.OneOf(text, rapid.StringMatching("[`a (~\n\t]{0,12}"), rapid.SampledFrom([]string{"none", "(none)", "`a`", "`a` && `b`"})).Filter(visible).Draw(t, "check"),
		Status: rapid.SampledFrom([]Status{Running, Complete, MaxReached}).Draw(t, "status")}
	for i := range rapid.IntRange(0, 3).Draw(t, "rows") {
		d.Rows = append(d.Rows, Row{i + 1, text.Draw(t, "result"), rapid.SampledFrom([]Verdict{Met, NotMet}).Draw(t, "verdict"), text.Draw(t, "reason")})
	}
	return d
}

// normal is a document as it reads back.
func normal(d Document) Document {
	d.Task, d.Objective, d.Check = journal.OneLine(d.Task, 0), journal.OneLine(d.Objective, 0), plainCheck(d.Check)
	var rows []Row
	for _, r := range d.Rows {
		r.Result, r.Reason = journal.OneLine(r.Result, cellRoom), journal.OneLine(r.Reason, cellRoom)
		rows = append(rows, r)
	}
	d.Rows = rows
	return d
}

func TestNewReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawDocument(t)
		if err := Valid(d); err != nil {
			t.Fatal(err)
		}
		src := New(d)
		got, findings := Read("loop.md", src)
		for _, f := range findings {
			if !f.Warning {
				t.Fatalf("%s\n%s", f, src)
			}
		}
		if diff := cmp.Diff(normal(d), got); diff != "" {
			t.Fatalf("%s\n%s", diff, src)
		}
	})
}

func TestValid(t *testing.T) {
	for want, edit := range map[string]func(*Document){
		"slug":           func(d *Document) { d.Slug = "A B" },
		"task":           func(d *Document) { d.Task = " \x1b[0m\n" },
		"objective":      func(d *Document) { d.Objective = "" },
		"max iterations": func(d *Document) { d.Max = 0 },
		"status":         func(d *Document) { d.Status = "done" },
		"check":          func(d *Document) { d.Check = "a\x1b[0m" },
		"row 2":          func(d *Document) { d.Rows[1].N = 3 },
	} {
		d := shapeDocument()
		edit(&d)
		if err := Valid(d); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	if err := Valid(shapeDocument()); err != nil {
		t.Error(err)
	}
}
