package harness

import (
	"bytes"
	"path/filepath"
	"strings"
	"time"

	"github.com/tidwall/gjson"
)

// gemini is the Gemini CLI, seen at version 0.61.0.
//
// Observed against a model server (spec/harnesses.md 4.3):
//   - In a folder that is not trusted it exits 55; GEMINI_CLI_TRUST_WORKSPACE=true says that it is. Without
//     GEMINI_CLI_NO_RELAUNCH=true a wrapper swallows TERM, INT and HUP.
//   - Without --approval-mode neither write nor shell tools are offered to the model, but only where no settings allow them:
//     general.defaultApprovalMode "auto_edit" and tools.allowed, in the user's settings or in .gemini/settings.json of a
//     trusted folder, which an agent can write, made it write and run commands. Mode "plan" offered both tools as well.
//     An --admin-policy of --approval-mode default leaves the reading tools alone, also against a user's policy of the
//     highest priority. A folder that is not trusted and --skip-trust keep the folder's hooks and MCP servers from starting;
//     --allowed-mcp-server-names with a name that nobody has, the user's too. Hooks of the user run.
//   - In stream mode the exit code of an API error is the HTTP status modulo 256 (429 → 173, 500 → 244, 529 → 17).
//     An empty or refused answer is exit 0 with status "error" and no error object; the words are in an error event.
//   - There is no final field: the final text is what the assistant said after the last tool result.
//   - Its own retries (10, up to 4 minutes) cannot be cut down from here: general.maxAttempts = 2 in the user's settings
//     does it (429: 8 s), but GEMINI_CLI_SYSTEM_DEFAULTS_PATH is read only where root owns the file and every folder above.
//     A retry delay of an hour, or a daily quota, ends at once.
type gemini struct{ tuned }

func (gemini) Name() string   { return "gemini" }
func (gemini) Vendor() string { return "google" }
func (gemini) Keys() []string {
	return []string{"GEMINI_API_KEY", "GOOGLE_API_KEY"}
}

// CacheTTL is not published by the vendor for its implicit cache.
func (g gemini) CacheTTL() time.Duration { return g.ttl(DefaultCacheTTL) }
func (gemini) Caps() Caps                { return Caps{Events: true, ReportsUsage: true, CountsTurns: true} }

func (gemini) Credentials() []CredentialRule {
	return []CredentialRule{
		{Kind: APIKey, Env: "GEMINI_API_KEY"},
		{Kind: APIKey, Env: "GOOGLE_API_KEY"},
		{Kind: StoredLogin, File: "oauth_creds.json", Home: "GEMINI_CLI_HOME", Default: ".gemini"},
	}
}

// geminiReadOnly is the policy of a read-only run: what is not named here is not offered to the model.
const geminiReadOnly = `[[rule]]
toolName = "*"
decision = "deny"
priority = 900

[[rule]]
toolName = ["list_directory", "read_file", "read_many_files", "grep_search", "glob"]
decision = "allow"
priority = 950
`

func (g gemini) Invoke(r Request) (Invocation, error) {
	inv := Invocation{
		Argv:       []string{"gemini", "-o", "stream-json"},
		Set:        map[string]string{"GEMINI_CLI_TRUST_WORKSPACE": "true", "GEMINI_CLI_NO_RELAUNCH": "true"},
		Stdin:      []byte(r.Prompt),
		Own:        []string{"~/.gemini/"},
		StopSignal: "TERM",
	}
	if r.ReadOnly {
		policy := filepath.Join(r.ScratchDir, "read-only.toml")
		inv.Files = map[string][]byte{policy: []byte(geminiReadOnly)}
		inv.Set["GEMINI_CLI_TRUST_WORKSPACE"] = "false"
		inv.Argv = append(inv.Argv, "--skip-trust", "--approval-mode", "default", "--admin-policy", policy, "--allowed-mcp-server-names", "none")
	} else {
		inv.Argv = append(inv.Argv, "--approval-mode", "yolo")
	}
	if r.Model != "" {
		inv.Argv = append(inv.Argv, "-m", r.Model)
	}
	return g.tune(inv), nil
}

func (g gemini) Fold() Fold { return &geminiFold{rules: g.rules} }

const geminiLogin = "log in with `gemini`, or set GEMINI_API_KEY"

// geminiText bounds, in bytes, the final text: its end is kept.
const geminiText = 1 << 20

type geminiFold struct {
	rules     rules
	events    int
	session   string
	text      []byte // of the assistant since the last tool
	spoke     bool   // the model has answered at all
	toolCalls int
	status    string // of the result event, "" before it
	said      string // the error's own words
	usage     Usage
}

