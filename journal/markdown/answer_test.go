package markdown

import (
	"slices"
	"strings"
	"testing"

	"loopd/journal"
)

// testPrompt is the end of a prompt: the state as it is, and how to answer.
const testPrompt = "Status: running\nLoop: triage\nNext action: go on\n\nEnd your message with these lines:\n\nStatus: <running|waiting|paused|completed|stopped>\nDirection: within|outside\nNext: <the next action>\n\n" +
	"Example:\nStatus: waiting\nDirection: within\nNext: look again\n"

// signals is the entry of acceptance case 18.
const signals = "Signal: a TODO\nAction: removed it\nResult: fine\nNext: the next one"

func TestReadAnswer(t *testing.T) {
	const good = "\n\nStatus: waiting\nDirection: within\nNext: the next TODO\n"
	for name, c := range map[string]struct {
		text   string
		want   Answer // Report left out
		faults []string
	}{
		"the acceptance case":     {signals + good + "\nLOOP-OUTCOME: shipped — removed one\n- Unit: TODO\n", Answer{Entry: signals, Status: Waiting, Within: true, Next: "the next TODO"}, nil},
		"no outcome line":         {signals + good, Answer{Entry: signals, Status: Waiting, Within: true, Next: "the next TODO"}, nil},
		"an outcome line first":   {"LOOP-OUTCOME: shipped — x\n- Unit: TODO\n- Did: x\n  and y\n- Next: z\n\n" + signals + good, Answer{Entry: signals, Status: Waiting, Within: true, Next: "the next TODO"}, nil},
		"an outcome line between": {signals + "\n\n**LOOP-OUTCOME: shipped — x**\n- Unit: TODO\n- Next: z" + good, Answer{Entry: signals, Status: Waiting, Within: true, Next: "the next TODO"}, nil},
		"CRLF and BOM":            {"\ufeff" + strings.ReplaceAll(signals+good, "\n", "\r\n"), Answer{Entry: signals, Status: Waiting, Within: true, Next: "the next TODO"}, nil},
		"bold":                    {signals + "\n\n**Status:** waiting\n**Direction**: within\n**Next:** go on\n", Answer{Entry: signals, Status: Waiting, Within: true, Next: "go on"}, nil},
		"bullets":                 {signals + "\n\n- Status: waiting\n- Direction: `within`\n- Next: go on\n", Answer{Entry: signals, Status: Waiting, Within: true, Next: "go on"}, nil},
		"back-ticks":              {signals + "\n\n`Status: waiting`\n`Direction: within`\n`Next: go on`\n", Answer{Entry: signals, Status: Waiting, Within: true, Next: "go on"}, nil},
		"capitals and stops":      {signals + "\n\nSTATUS: Waiting.\ndirection: Within.\nnext: go on.\n", Answer{Entry: signals, Status: Waiting, Within: true, Next: "go on."}, nil},
		"blank lines between":     {signals + "\n\nStatus: waiting\n\nDirection: within\n\nNext: go on\n", Answer{Entry: signals, Status: Waiting, Within: true, Next: "go on"}, nil},
		"another order":           {signals + "\n\nDirection: within\nStatus: waiting\nNext: go on\n", Answer{Entry: signals, Status: Waiting, Within: true, Next: "go on"}, nil},
		"next between":            {signals + "\n\nStatus: waiting\nNext: go on\nDirection: within\n", Answer{Entry: signals, Status: Waiting, Within: true, Next: "go on"}, nil},
		"directly below":          {signals + good[1:], Answer{Entry: signals, Status: Waiting, Within: true, Next: "the next TODO"}, nil},
		"a long next":             {signals + "\n\nStatus: waiting\nDirection: within\nNext: go on\n  with b\nand c\n", Answer{Entry: signals, Status: Waiting, Within: true, Next: "go on with b and c"}, nil},
		"words behind":            {signals + good + "\nLet me know whether to go on.\n", Answer{Entry: signals, Status: Waiting, Within: true, Next: "the next TODO"}, nil},
		"in a code block":         {"```\n" + signals + good + "```\n", Answer{Entry: signals, Status: Waiting, Within: true, Next: "the next TODO"}, nil},
		"the entry in one":        {"```text\n" + signals + "\n```" + good, Answer{Entry: signals, Status: Waiting, Within: true, Next: "the next TODO"}, nil},
		"the lines in one":        {signals + "\n\n```\nStatus: waiting\nDirection: within\nNext: go on\n```\n", Answer{Entry: signals, Status: Waiting, Within: true, Next: "go on"}, nil},
		"code in the entry":       {"Action:\n```\nmake\n```" + good, Answer{Entry: "Action:\n```\nmake\n```", Status: Waiting, Within: true, Next: "the next TODO"}, nil},
		"fields of the entry":     {"Status: running\nDirection: kept\nNext: a" + good, Answer{Entry: "Status: running\nDirection: kept\nNext: a", Status: Waiting, Within: true, Next: "the next TODO"}, nil},
		"a heading":               {"## Activation\n\n" + signals + good, Answer{Entry: "## Activation\n\n" + signals, Status: Waiting, Within: true, Next: "the next TODO"}, nil},
		"other languages":         {"結果: 良い\n\nStatus: completed\nDirection: within\nNext: ничего\n", Answer{Entry: "結果: 良い", Status: Completed, Within: true, Next: "ничего"}, nil},
		"the entry's next":        {signals + "\n\nStatus: waiting\nDirection: within\n", Answer{Entry: signals, Status: Waiting, Within: true, Next: "the next one"}, nil},

		// Outside, or unclear.
		"outside":               {signals + "\n\nStatus: paused\nDirection: outside\nNext: ask\n", Answer{Entry: signals, Status: Paused, Next: "ask"}, nil},
		"within and a doubt":    {signals + "\n\nStatus: waiting\nDirection: within, mostly\nNext: ask\n", Answer{Entry: signals, Status: Waiting, Next: "ask"}, []string{"Direction: within, mostly"}},
		"not within":            {signals + "\n\nStatus: waiting\nDirection: not within\nNext: ask\n", Answer{Entry: signals, Status: Waiting, Next: "ask"}, []string{"Direction: not within"}},
		"two directions":        {signals + "\n\nStatus: waiting\nDirection: within\nDirection: outside\nNext: ask\n", Answer{Entry: signals, Status: Waiting, Next: "ask"}, []string{"Direction: within and outside"}},
		"no direction":          {signals + "\n\nStatus: waiting\nNext: ask\n", Answer{Entry: signals, Status: Waiting, Next: "ask"}, []string{"no Direction: line"}},
		"two statuses":          {signals + "\n\nStatus: waiting\nStatus: completed\nDirection: within\nNext: ask\n", Answer{Entry: signals, Within: true, Next: "ask"}, []string{"Status: waiting and completed"}},
		"the same status twice": {signals + "\n\nStatus: waiting\nStatus: waiting\nDirection: within\nNext: ask\n", Answer{Entry: signals, Status: Waiting, Within: true, Next: "ask"}, nil},
		"a status that is none": {signals + "\n\nStatus: done\nDirection: within\nNext: ask\n", Answer{Entry: signals, Within: true, Next: "ask"}, []string{"Status: done"}},
		"a status with more":    {signals + "\n\nStatus: waiting for CI\nDirection: within\nNext: ask\n", Answer{Entry: signals, Within: true, Next: "ask"}, []string{"Status: waiting for CI"}},
		"no status":             {signals + "\n\nDirection: within\nNext: ask\n", Answer{Entry: signals, Within: true, Next: "ask"}, []string{"no Status: line"}},
		"a later outside":       {signals + good + "\nOn second thought:\nDirection: outside\n", Answer{Entry: signals + "\n\nStatus: waiting\nDirection: within\nNext: the next TODO\n\nOn second thought:", Next: "the next TODO"}, []string{"no Status: line"}},
		"no entry":              {"Status: waiting\nDirection: within\nNext: ask\n", Answer{Status: Waiting, Within: true, Next: "ask"}, []string{"no record entry"}},
		"no lines":              {"Signal: x\nResult: y\n", Answer{Entry: "Signal: x\nResult: y"}, []string{"no Status: line", "no Direction: line", "no Next: line"}},
		"nothing":               {" \n", Answer{}, []string{"no record entry", "no Status: line", "no Direction: line", "no Next: line"}},
		"an outcome line alone": {"LOOP-OUTCOME: shipped — x\n- Unit: TODO\n", Answer{}, []string{"no record entry", "no Status: line", "no Direction: line", "no Next: line"}},

		// The prompt quoted back is no answer.
		"the template":              {"I was told:\n\nStatus: <running|waiting|paused|completed|stopped>\nDirection: within|outside\nNext: <the next action>\n", Answer{Entry: "I was told:\n\nStatus: <running|waiting|paused|completed|stopped>\nDirection: within|outside\nNext: <the next action>"}, []string{"no Status: line", "no Direction: line", "no Next: line"}},
		"the template behind it":    {signals + good + "\nStatus: <running|waiting|paused|completed|stopped>\nDirection: within|outside\nNext: <the next action>\n", Answer{Entry: signals, Status: Waiting, Within: true, Next: "the next TODO"}, nil},
		"the example":               {"Example:\nStatus: waiting\nDirection: within\nNext: look again\n", Answer{Entry: "Example:\nStatus: waiting\nDirection: within\nNext: look again"}, []string{"no Status: line", "no Direction: line", "no Next: line"}},
		"the example and an answer": {signals + "\n\nStatus: running\nDirection: within\nNext: go on\n\nAs in:\nStatus: waiting\nDirection: within\nNext: look again\n", Answer{Entry: signals, Status: Running, Within: true, Next: "go on"}, nil},
		"a quotation":               {"> Status: waiting\n> Direction: within\n> Next: x\n", Answer{Entry: "> Status: waiting\n> Direction: within\n> Next: x"}, []string{"no Status: line", "no Direction: line", "no Next: line"}},
		"the state's own word":      {signals + "\n\nStatus: running\nDirection: within\nNext: go on\n", Answer{Entry: signals, Status: Running, Within: true, Next: "go on"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			got := ReadAnswer(c.text, testPrompt)
			if got.Entry != c.want.Entry || got.Status != c.want.Status || got.Within != c.want.Within || got.Next != c.want.Next {
				t.Errorf("read %+v\nwant %+v", got, c.want)
			}
			for _, want := range c.faults {
				if !slices.ContainsFunc(got.Faults, func(f string) bool { return strings.Contains(f, want) }) {
					t.Errorf("no fault %q: %q", want, got.Faults)
				}
			}
			if len(got.Faults) != len(c.faults) {
				t.Errorf("faults %q, want %d", got.Faults, len(c.faults))
			}
		})
	}
}

