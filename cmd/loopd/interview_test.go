package main

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
)

// onTerminal runs loopd at a terminal in dir and types what say gives for each prompt ("> "): "" leaves it open, and eof
// ends the input. It gives what the terminal showed, and the exit code.
func onTerminal(t *testing.T, dir string, say func(shown string) (answer string, eof bool), args ...string) (shown string, code int) {
	t.Helper()
	self, err := exec.LookPath("loopd")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "NO_COLOR=1", "TERM=xterm", "GORACE=atexit_sleep_ms=0")
	f, err := pty.Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	timer := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	var all strings.Builder
	in := bufio.NewReader(f)
	for since := ""; ; {
		r, _, err := in.ReadRune()
		if err != nil { // EIO is a terminal's end
			break
		}
		all.WriteRune(r)
		if since += string(r); !strings.HasSuffix(since, "\n> ") {
			continue
		}
		answer, eof := say(since)
		since = ""
		if eof {
			answer = "\x04"
		} else {
			answer += "\n"
		}
		if _, err := io.WriteString(f, answer); err != nil {
			t.Fatal(err)
		}
	}
	_ = cmd.Wait()
	return all.String(), cmd.ProcessState.ExitCode()
}

// Every question is asked once, a bad answer again, and what was answered passes check. The end of input writes nothing.
func TestInterview(t *testing.T) {
	dir := t.TempDir()
	asked := 0
	shown, code := onTerminal(t, dir, func(s string) (string, bool) {
		asked++
		switch {
		case strings.Contains(s, "your test command") && !strings.Contains(s, "back-tick here"):
			return "echo `x`", false
		case strings.Contains(s, "your test command"):
			return "test -e done", false
		case strings.Contains(s, "number of failing tests"):
			return "echo 3", false
		case strings.Contains(s, "how you are told"):
			return "cat >/dev/null", false
		}
		return "All tests pass.", false
	}, "init", "green", "--archetype", "red-green", "--interview")
	text, err := os.ReadFile(filepath.Join(dir, ".loop", "green", "LOOP.md"))
	if code != 0 || err != nil || strings.Contains(string(text), "TODO(you)") || !strings.Contains(shown, "next: loopd check green") {
		t.Errorf("exit %d, %v:\n%s\n%s", code, err, text, shown)
	}
	if asked != 5 {
		t.Errorf("asked %d times, want 4 questions and one again:\n%s", asked, shown)
	}
	n := 0
	shown, code = onTerminal(t, dir, func(string) (string, bool) { n++; return "x", n == 2 }, "init", "other", "--archetype", "red-green", "--interview")
	if code != codeHeld || isFile(filepath.Join(dir, ".loop", "other", "LOOP.md")) || !strings.Contains(shown, "nothing was written") {
		t.Errorf("exit %d:\n%s", code, shown)
	}
	if _, code = onTerminal(t, dir, func(string) (string, bool) { return "", false }, "init", "open", "--dialect", "markdown", "--interview"); code != 0 {
		t.Errorf("with empty answers: exit %d", code)
	}
	if text, _ := os.ReadFile(filepath.Join(dir, "loops", "open", "LOOP.md")); !strings.Contains(string(text), "TODO(you)") {
		t.Errorf("an empty answer took the mark away:\n%s", text)
	}
}
