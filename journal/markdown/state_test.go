package markdown

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"loopd/journal"
)

// template is the state of the protocol's text, letter for letter.
const template = `# Loop State

Status: running
Loop:
Current focus:
Next action:
Blockers:
Continue conditions currently true:
Stop conditions currently true:
Last human instruction:
Last direction check:
Pending human review:
Activation bound:
Activation bound progress:
Iteration count:
Updated at:
`

func TestNewState(t *testing.T) {
	if got := string(NewState(nil)); got != template {
		t.Errorf("the template:\n%s", got)
	}
	got := string(NewState([]Track{{Name: "Open reviews"}, {Name: "Last PR"}}, Field{Name: "loop", Value: "triage"}, Field{Name: FieldStatus, Value: "waiting"}, Field{Name: "Last PR", Value: "12"}))
	want := strings.Replace(strings.Replace(template, "running", "waiting", 1), "Loop:", "Loop: triage", 1) + "Open reviews:\nLast PR: 12\n"
	if got != want {
		t.Errorf("with values:\n%s", got)
	}
	s, findings := ReadState("state.md", []byte(got))
	if len(findings) != 0 || s.Status != Waiting || s.Iterations != 0 || s.Get("last pr") != "12" || s.Get("open reviews") != "" || len(s.Fields) != 16 {
		t.Errorf("read %+v, %v", s, findings)
	}
}

