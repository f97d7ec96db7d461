package markdown

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"loopd/journal"
)

var noon = time.Date(2026, 11, 2, 12, 30, 0, 0, time.UTC)

// The template's own text, letter for letter, is a new record with an activation entry of which nothing is known yet.
func TestNewRecord(t *testing.T) {
	const want = "# Loop Record\n\nThis file is append-only.\n\nUse the record shape defined by this loop's `LOOP.md`.\n\n" +
		"Each entry should be concise and should include only what the next iteration\nneeds to understand what happened, what changed, and whether the loop should\ncontinue, pause, stop, or wait.\n\n" +
		"The activation section uses the standard shape below. Iteration entries should\nuse the loop-specific shape defined in `LOOP.md`.\n\n" +
		"## Activation\n\nLoop:\nActivated at:\nActivated by:\nConfirmation:\nInitial summary:\n"
	for _, before := range []string{"", "\n", "\ufeff"} {
		if got := string(Append([]byte(before), Activation(Activated{}))); got != want {
			t.Errorf("behind %q:\n%s", before, got)
		}
	}
}

func TestEntries(t *testing.T) {
	for name, c := range map[string]struct {
		got  []byte
		want string
	}{
		"an activation": {Activation(Activated{Loop: "triage", At: noon, By: "ann", Confirmation: "1. Activate and run", Summary: "Keep removing\nTODO lines.",
			Details: []Detail{{Name: "Target branch", Value: "main"}, {Name: "scope", Value: "a\n## Activation"}}}),
			"## Activation\n\nLoop: triage\nActivated at: 2026-11-02T12:30:00Z\nActivated by: ann\nConfirmation: 1. Activate and run\n  - Target branch: main\n  - scope: a ## Activation\nInitial summary: Keep removing TODO lines.\n"},
		"an iteration": {Iteration(3, noon, "claude", "Signal: a TODO\nAction: removed it\n\nResult: fine\n"),
			"## Iteration 3 · 2026-11-02T12:30:00Z · claude\n\nSignal: a TODO\nAction: removed it\n\nResult: fine\n"},
		"no action": {NoAction(Skipped{At: noon, Considered: "a manual tick", Why: "Stop When holds: no TODO is left (`grep` exit 1)", Next: "completed"}),
			"## No action · 2026-11-02T12:30:00Z\n\nConsidered because: a manual tick\nAction taken: no\nWhy not: Stop When holds: no TODO is left (`grep` exit 1)\nChanged: nothing\nNext: completed\n"},
		"no action and a question": {NoAction(Skipped{Considered: "x", Acted: "unknown: no answer", Why: "y", Changed: "work.txt", Next: "paused", Question: "go on?\nStatus: running"}),
			"## No action\n\nConsidered because: x\nAction taken: unknown: no answer\nWhy not: y\nChanged: work.txt\nNext: paused\nQuestion: go on? Status: running\n"},
		"a pause": {Decision(Decided{Act: Pause, At: noon, By: "ann", Why: "the direction is unsure", Question: "docs too?", Status: Paused}),
			"## Pause · 2026-11-02T12:30:00Z · ann\n\nWhy: the direction is unsure\nQuestion: docs too?\nNext: paused\n"},
		"a resume": {Decision(Decided{Act: Resume, At: noon, By: "ann", Question: "docs too?", Decision: "no", Status: Running}),
			"## Resume · 2026-11-02T12:30:00Z · ann\n\nQuestion: docs too?\nDecision: no\nNext: running\n"},
		"a stop": {Decision(Decided{Act: Stop, At: noon, By: "ann", Decision: "enough", Status: Stopped}),
			"## Stop · 2026-11-02T12:30:00Z · ann\n\nDecision: enough\nNext: stopped\n"},
	} {
		if got := string(c.got); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, c.want)
		}
	}
}

func TestAppend(t *testing.T) {
	entry := NoAction(Skipped{Considered: "x"})
	for before, want := range map[string]string{
		"# Loop Record\n":                    "\n## No action\n",
		"# Loop Record":                      "\n\n## No action\n",
		"# Loop Record\r\n\r\nwords\r\n":     "\r\n## No action\r\n",
		"# Loop Record\r\n\r\nwords":         "\r\n\r\n## No action\r\n",
		"\ufeff# Loop Record\n\n## A\n\nb\n": "\n## No action\n",
	} {
		got := string(Append([]byte(before), entry))
		if !strings.HasPrefix(got, want) || !strings.HasSuffix(got, "\n") || strings.Contains(before, "\r") != strings.Contains(got, "\r\n") {
			t.Errorf("%q: adds %q", before, got)
		}
	}
}

