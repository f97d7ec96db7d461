package harness_test

import (
	"strings"
	"testing"
	"time"

	"loopd/harness"
	"loopd/harness/harnesstest"
)

func TestOpencodeSamples(t *testing.T) {
	const done = "DONE-FINAL-TEXT"
	one := harness.Usage{Input: 1000, Output: 34, CacheRead: 200}
	two := harness.Usage{Input: 1100, Output: 44, CacheRead: 200}
	cut := harness.Usage{Input: 10, Output: 5}
	none := harness.Usage{Input: 10, Output: 1}
	checkSamples(t, "opencode", map[string]expected{
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
		"maxtok":  {stop: harness.Truncated, text: "cut off he", usage: cut, turns: 1, cost: 0.00002, cause: "output limit"},
		"refusal": {stop: harness.Refused, usage: none, turns: 1, cost: 0.000012, cause: "content filter"},
		"toolong": {stop: harness.Truncated, cause: "the context is full"},

		"e401":  {stop: harness.Login, cause: "opencode auth login"},
		"e429":  {stop: harness.Limited, limit: &harness.Limit{Kind: "rate", Known: true, Reset: recorded.Add(2 * time.Second)}, cause: "Rate limit reached"},
		"quota": {stop: harness.Limited, limit: &harness.Limit{Kind: "quota"}, cause: "raise the quota"},
		"e500":  {stop: harness.Overloaded, cause: "had an error"},
		"e529":  {stop: harness.Overloaded, cause: "had an error"},
		"drop":  {stop: harness.Overloaded, cause: "Connection reset"},

		"badmodel": {stop: harness.Misused, cause: "does not exist"},
		"badflag":  {stop: harness.Misused, cause: "loopd harness test opencode"},

		"hang-int":         {stop: harness.Crashed, cause: "SIGINT"},
		"hang-int-group":   {stop: harness.Crashed, cause: "SIGINT"},
		"hang-kill-leader": {stop: harness.Crashed, cause: "SIGKILL"},
	})
}

// A permission that nobody could give ends the run with exit 0 and without a final text (harnesses.md 4.4).
func TestOpencodeRejectedPermission(t *testing.T) {
	r := read(t, named(t, "opencode"), []byte(`{"type":"step_start","sessionID":"s","part":{}}`+"\n"), harness.Exit{Stderr: []byte("permission requested: edit (made.txt); auto-rejecting\n"), End: recorded})
	if r.Stop != harness.None || r.HasText || len(r.Denied) != 1 || !strings.Contains(r.Denied[0], "edit (made.txt)") {
		t.Errorf("got %+v", r)
	}
}

func TestOpencodeInvocation(t *testing.T) {
	h := named(t, "opencode")
	inv, err := h.Invoke(harness.Request{Prompt: "- a list", Model: "p/m"})
	if err != nil || strings.Join(inv.Argv, " ") != "opencode run --format json --auto -m p/m" || string(inv.Stdin) != "- a list" {
		t.Errorf("got %q, %v", inv.Argv, err)
	}
	inv, err = h.Invoke(harness.Request{Prompt: "x", ReadOnly: true})
	if err != nil || strings.Join(inv.Argv, " ") != "opencode run --format json" || !strings.Contains(inv.Set["OPENCODE_PERMISSION"], `"bash":"deny"`) {
		t.Errorf("got %q, %v, %v", inv.Argv, inv.Set, err)
	}
}

func TestOpencodeConformance(t *testing.T) {
	harnesstest.Run(t, named(t, "opencode"), harnesstest.Traits{}, answers(t, "opencode", "ok-stream", "write-stream")...)
}