// edited is one change of a state file: what it sets, and what the file becomes.
var edited = []struct {
	name, src string
	set       []Field
	want      string
}{
	{"in place", template, []Field{{Name: "Status", Value: "paused"}, {Name: "Iteration count", Value: "3"}}, strings.Replace(strings.Replace(template, "running", "paused", 1), "count:", "count: 3", 1)},
	{"the same value", "Status:   running  \nLoop: x\n", []Field{{Name: "Status", Value: "running"}}, "Status:   running  \nLoop: x\n"},
	{"no value", "Status: running\nBlockers: a\n", []Field{{Name: "Blockers"}}, "Status: running\nBlockers:\n"},
	{"twice in one call", "Status: running\n", []Field{{Name: "Status", Value: "waiting"}, {Name: "status", Value: "paused"}}, "Status: paused\n"},
	{"the key as it is written", "status : running\nLOOP: x\n", []Field{{Name: "Status", Value: "waiting"}, {Name: "Loop", Value: "y"}}, "status : waiting\nLOOP: y\n"},
	{"hard line ends", "Status: running  \nLoop: x  \n", []Field{{Name: "Status", Value: "waiting"}}, "Status: waiting  \nLoop: x  \n"},
	{"bold", "**Status:** running\n**Loop**: x\n", []Field{{Name: "Status", Value: "waiting"}, {Name: "Loop", Value: "y"}}, "**Status:** waiting\n**Loop**: y\n"},
	{"bullets", "- Status: running\n- **Blockers:** a\n  - b\n- Loop: x\n", []Field{{Name: "Blockers", Value: "c"}, {Name: "Status", Value: "paused"}}, "- Status: paused\n- **Blockers:** c\n- Loop: x\n"},
	{"a wide colon", "Status：running\nNotizen：x\n", []Field{{Name: "Status", Value: "waiting"}}, "Status： waiting\nNotizen：x\n"},
	{"CRLF", "Status: running\r\nBlockers:\r\n- a\r\n- b\r\nLoop: x\r\n", []Field{{Name: "Blockers", Value: "c\nd"}, {Name: "Status", Value: "paused"}, {Name: "Next action", Value: "n"}},
		"Status: paused\r\nBlockers:\r\n  c\r\n  d\r\nLoop: x\r\nNext action: n\r\n"},
	{"BOM", "\ufeffStatus: running\n", []Field{{Name: "Status", Value: "paused"}}, "\ufeffStatus: paused\n"},
	{"no final line end", "Status: running\nIteration count: 1", []Field{{Name: "Iteration count", Value: "2"}, {Name: "Updated at", Value: "now"}, {Name: "Own", Value: "x"}}, "Status: running\nIteration count: 2\nUpdated at: now\nOwn: x"},

	{"several lines, replaced whole", "Status: running\nBlockers: a\n  b\n\n  c\n- d\nLoop: x\n", []Field{{Name: "Blockers", Value: "z"}}, "Status: running\nBlockers: z\nLoop: x\n"},
	{"a list behind a blank line", "Status: running\nBlockers:\n\n- a\n- b\n\nLoop: x\n", []Field{{Name: "Blockers", Value: "z"}}, "Status: running\nBlockers: z\n\nLoop: x\n"},
	{"a code block", "Status: running\nNext action:\n```\nStatus: waiting\n```\nLoop: x\n", []Field{{Name: "Next action", Value: "z"}, {Name: "Status", Value: "paused"}}, "Status: paused\nNext action: z\nLoop: x\n"},
	{"a list of keys", "Status: running\nBlockers:\n- Status: unclear\n- Loop: unclear\nLoop: x\n", []Field{{Name: "Status", Value: "paused"}, {Name: "Loop", Value: "y"}}, "Status: paused\nBlockers:\n- Status: unclear\n- Loop: unclear\nLoop: y\n"},
	{"unknown lines", "# Loop State\n\nSome words of mine.\nStatus: running\nMine: 1\nmore words\n\n> Status: quoted\n| Status | x |\nLoop: x\n\n## Notes\nkept\n", []Field{{Name: "Status", Value: "paused"}, {Name: "Loop", Value: "y"}},
		"# Loop State\n\nSome words of mine.\nStatus: paused\nMine: 1\nmore words\n\n> Status: quoted\n| Status | x |\nLoop: y\n\n## Notes\nkept\n"},
	{"a comment", "<!-- Status: running -->\n<!--\nStatus: waiting\n-->\nStatus: running\n", []Field{{Name: "Status", Value: "paused"}}, "<!-- Status: running -->\n<!--\nStatus: waiting\n-->\nStatus: paused\n"},
	{"an open comment", "Status: running\n<!-- oops\nLoop: x\n", []Field{{Name: "Loop", Value: "y"}}, "Status: running\n<!-- oops\nLoop: y\n"},
	{"an open code block", "Status: running\n```\nLoop: x\n", []Field{{Name: "Loop", Value: "y"}}, "Status: running\n```\nLoop: y\n"},
	{"prose behind the last field", "Status: running\nUpdated at: now\n\nThese are my words.\n", []Field{{Name: "Updated at", Value: "later"}}, "Status: running\nUpdated at: later\n\nThese are my words.\n"},

	{"missing, in the template's place", "# Loop State\n\nStatus: running\nUpdated at: now\nMine: 1\n", []Field{{Name: "Iteration count", Value: "1"}, {Name: "Loop", Value: "x"}, {Name: "Blockers", Value: "b"}},
		"# Loop State\n\nStatus: running\nLoop: x\nBlockers: b\nIteration count: 1\nUpdated at: now\nMine: 1\n"},
	{"missing, before the first", "# Loop State\n\nLoop: x\n", []Field{{Name: "Status", Value: "paused"}}, "# Loop State\n\nStatus: paused\nLoop: x\n"},
	{"missing, behind a list", "Status: running\nBlockers:\n- a\n- b\n\nLoop: x\n", []Field{{Name: "Continue conditions currently true", Value: "c"}}, "Status: running\nBlockers:\n- a\n- b\nContinue conditions currently true: c\n\nLoop: x\n"},
	{"missing, among bullets", "- **Status:** running\n- **Loop:** x\n", []Field{{Name: "Current focus", Value: "f"}, {Name: "Mine", Value: "m"}}, "- **Status:** running\n- **Loop:** x\n- **Current focus:** f\n- **Mine:** m\n"},
	{"one of the loop's own", "Status: running\nUpdated at: now\n\n## Notes\nkept\n", []Field{{Name: "Open reviews", Value: "2"}, {Name: "Last PR", Value: "7"}}, "Status: running\nUpdated at: now\nOpen reviews: 2\nLast PR: 7\n\n## Notes\nkept\n"},
	{"only fields of somebody's own", "Mine: 1\n", []Field{{Name: "Status", Value: "paused"}}, "Mine: 1\nStatus: paused\n"},
	{"an empty file", "", []Field{{Name: "Status", Value: "paused"}}, strings.Replace(template, "running", "paused", 1)},
	{"words alone", "words", []Field{{Name: "Status", Value: "paused"}}, "words\nStatus: paused"},

	// What is dictated cannot forge a field.
	{"a value of fields", "Status: running\nNext action:\n", []Field{{Name: "Next action", Value: "go on\nStatus: completed\n\n# Loop State\n- Status: stopped"}}, "Status: running\nNext action:\n  go on\n  Status: completed\n  # Loop State\n  - Status: stopped\n"},
	{"a value with a carriage return", "Status: running\nNext action:\n", []Field{{Name: "Next action", Value: "go\rStatus: completed\u2028Status: stopped"}}, "Status: running\nNext action: go Status: completed Status: stopped\n"},
	{"a value that opens code", "Status: running\nNext action:\nLoop: x\n", []Field{{Name: "Next action", Value: "a\n```\nb"}}, "Status: running\nNext action:\n  a\n  \\```\n  b\nLoop: x\n"},
	{"a value that opens a comment", "Status: running\nNext action:\nLoop: x\n", []Field{{Name: "Next action", Value: "<!-- a"}}, "Status: running\nNext action: <!- - a\nLoop: x\n"},
	{"escape sequences", "Status: running\nNext action:\n", []Field{{Name: "Next action", Value: "\x1b[31mred\x1b[0m\x00"}}, "Status: running\nNext action: red\n"},
	{"a name that is none", "Status: running\n", []Field{{Name: "\n", Value: "x"}, {Name: strings.Repeat("long ", 30), Value: "x"}}, "Status: running\n"},
	{"a name that begins with marks", "Status: running\n", []Field{{Name: "\"- #x", Value: "1"}}, "Status: running\nx: 1\n"},
	{"a name of several lines", "Status: running\n", []Field{{Name: "a\nStatus", Value: "x"}}, "Status: running\na Status: x\n"},
}

