package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"loopd/journal"
)

// fakeWatch is a watch over loops that are given, which notes what it was asked to do.
func fakeWatch(width, height int, loops ...watched) (watchModel, *[]string) {
	did := &[]string{}
	m := newWatch(watcher{
		loops: func() []watched { return loops },
		page: func(w watched) watchedPage {
			r := w.reportJSON
			r.Running = &runningJSON{PID: 1, Step: "exec"}
			return watchedPage{report: r, transcript: []string{"reads " + hostile, "runs go test"}}
		},
		act: func(w watched, argv ...string) string { *did = append(*did, strings.Join(argv, " ")); return "done" },
		start: func(w watched, argv ...string) string {
			*did = append(*did, "start "+strings.Join(argv, " "))
			return "started"
		},
	})
	m.plain, m.width, m.height = true, width, height
	return m, did
}

// press sends keys; what a key wants done is done at once.
func press(m watchModel, keys ...string) watchModel {
	for _, k := range keys {
		var msg tea.Msg = tea.KeyPressMsg{Text: k, Code: []rune(k)[0]}
		switch k {
		case "enter":
			msg = tea.KeyPressMsg{Code: tea.KeyEnter}
		case "esc":
			msg = tea.KeyPressMsg{Code: tea.KeyEscape}
		case "down":
			msg = tea.KeyPressMsg{Code: tea.KeyDown}
		case "backspace":
			msg = tea.KeyPressMsg{Code: tea.KeyBackspace}
		}
		m = settle(m, msg)
	}
	return m
}

// settle gives a message and all that follows from it but the clock, which begins when the loops were read.
func settle(m watchModel, msg tea.Msg) watchModel {
	for msg != nil {
		next, cmd := m.Update(msg)
		_, loaded := msg.(watchLoaded)
		m, msg = next.(watchModel), nil
		if cmd != nil && !loaded {
			msg = cmd()
		}
	}
	return m
}

func sampleWatched() []watched {
	good := sampleReport()
	good.Name, good.Status, good.Question = "kaizen", journal.Active, ""
	bad := reportJSON{statusJSON: statusJSON{Name: "broken", Defects: []string{hostile}}}
	return []watched{{"/r", good}, {"/r", sampleReport()}, {"/r", bad}}
}

// Whatever stands in the loops, no line is wider or higher than the terminal, and none has anything that it would act upon.
func TestWatchFits(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {40, 12}, {200, 60}, {20, 5}, {1, 1}} {
		m, _ := fakeWatch(size[0], size[1], sampleWatched()...)
		for _, keys := range [][]string{nil, {"enter"}, {"?"}, {"s"}, {"enter", "x"}, {"/", "z", "enter"}} {
			got := press(settle(m, m.load()()), keys...)
			lines := got.lines()
			if len(lines) > size[1] {
				t.Errorf("%v %v: %d lines", size, keys, len(lines))
			}
			for _, l := range lines {
				if ansi.StringWidth(l) > size[0] || strings.ContainsAny(l, "\x1b\u202e\n\r") {
					t.Errorf("%v %v: the line %q", size, keys, l)
				}
			}
		}
	}
}

func TestWatchShows(t *testing.T) {
	m, _ := fakeWatch(100, 40, sampleWatched()...)
	m = settle(m, m.load()())
	screen := strings.Join(m.lines(), "\n")
	for _, want := range []string{"LOOP", "> kaizen", "7/20", "$3.50+", "broken", "defect", "q quits"} {
		if !strings.Contains(screen, want) {
			t.Errorf("the list lacks %q:\n%s", want, screen)
		}
	}
	screen = strings.Join(press(m, "enter").lines(), "\n")
	for _, want := range []string{"3 verified, 2 put back", "Now, at exec", "runs go test", "Ratchet:", "✗ 1", "Put back 2", "esc back"} {
		if !strings.Contains(screen, want) {
			t.Errorf("the page lacks %q:\n%s", want, screen)
		}
	}
	if m := press(m, "/", "b", "r", "o", "k", "enter"); len(m.shown()) != 1 {
		t.Errorf("the filter leaves %d loops", len(m.shown()))
	}
	if empty, _ := fakeWatch(80, 24); !strings.Contains(strings.Join(settle(empty, empty.load()()).lines(), "\n"), "there is no loop here") {
		t.Error("an empty list says nothing")
	}
}

