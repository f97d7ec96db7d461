package harness_test

import (
	"encoding/json"
	"strings"
	"testing"

	"loopd/harness"
)

// Each wording, said by codex in its error field, and what a person is told to do.
func TestWordings(t *testing.T) {
	for _, tt := range []struct {
		said   string
		stop   harness.StopReason
		kind   string // of the limit
		advice string
	}{
		{"Your credit balance is too low to access the API", harness.Limited, "credit", "add credit"},
		{"Quota exceeded. Check your plan and billing details.", harness.Limited, "quota", "raise the quota"},
		{"You exceeded your current quota, please check your plan", harness.Limited, "quota", "raise the quota"},
		{"You’ve hit your usage limit.", harness.Limited, "usage", "wait for the reset"},
		{"You've hit your session limit · resets 3pm", harness.Limited, "usage", "wait for the reset"},
		{"Weekly limit reached · resets 10am", harness.Limited, "usage", "wait for the reset"},
		{"Rate limit reached for model on requests per min", harness.Limited, "rate", "wait for the reset"},
		{"rate limit exceeded", harness.Limited, "rate", "wait for the reset"},
		{"exceeded retry limit, last status: 429 Too Many Requests", harness.Limited, "rate", "wait for the reset"},
		{"unexpected status 429 <unknown>", harness.Limited, "rate", "wait for the reset"},
		{"ran out of room in the model's context window", harness.Truncated, "", "the context is full"},
		{"Incomplete response returned, reason: max_output_tokens", harness.Truncated, "", "make the unit smaller"},
		{"Incomplete response returned, reason: content_filter", harness.Refused, "", "split the unit"},
		{"unexpected status 401 Unauthorized: no", harness.Login, "", "codex login"},
		{"unexpected status 403 Forbidden: no", harness.Login, "", "codex login"},
		{"Missing environment variable: `X`.", harness.Login, "", "`Env:`"},
		{"Your refresh token was revoked", harness.Login, "", "codex login"},
		{"The model `x` does not exist or you do not have access to it.", harness.Misused, "", "name a model"},
		{"The 'x' model is not supported when using Codex with a ChatGPT account.", harness.Misused, "", "name a model"},
		{"unexpected status 404 Not Found: no", harness.Misused, "", "name a model"},
		{"We’re currently experiencing high demand", harness.Overloaded, "", "try again later"},
		{"unexpected status 502 Bad Gateway", harness.Overloaded, "", "try again later"},
		{"stream disconnected before completion: x", harness.Overloaded, "", "check the network"},
		{"unexpected status 4290 <unknown>", harness.Crashed, "", "transcript"},
		{"unexpected status", harness.Crashed, "", "transcript"},
		{"the status is good", harness.Crashed, "", "transcript"},
		{"", harness.Crashed, "", "transcript"},
		{strings.Repeat("long ☃ ", 1000) + "\nline", harness.Crashed, "", "☃"},
	} {
		message, _ := json.Marshal(tt.said) // a string always encodes
		got := read(t, named(t, "codex"), []byte(`{"type":"turn.failed","error":{"message":`+string(message)+`}}`), harness.Exit{Code: 1, End: recorded})
		kind := ""
		if got.Limit != nil {
			kind = got.Limit.Kind
		}
		if got.Stop != tt.stop || kind != tt.kind || !strings.Contains(got.Cause, tt.advice) || !strings.HasPrefix(got.Cause, "codex: ") {
			t.Errorf("%.60q: %q, kind %q, %s", tt.said, got.Stop, kind, got.Cause)
		}
		if len(got.Cause) > 600 || strings.Contains(got.Cause, "\n") {
			t.Errorf("%.60q: not a sentence: %s", tt.said, got.Cause)
		}
	}
}

// A user's wording comes before loopd's own, for one CLI or for all, and the reply says which one it was.
func TestWordingsOfAUser(t *testing.T) {
	set, err := harness.Named(nil,
		harness.Wording{Harness: "codex", Words: []string{"Weekly CAP"}, Stop: harness.Limited, Kind: "usage", Origin: "config.toml:7"},
		harness.Wording{Words: []string{"rate limit"}, Stop: harness.Overloaded, Origin: "config.toml:9"})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		cli, said string
		stop      harness.StopReason
		rule      string
	}{
		{"codex", "your weekly cap is used up", harness.Limited, `wording "Weekly CAP" (config.toml:7)`},
		{"codex", "Rate limit reached", harness.Overloaded, `wording "rate limit" (config.toml:9)`},
		{"codex", "unexpected status 401 Unauthorized", harness.Login, "wording status 401 (built in)"},
		{"pi", "your weekly cap is used up", harness.Crashed, ""},
		{"pi", "429 oh", harness.Limited, "wording status 429 (built in)"},
	} {
		h, err := set.Lookup(tt.cli)
		if err != nil {
			t.Fatal(err)
		}
		message, _ := json.Marshal(tt.said) // a string always encodes
		stdout := `{"type":"turn.failed","error":{"message":` + string(message) + `}}`
		if tt.cli == "pi" {
			stdout = `{"type":"turn_end","message":{"stopReason":"error","errorMessage":` + string(message) + `}}`
		}
		if got := read(t, h, []byte(stdout), harness.Exit{Code: 1, End: recorded}); got.Stop != tt.stop || got.Rule != tt.rule {
			t.Errorf("%s: %q: %q by %q", tt.cli, tt.said, got.Stop, got.Rule)
		}
	}
}

// A CLI that only config.toml describes is judged by its stderr, and by the user's wordings alone.
func TestWordingsForACommand(t *testing.T) {
	set, err := harness.Named(map[string]harness.Command{"mine": {Argv: []string{"mine"}}}, harness.Wording{Words: []string{"weekly cap"}, Stop: harness.Limited, Kind: "usage"})
	if err != nil {
		t.Fatal(err)
	}
	h, err := set.Lookup("mine")
	if err != nil {
		t.Fatal(err)
	}
	for stderr, want := range map[string]harness.StopReason{"the Weekly cap: try again in 2h": harness.Limited, "a tool said: rate limit": harness.Crashed} {
		if got := read(t, h, []byte("working\n"), harness.Exit{Code: 1, Stderr: []byte(stderr), End: recorded}); got.Stop != want {
			t.Errorf("%q: %q", stderr, got.Stop)
		}
	}
}
