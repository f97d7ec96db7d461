package harness

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"
)

// copilot is the GitHub Copilot CLI, seen at version 1.0.102 with a model server of the user's (BYOK).
//
// Observed against a model server (spec/harnesses.md 4.6):
//   - The npm program is a wrapper that dies of a signal and leaves the agent; its group is what has to be signalled. The
//     native program beside it (copilot-linux-x64) starts in 0.7 s in place of 2.7 s: argv under [harness.copilot].
//   - What is final is the last assistant.message that asks for no tool. There is none after an error, which stands in a
//     session.error event with a class and an HTTP status. An empty answer is such an error, without a status.
//   - Tokens are not in its stream but in the file of --usage-output-file, per model. It tells no USD.
//   - A refusal of the provider's filter is exit 0 with a message of its own in place of an answer. An answer that was cut
//     at the output limit is asked again twice, and the last piece then looks like an answer.
//   - It tries again five times (5 to 22 s; a minute on a quota), which nothing cuts down.
//   - Without --allow-all tools that change something are denied in this mode; --available-tools does not even offer them,
//     whatever settings of the user or the folder say. COPILOT_ALLOW_ALL=true in the environment trusts the folder:
//     its hooks ran and its MCP servers started, so a read-only run does not get that variable. Hooks of the user run.
//   - Its shell tools do not get the variables of the provider.
type copilot struct{ tuned }

func (copilot) Name() string   { return "copilot" }
func (copilot) Vendor() string { return "github" }

// Keys: the general GitHub tokens are not among them, since agents of every vendor use gh.
func (copilot) Keys() []string {
	return []string{"COPILOT_GITHUB_TOKEN", "COPILOT_PROVIDER_API_KEY", "COPILOT_PROVIDER_BEARER_TOKEN"}
}
func (c copilot) CacheTTL() time.Duration { return c.ttl(DefaultCacheTTL) }
func (copilot) Caps() Caps                { return Caps{Events: true, ReportsUsage: true, CountsTurns: true} }

func (copilot) Credentials() []CredentialRule {
	return []CredentialRule{
		{Kind: APIKey, Env: "COPILOT_PROVIDER_BEARER_TOKEN"},
		{Kind: APIKey, Env: "COPILOT_PROVIDER_API_KEY"},
		{Kind: Subscription, Env: "COPILOT_GITHUB_TOKEN"},
		{Kind: Subscription, Env: "GH_TOKEN"},
		{Kind: Subscription, Env: "GITHUB_TOKEN"},
		{Kind: Unknown, File: "config.json", Home: "COPILOT_HOME", Default: ".copilot"},
	}
}

func (c copilot) Invoke(r Request) (Invocation, error) {
	report := filepath.Join(r.ScratchDir, "copilot-usage.json")
	inv := Invocation{
		Argv:       []string{"copilot", "--output-format", "json", "--no-auto-update", "--no-ask-user", "--usage-output-file", report},
		Report:     report,
		Stdin:      []byte(r.Prompt),
		Own:        []string{"~/.copilot/"},
		StopSignal: "TERM",
	}
	if r.ReadOnly {
		inv.Unset = []string{"COPILOT_ALLOW_ALL"}
		inv.Argv = append(inv.Argv, "--available-tools=view,grep,glob", "--deny-tool=write", "--deny-tool=shell", "--disable-builtin-mcps")
	} else {
		inv.Argv = append(inv.Argv, "--allow-all")
	}
	if r.Model != "" {
		inv.Argv = append(inv.Argv, "--model", r.Model)
	}
	return c.tune(inv), nil
}

func (c copilot) Fold() Fold { return &copilotFold{rules: c.rules} }

const copilotLogin = "log in with `copilot login`, or set COPILOT_PROVIDER_API_KEY for a provider of your own"

// copilotErrors are the classes in a session.error event that say enough where it has no HTTP status.
var copilotErrors = map[string]ending{
	"authentication": {Login, ""},
	"rate_limit":     {Limited, "rate"},
	"quota":          {Limited, "quota"},
}

// copilotFiltered is what it says in place of an answer that the provider's filter took.
const copilotFiltered = "The model returned no content because the response was blocked by content filtering."

type copilotFold struct {
	rules     rules
	events    int
	session   string
	final     []byte // the last message of the assistant that asks for no tool, as its event
	fault     []byte // the last session.error event
	ended     bool   // the result event came
	code      int64  // its exit code, -1 where it has none
	turns     int
	toolCalls int
	denied    []string
	calls     map[string]string // the tool of each call that has not come back
	retry     *verdict          // what the last failed call was, nil after a good one
}

// copilotQuiet are events that come while it only tries again: no sign of life, or its waiting would hide a limit.
var copilotQuiet = []string{"model.call_start", "model.call_failure", "model.call_finished", "model.call_final_result", "assistant.turn_retry", "assistant.idle"}

