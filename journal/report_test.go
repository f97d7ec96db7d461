package journal

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const testBrief = `Do one unit.
LOOP-OUTCOME: <shipped|filed|rejected|empty|gate_killed|blocked> — <one line>
- Unit: <the unit>
- Did: …
An example from the skill:
LOOP-OUTCOME: shipped — fixed #42 · carry-drop: --skip-audit
`

func TestOutcomeLine(t *testing.T) {
	for _, c := range []struct {
		name, text string
		status     ReportStatus
		detail     string // of a good line
		violation  string // part of it
	}{
		{"plain", "LOOP-OUTCOME: shipped — removed one", ReportShipped, "removed one", ""},
		{"en dash", "LOOP-OUTCOME: filed – #12", ReportFiled, "#12", ""},
		{"hyphen", "LOOP-OUTCOME: rejected - closed", ReportRejected, "closed", ""},
		{"colon", "LOOP-OUTCOME: blocked: which database?", ReportBlocked, "which database?", ""},
		{"no detail", "LOOP-OUTCOME: empty", ReportEmpty, "", ""},
		{"gate_killed", "LOOP-OUTCOME: gate_killed — none was good", ReportGateKilled, "none was good", ""},
		{"no spaces", "LOOP-OUTCOME:shipped—x", ReportShipped, "x", ""},
		{"tab", "\tLOOP-OUTCOME:\tshipped\t—\tx", ReportShipped, "x", ""},
		{"dash alone", "LOOP-OUTCOME: shipped —", ReportShipped, "", ""},
		{"hyphen with one space", "LOOP-OUTCOME: shipped -x", ReportShipped, "x", ""},
		{"bold whole", "**LOOP-OUTCOME: shipped — x**", ReportShipped, "x", ""},
		{"bold mark", "**LOOP-OUTCOME:** shipped — x", ReportShipped, "x", ""},
		{"bold word", "**LOOP-OUTCOME: shipped** — x", ReportShipped, "x", ""},
		{"quoted", "> LOOP-OUTCOME: shipped — x", ReportShipped, "x", ""},
		{"quoted twice, bold, indented", "   >> **LOOP-OUTCOME: shipped — x**", ReportShipped, "x", ""},
		{"back-ticks", "`LOOP-OUTCOME: shipped — x`", ReportShipped, "x", ""},
		{"bold back-ticks", "**`LOOP-OUTCOME: shipped — x`**", ReportShipped, "x", ""},
		{"in a fence", "```\nLOOP-OUTCOME: shipped — x\n```\n", ReportShipped, "x", ""},
		{"CRLF", "done\r\nLOOP-OUTCOME: shipped — x\r\n- Unit: y\r\n", ReportShipped, "x", ""},
		{"BOM", "\ufeffLOOP-OUTCOME: shipped", ReportShipped, "", ""},
		{"the last wins", "LOOP-OUTCOME: shipped — a\n\nNo, wait.\n\nLOOP-OUTCOME: blocked — b", ReportBlocked, "b", ""},
		{"prose behind", "LOOP-OUTCOME: shipped — a\n\nThat is all.", ReportShipped, "a", ""},
		{"same twice", "LOOP-OUTCOME: shipped — a\nLOOP-OUTCOME: shipped — b", ReportShipped, "b", ""},
		{"dot in detail", "LOOP-OUTCOME: shipped — a · b · c", ReportShipped, "a · b · c", ""},
		{"quote behind the real one", "LOOP-OUTCOME: filed — a\n\nLOOP-OUTCOME: shipped — fixed #42 · carry-drop: --skip-audit", ReportFiled, "a", ""},
		{"quote in its paragraph", "LOOP-OUTCOME: <shipped|filed|rejected|empty|gate_killed|blocked> — <one line>\nLOOP-OUTCOME: filed — a", ReportFiled, "a", ""},
		{"escape in detail", "LOOP-OUTCOME: shipped — \x1b[31mred\x1b[0m\u202e", ReportShipped, "red", ""},

		{"nothing", "", "", "", "empty"},
		{"white space", " \n\t", "", "", "empty"},
		{"prose", "I did a lot of work and everything is shipped.", "", "", "no LOOP-OUTCOME line"},
		{"inside a sentence", "For example I could write LOOP-OUTCOME: shipped in a sentence.", "", "", "inside a line"},
		{"list", "- LOOP-OUTCOME: shipped — x", "", "", "inside a line"},
		{"heading", "## LOOP-OUTCOME: shipped — x", "", "", "inside a line"},
		{"back-tick open", "`LOOP-OUTCOME: shipped — x", "", "", "inside a line"},
		{"lower-case mark", "loop-outcome: shipped", "", "", "no LOOP-OUTCOME line"},
		{"space in mark", "LOOP-OUTCOME : shipped", "", "", "no LOOP-OUTCOME line"},
		{"unknown word", "LOOP-OUTCOME: done — x", "", "", `says "done — x"`},
		{"upper-case word", "LOOP-OUTCOME: SHIPPED", "", "", `says "SHIPPED"`},
		{"longer word", "LOOP-OUTCOME: shipped-ish", "", "", `says "shipped-ish"`},
		{"gate-killed", "LOOP-OUTCOME: gate-killed", "", "", `says "gate-killed"`},
		{"no separator", "LOOP-OUTCOME: shipped and merged", "", "", `says "shipped and merged"`},
		{"full stop", "LOOP-OUTCOME: shipped.", "", "", `says "shipped."`},
		{"choice", "LOOP-OUTCOME: shipped|filed — x", "", "", `says "shipped|filed — x"`},
		{"no word", "LOOP-OUTCOME:", "", "", "names no status"},
		{"changed template", "LOOP-OUTCOME: <shipped|filed> — x", "", "", `says "<shipped|filed> — x"`},
		{"two words", "LOOP-OUTCOME: shipped — a\nLOOP-OUTCOME: blocked — b", "", "", "two different LOOP-OUTCOME lines in the last paragraph: shipped and blocked"},
		{"two with bullets between", "LOOP-OUTCOME: shipped\n- Unit: a\nLOOP-OUTCOME: empty", "", "", "two different"},
		{"unknown beside known", "LOOP-OUTCOME: done\nLOOP-OUTCOME: shipped", "", "", `says "done"`},
		{"unknown last", "LOOP-OUTCOME: shipped\n\nLOOP-OUTCOME: finished", "", "", `says "finished"`},
		{"echoed brief", testBrief, "", "", "quoted from the brief"},
		{"echoed brief and prose", testBrief + "For example I could write LOOP-OUTCOME: shipped in a sentence.\n", "", "", "quoted from the brief"},
		{"echoed as a quote", "> LOOP-OUTCOME: <shipped|filed|rejected|empty|gate_killed|blocked> — <one line>", "", "", "quoted from the brief"},
		{"echoed example", "> **LOOP-OUTCOME: shipped — fixed #42 · carry-drop: --skip-audit**", "", "", "quoted from the brief"},
	} {
		r := ParseReport(c.text, testBrief, "LOOP_OK")
		if r.Status != c.status || r.Detail != c.detail || !strings.Contains(r.Violation, c.violation) || (r.Violation == "") != (c.violation == "") {
			t.Errorf("%s: %q is %+v", c.name, c.text, r)
		}
		if r.Violation != "" && !strings.Contains(r.Violation, "LOOP-OUTCOME") {
			t.Errorf("%s: the violation does not name LOOP-OUTCOME: %q", c.name, r.Violation)
		}
		if r.OK {
			t.Errorf("%s: taken for the OK token", c.name)
		}
	}
}

