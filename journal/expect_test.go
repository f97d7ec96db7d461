package journal

import (
	"strings"
	"testing"
)

func TestExpectations(t *testing.T) {
	type run struct {
		exit        int
		out, errOut string
		ok          bool
		got         string
	}
	for _, c := range []struct {
		text  string
		kind  ExpectationKind
		rest  string
		fault string
		runs  []run
	}{
		{"", ExitStatus, "", "", []run{{0, "", "", true, "exit 0"}, {1, "", "", false, "exit 1"}}},
		{"passes", ExitStatus, "", "", []run{{0, "", "", true, "exit 0"}, {2, "", "", false, "exit 2"}}},
		{"Passes.", ExitStatus, "", "", []run{{0, "", "", true, "exit 0"}}},
		{"succeeds", ExitStatus, "", "", []run{{0, "", "", true, "exit 0"}, {1, "", "", false, "exit 1"}}},
		{"**green**", ExitStatus, "", "", []run{{0, "", "", true, "exit 0"}}},
		{"exits 0", ExitStatus, "", "", []run{{0, "", "", true, "exit 0"}, {1, "", "", false, "exit 1"}}},
		{"exit code 0", ExitStatus, "", "", []run{{0, "", "", true, "exit 0"}, {1, "", "", false, "exit 1"}}},
		{"`exits 0`", ExitStatus, "", "", []run{{0, "", "", true, "exit 0"}}},
		{"exits 1", ExitStatus, "", "", []run{{1, "", "", true, "exit 1"}, {0, "", "", false, "exit 0"}, {2, "", "", false, "exit 2"}}},
		{"exit 3", ExitStatus, "", "", []run{{3, "", "", true, "exit 3"}}},
		{"exits with status 4", ExitStatus, "", "", []run{{4, "", "", true, "exit 4"}}},
		{"exits 1 (no TODO is left)", ExitStatus, "", "", []run{{1, "", "", true, "exit 1"}, {0, "", "", false, "exit 0"}}},
		{"exits 1, prints nothing", ExitStatus, "prints nothing", "", []run{{1, "", "", true, "exit 1"}, {0, "", "", false, "exit 0"}}},
		{"exits 256", ExitStatus, "", "0 to 255", []run{{0, "", "", false, "exit 0, but an exit status is 0 to 255"}}},
		{"exits 99999999999999999999", ExitStatus, "", "0 to 255", nil},
		{"exits soon", ExitStatus, "exits soon", "", []run{{0, "", "", true, "exit 0"}, {1, "", "", false, "exit 1"}}},
		{"exits 2nd", ExitStatus, "exits 2nd", "", []run{{0, "", "", true, "exit 0"}}},
		{"passes with no warnings", ExitStatus, "with no warnings", "", []run{{0, "", "", true, "exit 0"}, {1, "", "", false, "exit 1"}}},
		{"passesby", ExitStatus, "passesby", "", nil},
		{"everybody is happy", ExitStatus, "everybody is happy", "", []run{{0, "", "", true, "exit 0"}, {1, "", "", false, "exit 1"}}},
		{`contains "all good"`, PrintsText, "", "", []run{
			{0, "x all good y", "", true, `exit 0, "all good" found`}, {0, "", "all good", true, `exit 0, "all good" found`},
			{0, "bad", "", false, `exit 0, "all good" not found`}, {1, "all good", "", false, "exit 1"},
			{0, "\x1b[32mall\x1b[0m good", "", true, `exit 0, "all good" found`}}},
		{`prints "a \"b\""`, PrintsText, "", "", []run{{0, `a "b"`, "", true, `exit 0, "a \"b\"" found`}}},
		{`prints “ok”`, PrintsText, "", "", []run{{0, "ok", "", true, `exit 0, "ok" found`}}},
		{`contains "a" and "b"`, PrintsText, `and "b"`, "", []run{{0, "a", "", true, `exit 0, "a" found`}}},
		{`contains ""`, PrintsText, "", "every output", []run{{0, "a", "", false, "exit 0, but an empty text is in every output"}}},
		{`contains ok`, ExitStatus, "contains ok", "", nil},
		{`contains "ok`, ExitStatus, `contains "ok`, "", nil},
		{`matches /^ok \d+$/`, MatchesRegex, "", "", []run{{0, "ok 12", "", true, `exit 0, /^ok \d+$/ found`}, {0, "ok", "", false, `exit 0, /^ok \d+$/ not found`}, {3, "ok 1", "", false, "exit 3"}}},
		{`matches /a/b/`, MatchesRegex, "", "", []run{{0, "", "xa/by", true, "exit 0, /a/b/ found"}}},
		{`matches /(?i)OK/.`, MatchesRegex, "", "", []run{{0, "ok", "", true, "exit 0, /(?i)OK/ found"}}},
		{`matches /a(/`, MatchesRegex, "", "missing closing", []run{{0, "a(", "", false, "exit 0, but error parsing regexp: missing closing ): `a(`"}}},
		{`matches /(?=a)/`, MatchesRegex, "", "invalid", nil},
		{`matches /ok/i`, MatchesRegex, "i", "(?i)", nil},
		{`matches //`, MatchesRegex, "", "every output", nil},
		{`matches the golden file`, ExitStatus, "matches the golden file", "", nil},
		{`= 5`, NumberIs, "", "", []run{{0, "5\n", "", true, "last line 5"}, {0, "6\n", "", false, "last line 6"}, {1, "5\n", "", false, "exit 1"},
			{0, "none\n", "", false, `last line "none": no number, want exactly one`}, {0, "", "5", false, "no output, want one number on the last line"}}},
		{`== 0`, NumberIs, "", "", []run{{0, "0", "", true, "last line 0"}}},
		{`< 3`, NumberIs, "", "", []run{{0, "2.5", "", true, "last line 2.5"}, {0, "3", "", false, "last line 3"}}},
		{`<= 3`, NumberIs, "", "", []run{{0, "3", "", true, "last line 3"}, {0, "3.01", "", false, "last line 3.01"}}},
		{`> -1`, NumberIs, "", "", []run{{0, "0", "", true, "last line 0"}, {0, "-1", "", false, "last line -1"}}},
		{`>= 80%`, NumberIs, "", "", []run{{0, "coverage: 80.0% of statements", "", true, "last line 80"}, {0, "79.9%", "", false, "last line 79.9"}}},
		{`≥80.`, NumberIs, "", "", []run{{0, "80", "", true, "last line 80"}}},
		{`= 0 warnings`, NumberIs, "warnings", "", []run{{0, "0", "", true, "last line 0"}}},
		{`= 0 (the linter's count)`, NumberIs, "", "", nil},
		{`= zero`, ExitStatus, "= zero", "", nil},
		{`= 1,000`, ExitStatus, "= 1,000", "", nil},
	} {
		e := ParseExpectation(c.text)
		if e.Kind != c.kind || e.Rest != c.rest || e.Untested() != (c.rest != "") || e.Text != c.text {
			t.Errorf("ParseExpectation(%q) = %+v, want kind %q, rest %q", c.text, e, c.kind, c.rest)
		}
		if (c.fault == "") != (e.Fault == "") || !strings.Contains(e.Fault, c.fault) {
			t.Errorf("ParseExpectation(%q): fault %q, want %q", c.text, e.Fault, c.fault)
		}
		for _, r := range c.runs {
			ok, got := e.Judge(r.exit, []byte(r.out), []byte(r.errOut))
			if ok != r.ok || got != r.got {
				t.Errorf("%q: Judge(%d, %q, %q) = %v, %q; want %v, %q", c.text, r.exit, r.out, r.errOut, ok, got, r.ok, r.got)
			}
		}
	}
}

func TestZeroExpectationIsExitZero(t *testing.T) {
	var e Expectation
	if ok, _ := e.Judge(0, nil, nil); !ok {
		t.Error("exit 0 is not good")
	}
	if ok, _ := e.Judge(1, nil, nil); ok {
		t.Error("exit 1 is good")
	}
}
