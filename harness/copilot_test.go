package harness_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"loopd/harness"
	"loopd/harness/harnesstest"
)

func TestCopilotSamples(t *testing.T) {
	const done = "DONE-FINAL-TEXT"
	checkSamples(t, "copilot", map[string]expected{
		"ok-json":          {stop: harness.Complete, text: done, turns: 1},
		"ok-stream":        {stop: harness.Complete, text: done, turns: 1},
		"probe":            {stop: harness.Complete, text: done, turns: 1},
		"nogit":            {stop: harness.Complete, text: done, turns: 1},
		"resume1":          {stop: harness.Complete, text: done, turns: 1},
		"usage":            {stop: harness.Complete, text: done, turns: 1},
		"write-stream":     {stop: harness.Complete, text: done, turns: 2},
		"write-restricted": {stop: harness.Complete, text: done, turns: 2, deny: "create"},
		"shell":            {stop: harness.Complete, text: done, turns: 2},
		"shellfail":        {stop: harness.Complete, text: done, turns: 2},
		"bgsleep":          {stop: harness.Complete, text: done, turns: 2},
		// It asks for more twice, and does not say that the last piece was cut as well.
		"maxtok": {stop: harness.Complete, text: "cut off he", turns: 3},

		"empty":   {stop: harness.None, turns: 1, cause: "No response was returned"},
		"refusal": {stop: harness.Refused, turns: 1, cause: "content filter"},
		"toolong": {stop: harness.Truncated, turns: 1, cause: "the context is full"},

		"e429":  {stop: harness.Limited, turns: 1, limit: &harness.Limit{Kind: "rate", Known: true, Reset: recorded.Add(2 * time.Second)}, cause: "Rate limit reached"},
		"quota": {stop: harness.Limited, turns: 1, limit: &harness.Limit{Kind: "quota"}, cause: "raise the quota"},

		"e401": {stop: harness.Login, turns: 1, cause: "copilot login"},
		"e500": {stop: harness.Overloaded, turns: 1, cause: "had an error"},
		"e529": {stop: harness.Overloaded, turns: 1, cause: "had an error"},
		"drop": {stop: harness.Overloaded, turns: 1, cause: "check the network"},

		"badmodel": {stop: harness.Misused, turns: 1, cause: "name a model"},
		"badflag":  {stop: harness.Misused, cause: "loopd harness test copilot"},

		"hang-int":         {stop: harness.Crashed, turns: 1, cause: "SIGINT"},
		"hang-int-group":   {stop: harness.Crashed, turns: 1, cause: "SIGINT"},
		"hang-kill-leader": {stop: harness.Crashed, turns: 1, cause: "SIGKILL"},
	})
}

func TestCopilotInvocation(t *testing.T) {
	h := named(t, "copilot")
	const report = "/s/copilot-usage.json"
	const common = "copilot --output-format json --no-auto-update --no-ask-user --usage-output-file " + report
	for _, tt := range []struct {
		req   harness.Request
		want  string
		unset []string
	}{
		{harness.Request{Prompt: "- a list", ScratchDir: "/s"}, common + " --allow-all", nil},
		{
			harness.Request{Prompt: "- a list", ScratchDir: "/s", ReadOnly: true, Model: "m"},
			common + " --available-tools=view,grep,glob --deny-tool=write --deny-tool=shell --disable-builtin-mcps --model m", []string{"COPILOT_ALLOW_ALL"},
		},
	} {
		inv, err := h.Invoke(tt.req)
		if err != nil {
			t.Fatal(err)
		}
		want := harness.Invocation{Argv: strings.Fields(tt.want), Unset: tt.unset, Report: report, Stdin: []byte("- a list"), StopSignal: "TERM", Own: []string{"~/.copilot/"}}
		if d := cmp.Diff(want, inv); d != "" {
			t.Error(d)
		}
	}
}

// The tokens are in a file of their own, which the agent could have written: it is read for them alone.
func TestCopilotUsage(t *testing.T) {
	s := readSample(t, "copilot", "ok-json")
	for report, want := range map[string]harness.Usage{
		`{"modelMetrics":{"m":{"usage":{"inputTokens":1300,"outputTokens":44,"cacheReadTokens":200,"cacheWriteTokens":7}},"n":{"usage":{"inputTokens":1,"outputTokens":2}}}}`: {Input: 1101, Output: 46, CacheRead: 200, CacheWrite: 7},
		`{"modelMetrics":{"m":`: {},
		"":                      {},
		"[]":                    {},
		`{"modelMetrics":{"m":{"usage":{"inputTokens":-5,"outputTokens":"x"}}}}`: {},
	} {
		s.exit.Report = []byte(report)
		if got := read(t, named(t, "copilot"), s.stdout, s.exit); got.Usage != want || got.Stop != harness.Complete {
			t.Errorf("%s: %+v, stop %s", report, got.Usage, got.Stop)
		}
	}
}

// While it waits for the vendor it says so in events, and those are no sign of life.
func TestCopilotWaitsForTheVendor(t *testing.T) {
	failure := `{"type":"model.call_failure","data":{"statusCode":429,"errorMessage":"{\"message\":\"Rate limit reached\"}"}}`
	fold := named(t, "copilot").Fold()
	if ev := fold.Line([]byte(failure)); ev.Live {
		t.Error("a failed call is life")
	}
	if r := fold.Reply(harness.Exit{Code: -1, Signal: "TERM", Stopped: "idle", End: recorded}); r.Stop != harness.Limited || r.Limit.Kind != "rate" {
		t.Errorf("stop %q: %s", r.Stop, r.Cause)
	}
	if ev := named(t, "copilot").Fold().Line([]byte(`{"type":"assistant.message_delta","data":{"deltaContent":"a"}}`)); !ev.Live {
		t.Error("a message is no life")
	}
}

func TestCopilotConformance(t *testing.T) {
	harnesstest.Run(t, named(t, "copilot"), harnesstest.Traits{}, answers(t, "copilot", "ok-json", "write-stream", "write-restricted")...)
}