// A key asks before it does anything, and does what the command of its name does.
func TestWatchKeys(t *testing.T) {
	for _, c := range []struct {
		keys []string
		did  string
	}{
		{[]string{"p", "y"}, "pause kaizen"}, {[]string{"p", "n"}, ""}, {[]string{"p", "esc"}, ""}, {[]string{"x", "y"}, "stop kaizen"}, {[]string{"X", "y"}, "stop kaizen --now"},
		{[]string{"s", "g", "o", "enter"}, "steer kaizen go"}, {[]string{"s", "g", "esc"}, ""}, {[]string{"s", "a", "backspace", "b", "enter"}, "steer kaizen b"},
		{[]string{"r", "enter"}, "resume kaizen"}, {[]string{"r", "o", "k", "enter"}, "resume kaizen --answer ok"}, {[]string{"n", "y"}, "start run kaizen --once --now"},
		{[]string{"P", "a", "d", "a", "enter"}, "promote kaizen --by ada"}, {[]string{"down", "p", "y"}, "pause kaizen"}, {[]string{"c", "y"}, "stop kaizen --clear"}, {[]string{"z"}, ""},
	} {
		m, did := fakeWatch(80, 24, sampleWatched()...)
		press(settle(m, m.load()()), c.keys...)
		if got := strings.Join(*did, "; "); got != c.did {
			t.Errorf("%v did %q, want %q", c.keys, got, c.did)
		}
	}
}

func TestSparkline(t *testing.T) {
	v := func(f float64) *float64 { return &f }
	if got := sparkline([]point{{Value: v(1)}, {Value: v(9), PutBack: true}, {Value: v(2)}, {Value: v(3)}}, 10); got != "▁▄█" {
		t.Errorf("got %q", got)
	}
	if got := sparkline([]point{{Value: v(1)}}, 10) + sparkline(nil, 3); got != "" {
		t.Errorf("of one: %q", got)
	}
}

// The real thing in a real terminal: it opens, steers a loop while that runs, and leaves the terminal as it was.
func TestWatchInTmux(t *testing.T) {
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("SKIPPED: tmux is not here")
	}
	self, err := exec.LookPath("loopd")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	repo := filepath.Join(dir, "repo")
	put := func(name, text string) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	put("repo/.claude/skills/tidy/SKILL.md", "---\nname: tidy\ndescription: Tidies up.\n---\nTidy.\n")
	put("repo/.loop/tidy/.keep", "")
	// The agent is at work until it is told to end.
	put("bin/claude", "#!/bin/sh\ncase \"$1\" in --version) echo '9.8.7 (Claude Code)'; exit;; esac\ncat >/dev/null\ntouch ../begun\nwhile [ ! -e ../end ]; do sleep 0.05; done\nprintf '{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"result\":\"LOOP-OUTCOME: shipped\"}\\n'\n")
	if out, err := exec.Command("git", "init", "-q", repo).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	env := append(os.Environ(), "HOME="+dir, "PATH="+filepath.Join(dir, "bin")+":"+os.Getenv("PATH"), "GORACE=atexit_sleep_ms=0")
	run := exec.Command(self, "run", "tidy", "--once", "--harness", "claude")
	run.Dir, run.Env = repo, env
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	socket := filepath.Join(dir, "tmux")
	tmux := func(args ...string) string {
		cmd := exec.Command("tmux", append([]string{"-S", socket, "-f", "/dev/null"}, args...)...)
		cmd.Env = append(env, "TMUX=")
		out, _ := cmd.CombinedOutput()
		return string(out)
	}
	defer tmux("kill-server")
	see := func(want string) string {
		t.Helper()
		screen := ""
		for range 400 {
			if screen = tmux("capture-pane", "-p", "-t", "w"); strings.Contains(screen, want) {
				return screen
			}
			time.Sleep(25 * time.Millisecond)
		}
		t.Fatalf("%q does not come up:\n%s", want, screen)
		return ""
	}
	tmux("new-session", "-d", "-s", "w", "-x", "80", "-y", "24", "-c", repo, fmt.Sprintf("stty -a >../before; %s watch; stty -a >../after; echo left; sleep 60", self))
	see("running (exec)")
	tmux("send-keys", "-t", "w", "Enter")
	see("Tidies up.")
	tmux("send-keys", "-t", "w", "s")
	see("steer the next iteration")
	tmux("send-keys", "-t", "w", "-l", "look at x")
	see("look at x")
	tmux("send-keys", "-t", "w", "Enter")
	see("steering left")
	put("end", "")
	if err := run.Wait(); err != nil {
		t.Errorf("the loop that ran meanwhile: %v", err)
	}
	see("1 verified")
	tmux("resize-window", "-t", "w", "-x", "40", "-y", "12")
	tmux("send-keys", "-t", "w", "Escape")
	see("enter opens")
	tmux("send-keys", "-t", "w", "q")
	see("left")
	steer, _ := os.ReadFile(filepath.Join(repo, ".loop", "tidy", "STEER.md"))
	before, _ := os.ReadFile(filepath.Join(dir, "before"))
	after, _ := os.ReadFile(filepath.Join(dir, "after"))
	clean := func(b []byte) string { // the size was changed
		_, rest, _ := strings.Cut(string(b), "\n")
		return rest
	}
	if strings.TrimSpace(string(steer)) != "look at x" || len(before) == 0 || clean(before) != clean(after) {
		t.Errorf("steering %q; the terminal was\n%s\nand is\n%s", steer, before, after)
	}
}
