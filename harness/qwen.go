package harness

import (
	"bytes"
	"path/filepath"
	"strings"
	"time"

	"github.com/tidwall/gjson"
)

// qwen is Qwen Code, seen at version 0.24.4 (it needs node 22).
//
// Observed against a model server (spec/harnesses.md 4.5):
//   - Its events look like Claude Code's, its result has no cost, and an error stands in error.message, after
//     "[API Error: " and mostly with the HTTP status first.
//   - A 429 is retried without an end in sight: every two minutes a system/retry event, the reason on stderr alone. Such an
//     event is no sign of life, so that the idle limit ends it, and what it waited for is the verdict. With
//     model.generationConfig.maxRetries = 0 it ends with a result event after 7 requests and 16 s; a 5xx still takes more
//     than a minute. The setting goes in as a system default, so that the user's own wins.
//   - Without --approval-mode a write and a shell command are refused, but only where no settings allow them:
//     tools.approvalMode "yolo" and permissions.allow, in the user's settings or in .qwen/settings.json of the folder, which
//     an agent can write, made it write and run commands; mode "plan" wrote too. --core-tools takes those tools away
//     against both settings (--bare gives them back). disableAllHooks stops both settings' hooks, as a system setting, which
//     wins over theirs.
//   - The turn cap ends it with exit 53 and no result event.
//   - Its launcher dies at once of a signal and leaves the agent: the group is what has to be signalled.
//   - It asks the model a second time for its memory; that is in its usage.
type qwen struct{ tuned }

func (qwen) Name() string   { return "qwen" }
func (qwen) Vendor() string { return "alibaba" }

// Keys: it speaks to any server of the OpenAI kind, so that key is its own too.
func (qwen) Keys() []string {
	return []string{"DASHSCOPE_API_KEY", "QWEN_API_KEY", "OPENAI_API_KEY"}
}
func (q qwen) CacheTTL() time.Duration { return q.ttl(DefaultCacheTTL) }
func (qwen) Caps() Caps                { return Caps{Events: true, Turns: true, ReportsUsage: true} }

func (qwen) Credentials() []CredentialRule {
	return []CredentialRule{
		{Kind: APIKey, Env: "OPENAI_API_KEY"},
		{Kind: APIKey, Env: "DASHSCOPE_API_KEY"},
		{Kind: Subscription, File: "oauth_creds.json", Default: ".qwen"},
	}
}

const (
	qwenDefaults = `{"model":{"generationConfig":{"maxRetries":0}}}`
	qwenReadOnly = `{"disableAllHooks":true,"model":{"generationConfig":{"maxRetries":0}}}`
)

func (q qwen) Invoke(r Request) (Invocation, error) {
	argv := []string{"qwen", "-o", "stream-json"}
	name, settings := "QWEN_CODE_SYSTEM_DEFAULTS_PATH", qwenDefaults
	if r.ReadOnly {
		name, settings = "QWEN_CODE_SYSTEM_SETTINGS_PATH", qwenReadOnly
		argv = append(argv, "--approval-mode", "default", "--core-tools", "list_directory,read_file,grep_search,glob",
			"--exclude-tools", "enter_worktree,exit_worktree,record_artifact,agent,skill", "--allowed-mcp-server-names", "none")
	} else {
		argv = append(argv, "--approval-mode", "yolo")
	}
	if r.Model != "" {
		argv = append(argv, "-m", r.Model)
	}
	if r.MaxTurns > 0 {
		argv = append(argv, "--max-session-turns", itoa(r.MaxTurns))
	}
	path := filepath.Join(r.ScratchDir, "qwen-settings.json")
	return q.tune(Invocation{
		Argv:       argv,
		Set:        map[string]string{name: path},
		Files:      map[string][]byte{path: []byte(settings)},
		Stdin:      []byte(r.Prompt),
		Own:        []string{"~/.qwen/"},
		StopSignal: "TERM",
	}), nil
}

func (q qwen) Fold() Fold { return &qwenFold{rules: q.rules} }

const qwenLogin = "log in with `qwen` (/auth), or set OPENAI_API_KEY and OPENAI_BASE_URL"

type qwenFold struct {
	rules     rules
	events    int
	session   string
	result    []byte // the last valid result event
	toolCalls int
	retrying  bool // the last event was a retry
	spoke     bool // the model has answered at all
}

