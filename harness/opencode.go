package harness

import (
	"bytes"
	"strings"
	"time"

	"github.com/tidwall/gjson"
)

// opencode is the OpenCode CLI, seen at version 1.18.33.
//
// Observed against a model server (spec/harnesses.md 4.4):
//   - By default edit and shell are allowed without --auto; read-only is OPENCODE_PERMISSION, which denies them.
//   - A permission that would be asked for is rejected without --auto, and the run stops there: exit 0, no final text,
//     "permission requested: edit (made.txt); auto-rejecting" on stderr. That is a question, not an answer.
//   - The final text is the last text before a step_finish with reason "stop"; errors come with name, status code and the
//     vendor's response headers. It retries a 5xx for 90 s by itself, and cannot be told not to.
//   - A signal kills it plainly; its shell tool always stays.
type opencode struct{ tuned }

func (opencode) Name() string { return "opencode" }

// Vendor is not known: it speaks to whatever provider its config names, and keeps every key for it.
func (opencode) Vendor() string            { return "" }
func (opencode) Keys() []string            { return nil }
func (o opencode) CacheTTL() time.Duration { return o.ttl(DefaultCacheTTL) }
func (opencode) Caps() Caps {
	return Caps{Events: true, ReportsCost: true, ReportsUsage: true, CountsTurns: true}
}

func (opencode) Credentials() []CredentialRule {
	return []CredentialRule{
		{Kind: Unknown, Env: "OPENCODE_CONFIG_CONTENT"},
		{Kind: StoredLogin, File: "opencode/auth.json", Home: "XDG_DATA_HOME", Default: ".local/share"},
	}
}

func (o opencode) Invoke(r Request) (Invocation, error) {
	argv := []string{"opencode", "run", "--format", "json"}
	set := map[string]string{"OPENCODE_DISABLE_AUTOUPDATE": "1"}
	if r.ReadOnly {
		set["OPENCODE_PERMISSION"] = `{"edit":"deny","bash":"deny"}`
		set["OPENCODE_DISABLE_PROJECT_CONFIG"] = "1" // plugins and MCP servers of the folder ran, and a maker can plant them
	} else {
		argv = append(argv, "--auto")
	}
	if r.Model != "" {
		argv = append(argv, "-m", r.Model)
	}
	return o.tune(Invocation{Argv: argv, Set: set, Stdin: []byte(r.Prompt), StopSignal: "TERM",
		Own: []string{"~/.config/opencode/", "~/.local/share/opencode/", "~/.local/state/opencode/", "$XDG_CONFIG_HOME/opencode", "$XDG_DATA_HOME/opencode", "$XDG_STATE_HOME/opencode"}}), nil
}

func (o opencode) Fold() Fold { return &opencodeFold{rules: o.rules} }

const opencodeLogin = "log in with `opencode auth login`, or put the key into its config"

type opencodeFold struct {
	rules     rules
	events    int
	session   string
	text      []byte // the last text event
	spoke     bool   // a text event came, and no tool after it
	reason    string // of the last step_finish
	steps     int
	toolCalls int
	usage     Usage
	cost      float64
	erred     bool   // an error event came
	fault     string // the last error event's message, "" for none
	name      string // its error's name
	status    int
	after     string // its retry-after header
}

func (f *opencodeFold) Line(line []byte) Event {
	line = bytes.TrimSpace(line)
	if !isObject(line) {
		return Event{}
	}
	kind := field(line, "type").Str
	if kind == "" {
		return Event{}
	}
	f.events++
	ev := Event{Live: true, line: line, describe: describeOpencode}
	if s := field(line, "sessionID").Str; s != "" && f.session == "" {
		f.session = strings.Clone(s)
	}
	switch kind {
	case "text":
		if field(line, "part.synthetic").Bool() {
			break // its own words for the model, after it cut the context down
		}
		f.text, f.spoke = append(f.text[:0], line...), true
	case "tool_use":
		f.toolCalls++
		f.spoke = false
	case "step_start":
		f.reason, f.spoke = "", false
	case "step_finish":
		if !gjson.ValidBytes(line) {
			return Event{}
		}
		f.finish(line)
		ev.Terminal = f.reason == "stop"
	case "error":
		if !gjson.ValidBytes(line) {
			return Event{}
		}
		e := field(line, "error")
		f.erred = true
		f.name = strings.Clone(e.Get("name").Str)
		f.fault = or(strings.Clone(e.Get("data.message").Str), f.name)
		f.status = int(e.Get("data.statusCode").Int())
		f.after = ""
		e.Get("data.responseHeaders").ForEach(func(name, value gjson.Result) bool {
			if strings.EqualFold(name.Str, "retry-after") {
				f.after = strings.Clone(value.String())
			}
			return true
		})
	}
	ev.Turns = f.steps
	return ev
}

