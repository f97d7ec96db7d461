package harness

import (
	"bytes"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"
)

// claude is Claude Code, seen at version 2.1.332.
//
// Observed against a model server of our own:
//   - --tools Read,Grep,Glob with --strict-mcp-config leaves exactly these three, also where the user's settings allow
//     Write, Edit and Bash and set bypassPermissions: every other call is answered "No such tool available … disabled for
//     this session, in subagents as well as here". --permission-mode plan does not do that: it still offers Bash and Write.
//   - As root without IS_SANDBOX=1 it prints one line on stderr and exits 1, but only with
//     --dangerously-skip-permissions: a read-only run starts.
//   - CLAUDE_CODE_MAX_RETRIES=N makes N+1 requests on 401, 429 (waits retry-after each time), 500 and 529; 403 is never
//     tried again. With 2 a 401 takes 2 s in place of 3 min.
//   - A refused connection is is_error with api_error_status null and the code in the text.
type claude struct{ tuned }

func (claude) Name() string   { return "claude" }
func (claude) Vendor() string { return "anthropic" }
func (claude) Keys() []string {
	return []string{"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"}
}

// CacheTTL is five minutes: the default of the vendor's API.
func (c claude) CacheTTL() time.Duration { return c.ttl(DefaultCacheTTL) }
func (claude) Caps() Caps {
	return Caps{Events: true, Turns: true, Cost: true, ReportsCost: true, ReportsUsage: true, RootNeeds: "IS_SANDBOX"}
}

func (claude) Credentials() []CredentialRule {
	return []CredentialRule{
		{Kind: Cloud, Env: "CLAUDE_CODE_USE_BEDROCK"},
		{Kind: Cloud, Env: "CLAUDE_CODE_USE_VERTEX"},
		{Kind: Cloud, Env: "CLAUDE_CODE_USE_FOUNDRY"},
		{Kind: APIKey, Env: "ANTHROPIC_AUTH_TOKEN"},
		{Kind: APIKey, Env: "ANTHROPIC_API_KEY"},
		{Kind: Subscription, Env: "CLAUDE_CODE_OAUTH_TOKEN"},
		{Kind: Subscription, File: ".credentials.json", Home: "CLAUDE_CONFIG_DIR", Default: ".claude"},
	}
}

func (c claude) Invoke(r Request) (Invocation, error) {
	args := []string{"-p", "--output-format", "stream-json", "--verbose", "--no-session-persistence"}
	if r.ReadOnly {
		args = append(args, "--tools", "Read,Grep,Glob", "--strict-mcp-config", "--permission-mode", "default",
			"--setting-sources", "user") // hooks of the folder ran, and a maker can plant them
	} else {
		args = append(args, "--dangerously-skip-permissions")
	}
	if r.Model != "" {
		args = append(args, "--model", r.Model)
	}
	if r.MaxTurns > 0 {
		args = append(args, "--max-turns", itoa(r.MaxTurns)) // not in its --help, works
	}
	if r.MaxCost > 0 {
		args = append(args, "--max-budget-usd", strconv.FormatFloat(r.MaxCost, 'f', -1, 64))
	}
	return c.tune(Invocation{
		Argv:       append([]string{"claude"}, args...),
		Set:        map[string]string{"CLAUDE_CODE_MAX_RETRIES": "2", "DISABLE_AUTOUPDATER": "1"},
		Stdin:      []byte(r.Prompt),
		Own:        []string{"~/.claude/", "~/.claude.json", "$CLAUDE_CONFIG_DIR"},
		StopSignal: "TERM", // INT makes it exit 0; after TERM its tool shell is gone too
	}), nil
}

func (c claude) Fold() Fold { return &claudeFold{rules: c.rules} }

const claudeLogin = "log in with `claude` (/login), or set ANTHROPIC_API_KEY"

// claudeErrors are the words in an assistant event's `error`.
var claudeErrors = map[string]ending{
	"rate_limit":            {Limited, "rate"},
	"authentication_failed": {Login, ""},
	"billing_error":         {Limited, "credit"},
	"server_error":          {Overloaded, ""},
	"model_not_found":       {Misused, "model"},
	"max_output_tokens":     {Truncated, "output"},
}

// claudeEnds are the words in a result's `subtype`, `terminal_reason` and `stop_reason` that decide alone.
var claudeEnds = map[string]ending{
	"error_max_turns":      {TurnLimit, ""},
	"max_turns":            {TurnLimit, ""},
	"error_max_budget_usd": {CostLimit, ""},
	"budget_exhausted":     {CostLimit, ""},
	"prompt_too_long":      {Truncated, "context"},
	"refusal":              {Refused, ""},
	"max_tokens":           {Truncated, "output"},
	"aborted_streaming":    {Interrupted, ""},
	"aborted_tools":        {Interrupted, ""},
}

// keptMax and deniedMax bound what is kept of a run: assistant events in bytes, refused calls in number.
const (
	keptMax   = 1 << 20
	deniedMax = 100
)

