package harness_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"loopd/harness"
)

func TestNamedOrder(t *testing.T) {
	set := known(t, map[string]harness.Command{"zed": {Argv: []string{"z"}}, "amp": {Argv: []string{"a"}}})
	var names []string
	for _, h := range set.All() {
		names = append(names, h.Name())
	}
	if got := strings.Join(names, " "); got != "claude codex gemini opencode pi qwen copilot amp zed" {
		t.Error(got)
	}
}

func TestLookupSuggests(t *testing.T) {
	set := known(t, map[string]harness.Command{"mycli": {Argv: []string{"m"}}})
	for _, tt := range []struct{ name, want string }{
		{"clude", `did you mean "claude"?`}, {"CODEX", `did you mean "codex"?`}, {"calude", `did you mean "claude"?`}, {"mcyli", `did you mean "mycli"?`},
		{"wholly-other", "known: claude, codex, gemini, opencode, pi, qwen, copilot, mycli"}, {"", "known:"},
	} {
		_, err := set.Lookup(tt.name)
		if !errors.Is(err, harness.ErrUnknown) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: %v", tt.name, err)
		}
		if strings.HasPrefix(tt.want, "known") && strings.Contains(err.Error(), "did you mean") {
			t.Errorf("%q: suggests something: %v", tt.name, err)
		}
	}
}

func TestBuiltInIsTuned(t *testing.T) {
	set := known(t, map[string]harness.Command{
		"claude": {Argv: []string{"/opt/claude"}, Env: map[string]string{"CLAUDE_CODE_MAX_RETRIES": "0", "IS_SANDBOX": "1"}, TTL: time.Hour, TTY: "stderr"},
		"codex":  {Argv: []string{"codex", "-c", "x=1"}, Env: map[string]string{"A": "b"}},
	})
	claude, _ := set.Lookup("claude")
	inv, err := claude.Invoke(harness.Request{})
	if err != nil || inv.Argv[0] != "/opt/claude" || inv.Argv[1] != "-p" || inv.Set["CLAUDE_CODE_MAX_RETRIES"] != "0" || inv.Set["IS_SANDBOX"] != "1" || inv.Set["DISABLE_AUTOUPDATER"] != "1" || !inv.TTYStderr || claude.CacheTTL() != time.Hour {
		t.Errorf("%+v %v %v", inv, claude.CacheTTL(), err)
	}
	codex, _ := set.Lookup("codex")
	if inv, _ := codex.Invoke(harness.Request{}); strings.Join(inv.Argv[:4], " ") != "codex -c x=1 exec" || inv.Set["A"] != "b" || codex.CacheTTL() != 300*time.Second {
		t.Errorf("%+v", inv)
	}
	// The second set knows nothing of the first.
	if inv, _ := named(t, "claude").Invoke(harness.Request{}); inv.Argv[0] != "claude" || inv.Set["IS_SANDBOX"] != "" {
		t.Errorf("%+v", inv)
	}
}

func TestNamedDefects(t *testing.T) {
	for _, tt := range []struct {
		name string
		c    harness.Command
		want []string
	}{
		{"mine", harness.Command{}, []string{"[harness.mine] argv: is missing"}},
		{"mine", harness.Command{Argv: []string{"c"}, Prompt: "arg"}, []string{`[harness.mine] prompt: is "arg"`}},
		{"mine", harness.Command{Argv: []string{"c", "{prompt}"}}, []string{"[harness.mine] argv: the prompt never goes into argv"}},
		{"mine", harness.Command{Argv: []string{"c", "{prompt_file}"}}, []string{`argv: {prompt_file} needs prompt = "file"`}},
		{"mine", harness.Command{Argv: []string{"c", "{prompt_file}"}, ReadonlyArgv: []string{"c"}, Prompt: "file"}, []string{`readonly_argv: prompt = "file" needs {prompt_file}`}},
		{"mine", harness.Command{Argv: []string{"c"}, Output: "xml"}, []string{`output: is "xml"`}},
		{"mine", harness.Command{Argv: []string{"c"}, Output: "json", TTY: "stdout"}, []string{"path: is missing", `tty: is "stdout"`}},
		{"mine", harness.Command{Argv: []string{"c"}, Path: "x"}, []string{"path: is only for"}},
		{"claude", harness.Command{Output: "json", Path: "x"}, []string{"[harness.claude] output: claude is built in", "[harness.claude] path:"}},
	} {
		set, err := harness.Named(map[string]harness.Command{tt.name: tt.c})
		for _, want := range tt.want {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%+v: %v, want %q", tt.c, err, want)
			}
		}
		if _, err := set.Lookup("codex"); err != nil {
			t.Errorf("a defect elsewhere hides codex: %v", err)
		}
	}
}
