package harness

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"time"

	"github.com/tidwall/gjson"
)

// codex is the Codex CLI, seen at version 0.171.0.
//
// Observed against a model server of our own:
//   - -s read-only wins over sandbox_mode = "danger-full-access" in the user's config; a shell write fails with "Read-only
//     file system", in the tree and in /tmp, and a call that asks for escalation (sandbox_permissions) does not run. MCP
//     servers of the user's config are still started and offered, and -c mcp_servers={} does not take them away: the
//     fingerprint around a read-only exec is what finds a write by one. Those of a trusted folder's .codex/config.toml
//     too, unless the folder and those above it are untrusted (codexUntrusted).
//   - Its own retries (5 reconnects, 7 to 28 s) cannot be cut down from here. -c model_providers.NAME.request_max_retries
//     works only for a provider that the user's config defines; for any other NAME, the built-in "openai" too, it refuses
//     to start ("provider name must not be empty", "reserved built-in provider IDs"). Who has such a provider may say
//     argv = ["codex", "-c", "model_providers.NAME.request_max_retries=1", "-c", "model_providers.NAME.stream_max_retries=1"]
//     under [harness.codex]: options before `exec` are taken.
//   - Without a network it prints "Reconnecting... waiting for network" every few seconds, for ever.
//   - OPENAI_API_KEY is not sent; CODEX_API_KEY is. A provider's env_key may be any variable.
type codex struct{ tuned }

func (codex) Name() string   { return "codex" }
func (codex) Vendor() string { return "openai" }
func (codex) Keys() []string {
	return []string{"OPENAI_API_KEY", "CODEX_API_KEY"}
}

// CacheTTL is not published by the vendor.
func (c codex) CacheTTL() time.Duration { return c.ttl(DefaultCacheTTL) }
func (codex) Caps() Caps                { return Caps{Events: true, ReportsUsage: true, CountsTurns: true} }

func (codex) Credentials() []CredentialRule {
	return []CredentialRule{
		{Kind: APIKey, Env: "CODEX_API_KEY"},
		{Kind: StoredLogin, File: "auth.json", Home: "CODEX_HOME", Default: ".codex"},
		{Kind: Unknown, File: "config.toml", Home: "CODEX_HOME", Default: ".codex"},
	}
}

func (c codex) Invoke(r Request) (Invocation, error) {
	argv := []string{"codex", "exec", "--json"}
	if r.ReadOnly {
		argv = append(argv, "-s", "read-only", "--skip-git-repo-check", "-c", codexUntrusted(r.Dir))
	} else {
		argv = append(argv, "--dangerously-bypass-approvals-and-sandbox")
	}
	// With plugins it looks up chatgpt.com and github.com at every start.
	argv = append(argv, "--disable", "plugins", "-c", "check_for_update_on_startup=false", "-c", "analytics.enabled=false", "--ephemeral")
	if r.Model != "" {
		argv = append(argv, "-m", r.Model)
	}
	return c.tune(Invocation{
		Argv:       append(argv, "-"),
		Stdin:      []byte(r.Prompt),
		Own:        []string{"~/.codex/", "$CODEX_HOME"},
		StopSignal: "INT", // TERM leaves the tool's child alive
	}), nil
}

// codexUntrusted takes a user's trust back from a folder and all above it: the file .codex/config.toml of a trusted one
// starts MCP servers, and a maker can plant it. A dotted key in -c would split the path at its dots.
func codexUntrusted(dir string) string {
	var folders []string
	for at := filepath.Clean(dir); ; at = filepath.Dir(at) {
		name, _ := json.Marshal(at) // a text always encodes; TOML reads the same escapes
		folders = append(folders, string(name)+`={trust_level="untrusted"}`)
		if at == filepath.Dir(at) {
			return "projects={" + strings.Join(folders, ",") + "}"
		}
	}
}

func (c codex) Fold() Fold { return &codexFold{rules: c.rules} }

const codexLogin = "log in with `codex login`, or set CODEX_API_KEY"

// codexQuiet are the item types that are not tool calls.
var codexQuiet = map[string]bool{"agent_message": true, "reasoning": true, "error": true, "todo_list": true, "plan": true}

type codexFold struct {
	rules     rules
	events    int
	session   string
	message   []byte // the last agent_message event
	spoke     bool   // an agent_message came, and no tool after it
	toolCalls int
	done      bool
	usage     Usage
	failed    bool
	said      string   // turn.failed's message, or the last error that is not a reconnect
	retry     *verdict // the last event was a reconnect because of this
}