type claudeFold struct {
	rules     rules
	events    int
	session   string
	result    []byte // the last valid result event
	recent    []byte // the assistant events since the last tool call, a line each, the oldest given up for room
	toolCalls int
	denied    []string
	retry     *verdict
	rejected  *Limit
	resetsAt  float64
}

func (f *claudeFold) Line(line []byte) Event {
	line = bytes.TrimSpace(line)
	if !isObject(line) {
		return Event{}
	}
	switch field(line, "type").Str {
	case "assistant":
		return f.assistant(line)
	case "user":
		f.events++
		f.retry = nil
		return Event{Live: true}
	case "system":
		return f.system(line)
	case "rate_limit_event":
		f.events++
		if !gjson.ValidBytes(line) {
			return Event{Live: true}
		}
		f.resetsAt, f.rejected = 0, nil // what was rejected before is allowed again
		if info := field(line, "rate_limit_info"); info.Get("status").Str == "rejected" {
			f.resetsAt = info.Get("resetsAt").Float()
			f.rejected = &Limit{Kind: strings.Clone(info.Get("rateLimitType").Str)}
		}
		return Event{Live: true}
	case "result":
		if !gjson.ValidBytes(line) {
			return Event{}
		}
		f.events++
		// More turns are queued where a background task of the agent has something to report: then this was no end.
		if field(line, "queued_turn_count").Int() != 0 {
			f.result = nil
			return Event{Live: true}
		}
		f.result = append(f.result[:0], line...)
		return Event{Live: true, Terminal: true}
	case "":
		return Event{}
	default:
		f.events++
		return Event{Live: true}
	}
}

// assistant keeps the event as it is: what it says matters only where the run is cut off or fails, and most of a stream
// is such lines. Only a tool call is looked at.
func (f *claudeFold) assistant(line []byte) Event {
	f.events++
	f.retry = nil
	// The quote after it keeps out texts, where it would be escaped, and keys like tool_use_id. A rare first byte makes
	// the search run at the speed of memory.
	if bytes.Contains(line, []byte(`_use"`)) {
		calls := 0
		field(line, "message.content").ForEach(func(_, block gjson.Result) bool {
			if block.Get("type").Str == "tool_use" {
				calls++
			}
			return true
		})
		f.toolCalls += calls
		if calls > 0 && !ofSubagent(line) {
			f.recent = f.recent[:0]
		}
	}
	if len(f.recent)+len(line) > keptMax {
		f.recent = f.recent[:0]
	}
	if len(line) < keptMax {
		f.recent = append(append(f.recent, line...), '\n')
	}
	return Event{Live: true, line: line, describe: describeClaude}
}

// ofSubagent says whether the event belongs to a subagent, whose messages are not this agent's.
func ofSubagent(line []byte) bool { return field(line, "parent_tool_use_id").Type == gjson.String }

// lastWords reads the kept events: the message in progress since the last tool call, and the error word of the last
// event, which makes it the CLI's own.
func (f *claudeFold) lastWords() (draft, apiError string) {
	var text strings.Builder
	for line := range bytes.Lines(f.recent) {
		line = bytes.TrimSpace(line)
		apiError = ""
		if !gjson.ValidBytes(line) || ofSubagent(line) {
			continue
		}
		if apiError = strings.Clone(field(line, "error").Str); apiError != "" {
			continue
		}
		field(line, "message.content").ForEach(func(_, block gjson.Result) bool {
			switch block.Get("type").Str {
			case "tool_use":
				text.Reset()
			case "text":
				text.WriteString(block.Get("text").Str)
			}
			return true
		})
	}
	return text.String(), apiError
}

// describeClaude names the tool and what it works on, or gives the start of the message.
func describeClaude(line []byte) string {
	switch field(line, "type").Str {
	case "assistant":
		said := ""
		field(line, "message.content").ForEach(func(_, block gjson.Result) bool {
			switch block.Get("type").Str {
			case "tool_use":
				what := ""
				for _, key := range claudeInputs {
					if v := block.Get(key); v.Type == gjson.String {
						what = v.Str
						break
					}
				}
				said = note(strings.Clone(block.Get("name").Str), what)
				return false
			case "text":
				said = note("", block.Get("text").Str)
			}
			return true
		})
		return said
	case "system":
		return "trying again: " + field(line, "error").Str
	}
	return ""
}

// claudeInputs are the arguments of a tool that say best what it works on.
var claudeInputs = []string{"input.file_path", "input.command", "input.pattern", "input.description", "input.path"}

func (f *claudeFold) system(line []byte) Event {
	f.events++
	switch field(line, "subtype").Str {
	case "init":
		f.session = strings.Clone(field(line, "session_id").Str)
	case "api_retry":
		v, ok := f.rules.judgeStatus(int(field(line, "error_status").Int()))
		if !ok {
			v = is(Overloaded, "network")
			if e, ok := claudeErrors[field(line, "error").Str]; ok {
				v = verdict{e, "error " + field(line, "error").String()}
			}
		}
		f.retry = &v
		return Event{Live: true, line: line, describe: describeClaude}
	case "permission_denied":
		if len(f.denied) < deniedMax {
			f.denied = append(f.denied, strings.Clone(field(line, "tool_name").Str))
		}
	}
	return Event{Live: true}
}

