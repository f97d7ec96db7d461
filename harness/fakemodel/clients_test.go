package fakemodel_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"loopd/harness/fakemodel"
)

// TestRealCLIs runs one conversation with each real CLI that scripts/clis installed: a shell call, a file, a last word.
// It tells a change of the CLIs from a change of loopd.
func TestRealCLIs(t *testing.T) {
	for _, cli := range []struct {
		name, bin string
		argv      []string
		final     string // gjson path of the final text in the last line of its kind
	}{
		{"claude", os.Getenv("LOOPD_E2E_CLAUDE"), []string{"-p", "--output-format", "stream-json", "--verbose", "--model", "fake", "--dangerously-skip-permissions"}, "result"},
		{"codex", os.Getenv("LOOPD_E2E_CODEX"), []string{"exec", "--json", "--dangerously-bypass-approvals-and-sandbox", "-"}, "item.text"},
	} {
		t.Run(cli.name, func(t *testing.T) {
			if cli.bin == "" {
				t.Skipf("SKIPPED: no real %s; scripts/e2e runs this test with it", cli.name)
			}
			s := start(t, fakemodel.Steps(fakemodel.Shell("echo from the shell"), fakemodel.Write("made.txt", "it's made\n"), fakemodel.Say("THE END")))
			dir, home := t.TempDir(), t.TempDir()
			if err := os.WriteFile(filepath.Join(home, "config.toml"), []byte(s.CodexConfig()), 0o600); err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(t.Context(), cli.bin, cli.argv...)
			cmd.Dir, cmd.Stdin = dir, strings.NewReader("- [ ] a prompt that looks like a flag")
			cmd.Env = append(s.ClaudeEnv(), "PATH="+os.Getenv("PATH"), "HOME="+home, "CODEX_HOME="+home, "OPENAI_API_KEY=sk-not-a-key")
			out, err := cmd.Output()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			final := ""
			for line := range strings.Lines(string(out)) {
				if x := gjson.Get(line, cli.final); x.Exists() {
					final = x.String()
				}
			}
			if final != "THE END" {
				t.Errorf("final text %q in\n%s", final, out)
			}
			if got, err := os.ReadFile(filepath.Join(dir, "made.txt")); string(got) != "it's made\n" {
				t.Errorf("made.txt: %q, %v", got, err)
			}
			turns := s.Requests()
			last := turns[len(turns)-1]
			if last.Turn != 2 || last.Dir != dir || !strings.Contains(last.Prompt, "- [ ] a prompt that looks like a flag") ||
				len(last.Results) != 2 || !strings.Contains(last.Results[0], "from the shell") {
				t.Errorf("last request: turn %d in %s, prompt %q, results %q", last.Turn, last.Dir, last.Prompt, last.Results)
			}
		})
	}
}
