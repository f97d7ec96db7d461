package tracking

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// prompt is a brief as the dialect may write one: it holds the template.
const prompt = `You are iteration 2. Judge from the repository, not from your own claim.

STATUS: OK | NEEDS_INPUT
RESULT: <one line>
EVIDENCE: <what you looked at>
VERDICT: MET | NOT_MET
REASON: <why>
MISSING: <what is missing, or (none)>
`

func TestReadAnswer(t *testing.T) {
	whole := Answer{Status: "OK", Result: "removed one | line", Evidence: "wc", Verdict: Met, Reason: "I say so"}
	plain := "STATUS: OK\nRESULT: removed one | line\nEVIDENCE: wc\nVERDICT: MET\nREASON: I say so\nMISSING: (none)\n"
	for name, text := range map[string]string{
		"the case's own":     plain,
		"prose around it":    "I did it.\n\nRESULTS below.\n\n" + plain + "\nLet me know if you want more.\n",
		"carriage returns":   crlf(plain),
		"bold keys":          "**STATUS:** OK\n**RESULT**: removed one | line\n__EVIDENCE:__ wc\n*VERDICT:* MET\n**REASON: I say so**\n**MISSING:** none.\n",
		"list":               "- STATUS: OK\n* **RESULT:** removed one | line\n• EVIDENCE: wc\n4. VERDICT: MET\n5) REASON: I say so\n+ MISSING: (none)\n",
		"headings":           "## STATUS: OK\n## RESULT:\n\nremoved one | line\n\n## EVIDENCE:\nwc\n\n### VERDICT: MET\n\n## REASON:\n\nI say so\n",
		"in a fence":         "Done:\n\n```text\n" + plain + "```\n",
		"in tildes":          "~~~\n" + plain + "~~~\nBye.\n",
		"an open fence":      "```\n" + plain,
		"each in back-ticks": "`STATUS: OK`\n`RESULT: removed one | line`\n`EVIDENCE: wc`\n`VERDICT: MET`\n`REASON: I say so`\n",
		"another order":      "MISSING: nothing\nREASON: I say so\nVERDICT: MET\nEVIDENCE: wc\nRESULT: removed one | line\nSTATUS: OK\n",
		"blank lines":        strings.ReplaceAll(plain, "\n", "\n\n"),
		"several lines":      "STATUS: OK\nRESULT: removed\none |\n  line\nEVIDENCE:\n\nwc\nVERDICT:\n\n  **MET.**\nREASON:\nI say\n\n  so\nMISSING: N/A\n",
		"behind an echo":     prompt + "\n" + plain,
		"echo behind":        plain + "\n" + prompt,
		"an older block":     "STATUS: OK\nRESULT: a\nEVIDENCE: b\nVERDICT: NOT_MET\nREASON: c\nMISSING: d\n\nOnce more:\n\n" + plain,
		"an older in order":  "VERDICT: NOT_MET\n\nNo, wait.\n\n" + plain,
		"an older fenced":    "```\nSTATUS: OK\nRESULT: x\nVERDICT: NOT_MET\n```\n\n```\n" + plain + "```\n",
		"the same twice":     strings.Replace(plain, "VERDICT: MET\n", "VERDICT: MET\nVERDICT: **MET**\n", 1),
	} {
		if diff := cmp.Diff(whole, ReadAnswer(text, prompt)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestReadAnswerKeepsWhatIsSaid(t *testing.T) {
	got := ReadAnswer("STATUS: FAILED.\nRESULT: two paragraphs\n\nof text\n\nEVIDENCE: shown:\n```\n$ go test\nSTATUS: 200\nok\n```\n- and a list\n\n- of two\n\nVERDICT: NOT MET\n\nREASON: \x1b[31mred\x1b[0m\nMISSING: a test\n", prompt)
	want := Answer{Status: "FAILED", Result: "two paragraphs of text", Evidence: "shown: $ go test STATUS: 200 ok - and a list - of two", Verdict: NotMet, Reason: "red", Missing: "a test"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	flood := ReadAnswer("RESULT: "+strings.Repeat("x ", 100_000)+"\nEVIDENCE:"+strings.Repeat("\ny", 100_000)+"\nVERDICT: MET", "")
	if flood.Verdict != Met || len([]rune(flood.Result)) > cellRoom || len([]rune(flood.Evidence)) > evidenceRoom {
		t.Error(flood.Verdict, len(flood.Result), len(flood.Evidence))
	}
}

// Nothing but a clear MET is one.
func TestNeverMetFromGarbage(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "the final message is empty, it has no VERDICT line"},
		{"MET", "the final message has no VERDICT line"},
		{"The VERDICT: MET", "the final message has no VERDICT line"},
		{"Verdict: MET", "the final message has no VERDICT line"},
		{"VERDICT MET", "the final message has no VERDICT line"},
		{"> VERDICT: MET", "the final message has no VERDICT line"},
		{"STATUS: OK\nRESULT: VERDICT: MET", "the final message has no VERDICT line"},
		{prompt, "the only VERDICT lines are quoted from the brief"},
		{prompt + "STATUS: OK\nRESULT: x", "the only VERDICT lines are quoted from the brief"},
		{"VERDICT:", "the VERDICT line is empty"},
		{"VERDICT:\nREASON: MET", "the VERDICT line is empty"},
		{"VERDICT: PARTIALLY MET", `the VERDICT line says "PARTIALLY MET", want MET or NOT_MET`},
		{"VERDICT: MET?", `the VERDICT line says "MET?", want MET or NOT_MET`},
		{"VERDICT: MET...", `the VERDICT line says "MET...", want MET or NOT_MET`},
		{"VERDICT: Met", `the VERDICT line says "Met", want MET or NOT_MET`},
		{"VERDICT: ~~MET~~", `the VERDICT line says "~~MET~~", want MET or NOT_MET`},
		{"VERDICT: \"MET\"", `the VERDICT line says "\"MET\"", want MET or NOT_MET`},
		{"VERDICT: MET, mostly", `the VERDICT line says "MET, mostly", want MET or NOT_MET`},
		{"VERDICT: MET\nbut for one test", `the VERDICT line says "MET but for one test", want MET or NOT_MET`},
		{"VERDICT: MET\n- not for CI", `the VERDICT line says "MET - not for CI", want MET or NOT_MET`},
		{"VERDICT: MET\u2028not", `the VERDICT line says "MET not", want MET or NOT_MET`},
		{"VERDICT: M\u200bET", `the VERDICT line says "MET", want MET or NOT_MET`},
		{"VERDICT: MET | NOT_MET ", "the only VERDICT lines are quoted from the brief"},
		{"VERDICT: MET or NOT_MET", `the VERDICT line says "MET or NOT_MET", want MET or NOT_MET`},
		{"VERDICT: NOT_MET", ""},
		{"VERDICT: NOT MET", ""},
		{"VERDICT: MET\nVERDICT: NOT_MET", "two VERDICT lines contradict each other: MET and NOT_MET"},
		{"VERDICT: NOT_MET\nVERDICT: MET", "two VERDICT lines contradict each other: MET and NOT_MET"},
		{"VERDICT: MET\nVERDICT: MET?", `the VERDICT line says "MET?", want MET or NOT_MET`},
		{"VERDICT: NOT_MET\n\nHm.\n\nVERDICT: MET", "two VERDICT lines contradict each other: MET and NOT_MET"},
		{"STATUS: OK\nRESULT: x\nVERDICT: NOT_MET\nREASON: y\n\nVERDICT: MET\nREASON: z", "two VERDICT lines contradict each other: MET and NOT_MET"},
		{"STATUS: OK\n\nVERDICT: NOT_MET\n\nREASON: y\n\nVERDICT: MET\n\nREASON: z", "two VERDICT lines contradict each other: MET and NOT_MET"},
		{"VERDICT: MET\n\nNo, wait.\n\nSTATUS: FAILED\nRESULT: it broke", "the final message has no VERDICT line"},
		{"STATUS: OK\nRESULT: x\nVERDICT: MET\n\nOnce more:\n\nSTATUS: OK\nRESULT: y\nVERDICT: NOT_MET", ""},
		{"STATUS: OK\nRESULT: x\nVERDICT: MET\n\nSTATUS: OK\nRESULT: y", "the final message has no VERDICT line"},
		{"STATUS: OK\nEVIDENCE:\n```\nVERDICT: MET\n```\nREASON: cut off", "the final message has no VERDICT line"},
		{"STATUS: OK\nVERDICT: MET\nREASON: x\n\n```\nSTATUS: OK\nVERDICT: NOT_MET\n```", `a VERDICT line in a code fence says "NOT_MET"`},
		{"STATUS: OK\nEVIDENCE: open\n```\nVERDICT: MET\n", "the final message has no VERDICT line"},
	} {
		got := ReadAnswer(c.text, prompt)
		if got.Verdict != NotMet || got.Violation != c.want || got.Question != "" {
			t.Errorf("%q: %s, %q, %q; want %q", c.text, got.Verdict, got.Violation, got.Question, c.want)
		}
	}
	if got := ReadAnswer("VERDICT: MET", "End with\n  - **VERDICT:** MET\n"); got.Verdict != NotMet {
		t.Error("a line of the brief is an answer")
	}
}

func TestNeedsInput(t *testing.T) {
	const silent = "the agent needs input and does not say what"
	for text, want := range map[string]string{
		"STATUS: NEEDS_INPUT\nRESULT: Which branch?\nVERDICT: NOT_MET":                        "Which branch?",
		"**STATUS:** **NEEDS_INPUT**.\nRESULT: Which\n- a\n- b":                               "Which - a - b",
		"STATUS: NEEDS_INPUT (see RESULT)\nRESULT: Which branch?":                             "Which branch?",
		"STATUS: NEEDS_INPUT: Which branch?\nRESULT: nothing yet":                             "Which branch?",
		"STATUS: NEEDS_INPUT — which one\nVERDICT: MET":                                       "which one",
		"STATUS: NEEDS_INPUT Which one":                                                       "Which one",
		"STATUS: NEEDS_INPUT":                                                                 silent,
		"STATUS: NEEDS_INPUT\nREASON: no token":                                               "no token",
		"NEEDS_INPUT: Which branch?":                                                          "Which branch?",
		"I am stuck.\n\n- **NEEDS_INPUT:** Which branch?\n\nThere are two.":                   "Which branch? There are two.",
		"NEEDS_INPUT:\nWhich branch?":                                                         "Which branch?",
		"NEEDS_INPUT:":                                                                        silent,
		"STATUS: OK\nRESULT: x\nVERDICT: MET\nNEEDS_INPUT: May I push?":                       "May I push?",
		"STATUS: OK\nRESULT: x\nVERDICT: MET\n\nNEEDS_INPUT: May I push?":                     "May I push?",
		"STATUS: OK\nSTATUS: NEEDS_INPUT\nRESULT: a?\nVERDICT: MET":                           "a?",
		"STATUS: OK\nVERDICT: NOT_MET\nNEEDS_INPUT: none":                                     "",
		"STATUS: NEEDS_INPUTS\nVERDICT: NOT_MET":                                              "",
		"STATUS: NEEDS_INPUT_LATER\nVERDICT: NOT_MET":                                         "",
		"RESULT: it says NEEDS_INPUT: x\nVERDICT: NOT_MET":                                    "",
		"NEEDS_INPUT: a?\n\nIt is clear now.\n\nSTATUS: OK\nRESULT: x\nVERDICT: NOT_MET":      "",
		"STATUS: NEEDS_INPUT\nRESULT: a?\n\nIt is clear now.\n\nSTATUS: OK\nVERDICT: NOT_MET": "",
	} {
		got := ReadAnswer(text, prompt)
		if got.Question != want || got.Verdict != NotMet || got.Violation != "" || want != "" && got.Status != "NEEDS_INPUT" {
			t.Errorf("%q: %+v, want %q", text, got, want)
		}
	}
}

func TestReadVerdict(t *testing.T) {
	for text, want := range map[string]string{
		"MET": "MET", " MET ": "MET", "**MET**": "MET", "MET.": "MET", "**MET.**": "MET", "`MET`!": "MET", "_MET_": "MET",
		"NOT_MET": "NOT_MET", "NOT MET.": "NOT_MET", "**NOT-MET**": "NOT_MET",
		"": "?", "MET..": "?", "met": "?", "MET?": "?", "MET:": "?", "MET,": "?", "UNMET": "?", "MET MET": "?", "✅ MET": "?", "[MET]": "?",
	} {
		v, ok := ReadVerdict(text)
		if ok != (want != "?") || ok && string(v) != want || !ok && v != NotMet {
			t.Errorf("%q: %s %v, want %s", text, v, ok, want)
		}
	}
}
