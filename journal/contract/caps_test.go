package contract

import (
	"fmt"
	"strings"
	"testing"
)

// capsOf is what is read of a cap.
func capsOf(c Contract, field string) string {
	var s string
	switch field {
	case maxIter:
		s = fmt.Sprint(c.MaxIterations)
	case timeLimit:
		if s = c.TimeLimit.String(); c.TimePerIteration > 0 {
			s += " each " + c.TimePerIteration.String()
		}
	case budget:
		s = fmt.Sprint(c.Budget)
		if len(c.BudgetEach) > 0 {
			s += " each " + fmt.Sprint(c.BudgetEach)
		}
	case review:
		s = fmt.Sprint(c.ReviewBudget)
		if c.ReviewEach != (Review{}) {
			s += " each " + fmt.Sprint(c.ReviewEach)
		}
	}
	return s
}

// Ways in which people write the four caps. Never another number than the person wrote.
func TestCaps(t *testing.T) {
	for _, c := range []struct{ field, value, read, finding string }{
		// A number in the cap's own unit.
		{maxIter, "4", "4", ""},
		{maxIter, "4.", "4", ""},
		{maxIter, "**4**", "4", ""},
		{maxIter, "`4` iterations", "4", ""},
		{maxIter, "4 iterations (was 50)", "4", ""},
		{maxIter, "4; stop after 2 identical failures", "4", ""},
		{maxIter, "4 attempts", "4", ""},
		{maxIter, "4 max", "4", ""},
		{maxIter, "at most 4", "4", ""},
		{maxIter, "up to 4 iterations", "4", ""},
		{maxIter, "no more than 4", "4", ""},
		{maxIter, "not more than 4 runs", "4", ""},
		{maxIter, "≤ 4", "4", ""},
		{maxIter, "<= 4", "4", ""},
		{maxIter, "Stop after 4 iterations.", "4", ""},
		{maxIter, "4, then stop and ask", "4", ""},
		{maxIter, "4 — a hard stop", "4", ""},
		{maxIter, "4 iterations or 30 minutes, whichever comes first", "4", ""},
		{maxIter, "1,000", "1000", ""},
		{maxIter, "four", "4", ""},
		{maxIter, "Twelve iterations", "12", ""},
		{maxIter, "4 per run", "4", ""},
		{maxIter, "4 iterations, never unlimited", "4", ""},
		{maxIter, "4, cannot be extended", "4", ""},
		{maxIter, "4 (no extension)", "4", ""},
		{maxIter, "4x", "4", ""},
		{maxIter, "4 iterations in total", "4", ""},
		{maxIter, "4 iterations; a review after the 2nd one", "4", ""},
		{maxIter, "4 iterations (see #12)", "4", ""},
		{maxIter, "Iterations: 4", "4", ""},
		{maxIter, "4 / run", "4", ""},
		{maxIter, "4, never more", "4", ""},
		{maxIter, "four (4)", "4", ""},
		{timeLimit, "30 minutes", "30m0s", ""},
		{timeLimit, "30m", "30m0s", ""},
		{timeLimit, "30 min.", "30m0s", ""},
		{timeLimit, "1h30m", "1h30m0s", ""},
		{timeLimit, "1 hour 30 minutes", "1h30m0s", ""},
		{timeLimit, "1 hour and 30 minutes", "1h30m0s", ""},
		{timeLimit, "1.5 hours", "1h30m0s", ""},
		{timeLimit, "90s", "1m30s", ""},
		{timeLimit, "a 30-minute window", "30m0s", ""},
		{timeLimit, "30 wall-clock minutes", "30m0s", ""},
		{timeLimit, "an hour", "1h0m0s", ""},
		{timeLimit, "two hours", "2h0m0s", ""},
		{timeLimit, "max 2 days", "48h0m0s", ""},
		{timeLimit, "10 minutes per iteration", "40m0s each 10m0s", ""},
		{timeLimit, "10 minutes per iteration, 30 minutes in total", "30m0s each 10m0s", ""},
		{timeLimit, "35 minutes (about 9 a piece)", "35m0s", ""},
		{budget, "20 tool calls", "[{20 tool calls}]", ""},
		{budget, "20 calls", "[{20 tool calls}]", ""},
		{budget, "20 MCP tool calls.", "[{20 tool calls}]", ""},
		{budget, "$5", "[{5 USD}]", ""},
		{budget, "US$5", "[{5 USD}]", ""},
		{budget, "$2.50 and 500k tokens", "[{500000 tokens} {2.5 USD}]", ""},
		{budget, "5 USD", "[{5 USD}]", ""},
		{budget, "USD 5", "[{5 USD}]", ""},
		{budget, "1.5M tokens", "[{1.5e+06 tokens}]", ""},
		{budget, "2 million tokens", "[{2e+06 tokens}]", ""},
		{budget, "0 retries, 20 tool calls", "[{20 tool calls}]", ""},
		{budget, "5 tool calls per iteration", "[{20 tool calls}] each [{5 tool calls}]", ""},
		{budget, "5 tool calls/iteration", "[{20 tool calls}] each [{5 tool calls}]", ""},
		{budget, "100 API requests", "[{100 model calls}]", ""},
		{budget, "20 model calls", "[{20 model calls}]", ""},
		{budget, "$5 USD or 20 tool calls", "[{20 tool calls} {5 USD}]", ""},
		{budget, "40 credits", "[{40 credits}]", ""},
		{budget, "20 tool calls in at most 2 hours", "[{20 tool calls}]", ""},
		{budget, "Tool calls: 20; Tokens: 100k", "[{20 tool calls} {100000 tokens}]", ""},
		{review, "400 changed lines, 6 files", "{400 6}", ""},
		{review, "800 changed lines and 8 files.", "{800 8}", ""},
		{review, "6 files and 1,000 changed lines (soft)", "{1000 6}", ""},
		{review, "up to 400 added or removed lines", "{400 0}", ""},
		{review, "1 PR of 400 lines", "{400 0}", ""},
		{review, "400 LOC", "{400 0}", ""},
		{review, "400-line diffs", "{400 0}", ""},
		{review, "at most 400 lines / 6 files", "{400 6}", ""},
		{review, "400 lines across 6 files, one reviewer", "{400 6}", ""},
		{review, "400 changed lines, at least one reviewer", "{400 0}", ""},
		{review, "Lines: 400, Files: 6", "{400 6}", ""},
		{review, "100 changed lines per iteration, 6 files", "{400 6} each {100 0}", ""},
		{review, "2 reviewers, 400 lines", "{400 0}", ""},

		// Words that take the cap back.
		{maxIter, "4, otherwise unlimited", "0", "unlimited"},
		{maxIter, "4 iterations; otherwise indefinitely", "0", "indefinitely"},
		{maxIter, "4 iterations; no upper bound", "0", "no upper bound"},
		{maxIter, "4 iterations; repeat as long as needed", "0", "takes the limit back"},
		{maxIter, "at least 4", "0", "the least"},
		{maxIter, "minimum of 4", "0", "the least"},
		{maxIter, "4 or more", "0", "the least"},
		{maxIter, "4 or more iterations", "0", "the least"},
		{maxIter, "4 retries", "0", "its unit"},
		{maxIter, "4+", "0", "the least"},
		{maxIter, "more than 4", "0", "the least"},
		{maxIter, "≥ 4", "0", "the least"},
		{maxIter, ">= 4", "0", "the least"},
		{maxIter, "no less than 4", "0", "the least"},
		{maxIter, "∞", "0", "∞"},
		{maxIter, "as needed", "0", "as needed"},
		{maxIter, "4, more if needed", "0", "more if"},
		{maxIter, "4 (can be extended)", "0", "extended"},
		{maxIter, "4 unless progress is made", "0", "unless"},
		{maxIter, "4, then repeat", "0", "then repeat"},
		{maxIter, "4; continue while it improves", "0", "continue while"},
		{maxIter, "Unlimited", "0", "Unlimited"},
		{maxIter, "no limit", "0", "no limit"},
		{maxIter, "4 (guideline)", "0", "guideline"},
		{maxIter, "4, but may be exceeded", "0", "may be exceeded"},
		{timeLimit, "30 minutes or longer", "0s", "the least"},
		{timeLimit, "30 minutes minimum", "0s", "the least"},
		{timeLimit, "30 minutes, open-ended if promising", "0s", "open-ended"},
		{budget, "20 tool calls, without limit on tokens", "[]", "without limit"},
		{budget, "$5 or more", "[]", "the least"},
		{review, "400 lines, unlimited files", "{0 0}", "unlimited"},
		{review, "400 lines or as many as needed", "{0 0}", "as needed"},

		// Numbers that are none, not positive, not finite, or more than one.
		{maxIter, "0", "0", "above 0"},
		{maxIter, "-4", "0", "above 0"},
		{maxIter, "−4", "0", "above 0"},
		{maxIter, "1.5", "0", "whole number"},
		{maxIter, "1.000", "0", "whole number"},
		{maxIter, "3-5", "0", "one number"},
		{maxIter, "3–5 iterations", "0", "one number"},
		{maxIter, "between 3 and 5 iterations", "0", "two numbers"},
		{maxIter, "4, then 30", "0", "one number"},
		{maxIter, "4 or 5", "0", "one number"},
		{maxIter, "4, otherwise 30", "0", "otherwise 30"},
		{maxIter, "20 iterations, then 30 iterations", "0", "two numbers"},
		{maxIter, "1e3", "0", "one number"},
		{maxIter, "20%", "0", "in digits"},
		{maxIter, "several", "0", "in digits"},
		{maxIter, "4 per day", "0", "whole run"},
		{maxIter, "4 attempts per issue", "0", "whole run"},
		{maxIter, "4 per iteration", "0", "whole run"},
		{maxIter, "4 files", "0", "in digits"},
		{maxIter, "30 minutes", "0", "in digits"},
		{maxIter, "99999999999999999999", "0", "in reason"},
		{maxIter, "twenty-five", "0", "plainly"},
		{maxIter, "4 итерации", "0", "in digits"},
		{timeLimit, "0 minutes", "0s", "above 0"},
		{timeLimit, "-1 minutes", "0s", "above 0"},
		{timeLimit, "30", "0s", "with its unit"},
		{timeLimit, "until 18:00", "0s", "with its unit"},
		{timeLimit, "30 tool calls", "0s", "with its unit"},
		{timeLimit, "99999999 days", "0s", "in reason"},
		{timeLimit, "5 ms", "0s", "in reason"},
		{timeLimit, "30 minutes a day", "0s", "whole run"},
		{timeLimit, "30 minutes, 1 hour", "0s", "two numbers"},
		{timeLimit, "two and a half hours", "0s", "one number"},
		{budget, "0 tool calls", "[]", "above 0"},
		{budget, "20", "[]", "with its unit"},
		{budget, "5 EUR", "[]", "USD"},
		{budget, "€5", "[]", "USD"},
		{budget, "twenty", "[]", "USD"},
		{budget, "20 tool calls, then 30", "[]", "one number"},
		{budget, "20 tool calls per hour", "[]", "whole run"},
		{budget, "30 minutes", "[]", "tool calls, tokens or USD"},
		{budget, "1,5 M tokens", "[]", "one number"},
		{budget, "<n> tool calls", "[]", "in digits"},
		{budget, "moderate", "[]", "in digits"},
		{review, "-5 changed lines", "{0 0}", "above 0"},
		{review, "0 changed lines", "{0 0}", "above 0"},
		{review, "400", "{0 0}", "one number"},
		{review, "400 lines, 6 lines", "{0 0}", "two numbers"},
		{review, "small diffs", "{0 0}", "in digits"},
		{review, "0 files, 400 lines", "{0 0}", "above 0"},
	} {
		var want []string
		if c.finding != "" {
			want = []string{fmt.Sprintf("%d %s: %s", 2+strings.Count(whole22[:strings.Index(whole22, "- "+titled(c.field))], "\n")-1, c.field, c.finding)}
		}
		t.Run(c.field+"/"+c.value, func(t *testing.T) {
			if got := capsOf(judged(t, with(t, c.field, c.value), want...), c.field); got != c.read {
				t.Errorf("read %s, want %s", got, c.read)
			}
		})
	}
}
