package harness_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"loopd/harness"
)

func TestCodexSamples(t *testing.T) {
	const done = "DONE-FINAL-TEXT"
	// 1200 and 1300 input tokens were reported, 200 of them cached.
	one := harness.Usage{Input: 1000, Output: 34, CacheRead: 200}
	two := harness.Usage{Input: 1100, Output: 44, CacheRead: 200}
	empty := harness.Usage{Input: 10, Output: 1}
	checkSamples(t, "codex", map[string]expected{
		"ok-json":      {stop: harness.Complete, text: done, usage: one, turns: 1},
		"last":         {stop: harness.Complete, text: done, usage: one, turns: 1},
		"nogit":        {stop: harness.Complete, text: done, usage: one, turns: 1},
		"probe":        {stop: harness.Complete, text: done, usage: one, turns: 1},
		"resume1":      {stop: harness.Complete, text: done, usage: one, turns: 1},
		"write-stream": {stop: harness.Complete, text: done, usage: two, turns: 2},
		"shell":        {stop: harness.Complete, text: done, usage: two, turns: 2},
		"shellfail":    {stop: harness.Complete, text: done, usage: two, turns: 2},
		"bgsleep":      {stop: harness.Complete, text: done, usage: two, turns: 2},
		// It did call a tool; one of two read-only runs did not say so.
		"write-restricted": {stop: harness.Complete, text: done, usage: two, turns: 1},
		"readonly-shell":   {stop: harness.Complete, text: done, usage: two, turns: 2},

		"ok-text":    {stop: harness.None, cause: "exit 0 and no output"},
		"write-text": {stop: harness.None, cause: "exit 0 and no output"},
		"empty":      {stop: harness.None, usage: empty, turns: 1, cause: "without a final message"},
		"refusal":    {stop: harness.None, usage: empty, turns: 1, cause: "a refusal"},

		"maxtok":  {stop: harness.Truncated, text: "cut off he", turns: 1, cause: "max_output_tokens"},
		"toolong": {stop: harness.Truncated, turns: 1, cause: "the context is full"},

		"e429":       {stop: harness.Limited, turns: 1, limit: &harness.Limit{Kind: "rate"}, cause: "429 Too Many Requests"},
		"fewretries": {stop: harness.Limited, turns: 1, limit: &harness.Limit{Kind: "rate"}, cause: "429 Too Many Requests"},
		"e429long":   {stop: harness.Limited, limit: &harness.Limit{Kind: "rate"}, cause: "ended at the idle limit"},
		"usage":      {stop: harness.Limited, turns: 1, limit: &harness.Limit{Kind: "usage", Known: true, Reset: time.Date(2026, 11, 30, 5, 57, 0, 0, time.UTC)}, cause: "try again at 5:56 AM"},
		"quota":      {stop: harness.Limited, turns: 1, limit: &harness.Limit{Kind: "quota"}, cause: "raise the quota"},

		"e401":       {stop: harness.Login, turns: 1, cause: "codex login"},
		"novariable": {stop: harness.Login, turns: 1, cause: "`Env:` must name it"},
		"e500":       {stop: harness.Overloaded, turns: 1, cause: "high demand"},
		"e529":       {stop: harness.Overloaded, turns: 1, cause: "status 529"},
		"drop":       {stop: harness.Overloaded, turns: 1, cause: "stream disconnected"},
		"nonet":      {stop: harness.Overloaded, cause: "check the network"},

		"badflag":        {stop: harness.Misused, cause: "unexpected argument '--no-such-flag'"},
		"badmodel":       {stop: harness.Misused, turns: 1, cause: "does not exist"},
		"badconfig":      {stop: harness.Misused, cause: "correct the configuration file"},
		"nogit-readonly": {stop: harness.Misused, cause: "inside a git repository"},

		"hang-int":         {stop: harness.Crashed, cause: "exit 1 without turn.completed"},
		"hang-int-group":   {stop: harness.Crashed, cause: "exit 1 without turn.completed"},
		"hang-kill-leader": {stop: harness.Crashed, cause: "SIGKILL"},
	})
}

