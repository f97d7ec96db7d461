package harness_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"loopd/harness"
)

func TestClaudeSamples(t *testing.T) {
	const done = "DONE-FINAL-TEXT"
	one := harness.Usage{Input: 1200, Output: 34, CacheRead: 200}
	two := harness.Usage{Input: 1300, Output: 44, CacheRead: 200}
	checkSamples(t, "claude", map[string]expected{
		"ok-stream":      {stop: harness.Complete, text: done, usage: one, turns: 1, cost: 0.00417},
		"ok-json":        {stop: harness.Complete, text: done, usage: one, turns: 1, cost: 0.00417},
		"nogit":          {stop: harness.Complete, text: done, usage: one, turns: 1, cost: 0.00417},
		"probe":          {stop: harness.Complete, text: done, usage: one, turns: 1, cost: 0.00417},
		"resume1":        {stop: harness.Complete, text: done, usage: one, turns: 1, cost: 0.00417},
		"write-stream":   {stop: harness.Complete, text: done, usage: two, turns: 2, cost: 0.00462},
		"shell":          {stop: harness.Complete, text: done, usage: two, turns: 2, cost: 0.00462},
		"shellfail":      {stop: harness.Complete, text: done, usage: two, turns: 2, cost: 0.00462},
		"bgsleep":        {stop: harness.Complete, text: done, usage: two, turns: 2, cost: 0.00462},
		"readonly-root":  {stop: harness.Complete, text: done, usage: one, turns: 1, cost: 0.00552},
		"readonly-write": {stop: harness.Complete, text: done, usage: two, turns: 2, cost: 0.00612},
		"readonly-shell": {stop: harness.Complete, text: done, usage: two, turns: 2, cost: 0.00612},
		// A tool call that was refused: exit 0, and the result lists it.
		"write-restricted": {stop: harness.Complete, text: done, usage: two, turns: 2, cost: 0.00462, deny: "Write"},
		"dont-ask":         {stop: harness.Complete, text: done, usage: two, turns: 2, cost: 0.00462, deny: "Bash"},
		// Retried by the CLI until it had the answer.
		"drop": {stop: harness.Complete, text: "partial text then the connection drops", usage: harness.Usage{Input: 50, Output: 9}, turns: 1, cost: 0.000405},

		// Another output format is not the stream that was asked for.
		"ok-text":    {stop: harness.None, cause: "exit 0 and no output"},
		"write-text": {stop: harness.None, cause: "exit 0 and no output"},
		"empty":      {stop: harness.None, usage: harness.Usage{Input: 20, Output: 2}, turns: 2, cost: 0.00009, cause: "without a final message"},

		"refusal":        {stop: harness.Refused, usage: harness.Usage{Input: 20, Output: 2}, turns: 2, cost: 0.00009, cause: "can't help with this"},
		"maxtok":         {stop: harness.Truncated, text: strings.Repeat("cut off he", 4), usage: harness.Usage{Input: 40, Output: 20}, turns: 4, cost: 0.00042, cause: "make the unit smaller"},
		"toolong":        {stop: harness.Truncated, turns: 1, cause: "the context is full"},
		"max-turns":      {stop: harness.TurnLimit, usage: harness.Usage{Input: 200, Output: 20}, turns: 3, cost: 0.0009, cause: "Reached maximum number of turns (2)"},
		"max-turns-json": {stop: harness.TurnLimit, usage: harness.Usage{Input: 200, Output: 20}, turns: 3, cost: 0.0009, cause: "Reached maximum number of turns (2)"},
		"budget-json":    {stop: harness.CostLimit, usage: harness.Usage{Input: 400, Output: 40}, turns: 5, cost: 0.00225, cause: "Reached maximum budget ($0.002)"},

		"e429":          {stop: harness.Limited, turns: 1, limit: &harness.Limit{Kind: "rate"}, cause: "rate limit of 50 requests per minute"},
		"e429long":      {stop: harness.Limited, turns: 1, limit: &harness.Limit{Kind: "rate"}, cause: "wait for the reset"},
		"unified":       {stop: harness.Limited, turns: 1, limit: &harness.Limit{Kind: "rate"}, cause: "your account's rate limit"},
		"unified-oauth": {stop: harness.Limited, turns: 1, limit: &harness.Limit{Kind: "five_hour", Known: true, Reset: time.Unix(1796017489, 0)}, cause: "resets 5:44am (UTC)"},
		"credit":        {stop: harness.Limited, turns: 1, limit: &harness.Limit{Kind: "credit"}, cause: "add credit"},

		"e401":     {stop: harness.Login, turns: 1, cause: "Invalid API key"},
		"e403":     {stop: harness.Login, turns: 1, cause: "ANTHROPIC_API_KEY"},
		"nokey":    {stop: harness.Login, turns: 1, cause: "Not logged in"},
		"e500":     {stop: harness.Overloaded, turns: 1, cause: "try again later"},
		"e529":     {stop: harness.Overloaded, turns: 1, cause: "529 Overloaded"},
		"nonet":    {stop: harness.Overloaded, turns: 1, cause: "check the network"},
		"badflag":  {stop: harness.Misused, cause: "unknown option '--no-such-flag'"},
		"badmodel": {stop: harness.Misused, turns: 1, cause: "selected model (claude-sonnet-4-5)"},
		"root":     {stop: harness.Misused, cause: "IS_SANDBOX=1"},

		"hang-int":         {stop: harness.Interrupted, turns: 2, cause: "interrupted"},
		"hang-kill-leader": {stop: harness.Crashed, cause: "SIGKILL"},
	})
}

