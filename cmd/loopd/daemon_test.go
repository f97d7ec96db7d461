package main

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"loopd/supervisor"
)

func TestWatchdog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told []string
		var mu sync.Mutex // what comes of events and of the watchdog
		passed := 0
		s := startService(func(supervisor.Event) { passed++ }, 2*time.Minute, func(state string) {
			mu.Lock()
			defer mu.Unlock()
			told = append(told, strings.TrimSpace(state))
		})
		pings := func(d time.Duration) int {
			time.Sleep(d)
			synctest.Wait()
			mu.Lock()
			defer mu.Unlock()
			n := 0
			for _, x := range told {
				if x == "WATCHDOG=1" {
					n++
				}
			}
			told = nil
			return n
		}
		first := func() string {
			synctest.Wait()
			mu.Lock()
			defer mu.Unlock()
			return told[0]
		}
		if got := first(); got != "READY=1" {
			t.Errorf("first it says %q", got)
		}
		if n := pings(10*time.Minute + time.Second); n != 11 {
			t.Errorf("%d signs of life in ten minutes without a limit", n)
		}
		s.event(supervisor.Event{Kind: supervisor.EventStep, Step: "exec", Iteration: 3, At: time.Now(), Limit: 10 * time.Minute})
		if got := first(); got != "STATUS=iteration 3: exec" {
			t.Errorf("it says %q", got)
		}
		if n := pings(time.Hour); n != 15 { // ten minutes of the step and five of patience
			t.Errorf("%d signs of life of a step that is stuck", n)
		}
		s.event(supervisor.Event{Kind: supervisor.EventEnd})
		if n := pings(5 * time.Minute); n != 5 {
			t.Errorf("%d signs of life afterwards", n)
		}
		s.event(supervisor.Event{Kind: supervisor.EventSleep, Wake: time.Now().Add(time.Hour), Text: "idle"})
		if n := pings(2 * time.Hour); n != 65 {
			t.Errorf("%d signs of life of a sleep that does not end", n)
		}
		s.close()
		if diff := cmp.Diff([]string{"STOPPING=1"}, told); diff != "" || passed != 3 {
			t.Errorf("at the end %s, %d events passed", diff, passed)
		}
	})
}

// A run under a service manager says that it is ready and what it does; the agent has no socket to speak for it.
func TestServiceIsTold(t *testing.T) {
	self, err := exec.LookPath("loopd")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	socket := filepath.Join(dir, "notify")
	l, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: socket, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	repo := filepath.Join(dir, "repo")
	for path, text := range map[string]string{
		".claude/skills/tidy/SKILL.md": "---\nname: tidy\ndescription: x\n---\nTidy.\n",
		"bin/claude":                   "#!/bin/sh\necho \"socket=$NOTIFY_SOCKET\" >../agent\necho '{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"result\":\"LOOP-OUTCOME: empty\"}'\n",
	} {
		path = filepath.Join(repo, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(self, "run", "tidy", "--once", "--harness", "claude")
	cmd.Dir = repo
	cmd.Env = append(os.Environ(), "NOTIFY_SOCKET="+socket, "WATCHDOG_USEC=60000000", "HOME="+dir, "XDG_STATE_HOME="+filepath.Join(dir, "state"), "PATH="+filepath.Join(repo, "bin")+":"+os.Getenv("PATH"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var told []string
	b := make([]byte, 4096)
	for {
		_ = l.SetReadDeadline(time.Now().Add(time.Second)) // all was sent before the run ended
		n, err := l.Read(b)
		if err != nil {
			break
		}
		told = append(told, strings.TrimSpace(string(b[:n])))
	}
	all := strings.Join(told, "\n")
	for _, want := range []string{"READY=1", "STATUS=iteration 1: exec", "WATCHDOG=1", "STOPPING=1"} {
		if !strings.Contains(all, want) {
			t.Errorf("%q was not said:\n%s", want, all)
		}
	}
	if b, err := os.ReadFile(filepath.Join(dir, "agent")); err != nil || string(b) != "socket=\n" {
		t.Errorf("the agent sees %q, %v", b, err)
	}
}
