package harness

import (
	"bytes"
	"strings"
	"time"

	"github.com/tidwall/gjson"
)

// pi is the pi coding agent, seen at version 0.73.1.
//
// Observed against a model server (spec/harnesses.md 4.7):
//   - In json mode it always exits 0; how it went is the stopReason of the last assistant message. An error there may be
//     followed by a retry of its own (three, 9 to 41 s), so only a good end is final.
//   - It has no permission system: everything is allowed. Read-only is a list of tools that cannot change anything.
//   - TERM ends its tools too; INT leaves them. It waits for ever on a stdin that stays open.
//   - retry.provider.maxRetries = 0 in its settings cuts its own retries down; without it a 429 that names an hour is waited
//     for without a word.
//   - errorMessage begins with the HTTP status: "429 Rate limit reached …".
type pi struct{ tuned }

func (pi) Name() string { return "pi" }

// Vendor is not known: it speaks to whatever provider its config names, and keeps every key for it.
func (pi) Vendor() string            { return "" }
func (pi) Keys() []string            { return nil }
func (p pi) CacheTTL() time.Duration { return p.ttl(DefaultCacheTTL) }
func (pi) Caps() Caps {
	return Caps{Events: true, ReportsCost: true, ReportsUsage: true, CountsTurns: true}
}

func (pi) Credentials() []CredentialRule {
	return []CredentialRule{
		{Kind: StoredLogin, File: "auth.json", Home: "PI_CODING_AGENT_DIR", Default: ".pi/agent"},
		{Kind: Unknown, File: "models.json", Home: "PI_CODING_AGENT_DIR", Default: ".pi/agent"},
	}
}

func (p pi) Invoke(r Request) (Invocation, error) {
	argv := []string{"pi", "-p", "--mode", "json", "--no-session"}
	if r.ReadOnly {
		argv = append(argv, "--tools", "read,grep,find,ls", "--no-extensions") // those of the folder ran, and a maker can plant them
	}
	if provider, model, ok := strings.Cut(r.Model, "/"); ok {
		argv = append(argv, "--provider", provider, "--model", model)
	} else if r.Model != "" {
		argv = append(argv, "--model", r.Model)
	}
	return p.tune(Invocation{Argv: argv, Set: map[string]string{"PI_SKIP_VERSION_CHECK": "1"}, Stdin: []byte(r.Prompt), StopSignal: "TERM", Own: []string{"~/.pi/"}}), nil
}

func (p pi) Fold() Fold { return &piFold{rules: p.rules} }

const piLogin = "log in with `pi` (/login), or put the key into its models.json"

type piFold struct {
	rules     rules
	events    int
	session   string
	last      []byte // the last turn_end of an assistant
	ended     bool   // agent_end came after it
	turns     int
	toolCalls int
	usage     Usage
	cost      float64
}

func (f *piFold) Line(line []byte) Event {
	line = bytes.TrimSpace(line)
	if !isObject(line) {
		return Event{}
	}
	kind := field(line, "type").Str
	if kind == "" {
		return Event{}
	}
	f.events++
	ev := Event{Live: true, line: line, describe: describePi}
	switch kind {
	case "session":
		f.session = strings.Clone(field(line, "id").Str)
	case "turn_start":
		f.ended = false
	case "tool_execution_start":
		f.toolCalls++
	case "turn_end":
		if !gjson.ValidBytes(line) {
			return Event{}
		}
		f.last = append(f.last[:0], line...)
		f.turns++
		u := field(line, "message.usage")
		f.usage.Input += u.Get("input").Int()
		f.usage.Output += u.Get("output").Int()
		f.usage.CacheRead += u.Get("cacheRead").Int()
		f.usage.CacheWrite += u.Get("cacheWrite").Int()
		f.cost += u.Get("cost.total").Num
	case "agent_end":
		if !gjson.ValidBytes(line) {
			return Event{}
		}
		f.ended = true
		// An error that no turn_end told: it is the last message's.
		if messages := field(line, "messages").Array(); len(messages) > 0 {
			if m := messages[len(messages)-1]; m.Get("role").Str == "assistant" && m.Get("stopReason").Str == "error" {
				f.last = append(append(append(f.last[:0], `{"message":`...), m.Raw...), '}')
			}
		}
		ev.Terminal = f.reason() == "stop"
	case "compaction_start":
		f.ended = false // the context is full: what came before is not the end
	}
	ev.Turns = f.turns
	return ev
}

// describePi names the tool and what it works on, or gives the start of the message.
func describePi(line []byte) string {
	if tool := field(line, "toolName").Str; tool != "" {
		what := field(line, "args.command").Str
		return note(strings.Clone(tool), or(what, field(line, "args.path").Str))
	}
	return ""
}

func (f *piFold) reason() string { return gjson.GetBytes(f.last, "message.stopReason").Str }

// final is the text of the last assistant message.
func (f *piFold) final() string {
	var b strings.Builder
	gjson.GetBytes(f.last, "message.content").ForEach(func(_, part gjson.Result) bool {
		if part.Get("type").Str == "text" {
			b.WriteString(part.Get("text").Str)
		}
		return true
	})
	return b.String()
}

func (f *piFold) Reply(exit Exit) Reply {
	r := Reply{Session: f.session, Turns: f.turns, ToolCalls: f.toolCalls, Usage: f.usage, Cost: f.cost, CostKnown: f.turns > 0, Status: f.reason()}
	v, said := f.judge(exit)
	r.Stop, r.Rule = v.stop, v.rule
	switch v.stop {
	case Complete:
		r.Text, r.HasText = f.final(), true
		r.Flags = exit.flags()
	case Truncated:
		r.Text = f.final()
		r.HasText = strings.TrimSpace(r.Text) != ""
	case Limited:
		r.Limit = &Limit{Kind: v.kind}
		r.Limit.Reset, r.Limit.Known = ParseReset(said, exit.End)
	}
	r.Cause = cause("pi", piLogin, v, said)
	return r
}

func (f *piFold) judge(exit Exit) (verdict, string) {
	switch reason := f.reason(); {
	case reason == "stop" && f.ended:
		if strings.TrimSpace(f.final()) == "" {
			return is(None, ""), "ended without a final message"
		}
		return is(Complete, ""), ""
	case reason == "length":
		return is(Truncated, "output"), "the answer was cut at the output limit"
	case reason == "error":
		return f.rules.judgeLed(gjson.GetBytes(f.last, "message.errorMessage").Str)
	}
	if by, words, ok := byLoopd(exit); ok {
		return by, words
	}
	if f.events == 0 {
		return f.rules.failedStart(exit)
	}
	if exit.Code == 0 && exit.Signal == "" {
		return is(None, ""), "exit 0 without an end of the agent"
	}
	return is(Crashed, ""), exit.words() + " without an end of the agent"
}