func (f *qwenFold) Line(line []byte) Event {
	line = bytes.TrimSpace(line)
	if !isObject(line) {
		return Event{}
	}
	kind := field(line, "type").Str
	if kind == "" {
		return Event{}
	}
	f.events++
	if id := field(line, "session_id").Str; id != "" && f.session == "" {
		f.session = strings.Clone(id)
	}
	f.retrying = kind == "system" && field(line, "subtype").Str == "retry"
	ev := Event{Live: !f.retrying, line: line, describe: describeQwen}
	switch kind {
	case "assistant":
		f.spoke = true
		field(line, "message.content").ForEach(func(_, part gjson.Result) bool {
			if part.Get("type").Str == "tool_use" {
				f.toolCalls++
			}
			return true
		})
	case "result":
		if !gjson.ValidBytes(line) {
			return Event{}
		}
		f.result, ev.Terminal = append(f.result[:0], line...), true
	}
	return ev
}

// describeQwen names the tool and what it works on, or gives the start of the message.
func describeQwen(line []byte) string {
	said := ""
	field(line, "message.content").ForEach(func(_, part gjson.Result) bool {
		switch part.Get("type").Str {
		case "tool_use":
			said = note(strings.Clone(part.Get("name").Str), or(part.Get("input.command").Str, part.Get("input.file_path").Str))
			return false
		case "text":
			said = note("", part.Get("text").Str)
		}
		return true
	})
	return said
}

func (f *qwenFold) Reply(exit Exit) Reply {
	r := Reply{Session: f.session, ToolCalls: f.toolCalls}
	if f.result != nil {
		res := gjson.ParseBytes(f.result)
		r.Turns = int(res.Get("num_turns").Int())
		u := res.Get("usage")
		cached := u.Get("cache_read_input_tokens").Int()
		r.Usage = Usage{Input: max(0, u.Get("input_tokens").Int()-cached), Output: u.Get("output_tokens").Int(), CacheRead: cached}
		r.Status = res.Get("subtype").Str
		for _, d := range res.Get("permission_denials").Array() {
			r.Denied = append(r.Denied, d.Get("tool_name").Str)
		}
	}
	v, said := f.judge(exit)
	r.Stop, r.Rule = v.stop, v.rule
	switch v.stop {
	case Complete:
		r.Text, r.HasText = gjson.GetBytes(f.result, "result").Str, true
		r.Flags = exit.flags()
	case Limited:
		r.Limit = &Limit{Kind: v.kind}
		r.Limit.Reset, r.Limit.Known = ParseReset(said, exit.End)
	}
	r.Cause = cause("qwen", qwenLogin, v, said)
	return r
}

func (f *qwenFold) judge(exit Exit) (verdict, string) {
	if f.result == nil {
		return f.withoutResult(exit)
	}
	res := gjson.ParseBytes(f.result)
	failed, text := res.Get("is_error"), res.Get("result")
	if failed.Type == gjson.False && res.Get("subtype").Str == "success" && text.Type == gjson.String {
		if strings.TrimSpace(text.Str) == "" {
			return is(None, ""), "ended without a final message"
		}
		return is(Complete, ""), ""
	}
	if failed.Type != gjson.True {
		return is(None, ""), "its result event has no answer"
	}
	said := apiError(res.Get("error.message").Str)
	switch {
	case strings.Contains(said, "empty response text"): // an empty answer and a refusal look alike
		return is(None, ""), said
	case strings.HasPrefix(said, "terminated"):
		return is(Overloaded, "network"), said
	}
	return f.rules.judgeLed(said)
}

func (f *qwenFold) withoutResult(exit Exit) (verdict, string) {
	if by, words, ok := byLoopd(exit); ok {
		if by.stop == Stalled && (f.retrying || !f.spoke) {
			if v, said := f.rules.judgeLed(lastRetry(exit.Stderr)); v.stop != Crashed {
				return v, said
			}
		}
		return by, words
	}
	if exit.Code == 53 {
		return is(TurnLimit, ""), "reached the turn limit (exit 53)"
	}
	if f.events == 0 {
		return f.rules.failedStart(exit)
	}
	if exit.Code == 0 && exit.Signal == "" {
		return is(None, ""), "exit 0 without a result event"
	}
	return is(Crashed, ""), exit.words() + " without a result event"
}

// apiError takes the words out of "[API Error: words]".
func apiError(said string) string {
	said = strings.TrimPrefix(strings.TrimSpace(said), "[API Error: ")
	return strings.TrimSuffix(said, "]")
}

// lastRetry is what the last retry on stderr waits for: "Retrying in 120s (attempt 2/10): [API Error: 429 …]".
func lastRetry(stderr []byte) string {
	last := ""
	for line := range strings.Lines(string(stderr)) {
		if _, why, ok := strings.Cut(line, "): [API Error: "); ok && strings.HasPrefix(line, "Retrying in") {
			last = strings.TrimSuffix(strings.TrimSpace(why), "]")
		}
	}
	return last
}
