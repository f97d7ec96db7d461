package contract

import ("testing";"fmt")

func TestZY(t *testing.T) {
	try := func(field string, vals ...string) {
		for _, v := range vals {
			c, f := Read("c.md", []byte(with(t, field, v)), true)
			s := "OK  "
			if len(f) > 0 { s = "FIND" }
			fmt.Printf("%s %s | %s | %s", s, field, v, capsOf(c, field))
			for _, x := range f { fmt.Printf("  => %s: %s", x.Field, x.Fix) }
			fmt.Println()
		}
	}
	fmt.Println("---- stop OK")
	try(stop, "All 12 checks are green.", "Success metric holds on two runs in a row.", "When `make check` exits 0 or the budget is used up.", "Metric ≥ 0.9 or 3 experiments without improvement.", "No improvement in 3 iterations.", "Queue empty for two polls.", "The reviewer signs off.", "Stop as soon as the test passes.", "Verifier green; cap; permission boundary; regression; same signature twice.", "When tests pass; do not keep improving afterwards.", "Stop when the build is done and tests pass.", "Done when `go test` passes.", "Finished when all items are checked.", "The score stops improving for 3 iterations.", "Coverage reaches 80 %, never below it again.", "Either the verifier passes or the loop has run 4 times.", "End of the time limit.", "After 4 iterations.", "First green run", "all acceptance criteria are satisfied", "Complete when every row of the table has a status.", "Error rate < 1 % for good.", "when no TODO is left", "The user confirms the result.", "The operator approves the diff.", "until `make` is green", "The agent reports NO_OP and the query shows nothing.", "The command runs forever no more: it exits 0.", "The happy path test passes", "When the page is good for all browsers in the matrix.", "Perfect score of 100 is reached", "Latency is fine: p95 < 200 ms.")
	fmt.Println("---- stop FIND")
	try(stop, "When I am happy.", "until it's good", "Runs until the agent thinks it is good enough", "no end", "There is none", "keeps improving", "Keep refining", "never stop improving", "improve continuously", "Improve it further.", "ongoing", "continuous improvement", "when everything is perfect and beautiful", "Indefinite.", "endless", "No stopping", "when satisfied", "when we are satisfied", "when the model feels confident", "whenever it feels ready", "as long as it takes", "run until interrupted", "until killed", "24/7", "Until the result is satisfactory.", "When quality is perfect", "when done, or never", "Keep polishing till it shines", "until no further improvement is possible", "when bored", "best effort", "The loop goes on.", "Keep improving!", "keep on improving", "Keep making it better", "When the agent has had enough.")
	fmt.Println("---- caps OK")
	try(maxIter, "4 (hard cap)", "Max 4", "exactly 4", "4 iterations, no exceptions", "4 iterations per run", "3 attempts then escalate", "5 experiments", "10 loops", "limit: 4", "hard limit of 4", "4 iterations; BUDGET_STOP afterwards", "not more than 4", "4 retries max", "4 (finite)", "four (4)", "4 / run", "4 iterations (each at most 10 minutes)", "4, each followed by a review", "2 cycles", "1", "4 tries", "**4** iterations.", "4, never more", "4 and no more", "4, no more", "never more than 4", "4. Stop then.", "4 iterations at most")
	try(timeLimit, "45min", "2h", "1 day", "2 hours total", "at most 90 minutes wall clock", "90 minutes (1.5 h)", "under 30 minutes", "30 minutes from the start", "30 minutes; stop then", "1:30 hours", "30 minutes of wall-clock time, no extension", "~30 minutes", "about 30 minutes", "30 to 40 minutes", "30 mins", "1 week", "90 seconds", "half an hour", "30 Minutes max.", "1 hour, 15 minutes", "0.5 h")
	try(budget, "50k tokens", "$10 max", "10 dollars", "max. 20 tool calls", "100,000 tokens", "$0.50", "20 tool calls or $2, whichever first", "20 tool calls, 100k tokens, $2", "200 000 tokens", "no more than 20 tool calls", "20 tool invocations", "20 calls to tools", "20 tools", "$5/run", "$5 per run", "$2 per iteration", "20 model calls", "5 US dollars", "about $5", "10 EUR", "0 dollars, 20 tool calls", "20 steps", "USD 5.00", "$1,000", "$5 total; 0 external calls", "20 tool calls and 4 agents")
	try(review, "400 lines", "max 400 changed lines and 6 files", "<= 400 lines", "< 400 lines", "400 lines of diff", "6 files, 400 lines", "up to 400 added or removed lines", "400 changed lines (tests excluded) in 6 files", "400 changed lines per PR", "1 PR of 400 lines", "10 files / 1000 lines", "one diff of at most 400 changed lines", "30 minutes of reading, 400 lines", "400 lines; more needs approval", "400 lines max, 6 files max", "diff ≤ 400 lines", "1001 lines", "400 lines/iteration", "400 changed lines total, 200 per file", "200 lines per file, 5 files", "400+ lines")
	fmt.Println("---- empty")
	try("owner", "N.A.", "none yet", "No one", "???", "null", "(tbd)", "[TODO]", "TODO", "To Do", "tbd - ask", "TBD?", "unknown yet", "not sure", "…tbd", "<owner>", "<TBD>", "[ ]", "[owner]", "___", "n / a", "N/A.", "none; nobody", "&lt;owner&gt;", "\"\"", "''", "``", "- none", "None known", "<name@example.test>", "TODO.md", "Unknown", "_TBD_", "~~none~~", "tba", "pending", "same as above", "X", "{owner}", "$OWNER", "<b>Jane</b>")
}