func TestSetFields(t *testing.T) {
	for _, c := range edited {
		t.Run(c.name, func(t *testing.T) {
			src := []byte(c.src)
			got := SetFields(src, c.set...)
			if string(got) != c.want {
				t.Errorf("got\n%q, want\n%q", got, c.want)
			}
			if string(src) != c.src {
				t.Error("the source was changed")
			}
			if again := SetFields(got, c.set...); !bytes.Equal(again, got) {
				t.Errorf("a second time gives\n%q", again)
			}
		})
	}
}

func TestReadState(t *testing.T) {
	full := strings.NewReplacer("Loop:", "Loop: triage", "Iteration count:", "Iteration count: 4", "Blockers:", "Blockers:\n- a\n- b").Replace(template)
	s, findings := ReadState("state.md", []byte(full))
	if len(findings) != 0 || s.Status != Running || s.Iterations != 4 || s.Get(FieldBlockers) != "- a\n- b" || s.Get("LOOP") != "triage" || s.Get("nothing") != "" || s.Fields[4].Line != 7 || string(s.Raw) != full {
		t.Errorf("read %+v, %v", s, findings)
	}
	for name, c := range map[string]struct {
		text     string
		findings []string
	}{
		"each status":              {strings.Replace(template, "running", "completed", 1), nil},
		"CRLF and BOM":             {"\ufeff" + strings.ReplaceAll(template, "\n", "\r\n"), nil},
		"a status in capitals":     {strings.Replace(template, "running", "Running", 1), []string{"3 Status: exactly one of running, waiting, paused, completed, stopped"}},
		"a status of two words":    {strings.Replace(template, "running", "running (since noon)", 1), []string{"3 Status: exactly one of"}},
		"another tool's status":    {strings.Replace(template, "running", "active", 1), []string{"3 Status: exactly one of"}},
		"a status of two lines":    {strings.Replace(template, "running", "running\n  waiting", 1), []string{"3 Status: exactly one of"}},
		"no status":                {strings.Replace(template, "running", "", 1), []string{"3 Status: exactly one of"}},
		"no status line":           {strings.Replace(template, "Status: running\n", "", 1), []string{"1 Status: exactly one of"}},
		"a doubled field":          {template + "Status: waiting\n", []string{"17 Status: it stands in line 3 too"}},
		"a doubled field, later":   {strings.Replace(template, "Blockers:", "Blockers:\nloop: x", 1), []string{"8 loop: it stands in line 4 too"}},
		"a doubled own field":      {template + "Mine: 1\nMine: 2\n", []string{"?18 Mine: it stands in line 17 too"}},
		"a count that is none":     {strings.Replace(template, "count:", "count: four", 1), []string{"15 Iteration count: a whole number"}},
		"a negative count":         {strings.Replace(template, "count:", "count: -1", 1), []string{"15 Iteration count: a whole number"}},
		"a count with words":       {strings.Replace(template, "count:", "count: 3 of 5", 1), []string{"15 Iteration count: a whole number"}},
		"missing fields":           {"Status: waiting\nLoop: x\n", []string{"?1 Current focus, Next action, Blockers, Continue conditions currently true, Stop conditions currently true, Last human instruction, Last direction check, Pending human review, Activation bound, Activation bound progress, Iteration count, Updated at: added when they are set"}},
		"a wrapped value":          {strings.Replace(template, "Loop:", "Loop: x\nand more", 1), []string{"?5 state.md: indented below its field"}},
		"a JSON file":              {`{"status": "active"}`, []string{"1 state.md: the fields of the protocol's template"}},
		"nothing":                  {"", []string{"1 state.md: the fields of the protocol's template"}},
		"a table":                  {"| Status | running |\n|---|---|\n| Loop | x |\n", []string{"1 state.md: the fields of the protocol's template"}},
		"another file":             {"# Notes\n\nTo do: buy milk\n", []string{"1 state.md: the fields of the protocol's template"}},
		"fields that are indented": {"  Status: running\n", []string{"1 state.md: the fields of the protocol's template"}},
		"binary":                   {template + "\x00", []string{"17 state.md: Markdown in UTF-8"}},
		"Latin-1":                  {"Status: caf\xe9\n", []string{"1 state.md: Markdown in UTF-8"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, findings := ReadState("state.md", []byte(c.text))
			compare(t, findings, c.findings)
		})
	}
}