// finish adds up a step: tokens and cost are reported for each.
func (f *opencodeFold) finish(line []byte) {
	f.steps++
	p := field(line, "part")
	f.reason = strings.Clone(p.Get("reason").Str)
	t := p.Get("tokens")
	f.usage.Input += t.Get("input").Int()
	f.usage.Output += t.Get("output").Int() + t.Get("reasoning").Int()
	f.usage.CacheRead += t.Get("cache.read").Int()
	f.usage.CacheWrite += t.Get("cache.write").Int()
	f.cost += p.Get("cost").Num
}

// describeOpencode names the tool and what it works on, or gives the start of the message.
func describeOpencode(line []byte) string {
	p := field(line, "part")
	if tool := p.Get("tool").Str; tool != "" {
		what := p.Get("state.input.command").Str
		return note(strings.Clone(tool), or(what, p.Get("state.input.filePath").Str))
	}
	return note("", p.Get("text").Str)
}

func (f *opencodeFold) final() string {
	if !f.spoke || !gjson.ValidBytes(f.text) {
		return ""
	}
	return gjson.GetBytes(f.text, "part.text").Str
}

func (f *opencodeFold) Reply(exit Exit) Reply {
	r := Reply{Session: f.session, Turns: f.steps, ToolCalls: f.toolCalls, Usage: f.usage, Cost: f.cost, CostKnown: f.steps > 0, Status: or(f.name, f.reason)}
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
		if f.after != "" {
			r.Limit.Reset, r.Limit.Known = ParseReset("retry-after: "+f.after, exit.End)
		}
		if !r.Limit.Known {
			r.Limit.Reset, r.Limit.Known = ParseReset(said, exit.End)
		}
	}
	if words := rejected(exit.Stderr); words != "" {
		r.Denied = append(r.Denied, words)
	}
	r.Cause = cause("opencode", opencodeLogin, v, said)
	return r
}

func (f *opencodeFold) judge(exit Exit) (verdict, string) {
	if f.erred {
		return f.judgeFault(exit)
	}
	switch f.reason {
	case "stop":
		if strings.TrimSpace(f.final()) == "" {
			return is(None, ""), "ended without a final message"
		}
		return is(Complete, ""), ""
	case "length":
		return is(Truncated, "output"), "the answer was cut at the output limit"
	case "content-filter":
		return is(Refused, ""), "the provider's content filter"
	}
	if by, words, ok := byLoopd(exit); ok {
		return by, words
	}
	if words := rejected(exit.Stderr); words != "" {
		return is(None, ""), words
	}
	if f.events == 0 {
		return f.rules.failedStart(exit)
	}
	if exit.Code == 0 && exit.Signal == "" {
		return is(None, ""), "exit 0 without a finished step"
	}
	return is(Crashed, ""), exit.words() + " without a finished step"
}

func (f *opencodeFold) judgeFault(exit Exit) (verdict, string) {
	switch f.name {
	case "ContextOverflowError":
		return is(Truncated, "context"), f.fault
	case "ContentFilterError":
		return is(Refused, ""), f.fault
	}
	if v, ok := f.rules.judge(f.fault); ok {
		return v, f.fault
	}
	if v, ok := f.rules.judgeStatus(f.status); ok {
		return v, f.fault
	}
	return is(Crashed, ""), or(f.fault, exit.words())
}

// rejected finds the permission that was asked for and rejected because nobody could answer.
func rejected(stderr []byte) string {
	for line := range strings.Lines(string(stderr)) {
		if strings.Contains(line, "permission requested") {
			return strings.TrimSpace(line)
		}
	}
	return ""
}