func (f *claudeFold) Reply(exit Exit) Reply {
	r := Reply{Session: f.session, ToolCalls: f.toolCalls, Denied: f.denied}
	v, said := f.judge(exit, &r)
	r.Stop, r.Rule = v.stop, v.rule
	switch v.stop {
	case Complete:
		r.Flags = exit.flags()
	case Truncated, TurnLimit, CostLimit:
		r.Text, _ = f.lastWords()
		r.HasText = strings.TrimSpace(r.Text) != ""
	case Limited:
		limit := f.rejected
		if limit == nil {
			limit = &Limit{Kind: v.kind}
		}
		if limit.Reset, limit.Known = resetEpoch(f.resetsAt, exit.End); !limit.Known {
			limit.Reset, limit.Known = ParseReset(said, exit.End)
		}
		r.Limit = limit
	}
	r.Cause = cause("claude", claudeLogin, v, said)
	return r
}

// judge fills r from the result event and says what it comes to. A good terminal event is the answer, whatever the exit
// (decision 16); subtype "success" alone is not one: API errors come with it too.
func (f *claudeFold) judge(exit Exit, r *Reply) (verdict, string) {
	if f.result == nil {
		return f.withoutResult(exit)
	}
	res := gjson.ParseBytes(f.result)
	if id := res.Get("session_id").Str; id != "" {
		r.Session = id
	}
	r.Turns = int(res.Get("num_turns").Int())
	usage := res.Get("usage")
	r.Usage = Usage{
		Input: usage.Get("input_tokens").Int(), Output: usage.Get("output_tokens").Int(),
		CacheRead: usage.Get("cache_read_input_tokens").Int(), CacheWrite: usage.Get("cache_creation_input_tokens").Int(),
	}
	if cost := res.Get("total_cost_usd"); cost.Type == gjson.Number {
		r.Cost, r.CostKnown = cost.Float(), true
	}
	if denials := res.Get("permission_denials"); denials.IsArray() && len(denials.Array()) > 0 {
		r.Denied = nil
		for _, d := range denials.Array() {
			r.Denied = append(r.Denied, d.Get("tool_name").Str)
		}
	}
	status := int(res.Get("api_error_status").Int())
	r.Status = strings.TrimSpace(res.Get("subtype").Str + " " + res.Get("terminal_reason").Str)
	if status != 0 {
		r.Status += " " + itoa(status)
	}
	failed, text := res.Get("is_error"), res.Get("result")
	said := or(text.Str, res.Get("errors.0").Str)

	for _, key := range []string{"subtype", "terminal_reason", "stop_reason"} {
		if e, ok := claudeEnds[res.Get(key).Str]; ok {
			v := verdict{e, key + " " + res.Get(key).Str}
			if v.stop == Interrupted {
				if by, words, ok := byLoopd(exit); ok {
					return by, words
				}
				return v, "a signal from outside interrupted it"
			}
			return v, said
		}
	}
	switch {
	case status >= 400 || res.Get("terminal_reason").Str == "api_error": // whatever is_error says
	case failed.Type == gjson.False && res.Get("subtype").Str == "success" && text.Type == gjson.String:
		if strings.TrimSpace(text.Str) == "" {
			return is(None, ""), "ended without a final message"
		}
		r.Text, r.HasText = text.Str, true
		return is(Complete, ""), ""
	case failed.Type != gjson.True:
		return is(None, ""), "its result event has no answer"
	}
	_, apiError := f.lastWords()
	for _, word := range []string{apiError, res.Get("api_error").Str} {
		if e, ok := claudeErrors[word]; ok {
			v := verdict{e, "error " + word}
			if v.kind == "rate" {
				if better, ok := f.rules.judge(said); ok && better.stop == Limited {
					return better, said // "You've hit your limit" is more than a rate
				}
			}
			if v.stop == Overloaded {
				if better, ok := f.rules.judge(said); ok && better.stop == Overloaded {
					return better, said
				}
			}
			return v, said
		}
	}
	if v, ok := f.rules.judgeStatus(status); ok {
		if better, ok := f.rules.judge(said); ok && better.stop == v.stop {
			return better, said
		}
		return v, said
	}
	if v, ok := f.rules.judge(said); ok {
		return v, said
	}
	return is(Crashed, ""), said
}

func (f *claudeFold) withoutResult(exit Exit) (verdict, string) {
	if by, words, ok := byLoopd(exit); ok {
		// The CLI was only waiting for the vendor: that is not the agent's stall.
		if by.stop == Stalled && f.retry != nil {
			return *f.retry, words + " while it tried again and again"
		}
		return by, words
	}
	if f.events == 0 {
		return f.rules.failedStart(exit)
	}
	if exit.Code == 0 && exit.Signal == "" {
		return is(None, ""), "exit 0 without a result event"
	}
	return is(Crashed, ""), exit.words() + " without a result event"
}