func TestLargeAndHostileStates(t *testing.T) {
	for name, s := range map[string]string{"fields": "a: b\n", "fences": "```\n", "tildes": "~~~x\n", "long fences": "", "comments": "<!--\n", "lists": "- a\n", "indented": " a\n", "blanks": "\n", "words": "a b\n",
		"colons": "a:", "statuses": "Status: running\n", "letters": "a", "bullets": "- a: b\n"} {
		flood := strings.Repeat(s, 128<<10/max(1, len(s)))
		if name == "long fences" {
			for i := range 600 {
				flood += strings.Repeat("`", i+3) + "\n"
			}
		}
		for _, src := range []string{flood, template + flood, "Status: running\nBlockers:\n" + flood + "Loop: x\n"} {
			ReadState("state.md", []byte(src))
			got := SetFields([]byte(src), Field{Name: "Status", Value: "paused"}, Field{Name: "Loop", Value: "y"}, Field{Name: "Own", Value: flood})
			if len(got) < len(src)/2 && !strings.Contains(src, "Blockers:\n"+s) {
				t.Errorf("%s: %d bytes of %d", name, len(got), len(src))
			}
		}
	}
}

func FuzzState(f *testing.F) {
	for _, c := range edited {
		f.Add([]byte(c.src), "Next action", "go on\nStatus: completed\n```")
	}
	f.Add([]byte(template), "Status", "paused")
	f.Add([]byte("- Status: running\n  x\n"), "Own (x)", "")
	f.Fuzz(func(t *testing.T, src []byte, name, value string) {
		before, findings := ReadState("state.md", src)
		for _, x := range findings {
			if x.Line < 1 || x.Field == "" || x.Want == "" || strings.ContainsAny(x.String(), "\n\r\x1b") {
				t.Fatalf("a finding without position or words: %+v", x)
			}
			if !x.Warning {
				SetFields(src, Field{Name: name, Value: value})
				return
			}
		}
		got := SetFields(src, Field{Name: name, Value: value})
		after, findings := ReadState("state.md", got)
		if n := fieldName(name); n == "" {
			if !bytes.Equal(got, src) {
				t.Fatalf("a field without a name changed %q to %q", src, got)
			}
			return
		}
		if !sameName(fieldName(name), FieldStatus) && !sameName(fieldName(name), FieldCount) && slices.ContainsFunc(findings, func(f journal.Finding) bool { return !f.Warning }) {
			t.Fatalf("%q became %q: %v", src, got, findings)
		}
		want := strings.Join(safeLines(value), "\n")
		if is := after.Get(fieldName(name)); is != want {
			t.Fatalf("%q of %q: read %q, want %q in %q", name, src, is, want, got)
		}
		others := func(s State) string {
			var out []string
			for _, x := range s.Fields {
				if !sameName(x.Name, fieldName(name)) {
					out = append(out, fmt.Sprintf("%q=%q", x.Name, x.Value))
				}
			}
			return strings.Join(out, "\n")
		}
		if others(before) != others(after) {
			t.Fatalf("%q: other fields changed from\n%s\nto\n%s", src, others(before), others(after))
		}
	})
}