func TestDictatedBullets(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       Report
	}{
		{"all of them", "Prose.\n\nLOOP-OUTCOME: shipped — s\n- Unit: u\n- Did: d\n- Next: n\n- Flags: a | charter defect: x, y\n- Sign: s\n- Split: p\n- Split: q\n",
			Report{Status: ReportShipped, Detail: "s", Unit: "u", Did: "d", Next: "n", Flags: []string{"a", "charter defect: x, y"}, Sign: "s", Split: []string{"p", "q"}}},
		{"shapes", "LOOP-OUTCOME: shipped\n\n* **Unit:** u\n+ **Did**: d\nnext: n\n- FLAGS: none",
			Report{Status: ReportShipped, Unit: "u", Did: "d", Next: "n"}},
		{"in a quote", "> LOOP-OUTCOME: shipped\n> - Unit: u\n>\n> - Did: d",
			Report{Status: ReportShipped, Unit: "u", Did: "d"}},
		{"in a fence", "```\nLOOP-OUTCOME: shipped\n- Unit: u\n```\nHope this helps.",
			Report{Status: ReportShipped, Unit: "u"}},
		{"wrapped", "LOOP-OUTCOME: shipped\n- Did: a\n  b\n\tc\n- Unit: u",
			Report{Status: ReportShipped, Did: "a b c", Unit: "u"}},
		{"above", "Prose:\n\n- Unit: u\n- Did: d\n  more\n\nLOOP-OUTCOME: shipped",
			Report{Status: ReportShipped, Unit: "u", Did: "d more"}},
		{"below beats above", "- Unit: old\n- Sign: old\nLOOP-OUTCOME: shipped\n- Unit: new",
			Report{Status: ReportShipped, Unit: "new"}},
		{"prose above does not count", "- Unit: from prose\n\nI went on.\n\nLOOP-OUTCOME: shipped\n",
			Report{Status: ReportShipped}},
		{"prose between ends the block", "LOOP-OUTCOME: shipped\n- Unit: u\nThat was it. Earlier I wrote:\n- Unit: forged\n- Sign: forged",
			Report{Status: ReportShipped, Unit: "u"}},
		{"heading ends the block", "LOOP-OUTCOME: shipped\n- Unit: u\n## 99 · 2026-01-01T00:00:00Z · claude\n- Did: forged",
			Report{Status: ReportShipped, Unit: "u"}},
		{"the last one wins", "LOOP-OUTCOME: shipped\n- Unit: a\n- Unit: b",
			Report{Status: ReportShipped, Unit: "b"}},
		{"other bullets are passed over", "LOOP-OUTCOME: shipped\n- Verify: all pass\n- Unit: u\n- Ratchet: 5 → 0\n- Did: d",
			Report{Status: ReportShipped, Unit: "u", Did: "d"}},
		{"templates are none", "LOOP-OUTCOME: shipped\n- Unit: <the unit>\n- Did: …\n- Next: <…>\n- Split: ...\n- Sign:",
			Report{Status: ReportShipped}},
		{"angle brackets in a value stay", "LOOP-OUTCOME: shipped\n- Unit: <b> and </b>\n- Did: x < y",
			Report{Status: ReportShipped, Unit: "<b> and </b>", Did: "x < y"}},
		{"a new item gets its own box", "LOOP-OUTCOME: shipped\n- Split: - [x] already done\n- Split: [ ] open",
			Report{Status: ReportShipped, Split: []string{"already done", "open"}}},
		{"bullets of a violation are read too", "LOOP-OUTCOME: done\n- Unit: u",
			Report{Unit: "u", Violation: `the LOOP-OUTCOME line says "done", want one of the six words and then — or nothing`}},
		{"no line, no bullets", "- Unit: u",
			Report{Violation: "the final message has no LOOP-OUTCOME line"}},
		{"values are one line and clean", "LOOP-OUTCOME: shipped\n- Unit: a\x1b[2J\x00\u2028## 7 · x\n- Did: <!-- x",
			Report{Status: ReportShipped, Unit: "a ## 7 · x", Did: "<!- - x"}},
		{"carry", "LOOP-OUTCOME: empty — queue empty · carry-add: --skip-audit",
			Report{Status: ReportEmpty, Detail: "queue empty", CarryAdd: []string{"--skip-audit"}}},
		{"carry, two spaces, several", "LOOP-OUTCOME: empty  ·  carry-add: `--a=1` --b  ·  carry-drop: --c · carry-add: --d",
			Report{Status: ReportEmpty, CarryAdd: []string{"--a=1", "--b", "--d"}, CarryDrop: []string{"--c"}}},
		{"carry in bold", "**LOOP-OUTCOME: shipped — x · carry-drop: --skip-audit**",
			Report{Status: ReportShipped, Detail: "x", CarryDrop: []string{"--skip-audit"}}},
		{"carry without flags", "LOOP-OUTCOME: empty — x · carry-add:",
			Report{Status: ReportEmpty, Detail: "x"}},
		{"carry in prose is detail", "LOOP-OUTCOME: empty — carry-add: --x",
			Report{Status: ReportEmpty, Detail: "carry-add: --x"}},
	} {
		if diff := cmp.Diff(c.want, ParseReport(c.text, "", "LOOP_OK")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestSizes(t *testing.T) {
	long := strings.Repeat("家 ", 5000)
	r := ParseReport("LOOP-OUTCOME: shipped — "+long+"\n- Unit: "+long+"\n- Did: "+long+strings.Repeat("\n- Split: item", 500)+"\n- Flags: "+strings.Repeat("f|", 500), "", "")
	for name, s := range map[string]string{"detail": r.Detail, "unit": r.Unit, "did": r.Did} {
		if n := len([]rune(s)); n < 100 || n > 1000 || !strings.HasSuffix(s, "…") {
			t.Errorf("%s has %d characters", name, n)
		}
	}
	if len(r.Split) != sizes.many || len(r.Flags) != sizes.many {
		t.Errorf("%d new items, %d flags", len(r.Split), len(r.Flags))
	}
}

func TestOKToken(t *testing.T) {
	for text, want := range map[string]bool{"LOOP_OK": true, " LOOP_OK\n": true, "LOOP_OK.": false, "**LOOP_OK**": false, "All quiet. LOOP_OK": false, "loop_ok": false, "": false} {
		r := ParseReport(text, "say LOOP_OK", "LOOP_OK")
		if r.OK != want || r.Status != "" {
			t.Errorf("%q: %+v", text, r)
		}
	}
	if ParseReport("", "", "").OK {
		t.Error("an empty message is the empty token")
	}
}

func TestQuestions(t *testing.T) {
	for text, want := range map[string]string{
		"I looked at it.\n\nShould I delete the old table?":                               "Should I delete the old table?",
		"Two ways are open. Would you like me to take the first?":                         "Would you like me to take the first?",
		"Claude requested permissions to write to a.txt, but you haven’t granted it yet.": "Claude requested permissions to write to a.txt, but you haven't granted it yet.",
		"I'm sorry, but I can't help with that.":                                          "I'm sorry, but I can't help with that.",
		"I need your approval to run `rm -rf build`.":                                     "I need your approval to run `rm -rf build`.",
		"Should I delete the table?\n\nI did not, and went on with the next one.":         "", // not the last paragraph
		"Everything is shipped.":                                                          "",
		"The label reads “which option do you prefer”; dismay I felt.":                    "The label reads “which option do you prefer”; dismay I felt.",
		"To my dismay I found nothing.":                                                   "",
		"I cannot help but notice that it is done.\n\n":                                   "I cannot help but notice that it is done.",
		"Should I delete the table?\n\nLOOP-OUTCOME: shipped — I did not":                 "",
		"Should I delete the table?\nLOOP-OUTCOME: whatever":                              "Should I delete the table?",
		"LOOP-OUTCOME: shipped — a\nLOOP-OUTCOME: blocked — should i ask?":                "LOOP-OUTCOME: blocked — should i ask?",
		strings.Repeat("x ", 9000) + "Please approve the change.\n":                       "Please approve the change.",
		"Which is it?":        "",
		"Done.\n\n> \n\n  \n": "",
	} {
		r := ParseReport(text, "", "LOOP_OK")
		if got := r.Question; got != want && !(want != "" && strings.HasSuffix(got, want)) {
			t.Errorf("%.80q: question %q, want %q", text, got, want)
		}
		if r.Status == "" && r.Violation == "" {
			t.Errorf("%.80q: no status and no violation", text)
		}
	}
}

func TestQuestionBehindBadUTF8(t *testing.T) {
	if q := ParseReport(strings.Repeat("\xff", 4000)+" should I go on", "", "").Question; q != "should I go on" {
		t.Errorf("question %q", q)
	}
}

func FuzzParseReport(f *testing.F) {
	for _, s := range []string{testBrief, "LOOP-OUTCOME: shipped — x · carry-add: --a\n- Unit: u", "> **`LOOP-OUTCOME:", "LOOP_OK", "\x1b]\xff\n- Unit:\n \n", "LOOP-OUTCOME: ·", "**LOOP-OUTCOME:** shipped — **"} {
		f.Add(s, testBrief)
		f.Add(s, "")
	}
	f.Fuzz(func(t *testing.T, text, brief string) {
		r := ParseReport(text, brief, "LOOP_OK")
		if r.Status != "" && !slices.Contains(ReportStatuses(), r.Status) {
			t.Fatalf("status %q", r.Status)
		}
		if (r.Status == "") != (r.Violation != "" || r.OK) {
			t.Fatalf("status %q, violation %q, ok %v", r.Status, r.Violation, r.OK)
		}
		for _, s := range append(append(append([]string{r.Violation, r.Detail, r.Unit, r.Did, r.Next, r.Sign, r.Question}, r.Flags...), r.Split...), r.CarryAdd...) {
			if strings.ContainsAny(s, "\n\r\x1b\x00\u2028") {
				t.Fatalf("%q is not one clean line", s)
			}
		}
		if r.Status != "" && !strings.Contains(text, outcomeMark) {
			t.Fatalf("%q out of nothing", r.Status)
		}
	})
}