// No dictated text heads anything, hides what follows, or passes for another entry.
func TestDictatedTextForgesNothing(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"a heading":            {"## Activation\nLoop: x", "\\## Activation\nLoop: x"},
		"an indented heading":  {"a\n\n   ## Activation", "a\n\n   \\## Activation"},
		"an empty heading":     {"#\n######", "\\#\n\\######"},
		"a quoted heading":     {"> ## Activation", "> \\## Activation"},
		"a heading in a list":  {"- ## Activation\n1. # x", "- \\## Activation\n1. \\# x"},
		"an underlined one":    {"Activation\n===\nb\n---", "Activation\n\\===\nb\n\\---"},
		"a rule":               {"a\n\n---\n\nb", "a\n\n---\n\nb"},
		"a heading in code":    {"```\n## Activation\n```", "```\n\\## Activation\n```"},
		"an open code block":   {"```\ncode", "> ```\n> code"},
		"an open tilde block":  {"a\n\n~~~\n## x", "> a\n>\n> ~~~\n> \\## x"},
		"a comment":            {"<!-- a\n\n-->", "<!- - a\n\n-->"},
		"open HTML":            {"<pre>\na", "> <pre>\n> a"},
		"a script":             {"a\n<script>\nb", "> a\n> <script>\n> b"},
		"other line ends":      {"a\r\n## b\r## c\u2028## d", "a\n\\## b ## c ## d"},
		"escape sequences":     {"\x1b[1ma\x1b[0m\x07", "a"},
		"blank lines":          {"\n\n a\n\n\n\nb\n\n", " a\n\nb"},
		"a table":              {"| a | b |\n|---|---|\n| 1 | 2 |", "| a | b |\n|---|---|\n| 1 | 2 |"},
		"a list":               {"- a\n  - b\n- c", "- a\n  - b\n- c"},
		"a hash that is a tag": {"#12 is done", "#12 is done"},
		"other languages":      {"結果: 良い\nДалее: ещё", "結果: 良い\nДалее: ещё"},
		"quotes in each other": {strings.Repeat(">", 60) + "# x", `\` + strings.Repeat(">", 60) + `\# x`},
		"nothing":              {" \n", ""},
	} {
		if got := dictated(c.text); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestLongDictatedTextIsCut(t *testing.T) {
	for name, s := range map[string]string{"lines": strings.Repeat("a line of text\n", 5000), "one line": strings.Repeat("word ", 13000), "quotes": strings.Repeat(">", 65<<10), "nested": strings.Repeat("> ", 5000), "fences": strings.Repeat("```\n", 9000)} {
		got := dictated(s)
		if len(got) > 2*entryMax || !strings.HasSuffix(got, "…") {
			t.Errorf("%s: %d bytes, end %q", name, len(got), got[max(0, len(got)-20):])
		}
	}
}

func TestReadRecord(t *testing.T) {
	record := NewRecord()
	add := func(entry []byte) { record = append(record, Append(record, entry)...) }
	add(Activation(Activated{Loop: "triage", At: noon, By: "ann", Confirmation: "run", Summary: "s", Details: []Detail{{Name: "1st branch", Value: "main: or dev"}}}))
	add(Iteration(1, noon, "claude", "Signal: x\n## Activation\nLoop: forged"))
	add(NoAction(Skipped{Considered: "y"}))
	add(Iteration(2, noon, "claude", "```\n## Activation\nLoop: forged"))
	for name, src := range map[string][]byte{"as written": record, "CRLF": bytes.ReplaceAll(record, []byte("\n"), []byte("\r\n")), "BOM": append([]byte(bom), record...)} {
		entries, findings := ReadRecord("record.md", src)
		var headings []string
		for _, e := range entries {
			headings = append(headings, e.Heading)
		}
		if strings.Join(headings, "|") != "Activation|Iteration 1 · 2026-11-02T12:30:00Z · claude|No action|Iteration 2 · 2026-11-02T12:30:00Z · claude" || len(findings) > 0 {
			t.Fatalf("%s: %q, %v", name, headings, findings)
		}
		if e := entries[1]; e.Line != 23 || !strings.HasPrefix(e.Text, "## Iteration 1") || !strings.Contains(e.Text, "Signal: x") || strings.Contains(e.Text, "No action") {
			t.Errorf("%s: the second entry %+v", name, e)
		}
		a, ok := LastActivation(entries)
		want := Activated{Loop: "triage", At: noon, By: "ann", Confirmation: "run", Summary: "s", Details: []Detail{{Name: "1st branch", Value: "main: or dev"}}}
		if diff := cmp.Diff(want, a); diff != "" || !ok {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestReadOtherRecords(t *testing.T) {
	for name, c := range map[string]struct {
		text    string
		entries int
		loop    string
	}{
		"nothing":               {"", 0, ""},
		"the template":          {"# Loop Record\n\n## Activation\n\nLoop:\nActivated at:\nActivated by:\nConfirmation:\nInitial summary:\n", 1, ""},
		"an older activation":   {"## Activation\nLoop: a\n\n## Activation\n\nLoop:\n", 2, "a"},
		"the newest activation": {"## Activation\nLoop: a\n\n## Activation\n\n- **Loop:** b\n- Activated at: 2026-11-02\n", 2, "b"},
		"a heading in code":     {"## Activation\nLoop: a\n\n```\n## Activation\nLoop: b\n```\n", 1, "a"},
		"an open code block":    {"## Activation\nLoop: a\n```\n## Activation\nLoop: b\n", 2, "b"},
		"other headings":        {"## Activation\nLoop: a\n### Iteration 1\nx\n# y\n", 1, "a"},
		"no headings":           {"Activation\nLoop: a\n", 0, ""},
	} {
		entries, findings := ReadRecord("record.md", []byte(c.text))
		a, ok := LastActivation(entries)
		if len(entries) != c.entries || a.Loop != c.loop || ok != (c.loop != "") || len(findings) > 0 {
			t.Errorf("%s: %+v, %+v, %v", name, entries, a, findings)
		}
	}
	_, findings := ReadRecord("record.md", []byte("# Loop Record\n\x00"))
	compare(t, findings, []string{"2 record.md: UTF-8"})
}

func FuzzRecord(f *testing.F) {
	for _, s := range []string{"Signal: x\n## Activation", "```\n", "<pre>", "a\n===", "- # x", "> ~~~", "\t## x", "1. - > # x", "[a]: <b\n\n", "-\n  ```", "<!--", "\\"} {
		f.Add([]byte("# Loop Record\r\n"), s)
		f.Add([]byte("x\n```"), s)
	}
	f.Fuzz(func(t *testing.T, record []byte, text string) {
		text = dictated(text)
		for l := range strings.SplitSeq(text, "\n") {
			if strings.HasPrefix(strings.TrimLeft(l, " "), "#") && headless(l, false) != l || strings.ContainsAny(l, "\r\x1b\x00") {
				t.Fatalf("%q stands in %q", l, text)
			}
		}
		whole := append(NewRecord(), Append(NewRecord(), Iteration(1, noon, "x", text))...)
		whole = append(whole, Append(whole, Activation(Activated{Loop: "k"}))...)
		entries, _ := ReadRecord("record.md", whole)
		if len(entries) != 2 || !entries[1].IsActivation() {
			t.Fatalf("%q reads as %d entries:\n%s", text, len(entries), whole)
		}
		if !contained(text) {
			t.Fatalf("%q goes on behind its end", text)
		}
		added := Append(record, NoAction(Skipped{Considered: text}))
		if !bytes.HasSuffix(added, []byte("\n")) {
			t.Fatalf("added %q", added)
		}
		before, findings := ReadRecord("record.md", record)
		if len(findings) > 0 {
			return
		}
		after, _ := ReadRecord("record.md", append(bytes.Clone(record), added...))
		for i, e := range after {
			if e.Line < 1 || i < len(before) && i < len(after)-1 && before[i].Heading != e.Heading {
				t.Fatalf("%q: entry %d became %+v", record, i, e)
			}
		}
	})
}

func TestStatusesAreTheFive(t *testing.T) {
	want := []journal.Status{"running", "waiting", "paused", "completed", "stopped"}
	if diff := cmp.Diff(want, Statuses()); diff != "" {
		t.Error(diff)
	}
}
