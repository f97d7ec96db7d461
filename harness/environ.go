package harness

import (
	"maps"
	"slices"
	"strings"
)

// nested are the variables by which an agent marks what runs inside it, and NOTIFY_SOCKET. An agent that found them would
// take itself for a part of the session around it, or talk to the service manager in loopd's name. Seen in the
// environment of the tools of Claude Code 2.1.332 and Codex 0.171.0, or named in the notes on the others. Switches that a
// person sets (CLAUDE_CODE_USE_BEDROCK, CLAUDE_CODE_OAUTH_TOKEN, CODEX_HOME, IS_SANDBOX) are not among them.
var nested = []string{
	"AI_AGENT", "NOTIFY_SOCKET",
	"CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SSE_PORT", "CLAUDE_CODE_CHILD_*", "CLAUDE_CODE_EXECPATH",
	"CLAUDE_CODE_MESSAGING_*", "CLAUDE_CODE_SESSION_*", "CLAUDE_CODE_REMOTE_SESSION_ID", "CLAUDE_PID",
	"CODEX_SANDBOX*", "CODEX_CI", "CODEX_SESSION_ID", "CODEX_THREAD_ID", "CODEX_TOOL_CALL_ID",
	"CODEX_MANAGED_BY_*", "CODEX_MANAGED_PACKAGE_ROOT",
	"OPENCODE", "OPENCODE_PID", "OPENCODE_RUN_ID", "OPENCODE_SESSION*", "OPENCODE_CLIENT",
	"QWEN_CODE", "GEMINI_CLI", "CURSOR_AGENT", "CURSOR_TRACE_ID", "COPILOT_AGENT_SESSION_ID",
}

// secretWords mark a variable as a secret wherever one stands in its name.
var secretWords = []string{"KEY", "TOKEN", "SECRET", "PASSWORD", "CREDENTIAL"}

// Environ is the environment of an agent: base, less the marks of a session around loopd, less the other vendors' keys
// unless allow names them (the charter's `Env:`; NAME or NAME*), then with the invocation's edits. all are the harnesses
// known. A harness of unknown vendor keeps every key, because nobody can say which one it needs. A name that base has
// twice is there once, with its last value.
func Environ(base []string, h Harness, all []Harness, inv Invocation, allow []string) []string {
	drop := append(slices.Clone(nested), inv.Unset...)
	var keys []string
	if h.Vendor() != "" {
		keys = foreignKeys(h, all)
	}
	out := keep(base, func(name string) bool {
		if matches(drop, name) {
			return false
		}
		if _, ok := inv.Set[name]; ok {
			return false
		}
		return !matches(keys, name) || matches(h.Keys(), name) || matches(allow, name)
	})
	for _, name := range slices.Sorted(maps.Keys(inv.Set)) {
		out = append(out, name+"="+inv.Set[name])
	}
	return out
}

// CheckEnviron is the environment of verification, ratchet and setup commands: base, less the marks of a session, less
// every secret unless allow names it. A secret is a variable of a vendor, or one whose name says so.
func CheckEnviron(base []string, all []Harness, allow []string) []string {
	keys := foreignKeys(nil, all)
	return keep(base, func(name string) bool {
		if matches(nested, name) {
			return false
		}
		return !isSecret(keys, name) || matches(allow, name)
	})
}

// Secrets are the names in base that CheckEnviron takes for secrets, for whoever has to hide their values.
func Secrets(base []string, all []Harness) []string {
	keys := foreignKeys(nil, all)
	var out []string
	for _, pair := range keep(base, func(name string) bool { return isSecret(keys, name) }) {
		name, _, _ := strings.Cut(pair, "=")
		out = append(out, name)
	}
	return out
}

func isSecret(keys []string, name string) bool {
	upper := strings.ToUpper(name)
	return matches(keys, name) || slices.ContainsFunc(secretWords, func(w string) bool { return strings.Contains(upper, w) })
}

// foreignKeys are the keys of every vendor but h's; of every vendor where h is nil.
func foreignKeys(h Harness, all []Harness) []string {
	var out []string
	for _, other := range all {
		if h == nil || other.Vendor() != h.Vendor() {
			out = append(out, other.Keys()...)
		}
	}
	return out
}

// keep returns the pairs of base whose name is wanted, in order, each name once.
func keep(base []string, want func(name string) bool) []string {
	last := make(map[string]int, len(base))
	for i, pair := range base {
		if name, _, ok := strings.Cut(pair, "="); ok && name != "" {
			last[name] = i
		}
	}
	out := make([]string, 0, len(base))
	for i, pair := range base {
		name, _, ok := strings.Cut(pair, "=")
		if ok && name != "" && last[name] == i && want(name) {
			out = append(out, pair)
		}
	}
	return out
}

// matches says whether one of the patterns is the name, or ends in * and is its beginning.
func matches(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		if head, glob := strings.CutSuffix(p, "*"); glob {
			return strings.HasPrefix(name, head)
		}
		return p == name
	})
}
