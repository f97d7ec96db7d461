package harness_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"loopd/harness"
)

func command(t *testing.T, c harness.Command) harness.Harness {
	t.Helper()
	h, err := known(t, map[string]harness.Command{"mine": c}).Lookup("mine")
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestCommandInvocation(t *testing.T) {
	stdin := harness.Command{Argv: []string{"mycli", "--model", "{model}", "--go"}, ReadonlyArgv: []string{"mycli", "--ask"}, Env: map[string]string{"A": "1"}, TTY: "stderr"}
	file := harness.Command{Argv: []string{"mycli", "--model={model}", "--in={prompt_file}", "{other}"}, Prompt: "file"}
	for _, tt := range []struct {
		name string
		c    harness.Command
		req  harness.Request
		want harness.Invocation
		err  string
	}{
		{"model", stdin, harness.Request{Prompt: "p", Model: "m"}, harness.Invocation{Argv: []string{"mycli", "--model", "m", "--go"}, Stdin: []byte("p"), Set: map[string]string{"A": "1"}, StopSignal: "TERM", TTYStderr: true}, ""},
		{"no model", stdin, harness.Request{Prompt: "p"}, harness.Invocation{Argv: []string{"mycli", "--go"}, Stdin: []byte("p"), Set: map[string]string{"A": "1"}, StopSignal: "TERM", TTYStderr: true}, ""},
		{"read-only", stdin, harness.Request{Prompt: "p", ReadOnly: true}, harness.Invocation{Argv: []string{"mycli", "--ask"}, Stdin: []byte("p"), Set: map[string]string{"A": "1"}, StopSignal: "TERM", TTYStderr: true}, ""},
		{"model in vain", stdin, harness.Request{Prompt: "p", ReadOnly: true, Model: "m"}, harness.Invocation{}, "put {model} into readonly_argv under [harness.mine]"},
		{"file", file, harness.Request{Prompt: "p {model}", Model: "m", ScratchDir: "/s"}, harness.Invocation{Argv: []string{"mycli", "--model=m", "--in=/s/prompt.md", "{other}"}, Files: map[string][]byte{"/s/prompt.md": []byte("p {model}")}, StopSignal: "TERM"}, ""},
		{"file, no model", file, harness.Request{Prompt: "p", ScratchDir: "/s"}, harness.Invocation{Argv: []string{"mycli", "--in=/s/prompt.md", "{other}"}, Files: map[string][]byte{"/s/prompt.md": []byte("p")}, StopSignal: "TERM"}, ""},
		{"no scratch", file, harness.Request{Prompt: "p"}, harness.Invocation{}, "scratch"},
		{"no readonly_argv", file, harness.Request{ReadOnly: true}, harness.Invocation{}, "set readonly_argv under [harness.mine]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := command(t, tt.c).Invoke(tt.req)
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Fatalf("error %v, want %q", err, tt.err)
				}
				return
			}
			if d := cmp.Diff(tt.want, got); err != nil || d != "" {
				t.Error(err, d)
			}
		})
	}
}

func TestCommandOutput(t *testing.T) {
	text := harness.Command{Argv: []string{"c"}}
	doc := harness.Command{Argv: []string{"c"}, Output: "json", Path: "out.text"}
	lines := harness.Command{Argv: []string{"c"}, Output: "jsonl", Path: "text"}
	for _, tt := range []struct {
		name   string
		c      harness.Command
		stdout string
		exit   harness.Exit
		stop   harness.StopReason
		text   string
		has    bool
		cause  string
	}{
		{"text", text, "one\r\n\ntwo\n", harness.Exit{}, harness.Complete, "one\n\ntwo", true, ""},
		{"text, exit 3", text, "one\n", harness.Exit{Code: 3, Stderr: []byte("warn\nError: boom\nmore\n")}, harness.Crashed, "one", true, "Error: boom"},
		{"text that talks of a limit", text, "usage limit reached", harness.Exit{Code: 1}, harness.Crashed, "usage limit reached", true, "exit 1"},
		{"text, killed at the limit", text, "one\n", harness.Exit{Code: -1, Signal: "KILL", Stopped: "wall"}, harness.Stalled, "one", false, "wall-clock limit"},
		{"nothing", text, "\n\n", harness.Exit{}, harness.None, "", false, "no output"},
		{"exit 127", text, "", harness.Exit{Code: 127}, harness.Misused, "", false, "install it"},
		{"exit 126", text, "", harness.Exit{Code: 126, Stderr: []byte("sh: c: Permission denied\n")}, harness.Misused, "", false, "Permission denied"},
		{"limit on stderr of a failed start", text, "", harness.Exit{Code: 1, Stderr: []byte("error: usage limit, try again in 2h 15m\n"), End: recorded}, harness.Limited, "", false, "usage limit"},
		{"json", doc, "{\n \"out\": {\"text\": \"a\\nb\"}\n}\n", harness.Exit{}, harness.Complete, "a\nb", true, ""},
		{"json, path missing", doc, `{"other":1}`, harness.Exit{}, harness.None, "", false, `nothing at path "out.text"`},
		{"json cut off", doc, `{"out":{"text":"a"}`, harness.Exit{}, harness.None, "", false, "nothing at path"},
		{"jsonl, the last wins", lines, "{\"text\":\"a\"}\nnoise\n{\"text\":\"b\"}\n{\"x\":1}\n{\"text\":\"c\n", harness.Exit{}, harness.Complete, "b", true, ""},
		{"jsonl, exit 1", lines, "{\"text\":\"a\"}\n", harness.Exit{Code: 1}, harness.Crashed, "a", true, "exit 1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := read(t, command(t, tt.c), []byte(tt.stdout), tt.exit)
			if got.Stop != tt.stop || got.Text != tt.text || got.HasText != tt.has || !strings.Contains(got.Cause, tt.cause) || (tt.cause == "") != (got.Cause == "") {
				t.Errorf("%+v", got)
			}
		})
	}
	if got := read(t, command(t, text), nil, harness.Exit{Code: 1, Stderr: []byte("error: usage limit, try again in 2h 15m"), End: recorded}); got.Limit == nil || got.Limit.Reset != recorded.Add(2*time.Hour+16*time.Minute) {
		t.Errorf("limit %+v", got.Limit)
	}
}

func TestCommandTextKeepsItsEnd(t *testing.T) {
	long := bytes.Repeat([]byte("0123456789abcde\n"), 5<<20/16)
	got := read(t, command(t, harness.Command{Argv: []string{"c"}}), append(long, "the end"...), harness.Exit{})
	if !strings.HasSuffix(got.Text, "the end") || len(got.Text) != 1<<20-1 { // its last newline is not text
		t.Errorf("%d bytes, ends in %q", len(got.Text), got.Text[len(got.Text)-10:])
	}
}
