package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// At the third wake without work the operator is asked; other flags are taken for the next wake, another skill ends the run
// with the command for it, and keep going counts on.
func TestIdleSkillIsRedirected(t *testing.T) {
	for _, c := range []struct {
		name    string
		answers []string // to the idle question, and to where
		shows   []string
		flags   string // of the last call
	}{
		{"other flags", []string{"redirect", "--issue=7 --auto"}, nil, "/tidy --issue=7 --auto"},
		{"another skill", []string{"redirect", "/other --auto"}, []string{"redirected to /other", "loopd run other -- --auto"}, "/tidy --old"},
		{"stop", []string{"stop"}, []string{"stopped by the operator"}, "/tidy --old"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			put := func(name, text string) {
				path := filepath.Join(dir, name)
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			put("repo/.claude/skills/tidy/SKILL.md", "---\nname: tidy\ndescription: x\n---\nTidy.\n")
			put("bin/claude", "#!/bin/sh\ncase \"$1\" in --version) echo '9.8.7 (Claude Code)'; exit;; esac\ncat >../prompt\nprintf '{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"result\":\"LOOP-OUTCOME: empty\"}\\n'\n")
			if out, err := exec.Command("git", "init", "-q", filepath.Join(dir, "repo")).CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			t.Setenv("PATH", filepath.Join(dir, "bin")+":"+os.Getenv("PATH"))
			n := 0
			shown, code := onTerminal(t, filepath.Join(dir, "repo"), func(string) (string, bool) {
				n++
				if n > len(c.answers) {
					return "stop", false
				}
				return c.answers[n-1], false
			}, "run", "tidy", "--idle-count", "2", "--harness", "claude", "--max", "2", "--", "--old")
			if code != 0 {
				t.Errorf("exit %d:\n%s", code, shown)
			}
			for _, s := range c.shows {
				if !strings.Contains(shown, s) {
					t.Errorf("lacks %q:\n%s", s, shown)
				}
			}
			if prompt, _ := os.ReadFile(filepath.Join(dir, "prompt")); strings.TrimSpace(string(prompt)) != c.flags {
				t.Errorf("the last call was %q, want %q\n%s", prompt, c.flags, shown)
			}
		})
	}
}
