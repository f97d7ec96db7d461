package signs

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestAdmit(t *testing.T) {
	good := Sign{Date: "2026-11-01", Rule: "do not add lines to work.txt", Why: "ratchet 5 → 6", Iteration: 1}
	with := func(change func(*Sign)) Sign { s := good; change(&s); return s }
	for name, c := range map[string]struct {
		in   Sign
		want string // the rendered line
		err  error
	}{
		"good":           {good, "- 2026-11-01 · do not add lines to work.txt (ratchet 5 → 6, it.1)", nil},
		"spaces":         {with(func(s *Sign) { s.Rule = "  run\tthe   migration " }), "- 2026-11-01 · run the migration (ratchet 5 → 6, it.1)", nil},
		"bullet":         {with(func(s *Sign) { s.Rule = "- run the migration" }), "- 2026-11-01 · run the migration (ratchet 5 → 6, it.1)", nil},
		"cause of lines": {with(func(s *Sign) { s.Why = "a\nb\x1b[31m" }), "- 2026-11-01 · do not add lines to work.txt (a b [31m, it.1)", nil},
		"other language": {with(func(s *Sign) { s.Rule = "テストを先に直す" }), "- 2026-11-01 · テストを先に直す (ratchet 5 → 6, it.1)", nil},
		"torn brackets":  {with(func(s *Sign) { s.Why = "a) (b" }), "- 2026-11-01 · do not add lines to work.txt (a] [b, it.1)", nil},
		"no iteration":   {with(func(s *Sign) { s.Iteration = 0 }), "", ErrNoFailure},
		"no cause":       {with(func(s *Sign) { s.Why = " \n" }), "", ErrNoFailure},
		"empty":          {with(func(s *Sign) { s.Rule = " " }), "", ErrEmpty},
		"two lines":      {with(func(s *Sign) { s.Rule = "a\n## 9 · 2026-11-01T00:00:00Z · claude" }), "", ErrNotOneLine},
		"line separator": {with(func(s *Sign) { s.Rule = "a\u2028b" }), "", ErrNotOneLine},
		"escape":         {with(func(s *Sign) { s.Rule = "a\x1b[31mb" }), "", ErrNotOneLine},
		"bidi override":  {with(func(s *Sign) { s.Rule = "a\u202eb" }), "", ErrNotOneLine},
		"comment":        {with(func(s *Sign) { s.Rule = "hide <!-- the rest" }), "", ErrNotOneLine},
		"not UTF-8":      {with(func(s *Sign) { s.Rule = "a\xffb" }), "", ErrNotOneLine},
		"dots":           {with(func(s *Sign) { s.Rule = "…" }), "", ErrPlaceholder},
		"none":           {with(func(s *Sign) { s.Rule = "None." }), "", ErrPlaceholder},
		"n/a":            {with(func(s *Sign) { s.Rule = "`N/A`" }), "", ErrPlaceholder},
		"angle brackets": {with(func(s *Sign) { s.Rule = "<a rule that would have prevented it>" }), "", ErrPlaceholder},
		"longest":        {with(func(s *Sign) { s.Rule = strings.Repeat("é", ruleRoom) }), "- 2026-11-01 · " + strings.Repeat("é", ruleRoom) + " (ratchet 5 → 6, it.1)", nil},
		"too long":       {with(func(s *Sign) { s.Rule = strings.Repeat("é", ruleRoom+1) }), "", ErrTooLong},
	} {
		got, err := Admit(c.in)
		if !errors.Is(err, c.err) || err == nil && Render(got) != c.want {
			t.Errorf("%s: %q, %v; want %q, %v", name, Render(got), err, c.want, c.err)
		}
	}
	if _, err := Admit(with(func(s *Sign) { s.Date = "yesterday" })); err == nil {
		t.Error("a date that is none was admitted")
	}
	long, err := Admit(with(func(s *Sign) { s.Why = strings.Repeat("x", 500) }))
	if err != nil || len([]rune(long.Why)) != whyRoom || !strings.HasSuffix(long.Why, "…") {
		t.Errorf("a long cause became %q, %v", long.Why, err)
	}
}

func TestParse(t *testing.T) {
	text := "\ufeff# Signs\r\n\r\n" +
		"- 2026-11-01 · do not edit `gen/` (make: exit 2 (twice), it.12)\r\n" +
		"* 2026-11-02 · rule without cause\r\n" +
		"  plain text rule\r\n" +
		"- rule (with a bracket)\r\n" +
		"<!-- - hidden\r\n- hidden too\r\n-->\r\n" +
		"- \r\n" +
		"- 2026-11-03 · see it.4 (it.0)"
	want := []Sign{
		{Date: "2026-11-01", Rule: "do not edit `gen/`", Why: "make: exit 2 (twice)", Iteration: 12},
		{Date: "2026-11-02", Rule: "rule without cause"},
		{Rule: "plain text rule"},
		{Rule: "rule (with a bracket)"},
		{Date: "2026-11-03", Rule: "see it.4 (it.0)"},
	}
	if diff := cmp.Diff(want, Parse(text)); diff != "" {
		t.Error(diff)
	}
}

func TestAppendWritesNoDoubles(t *testing.T) {
	text := "- 2026-11-01 · Do not edit `gen/a.go` — regenerate. (x, it.1)\n"
	for rule, fresh := range map[string]bool{
		"do not edit gen/a.go - regenerate":    false,
		"DO  NOT edit *gen/a.go*, regenerate!": false,
		"do not edit gen/b.go - regenerate":    true,
		"edit gen/a.go - regenerate":           true,
	} {
		s := Sign{Date: "2026-11-02", Rule: rule, Why: "y", Iteration: 2}
		line, ok := Append(text, s)
		if ok != fresh || ok && line != Render(s) {
			t.Errorf("%q: %q, %v", rule, line, ok)
		}
	}
}

// What is admitted reads back as it was written, and is not admitted a second time.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, err := Admit(Sign{Date: "2026-11-01", Rule: rapid.String().Draw(t, "rule"), Why: rapid.String().Draw(t, "why"), Iteration: rapid.IntRange(1, 1e6).Draw(t, "n")})
		if err != nil {
			t.Skip(err)
		}
		checkRoundTrip(t, s)
	})
}

func checkRoundTrip(t interface{ Fatalf(string, ...any) }, s Sign) {
	line := Render(s)
	if strings.ContainsAny(line, "\r\n\u2028\u2029") {
		t.Fatalf("%q is more than a line", line)
	}
	got := Parse(line + "\n")
	if len(got) != 1 || got[0].Date != s.Date || got[0].Iteration != s.Iteration {
		t.Fatalf("%q reads as %+v, want %+v", line, got, s)
	}
	if _, again := Append("# Signs\n"+line+"\n", s); again {
		t.Fatalf("%q was written twice", line)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("- 2026-11-01 · do not edit gen/ (make: exit 2, it.12)\n")
	f.Add("<!-- a\n-->\n* x (it.1)\n\x00")
	f.Add(")(it.9)")
	f.Fuzz(func(t *testing.T, text string) {
		for _, s := range Parse(text) {
			s.Date = "2026-11-01"
			if s.Iteration == 0 {
				s.Iteration = 1
			}
			if s, err := Admit(s); err == nil {
				checkRoundTrip(t, s)
			}
		}
	})
}
