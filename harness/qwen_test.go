package harness_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"loopd/harness"
	"loopd/harness/harnesstest"
)

func TestQwenSamples(t *testing.T) {
	const done = "DONE-FINAL-TEXT"
	// One turn is two requests: the second is for its memory.
	one := harness.Usage{Input: 2000, Output: 68, CacheRead: 400}
	two := harness.Usage{Input: 1100, Output: 44, CacheRead: 200}
	empty := harness.Usage{Input: 50, Output: 5}
	checkSamples(t, "qwen", map[string]expected{
		"ok-stream":        {stop: harness.Complete, text: done, usage: one, turns: 1},
		"nogit":            {stop: harness.Complete, text: done, usage: one, turns: 1},
		"resume1":          {stop: harness.Complete, text: done, usage: one, turns: 1},
		"write-stream":     {stop: harness.Complete, text: done, usage: two, turns: 2},
		"write-restricted": {stop: harness.Complete, text: done, usage: two, turns: 2, deny: "Bash"},
		"shell":            {stop: harness.Complete, text: done, usage: two, turns: 2},
		"shellfail":        {stop: harness.Complete, text: done, usage: two, turns: 2},
		"bgsleep":          {stop: harness.Complete, text: done, usage: two, turns: 2},
		// The CLI puts its tries one after the other, and does not say that each was cut.
		"maxtok": {stop: harness.Complete, text: "cut off hecut off hecut off hecut off he", usage: harness.Usage{Input: 100, Output: 50}, turns: 1},

		// Printed with -o json: an array is no stream.
		"probe":   {stop: harness.None, cause: "exit 0 and no output"},
		"empty":   {stop: harness.None, usage: empty, turns: 1, cause: "empty response text"},
		"refusal": {stop: harness.None, usage: empty, turns: 1, cause: "empty response text"},
		"toolong": {stop: harness.Truncated, turns: 1, cause: "the context is full"},

		"max-turns": {stop: harness.TurnLimit, cause: "turn limit"},

		"e429":  {stop: harness.Limited, limit: &harness.Limit{Kind: "rate", Known: true, Reset: recorded.Add(2 * time.Second)}, cause: "Rate limit reached"},
		"quota": {stop: harness.Limited, limit: &harness.Limit{Kind: "quota"}, cause: "raise the quota"},

		"e401": {stop: harness.Login, turns: 1, cause: "OPENAI_API_KEY"},
		"e500": {stop: harness.Overloaded, turns: 1, cause: "had an error"},
		"e529": {stop: harness.Overloaded, turns: 1, cause: "had an error"},
		"drop": {stop: harness.Overloaded, turns: 1, cause: "terminated"},

		"badmodel": {stop: harness.Misused, turns: 1, cause: "does not exist"},
		"badflag":  {stop: harness.Misused, cause: "loopd harness test qwen"},

		"hang-int":         {stop: harness.Crashed, cause: "SIGINT"},
		"hang-int-group":   {stop: harness.Crashed, cause: "SIGINT"},
		"hang-kill-leader": {stop: harness.Crashed, cause: "SIGKILL"},
	})
}

func TestQwenInvocation(t *testing.T) {
	h := named(t, "qwen")
	for _, tt := range []struct {
		req                  harness.Request
		want, name, settings string
	}{
		{
			harness.Request{Prompt: "- a list", ScratchDir: "/s", MaxTurns: 9}, "qwen -o stream-json --approval-mode yolo --max-session-turns 9",
			"QWEN_CODE_SYSTEM_DEFAULTS_PATH", `{"model":{"generationConfig":{"maxRetries":0}}}`,
		},
		{
			harness.Request{Prompt: "- a list", ScratchDir: "/s", ReadOnly: true, Model: "m"},
			"qwen -o stream-json --approval-mode default --core-tools list_directory,read_file,grep_search,glob --exclude-tools enter_worktree,exit_worktree,record_artifact,agent,skill --allowed-mcp-server-names none -m m",
			"QWEN_CODE_SYSTEM_SETTINGS_PATH", `{"disableAllHooks":true,"model":{"generationConfig":{"maxRetries":0}}}`,
		},
	} {
		inv, err := h.Invoke(tt.req)
		if err != nil {
			t.Fatal(err)
		}
		const path = "/s/qwen-settings.json"
		want := harness.Invocation{
			Argv: strings.Fields(tt.want), Stdin: []byte("- a list"), StopSignal: "TERM", Own: []string{"~/.qwen/"},
			Set: map[string]string{tt.name: path}, Files: map[string][]byte{path: []byte(tt.settings)},
		}
		if d := cmp.Diff(want, inv); d != "" {
			t.Error(d)
		}
	}
}

// With its retries cut down a 429 ends with a result: the words that its real output has.
func TestQwenGivesUpOnALimit(t *testing.T) {
	stdout := `{"type":"result","subtype":"error_during_execution","session_id":"s","is_error":true,"num_turns":1,"error":{"message":"[API Error: 429 Rate limit reached for fake-model on requests per min (RPM): Limit 3, Used 3, Requested 1. Please try again in 2s.]\nPossible quota limitations in place or slow response times detected. Please wait and try again later."}}`
	r := read(t, named(t, "qwen"), []byte(stdout), harness.Exit{Code: 1, End: recorded})
	if r.Stop != harness.Limited || r.Limit.Kind != "rate" || !r.Limit.Known || !r.Limit.Reset.Equal(recorded.Add(2*time.Second)) {
		t.Errorf("stop %q, limit %+v: %s", r.Stop, r.Limit, r.Cause)
	}
}

// A retry of its own is no sign of life: the idle limit ends a wait that has no end.
func TestQwenRetryIsNoLife(t *testing.T) {
	fold := named(t, "qwen").Fold()
	if ev := fold.Line([]byte(`{"type":"system","subtype":"init","session_id":"s"}`)); !ev.Live {
		t.Error("the start is no life")
	}
	if ev := fold.Line([]byte(`{"type":"system","subtype":"retry","session_id":"s","data":{"attempt":2}}`)); ev.Live {
		t.Error("a retry is life")
	}
}

func TestQwenConformance(t *testing.T) {
	harnesstest.Run(t, named(t, "qwen"), harnesstest.Traits{}, answers(t, "qwen", "ok-stream", "write-stream")...)
}

// Ended before the first retry event, the reason on stderr is the verdict; with an answer before, it is old news.
func TestQwenWaitedForTheVendor(t *testing.T) {
	exit := harness.Exit{Stopped: "idle", End: recorded, Stderr: []byte("Retrying in 30s (attempt 1/10): [API Error: 429 Rate limit reached]\n")}
	start := `{"type":"system","subtype":"init","session_id":"s"}` + "\n"
	if r := read(t, named(t, "qwen"), []byte(start), exit); r.Stop != harness.Limited {
		t.Errorf("stop %q: %s", r.Stop, r.Cause)
	}
	said := `{"type":"assistant","message":{"content":[{"type":"text","text":"working"}]}}` + "\n"
	if r := read(t, named(t, "qwen"), []byte(start+said), exit); r.Stop != harness.Stalled {
		t.Errorf("stop %q: %s", r.Stop, r.Cause)
	}
}
