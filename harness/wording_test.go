package harness_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

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
		{"Context limit reached · /compact or /clear to continue", harness.Truncated, "", "the context is full"},
		{"You have hit your context window limit", harness.Truncated, "", "the context is full"},
		{"You hit your max_output_tokens limit", harness.Truncated, "", "make the unit smaller"},
		{"Your input exceeds the context window of this model (rate limit tier 2)", harness.Truncated, "", "the context is full"},
		{"context_length_exceeded: This model's maximum context length is 128000 tokens", harness.Truncated, "", "the context is full"},
		{"input length and max_tokens exceed context limit: 199000 + 8000 > 200000", harness.Truncated, "", "the context is full"},
		{"insufficient_quota", harness.Limited, "quota", "raise the quota"},
		{"billing hard limit has been reached", harness.Limited, "credit", "add credit"},
		{"You have exhausted your capacity on this model. Your quota will reset after 3h5m2s.", harness.Limited, "usage", "wait for the reset"},
		{"Request failed with status code 429", harness.Limited, "rate", "wait for the reset"},
		{"HTTP error: 429", harness.Limited, "rate", "wait for the reset"},
		{"429", harness.Limited, "rate", "wait for the reset"},
		{"unexpected HTTP 401", harness.Login, "", "codex login"},
		{"exit status 1: last status: 429", harness.Limited, "rate", "wait for the reset"},
		{"wrote 429 files", harness.Crashed, "", "transcript"},
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

// Outputs that look like an answer and are none.
func TestWhatIsNoAnswer(t *testing.T) {
	for name, tt := range map[string]struct {
		cli, stdout string
		code        int
		want        harness.StopReason
	}{
		"copilot: its own exit code": {"copilot", `{"type":"assistant.turn_start","data":{}}
{"type":"assistant.message","data":{"content":"iteration done","toolRequests":[]}}
{"type":"result","sessionId":"s","exitCode":1,"usage":{}}`, 1, harness.Crashed},
		"claude: an API error that is no error": {"claude", `{"type":"result","subtype":"success","is_error":false,"terminal_reason":"api_error","api_error_status":429,"result":"API Error: Request rejected (429)"}`, 0, harness.Limited},
		"claude: more turns are queued": {"claude", `{"type":"result","subtype":"success","is_error":false,"result":"waiting","queued_turn_count":1}
{"type":"assistant","message":{"content":[{"type":"tool_use","name":"Bash","input":{"command":"x"}}]}}`, 1, harness.Crashed},
		"pi: the error of agent_end": {"pi", `{"type":"turn_end","message":{"role":"assistant","content":[{"type":"text","text":"done"}],"stopReason":"stop"}}
{"type":"agent_end","messages":[{"role":"assistant","stopReason":"error","errorMessage":"429 rate limit"}]}`, 0, harness.Limited},
		"pi: the context is full": {"pi", `{"type":"turn_end","message":{"role":"assistant","content":[{"type":"text","text":"done"}],"stopReason":"stop"}}
{"type":"agent_end","messages":[]}
{"type":"compaction_start","reason":"overflow"}`, 0, harness.None},
		"opencode: an error without words": {"opencode", `{"type":"step_start","sessionID":"s"}
{"type":"text","part":{"text":"answer"}}
{"type":"step_finish","part":{"reason":"stop"}}
{"type":"error","error":{"data":{"statusCode":500}}}`, 0, harness.Overloaded},
		"opencode: the text of an earlier step": {"opencode", `{"type":"step_start","sessionID":"s"}
{"type":"text","part":{"text":"I will now run the tests"}}
{"type":"step_finish","part":{"reason":"tool-calls"}}
{"type":"step_start"}
{"type":"step_finish","part":{"reason":"stop"}}`, 0, harness.None},
		"opencode: its own words": {"opencode", `{"type":"step_start","sessionID":"s"}
{"type":"text","part":{"text":"Continue if you have next steps","synthetic":true}}
{"type":"step_finish","part":{"reason":"stop"}}`, 0, harness.None},
		"codex: another turn": {"codex", `{"type":"item.completed","item":{"type":"agent_message","text":"first"}}
{"type":"turn.completed","usage":{}}
{"type":"turn.started"}
{"type":"error","message":"usage limit. Try again at 5:00 PM."}`, 1, harness.Limited},
		"qwen: the turn limit before any event": {"qwen", "", 53, harness.TurnLimit},
		"gemini: the exit code of a limit":      {"gemini", `{"type":"init","session_id":"x"}`, 173, harness.Limited},
	} {
		if r := read(t, named(t, tt.cli), []byte(tt.stdout+"\n"), harness.Exit{Code: tt.code, End: recorded}); r.Stop != tt.want {
			t.Errorf("%s: %q, want %q: %s", name, r.Stop, tt.want, r.Cause)
		}
	}
}

// A limit that was lifted again, and a header that cannot be read, do not hide when it makes sense to try again.
func TestWhatDoesNotHideAReset(t *testing.T) {
	for name, tt := range map[string]struct {
		cli, stdout string
		want        time.Duration
	}{
		"claude": {"claude", `{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":1796100000,"rateLimitType":"seven_day"}}
{"type":"rate_limit_event","rate_limit_info":{"status":"allowed","rateLimitType":"five_hour"}}
{"type":"result","subtype":"success","is_error":true,"api_error_status":429,"result":"API Error: rate limit exceeded, retry after 20 seconds"}`, 20 * time.Second},
		"opencode": {"opencode", `{"type":"error","error":{"name":"APIError","data":{"message":"usage limit, resets in 3 hours","statusCode":429,"responseHeaders":{"Retry-After":"soon"}}}}`, 3*time.Hour + time.Minute},
		"header":   {"opencode", `{"type":"error","error":{"name":"APIError","data":{"message":"usage limit","statusCode":429,"responseHeaders":{"Retry-After":"120"}}}}`, 2 * time.Minute},
	} {
		r := read(t, named(t, tt.cli), []byte(tt.stdout+"\n"), harness.Exit{Code: 1, End: recorded})
		if r.Limit == nil || !r.Limit.Known || r.Limit.Reset.Sub(recorded) != tt.want {
			t.Errorf("%s: %+v, want +%s", name, r.Limit, tt.want)
		}
	}
}

// Of a start that failed the line that is quoted decides, not a warning above it.
func TestAWarningIsNoVerdict(t *testing.T) {
	exit := harness.Exit{Code: 1, End: recorded, Stderr: []byte("warning: 80 % of your usage limit used\nerror: unknown option --foo\n")}
	if r := read(t, named(t, "claude"), nil, exit); r.Stop != harness.Misused {
		t.Errorf("%q: %s", r.Stop, r.Cause)
	}
}
