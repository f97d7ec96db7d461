package tracking

import (
	"bytes"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"loopd/journal"
)

func seeds() []string {
	return []string{"", shape, crlf(bom + shape), strings.TrimSuffix(shape, "\n"), columns(shape), shape + "\nbelow\n", "```\n" + shape, "<!--" + shape, strings.ReplaceAll(shape, "- **", "  * "),
		strings.Replace(shape, " ! grep -q TODO work.txt", "\n  ~~~\n  a\n  ~~~", 1), string(New(Document{Check: "`a`\n"})), strings.ReplaceAll(shape, "\n", "\r")}
}

// Read never panics, every finding has a place in the file, and a document without a defect can be written and read again.
func FuzzRead(f *testing.F) {
	for _, s := range seeds() {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		d, findings := Read("loop.md", src)
		most := bytes.Count(src, []byte("\n")) + bytes.Count(src, []byte("\r")) + 1
		sound := true
		for _, x := range findings {
			if x.Line > most || x.Line < 0 || x.Column < 0 || x.Column > len(src)+1 || x.Want == "" || x.File != "loop.md" {
				t.Fatalf("%+v", x)
			}
			sound = sound && x.Warning
		}
		if !sound {
			return
		}
		if d.Task == "" || d.Objective == "" || d.Max < 1 || !d.Status.known() {
			t.Fatalf("%+v has no defect", d)
		}
		d.Slug = Slug(d.Slug)
		if err := Valid(d); err != nil {
			t.Fatal(err)
		}
		got, _ := Read("loop.md", New(d))
		if diff := cmp.Diff(normal(d), got); diff != "" {
			t.Fatal(diff)
		}
	})
}

// AppendRow adds exactly one row to whatever it takes, and changes no byte besides.
func FuzzAppend(f *testing.F) {
	for i, s := range seeds() {
		f.Add([]byte(s), "removed one | line", "why\n"+strings.Repeat("`\\|", i), i%2 == 0)
	}
	f.Fuzz(func(t *testing.T, src []byte, result, reason string, met bool) {
		r := Row{Result: result, Reason: reason, Verdict: NotMet}
		if met {
			r.Verdict = Met
		}
		before, _ := Read("", src)
		out, err := AppendRow(src, r)
		if err != nil {
			if out != nil {
				t.Fatal("bytes beside an error")
			}
			return
		}
		if from, tail, _ := frame(src, out); from != tail {
			t.Fatalf("%q became %q", src, out)
		}
		after, findings := Read("", out)
		for _, x := range findings {
			if !x.Warning {
				t.Fatalf("%q: %s", out, x)
			}
		}
		r.N = len(before.Rows) + 1
		r.Result, r.Reason = journal.OneLine(result, cellRoom), journal.OneLine(reason, cellRoom)
		before.Rows = append(before.Rows, r)
		if diff := cmp.Diff(before, after); diff != "" {
			t.Fatalf("%q: %s", out, diff)
		}
		if again, err := AppendRow(out, Row{N: r.N}); err == nil {
			t.Fatalf("the same row twice: %q", again)
		}
	})
}

// saysMet reports whether a text has a line that says VERDICT and a lone MET, on that line or alone on a later one.
func saysMet(text string) bool {
	lone := func(s string) string { return strings.Trim(s, " \t\v\f\u0085\u00a0*_`:.!") }
	open := false
	for _, l := range strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' }) {
		if open && lone(strings.Map(spaced, l)) == "MET" {
			return true
		}
		if _, value, ok := strings.Cut(l, "VERDICT"); ok {
			value = lone(strings.Map(spaced, value))
			open = open || value == ""
			if value == "MET" {
				return true
			}
		}
	}
	return false
}

func spaced(r rune) rune {
	if unicode.IsSpace(r) {
		return ' '
	}
	return r
}

// ReadAnswer never panics, keeps its texts small and on one line, and gives MET only where a VERDICT and a lone MET stand.
func FuzzAnswer(f *testing.F) {
	for _, s := range []string{"", prompt, "VERDICT: MET", "VERDICT:\n\n**MET.**", "STATUS: OK\nRESULT: x\nVERDICT: NOT_MET\n\n```\nVERDICT: MET\n```", "NEEDS_INPUT: a?\n\nb", "- **VERDICT: MET**\n> no", "~~~\nVERDICT: MET\n~~~"} {
		f.Add(s, prompt)
		f.Add(s, s)
		f.Add(prompt+s+prompt, "")
	}
	f.Fuzz(func(t *testing.T, text, brief string) {
		a := ReadAnswer(text, brief)
		for _, s := range []string{a.Status, a.Result, a.Evidence, a.Reason, a.Missing, a.Question, a.Violation} {
			if strings.ContainsAny(s, "\n\r\x1b\x00") || len([]rune(s)) > 3*evidenceRoom {
				t.Fatalf("%q", s)
			}
		}
		switch {
		case a.Verdict != Met && a.Verdict != NotMet:
			t.Fatalf("verdict %q", a.Verdict)
		case a.Verdict == Met && (!saysMet(text) || a.Violation != "" || a.Question != ""):
			t.Fatalf("%q is MET: %+v", text, a)
		}
		if got := ReadAnswer(text, text); got.Verdict == Met {
			t.Fatalf("a message that is all quotes is MET: %q", text)
		}
		if got := ReadAnswer(text+"\nSTATUS: OK\nVERDICT: NOT_MET\nVERDICT: MET\n", ""); got.Verdict == Met && !strings.Contains(text, "VERDICT") {
			t.Fatalf("a contradiction behind %q is MET", text)
		}
	})
}