func TestOutcomeOfAnAnswer(t *testing.T) {
	for text, want := range map[string]journal.Report{
		signals: {},
		signals + "\n\nLOOP-OUTCOME: shipped — removed one\n- Unit: TODO\n": {Status: journal.ReportShipped, Detail: "removed one", Unit: "TODO"},
		signals + "\n\nLOOP-OUTCOME: finished\n":                            {Violation: `the LOOP-OUTCOME line says "finished", want one of the six words and then — or nothing`},
		"I stopped.\n\nShould I remove the file?":                           {Question: "Should I remove the file?"},
	} {
		got := ReadAnswer(text, testPrompt).Report
		if got.Status != want.Status || got.Violation != want.Violation || got.Question != want.Question || got.Unit != want.Unit || got.Detail != want.Detail {
			t.Errorf("%q: %+v, want %+v", text, got, want)
		}
	}
}

func FuzzReadAnswer(f *testing.F) {
	for _, s := range []string{signals + "\n\nStatus: waiting\nDirection: within\nNext: x\n", testPrompt, "```\nStatus: waiting\n```", "LOOP-OUTCOME: shipped\n- Next: x\n", "> Status:", "Status: a\r\rDirection:\n\n\nNext"} {
		f.Add(s, testPrompt)
		f.Add(s, "")
	}
	f.Fuzz(func(t *testing.T, text, brief string) {
		a := ReadAnswer(text, brief)
		if a.Status != "" && !slices.Contains(Statuses(), a.Status) {
			t.Fatalf("status %q", a.Status)
		}
		if (a.Status == "" || a.Entry == "" || a.Next == "") && len(a.Faults) == 0 {
			t.Fatalf("%+v without a fault", a)
		}
		if low := strings.ToLower(text); a.Within && (!strings.Contains(low, "direction") || !strings.Contains(low, "within")) {
			t.Fatalf("%q is within", text)
		}
		for _, s := range append(a.Faults, a.Next) {
			if strings.ContainsAny(s, "\n\r\x1b\x00") {
				t.Fatalf("%q is not one clean line", s)
			}
		}
		Iteration(1, noon, "x", a.Entry)
	})
}

func TestHostileAnswers(t *testing.T) {
	for name, s := range map[string]string{"statuses": "Status: waiting\n", "blocks": "Status: waiting\nDirection: within\nNext: x\n", "outcomes": "LOOP-OUTCOME: shipped\n- Unit: x\n", "next": "Next: x\n", "blanks": "\n", "fences": "```\n", "letters": "a", "colons": "a:\n"} {
		flood := strings.Repeat(s, 256<<10/len(s))
		if a := ReadAnswer(flood, flood); a.Status == Completed {
			t.Errorf("%s: %+v", name, a)
		}
		ReadAnswer(signals+"\n"+flood, testPrompt)
	}
}