func (f *codexFold) Line(line []byte) Event {
	line = bytes.TrimSpace(line)
	if !isObject(line) {
		return Event{}
	}
	kind := field(line, "type").Str
	if kind == "" {
		return Event{}
	}
	f.events++
	ev := Event{Live: true, Turns: f.turns(), line: line, describe: describeCodex}
	switch kind {
	case "thread.started":
		f.session = strings.Clone(field(line, "thread_id").Str)
	case "item.started", "item.updated", "item.completed":
		f.retry = nil
		f.item(line, kind, &ev)
	case "error":
		return f.fault(line, ev)
	case "turn.started":
		f.done, f.spoke = false, false // another turn: what came before it was not the end
	case "turn.completed":
		if !gjson.ValidBytes(line) {
			return Event{}
		}
		f.done, ev.Terminal = true, true
		u := field(line, "usage")
		cached := u.Get("cached_input_tokens").Int()
		f.usage = Usage{
			Input:  max(0, u.Get("input_tokens").Int()-cached), // it counts the cached ones as input too
			Output: u.Get("output_tokens").Int(), CacheRead: cached, CacheWrite: u.Get("cache_write_input_tokens").Int(),
		}
	case "turn.failed":
		if !gjson.ValidBytes(line) {
			return Event{}
		}
		f.failed, ev.Terminal = true, true
		f.said = strings.Clone(field(line, "error.message").Str)
	}
	return ev
}

func (f *codexFold) item(line []byte, kind string, ev *Event) {
	switch what := field(line, "item.type").Str; {
	case what == "agent_message":
		if kind == "item.completed" {
			f.message, f.spoke = append(f.message[:0], line...), true
		}
	case codexQuiet[what] || what == "":
	default:
		f.spoke = false
		if kind == "item.completed" {
			f.toolCalls++
			ev.Turns = f.turns()
		}
	}
}

// text is the last message, "" where it cannot be read.
func (f *codexFold) text() string {
	if !gjson.ValidBytes(f.message) {
		return ""
	}
	return gjson.GetBytes(f.message, "item.text").Str
}

// describeCodex names the tool and what it works on, or gives the start of the message.
func describeCodex(line []byte) string {
	switch kind := field(line, "item.type").Str; {
	case kind == "":
		return field(line, "message").Str
	case kind == "agent_message":
		return note("", field(line, "item.text").Str)
	case codexQuiet[kind]:
		return ""
	case kind == "command_execution":
		return note("shell", field(line, "item.command").Str)
	default:
		return note(strings.Clone(kind), "")
	}
}

// fault reads an `error` event. It ends nothing: turn.failed does.
func (f *codexFold) fault(line []byte, ev Event) Event {
	message := field(line, "message").Str
	if !strings.HasPrefix(message, "Reconnecting") {
		f.said = strings.Clone(message)
		return ev
	}
	v, ok := f.rules.judge(message)
	if !ok {
		v = is(Overloaded, "network")
	}
	f.retry = &v
	ev.Live = !strings.Contains(message, "waiting for network")
	return ev
}

// turns estimates the model turns, which it does not report: one a tool call, and one that ends the run. Calls made in
// parallel count each, so a cap is kept too early rather than too late.
func (f *codexFold) turns() int { return f.toolCalls + 1 }

func (f *codexFold) Reply(exit Exit) Reply {
	r := Reply{Session: f.session, ToolCalls: f.toolCalls, Usage: f.usage}
	if f.done || f.failed {
		r.Turns = f.turns()
	}
	v, said := f.judge(exit, &r)
	r.Stop, r.Rule = v.stop, v.rule
	switch v.stop {
	case Complete:
		r.Text, r.HasText = f.text(), true
		r.Flags = exit.flags()
	case Truncated:
		if f.spoke {
			r.Text = f.text()
			r.HasText = strings.TrimSpace(r.Text) != ""
		}
	case Limited:
		r.Limit = &Limit{Kind: v.kind}
		r.Limit.Reset, r.Limit.Known = ParseReset(said, exit.End)
	}
	r.Cause = cause("codex", codexLogin, v, said)
	return r
}

func (f *codexFold) judge(exit Exit, r *Reply) (verdict, string) {
	switch {
	case f.failed:
		r.Status = "turn.failed"
		if v, ok := f.rules.judge(f.said); ok {
			return v, f.said
		}
		return is(Crashed, ""), f.said
	case f.done:
		r.Status = "turn.completed"
		// A refusal and an empty answer look alike: exit 0 and an empty message.
		if !f.spoke || strings.TrimSpace(f.text()) == "" {
			return is(None, ""), "ended without a final message (an empty answer or a refusal)"
		}
		return is(Complete, ""), ""
	}
	if by, words, ok := byLoopd(exit); ok {
		if by.stop == Stalled && f.retry != nil {
			return *f.retry, words + " while it tried again and again"
		}
		return by, words
	}
	if f.events == 0 {
		return f.rules.failedStart(exit)
	}
	if f.said != "" && exit.Code != 0 {
		if v, ok := f.rules.judge(f.said); ok {
			return v, f.said
		}
	}
	if exit.Code == 0 && exit.Signal == "" {
		return is(None, ""), "exit 0 without turn.completed"
	}
	return is(Crashed, ""), exit.words() + " without turn.completed"
}