func TestCodexInvocation(t *testing.T) {
	h := named(t, "codex")
	const rest = " --disable plugins -c check_for_update_on_startup=false -c analytics.enabled=false --ephemeral"
	for _, tt := range []struct {
		name string
		req  harness.Request
		want string
	}{
		{"maker", harness.Request{Prompt: "- a list", MaxTurns: 3, MaxCost: 1}, "codex exec --json --dangerously-bypass-approvals-and-sandbox" + rest + " -"},
		{
			"read-only", harness.Request{Prompt: "- a list", ReadOnly: true, Model: "m", Dir: "/w/it's"},
			`codex exec --json -s read-only --skip-git-repo-check -c projects={"/w/it's"={trust_level="untrusted"},"/w"={trust_level="untrusted"},"/"={trust_level="untrusted"}}` + rest + " -m m -",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inv, err := h.Invoke(tt.req)
			if err != nil {
				t.Fatal(err)
			}
			want := harness.Invocation{Argv: strings.Fields(tt.want), Stdin: []byte("- a list"), StopSignal: "INT", Own: []string{"~/.codex/", "$CODEX_HOME"}}
			if d := cmp.Diff(want, inv); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestCodexEvents(t *testing.T) {
	fold := named(t, "codex").Fold()
	for _, tt := range []struct {
		line, want     string
		live, terminal bool
		turns          int
	}{
		{`{"type":"thread.started","thread_id":"t"}`, "", true, false, 1},
		{`{"type":"item.started","item":{"type":"command_execution","command":"go vet"}}`, "shell: go vet", true, false, 1},
		{`{"type":"item.completed","item":{"type":"command_execution","command":"go vet"}}`, "shell: go vet", true, false, 2},
		{`{"type":"item.completed","item":{"type":"reasoning","text":"hm"}}`, "", true, false, 2},
		{`{"type":"item.completed","item":{"type":"web_search","query":"q"}}`, "web_search", true, false, 3},
		{`{"type":"error","message":"Reconnecting... 1/5 (status 429)"}`, "Reconnecting... 1/5 (status 429)", true, false, 3},
		{`{"type":"error","message":"Reconnecting... waiting for network (x)"}`, "Reconnecting... waiting for network (x)", false, false, 3},
		{`{"type":"item.completed","item":{"type":"agent_message","text":"all \"good\""}}`, `all "good"`, true, false, 3},
		{`{"type":"turn.completed","usage":{"inp`, "", false, false, 0},
		{`{"type":"turn.completed","usage":{}}`, "", true, true, 3},
	} {
		ev := fold.Line([]byte(tt.line))
		if ev.Text() != tt.want || ev.Live != tt.live || ev.Terminal != tt.terminal || ev.Turns != tt.turns {
			t.Errorf("%s: %q live %v terminal %v turns %d", tt.line, ev.Text(), ev.Live, ev.Terminal, ev.Turns)
		}
	}
	got := fold.Reply(harness.Exit{Code: 1})
	if got.Stop != harness.Complete || got.Text != `all "good"` || got.Session != "t" || got.ToolCalls != 2 || len(got.Flags) != 1 {
		t.Errorf("%+v", got)
	}
}

// A message before the last tool call is not the final one.
func TestCodexFinalMessage(t *testing.T) {
	const message = `{"type":"item.completed","item":{"type":"agent_message","text":"I start."}}` + "\n"
	const tool = `{"type":"item.completed","item":{"type":"command_execution","command":"x"}}` + "\n"
	const end = `{"type":"turn.completed","usage":{}}` + "\n"
	const failed = `{"type":"turn.failed","error":{"message":"boom"}}` + "\n"
	for _, tt := range []struct {
		name, stdout string
		stop         harness.StopReason
		has          bool
	}{
		{"message then end", message + end, harness.Complete, true},
		{"tool last", message + tool + end, harness.None, false},
		{"failed and completed", message + failed + end, harness.Crashed, false},
		{"no end", message, harness.None, false},
	} {
		if got := read(t, named(t, "codex"), []byte(tt.stdout), harness.Exit{}); got.Stop != tt.stop || got.HasText != tt.has {
			t.Errorf("%s: %+v", tt.name, got)
		}
	}
}