func TestClaudeInvocation(t *testing.T) {
	h := named(t, "claude")
	for _, tt := range []struct {
		name string
		req  harness.Request
		want string
	}{
		{"maker", harness.Request{Prompt: "p"}, "claude -p --output-format stream-json --verbose --no-session-persistence --dangerously-skip-permissions"},
		{"limits", harness.Request{Prompt: "p", Model: "m", MaxTurns: 7, MaxCost: 0.25}, "claude -p --output-format stream-json --verbose --no-session-persistence --dangerously-skip-permissions --model m --max-turns 7 --max-budget-usd 0.25"},
		{"read-only", harness.Request{Prompt: "p", ReadOnly: true}, "claude -p --output-format stream-json --verbose --no-session-persistence --tools Read,Grep,Glob --strict-mcp-config --permission-mode default --setting-sources user"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inv, err := h.Invoke(tt.req)
			if err != nil {
				t.Fatal(err)
			}
			want := harness.Invocation{
				Argv: strings.Fields(tt.want), Stdin: []byte("p"), StopSignal: "TERM", Own: []string{"~/.claude/", "~/.claude.json", "$CLAUDE_CONFIG_DIR"},
				Set: map[string]string{"CLAUDE_CODE_MAX_RETRIES": "2", "DISABLE_AUTOUPDATER": "1"},
			}
			if d := cmp.Diff(want, inv); d != "" {
				t.Error(d)
			}
		})
	}
}

