package harness_test

import (
	"strings"
	"testing"
	"time"

	"loopd/harness"
	"loopd/harness/harnesstest"
)

func TestPiSamples(t *testing.T) {
	const done = "DONE-FINAL-TEXT"
	one := harness.Usage{Input: 1000, Output: 34, CacheRead: 200}
	two := harness.Usage{Input: 1100, Output: 44, CacheRead: 200}
	none := harness.Usage{Input: 10, Output: 1}
	checkSamples(t, "pi", map[string]expected{
		"ok-stream":        {stop: harness.Complete, text: done, usage: one, turns: 1, cost: 0.001088},
		"nogit":            {stop: harness.Complete, text: done, usage: one, turns: 1, cost: 0.001088},
		"probe":            {stop: harness.Complete, text: done, usage: one, turns: 1, cost: 0.001088},
		"resume1":          {stop: harness.Complete, text: done, usage: one, turns: 1, cost: 0.001088},
		"write-stream":     {stop: harness.Complete, text: done, usage: two, turns: 2, cost: 0.001208},
		"write-restricted": {stop: harness.Complete, text: done, usage: two, turns: 2, cost: 0.001208},
		"shell":            {stop: harness.Complete, text: done, usage: two, turns: 2, cost: 0.001208},
		"shellfail":        {stop: harness.Complete, text: done, usage: two, turns: 2, cost: 0.001208},
		"bgsleep":          {stop: harness.Complete, text: done, usage: two, turns: 2, cost: 0.001208},

		"empty":   {stop: harness.None, usage: none, turns: 1, cost: 0.000012, cause: "without a final message"},
		"maxtok":  {stop: harness.Truncated, text: "cut off he", usage: harness.Usage{Input: 10, Output: 5}, turns: 1, cost: 0.00002, cause: "output limit"},
		"refusal": {stop: harness.Refused, usage: none, turns: 1, cost: 0.000012, cause: "content_filter"},
		"toolong": {stop: harness.Truncated, turns: 1, cause: "the context is full"},

		"e401":  {stop: harness.Login, turns: 1, cause: "models.json"},
		"e429":  {stop: harness.Limited, turns: 4, limit: &harness.Limit{Kind: "rate", Known: true, Reset: recorded.Add(2 * time.Second)}, cause: "Rate limit reached"},
		"quota": {stop: harness.Limited, turns: 4, limit: &harness.Limit{Kind: "quota"}, cause: "raise the quota"},
		"e500":  {stop: harness.Overloaded, turns: 4, cause: "try again later"},
		"e529":  {stop: harness.Overloaded, turns: 1, cause: "try again later"},
		"drop":  {stop: harness.Overloaded, turns: 4, cause: "terminated"},

		"badmodel": {stop: harness.Misused, turns: 1, cause: "does not exist"},
		"badflag":  {stop: harness.Misused, cause: "Unknown option"},

		"hang-int":         {stop: harness.Crashed, cause: "SIGINT"},
		"hang-int-group":   {stop: harness.Crashed, cause: "SIGINT"},
		"hang-kill-leader": {stop: harness.Crashed, cause: "SIGKILL"},
	})
}

func TestPiInvocation(t *testing.T) {
	h := named(t, "pi")
	for _, tt := range []struct {
		req  harness.Request
		want string
	}{
		{harness.Request{Prompt: "- a list", Model: "fake/m"}, "pi -p --mode json --no-session --provider fake --model m"},
		{harness.Request{Prompt: "- a list", ReadOnly: true, Model: "m"}, "pi -p --mode json --no-session --tools read,grep,find,ls --no-extensions --model m"},
	} {
		inv, err := h.Invoke(tt.req)
		if err != nil || strings.Join(inv.Argv, " ") != tt.want || string(inv.Stdin) != "- a list" {
			t.Errorf("got %q, stdin %q, %v; want %q", inv.Argv, inv.Stdin, err, tt.want)
		}
	}
}

func TestPiConformance(t *testing.T) {
	harnesstest.Run(t, named(t, "pi"), harnesstest.Traits{}, answers(t, "pi", "ok-stream", "write-stream")...)
}
