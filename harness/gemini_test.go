package harness_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"loopd/harness"
	"loopd/harness/harnesstest"
)

func TestGeminiSamples(t *testing.T) {
	const done = "DONE-FINAL-TEXT"
	one := harness.Usage{Input: 1000, Output: 34, CacheRead: 200}
	two := harness.Usage{Input: 1100, Output: 44, CacheRead: 200}
	checkSamples(t, "gemini", map[string]expected{
		"ok-stream": {stop: harness.Complete, text: done, usage: one, turns: 1},
		"nogit":     {stop: harness.Complete, text: done, usage: one, turns: 1},
		// Printed with -o json: a document over many lines is no stream.
		"probe":            {stop: harness.None, cause: "exit 0 and no output"},
		"resume1":          {stop: harness.Complete, text: done, usage: one, turns: 1},
		"write-stream":     {stop: harness.Complete, text: done, usage: two, turns: 2},
		"write-restricted": {stop: harness.Complete, text: done, usage: two, turns: 2},
		"shell":            {stop: harness.Complete, text: done, usage: two, turns: 2},
		"shellfail":        {stop: harness.Complete, text: done, usage: two, turns: 2},
		"bgsleep":          {stop: harness.Complete, text: done, usage: two, turns: 2},
		// The CLI does not say that the answer was cut.
		"maxtok": {stop: harness.Complete, text: "cut off he", usage: harness.Usage{Input: 10, Output: 5}, turns: 1},

		"empty":   {stop: harness.None, usage: harness.Usage{Input: 40, Output: 4}, turns: 1, cause: "empty response"},
		"refusal": {stop: harness.Refused, usage: harness.Usage{Input: 40, Output: 4}, turns: 1, cause: "safety settings"},
		"toolong": {stop: harness.Truncated, turns: 1, cause: "prompt is too long"},

		"e429":     {stop: harness.Limited, turns: 1, limit: &harness.Limit{Kind: "rate", Known: true, Reset: recorded.Add(2 * time.Second)}, cause: "Resource has been exhausted"},
		"e429long": {stop: harness.Limited, turns: 1, limit: &harness.Limit{Kind: "rate", Known: true, Reset: recorded.Add(time.Hour)}, cause: "Resource has been exhausted"},
		"quota":    {stop: harness.Limited, turns: 1, limit: &harness.Limit{Kind: "daily"}, cause: "daily quota"},

		"e401": {stop: harness.Login, turns: 1, cause: "GEMINI_API_KEY"},
		"e500": {stop: harness.Overloaded, turns: 1, cause: "internal error"},
		"e529": {stop: harness.Overloaded, turns: 1, cause: "try again later"},
		"drop": {stop: harness.Overloaded, turns: 1, cause: "terminated"},

		"badmodel": {stop: harness.Misused, turns: 1, cause: "is not found"},
		"badflag":  {stop: harness.Misused, cause: "loopd harness test gemini"},

		"hang-int":         {stop: harness.Stalled, cause: "idle limit"},
		"hang-int-group":   {stop: harness.None, cause: "exit 0 without a result"},
		"hang-kill-leader": {stop: harness.Crashed, cause: "SIGKILL"},
	})
}

func TestGeminiInvocation(t *testing.T) {
	h := named(t, "gemini")
	for _, tt := range []struct {
		req         harness.Request
		want, trust string
		files       int
	}{
		{harness.Request{Prompt: "- a list", ScratchDir: "/s"}, "gemini -o stream-json --approval-mode yolo", "true", 0},
		{harness.Request{Prompt: "- a list", ScratchDir: "/s", ReadOnly: true, Model: "m"}, "gemini -o stream-json --skip-trust --approval-mode default --admin-policy /s/read-only.toml --allowed-mcp-server-names none -m m", "false", 1},
	} {
		inv, err := h.Invoke(tt.req)
		if err != nil {
			t.Fatal(err)
		}
		want := harness.Invocation{
			Argv: strings.Fields(tt.want), Stdin: []byte("- a list"), StopSignal: "TERM", Own: []string{"~/.gemini/"},
			Set: map[string]string{"GEMINI_CLI_TRUST_WORKSPACE": tt.trust, "GEMINI_CLI_NO_RELAUNCH": "true"}, Files: inv.Files,
		}
		if d := cmp.Diff(want, inv); d != "" || len(inv.Files) != tt.files {
			t.Errorf("%d files, want %d; %s", len(inv.Files), tt.files, d)
		}
		if policy := string(inv.Files["/s/read-only.toml"]); tt.files > 0 && (!strings.Contains(policy, "deny") || strings.Contains(policy, "write_file") || strings.Contains(policy, "shell")) {
			t.Errorf("policy %q", policy)
		}
	}
}

func TestGeminiConformance(t *testing.T) {
	harnesstest.Run(t, named(t, "gemini"), harnesstest.Traits{}, answers(t, "gemini", "ok-stream", "write-stream")...)
}

// Ended at the idle limit while it only tried again, what it waited for is the verdict; with an answer before, it is not.
func TestGeminiWaitedForTheVendor(t *testing.T) {
	start := `{"type":"init","session_id":"s"}` + "\n"
	said := `{"type":"message","role":"assistant","content":"working","delta":true}` + "\n"
	for _, tt := range []struct {
		stdout, stderr string
		want           harness.StopReason
	}{
		{start, "YOLO mode\nAttempt 2 failed with status 500. Retrying with backoff... _ApiError: x\n    at y\n", harness.Overloaded},
		{start, "Attempt 3 failed with status 429. Retrying with backoff...\n", harness.Limited},
		{start + said, "Attempt 3 failed with status 429. Retrying with backoff...\n", harness.Stalled},
		{start, "YOLO mode\n", harness.Stalled},
	} {
		if r := read(t, named(t, "gemini"), []byte(tt.stdout), harness.Exit{Code: -1, Signal: "TERM", Stopped: "idle", End: recorded, Stderr: []byte(tt.stderr)}); r.Stop != tt.want {
			t.Errorf("%q: stop %q: %s", tt.stderr, r.Stop, r.Cause)
		}
	}
}

func TestGeminiWithoutALogin(t *testing.T) {
	r := read(t, named(t, "gemini"), nil, harness.Exit{Code: 41, End: recorded, Stderr: []byte("Invalid auth method selected.\n")})
	if r.Stop != harness.Login || !strings.Contains(r.Cause, "GEMINI_API_KEY") {
		t.Errorf("stop %q: %s", r.Stop, r.Cause)
	}
}