func (f *copilotFold) Line(line []byte) Event {
	line = bytes.TrimSpace(line)
	if !isObject(line) {
		return Event{}
	}
	kind := field(line, "type").Str
	if kind == "" {
		return Event{}
	}
	f.events++
	ev := Event{Live: !slices.Contains(copilotQuiet, kind), line: line, describe: describeCopilot}
	switch kind {
	case "assistant.turn_start":
		f.turns++
		f.final, f.fault = f.final[:0], f.fault[:0]
	case "model.call_failure":
		f.retry = f.failedCall(line)
	case "assistant.message":
		f.final, f.retry = f.final[:0], nil
		if tools := field(line, "data.toolRequests"); tools.IsArray() && len(tools.Array()) == 0 && gjson.ValidBytes(line) {
			f.final = append(f.final, line...)
		}
	case "tool.execution_start":
		f.toolCalls++
		if f.calls == nil {
			f.calls = map[string]string{}
		}
		if len(f.calls) < deniedMax {
			f.calls[strings.Clone(field(line, "data.toolCallId").Str)] = strings.Clone(field(line, "data.toolName").Str)
		}
	case "tool.execution_complete":
		id := field(line, "data.toolCallId").Str
		if field(line, "data.error.code").Str == "denied" && len(f.denied) < deniedMax {
			f.denied = append(f.denied, f.calls[id])
		}
		delete(f.calls, id)
	case "session.error":
		if gjson.ValidBytes(line) {
			f.fault = append(f.fault[:0], line...)
		}
	case "result":
		if !gjson.ValidBytes(line) {
			return Event{}
		}
		f.ended, f.code, ev.Terminal = true, -1, true
		if c := field(line, "exitCode"); c.Type == gjson.Number {
			f.code = c.Int()
		}
		f.session = strings.Clone(field(line, "sessionId").Str)
	}
	ev.Turns = f.turns
	return ev
}

// describeCopilot names the tool and what it works on, or gives the start of the message.
func describeCopilot(line []byte) string {
	switch field(line, "type").Str {
	case "tool.execution_start":
		what := field(line, "data.arguments.command").Str
		return note(strings.Clone(field(line, "data.toolName").Str), or(what, field(line, "data.arguments.path").Str))
	case "assistant.message":
		return note("", field(line, "data.content").Str)
	case "model.call_failure":
		return "trying again: " + field(line, "data.errorMessage").Str
	}
	return ""
}

func (f *copilotFold) text() string { return gjson.GetBytes(f.final, "data.content").Str }

func (f *copilotFold) Reply(exit Exit) Reply {
	r := Reply{Session: f.session, Turns: f.turns, ToolCalls: f.toolCalls, Denied: f.denied, Usage: copilotUsage(exit.Report)}
	if f.ended {
		r.Status = or(gjson.GetBytes(f.fault, "data.errorType").Str, "result")
	}
	v, said := f.judge(exit)
	r.Stop, r.Rule = v.stop, v.rule
	switch v.stop {
	case Complete:
		r.Text, r.HasText = f.text(), true
		r.Flags = exit.flags()
	case Limited:
		r.Limit = &Limit{Kind: v.kind}
		r.Limit.Reset, r.Limit.Known = ParseReset(said, exit.End)
	}
	r.Cause = cause("copilot", copilotLogin, v, said)
	return r
}

// copilotUsage adds up the models of a usage file; what cannot be read is 0.
func copilotUsage(report []byte) Usage {
	var u Usage
	if !gjson.ValidBytes(report) {
		return u
	}
	gjson.GetBytes(report, "modelMetrics").ForEach(func(_, model gjson.Result) bool {
		t := model.Get("usage")
		cached := t.Get("cacheReadTokens").Int()
		u.Input += max(0, t.Get("inputTokens").Int()-cached)
		u.Output += t.Get("outputTokens").Int()
		u.CacheRead += cached
		u.CacheWrite += t.Get("cacheWriteTokens").Int()
		return true
	})
	return u
}

func (f *copilotFold) judge(exit Exit) (verdict, string) {
	switch {
	case len(f.fault) > 0:
		return f.failed()
	case f.ended && strings.TrimSpace(f.text()) == copilotFiltered:
		return is(Refused, ""), "the provider's content filter"
	case f.ended && f.code == 0 && strings.TrimSpace(f.text()) != "":
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
	if f.ended && f.code != 0 && exit.Signal == "" {
		return is(Crashed, ""), "its result event has exit code " + itoa(int(f.code))
	}
	if exit.Code == 0 && exit.Signal == "" {
		return is(None, ""), "exit 0 without a final message"
	}
	return is(Crashed, ""), exit.words() + " without a final message" // a signal brings a result event too
}

// failedCall is what a failed call of the model comes to, should loopd end the run while it is tried again.
func (f *copilotFold) failedCall(line []byte) *verdict {
	if v, ok := f.rules.judge(field(line, "data.errorMessage").Str); ok {
		return &v
	}
	if v, ok := f.rules.judgeStatus(int(field(line, "data.statusCode").Int())); ok {
		return &v
	}
	v := is(Overloaded, "network")
	return &v
}

// failed judges a session.error: its words, its HTTP status, its class.
func (f *copilotFold) failed() (verdict, string) {
	data := gjson.GetBytes(f.fault, "data")
	said := data.Get("message").Str
	// What the retries came to stands at the end, behind how long they took ("total retry wait time: 10.93 seconds").
	if _, last, ok := strings.Cut(said, "Last error: "); ok {
		said = last
	}
	if strings.HasPrefix(said, "No response was returned") {
		return is(None, ""), said
	}
	if v, ok := f.rules.judge(said); ok {
		return v, said
	}
	if v, ok := f.rules.judgeStatus(int(data.Get("statusCode").Int())); ok {
		return v, said
	}
	class := data.Get("errorType").Str
	if e, ok := copilotErrors[class]; ok {
		return verdict{e, "errorType " + class}, said
	}
	return is(Crashed, ""), said
}