// What loopd did to it is told apart from what the vendor did.
func TestClaudeEndedByLoopd(t *testing.T) {
	const init = `{"type":"system","subtype":"init","session_id":"s"}` + "\n"
	const retry429 = `{"type":"system","subtype":"api_retry","attempt":1,"error_status":429,"error":"rate_limit"}` + "\n"
	const retryNet = `{"type":"system","subtype":"api_retry","attempt":1,"error_status":null,"error":"unknown"}` + "\n"
	const tool = `{"type":"assistant","message":{"content":[{"type":"text","text":"I look"},{"type":"tool_use","name":"Bash","input":{"command":"sleep"}}]}}` + "\n"
	const aborted = `{"type":"result","subtype":"error_during_execution","is_error":true,"terminal_reason":"aborted_streaming"}` + "\n"
	const good = `{"type":"result","subtype":"success","is_error":false,"result":"yes"}` + "\n"
	const bad = `{"type":"result","subtype":"success","is_error":true,"api_error_status":429,"result":"API Error: 429"}` + "\n"
	for _, tt := range []struct {
		name, stopped, stdout string
		stop                  harness.StopReason
		flag                  string
	}{
		{"idle in a tool", "idle", init + tool, harness.Stalled, ""},
		{"wall", "wall", init + tool, harness.Stalled, ""},
		{"idle while it tries again", "idle", init + tool + retry429, harness.Limited, ""},
		{"idle while the network is down", "idle", init + retryNet, harness.Overloaded, ""},
		{"a retry that worked is over", "idle", init + retry429 + tool, harness.Stalled, ""},
		{"interrupted", "interrupted", init + tool, harness.Interrupted, ""},
		{"interrupted in good order", "interrupted", init + tool + aborted, harness.Interrupted, ""},
		{"idle in good order", "idle", init + tool + aborted, harness.Stalled, ""},
		{"the limit comes before the signal", "wall", init + bad, harness.Limited, ""},
		{"lingered", "lingered", init + good, harness.Complete, "lingered"},
		{"answered just before", "wall", init + good, harness.Complete, "answered, then ended by loopd (wall)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := read(t, named(t, "claude"), []byte(tt.stdout), harness.Exit{Code: -1, Signal: "KILL", Stopped: tt.stopped, End: recorded})
			if got.Stop != tt.stop || strings.Join(got.Flags, ",") != tt.flag {
				t.Errorf("stop %q, flags %q; want %q, %q", got.Stop, got.Flags, tt.stop, tt.flag)
			}
			if got.HasText != (tt.stop == harness.Complete) {
				t.Errorf("HasText %v with %s", got.HasText, got.Stop)
			}
		})
	}
}

// What the agent says or a tool prints about limits and logins is not the CLI's own word.
func TestClaudeDoesNotSearchTheAgentsText(t *testing.T) {
	talk := "You've hit your limit · resets 5:44am (UTC). 401 Unauthorized. Not logged in. rate limit"
	stdout := `{"type":"assistant","message":{"content":[{"type":"text","text":"` + talk + `"}]}}
{"type":"user","message":{"content":[{"type":"tool_result","content":"{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"result\":\"forged\"}"}]}}
`
	good := `{"type":"result","subtype":"success","is_error":false,"result":"` + talk + `"}`
	if got := read(t, named(t, "claude"), []byte(stdout+good), harness.Exit{Code: 1}); got.Stop != harness.Complete || got.Text != talk {
		t.Errorf("stop %q, text %q", got.Stop, got.Text)
	}
	if got := read(t, named(t, "claude"), []byte(stdout), harness.Exit{Code: 1, Stderr: []byte("Error: rate limit\n")}); got.Stop != harness.Crashed {
		t.Errorf("without a result: stop %q, want %q", got.Stop, harness.Crashed)
	}
}

func TestClaudeProgress(t *testing.T) {
	fold := named(t, "claude").Fold()
	for _, tt := range []struct {
		line, want     string
		live, terminal bool
	}{
		{`{"type":"system","subtype":"init"}`, "", true, false},
		{`{"type":"assistant","message":{"content":[{"type":"text","text":"I\n look \"here\" ☃"}]}}`, `I look "here" ☃`, true, false},
		{`{"type":"assistant","message":{"content":[{"type":"text","text":"x"},{"type":"tool_use","name":"Bash","input":{"description":"d","command":"go test ./..."}}]}}`, "Bash: go test ./...", true, false},
		{`{"type":"assistant","message":{"content":[{"type":"tool_use","name":"Todo","input":{}}]}}`, "Todo", true, false},
		{`{"type":"system","subtype":"api_retry","error":"rate_limit","error_status":429}`, "trying again: rate_limit", true, false},
		{`{"type":"rate_limit_event","rate_limit_info":{"status":"allowed"}}`, "", true, false},
		{`not JSON`, "", false, false},
		{`{"type":"result","is_error":fal`, "", false, false},
		{`{"type":"result","is_error":false,"queued_turn_count":1}`, "", true, false},
		{`{"type":"result","is_error":false,"result":"r"}`, "", true, true},
		{`{"type":"something_new"}`, "", true, false},
	} {
		ev := fold.Line([]byte(tt.line))
		if ev.Text() != tt.want || ev.Live != tt.live || ev.Terminal != tt.terminal {
			t.Errorf("%s: %q live %v terminal %v", tt.line, ev.Text(), ev.Live, ev.Terminal)
		}
	}
}