func (f *geminiFold) Line(line []byte) Event {
	line = bytes.TrimSpace(line)
	if !isObject(line) {
		return Event{}
	}
	kind := field(line, "type").Str
	if kind == "" {
		return Event{}
	}
	f.events++
	ev := Event{Live: true, Turns: f.turns(), line: line, describe: describeGemini}
	switch kind {
	case "init":
		f.session = strings.Clone(field(line, "session_id").Str)
	case "message":
		if field(line, "role").Str == "assistant" && gjson.ValidBytes(line) {
			f.text, f.spoke = appendTail(f.text, []byte(field(line, "content").Str), geminiText), true
		}
	case "tool_use":
		f.toolCalls++
		f.spoke = true
		f.text, ev.Turns = f.text[:0], f.turns()
	case "tool_result":
		f.text = f.text[:0]
	case "error":
		f.said = strings.Clone(field(line, "message").Str)
	case "result":
		if !gjson.ValidBytes(line) {
			return Event{}
		}
		ev.Terminal = true
		f.status = strings.Clone(field(line, "status").Str)
		if m := field(line, "error.message").Str; m != "" {
			f.said = strings.Clone(m)
		}
		u := field(line, "stats")
		cached := u.Get("cached").Int()
		f.usage = Usage{Input: max(0, u.Get("input_tokens").Int()-cached), Output: u.Get("output_tokens").Int(), CacheRead: cached}
	}
	return ev
}

// describeGemini names the tool and what it works on, or gives the start of the message.
func describeGemini(line []byte) string {
	if tool := field(line, "tool_name").Str; tool != "" {
		what := field(line, "parameters.command").Str
		return note(strings.Clone(tool), or(what, field(line, "parameters.file_path").Str))
	}
	if field(line, "role").Str == "assistant" {
		return note("", field(line, "content").Str)
	}
	return ""
}

// turns estimates the model turns, which it does not report: one a tool call, and one that ends the run.
func (f *geminiFold) turns() int { return f.toolCalls + 1 }

func (f *geminiFold) Reply(exit Exit) Reply {
	r := Reply{Session: f.session, ToolCalls: f.toolCalls, Usage: f.usage, Status: f.status}
	if f.status != "" {
		r.Turns = f.turns()
	}
	v, said := f.judge(exit)
	r.Stop, r.Rule = v.stop, v.rule
	switch v.stop {
	case Complete:
		r.Text, r.HasText = string(f.text), true
		r.Flags = exit.flags()
	case Limited:
		r.Limit = &Limit{Kind: v.kind}
		r.Limit.Reset, r.Limit.Known = ParseReset(said, exit.End)
	}
	r.Cause = cause("gemini", geminiLogin, v, said)
	return r
}

func (f *geminiFold) judge(exit Exit) (verdict, string) {
	switch f.status {
	case "success":
		if strings.TrimSpace(string(f.text)) == "" {
			return is(None, ""), "ended without a final message"
		}
		return is(Complete, ""), ""
	case "":
		if by, words, ok := byLoopd(exit); ok {
			if why := lastAttempt(exit.Stderr); by.stop == Stalled && !f.spoke && why != "" {
				if v, ok := f.rules.judge(why); ok {
					return v, why
				}
			}
			return by, words
		}
		if f.events == 0 {
			return f.rules.failedStart(exit)
		}
		if v, ok := f.rules.judgeStatus(f.httpStatus(exit)); ok {
			return v, exit.words() + " without a result"
		}
		if exit.Code == 0 && exit.Signal == "" {
			return is(None, ""), "exit 0 without a result"
		}
		return is(Crashed, ""), exit.words() + " without a result"
	}
	said := geminiWords(f.said)
	if v, ok := f.rules.judge(said); ok {
		return v, said
	}
	if v, ok := f.rules.judgeStatus(f.httpStatus(exit)); ok {
		return v, said
	}
	if v, ok := f.rules.judge(f.said); ok {
		return v, said
	}
	if exit.Code == 0 {
		return is(None, ""), or(said, "status "+f.status)
	}
	return is(Crashed, ""), or(said, exit.words())
}

// lastAttempt is what the last of its own retries waits for, as it says on stderr: "Attempt 3 failed: Resource has been
// exhausted …", "Attempt 1 failed with status 500. …"; "" where there was none.
func lastAttempt(stderr []byte) string {
	last := ""
	for line := range strings.Lines(string(stderr)) {
		if strings.HasPrefix(line, "Attempt ") && strings.Contains(line, " failed") {
			last = strings.TrimSpace(line)
		}
	}
	return last
}

// httpStatus is the status of an API error: the code in the error's own JSON, else what the exit code stands for; 0
// where neither says one.
func (f *geminiFold) httpStatus(exit Exit) int {
	if at := strings.IndexByte(f.said, '{'); at >= 0 {
		if code := gjson.Get(f.said[at:], "error.code").Int(); code >= 400 && code < 600 {
			return int(code)
		}
	}
	for _, status := range []int{exit.Code + 256, exit.Code + 512} {
		if exit.Code > 1 && status >= 400 && status < 600 {
			return status
		}
	}
	return 0
}

// geminiWords takes the message out of the error's JSON, where it is one.
func geminiWords(said string) string {
	if at := strings.IndexByte(said, '{'); at >= 0 {
		if m := gjson.Get(said[at:], "error.message").Str; m != "" {
			return m
		}
	}
	return strings.NewReplacer("[API Error: ", "", "]\n", "\n").Replace(said)
}