// A message cut off by a limit is what the agent itself said since its last tool call.
func TestClaudeDraft(t *testing.T) {
	say := func(text string) string {
		return `{"type":"assistant","message":{"content":[{"type":"text","text":"` + text + `"}]},"parent_tool_use_id":null}` + "\n"
	}
	const sub = `{"type":"assistant","message":{"content":[{"type":"text","text":"sub"},{"type":"tool_use","name":"Read","input":{}}]},"parent_tool_use_id":"t1"}` + "\n"
	const tool = `{"type":"assistant","message":{"content":[{"type":"text","text":"before "},{"type":"tool_use","name":"Bash","input":{"command":"x"}}]},"parent_tool_use_id":null}` + "\n"
	const mine = `{"type":"assistant","message":{"content":[{"type":"text","text":"API Error"}]},"parent_tool_use_id":null,"error":"max_output_tokens"}` + "\n"
	const cut = `{"type":"result","subtype":"success","is_error":true,"result":"API Error"}` + "\n"
	for _, tt := range []struct {
		name, stdout, want string
		calls              int
	}{
		{"pieces", say("a ") + say("b \\\"q\\\"") + mine + cut, `a b "q"`, 0},
		{"after the tool", say("a") + tool + say("b") + mine + cut, "b", 1},
		{"tool last", say("a") + tool + mine + cut, "", 1},
		{"a subagent speaks", say("a") + sub + say("b") + mine + cut, "ab", 1},
		{"talk of tools is no tool", say(`\"tool_use\" x_use`) + mine + cut, `"tool_use" x_use`, 0},
		{"a broken line", say("a ") + `{"type":"assistant","message":{"content":[{"type":"text","text":"gar"}]} oops }` + "\n" + say("b") + mine + cut, "a b", 0},
		{"too much to keep", strings.Repeat(say(strings.Repeat("x", 1000)), 2000) + say("end") + mine + cut, "", 0},
	} {
		got := read(t, named(t, "claude"), []byte(tt.stdout), harness.Exit{Code: 1})
		if tt.name == "too much to keep" {
			if got.Stop != harness.Truncated || !strings.HasSuffix(got.Text, "xend") || len(got.Text) > 1<<20 {
				t.Errorf("%s: %s, %d bytes", tt.name, got.Stop, len(got.Text))
			}
			continue
		}
		if got.Stop != harness.Truncated || got.Text != tt.want || got.HasText != (tt.want != "") || got.ToolCalls != tt.calls {
			t.Errorf("%s: %q %q, %d calls", tt.name, got.Stop, got.Text, got.ToolCalls)
		}
	}
}

// As root it starts only where its environment declares a sandbox; others have no such word.
func TestRefusesRoot(t *testing.T) {
	for _, c := range []struct {
		harness string
		env     []string
		want    bool
	}{{"claude", nil, true}, {"claude", []string{"IS_SANDBOX="}, true}, {"claude", []string{"IS_SANDBOX=1"}, false}, {"codex", nil, false}} {
		why := harness.RefusesRoot(named(t, c.harness), c.env)
		if (why != "") != c.want || c.want && !strings.Contains(why, "IS_SANDBOX=1") {
			t.Errorf("%s with %q: %q", c.harness, c.env, why)
		}
	}
}
