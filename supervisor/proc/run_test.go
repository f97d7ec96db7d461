package proc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func newTestHost(t testing.TB) *Host {
	h := NewHost()
	t.Cleanup(h.Close)
	return h
}

// run runs s and fails the test if anything is left alive.
func run(t *testing.T, h *Host, ctx context.Context, s Spec) Result {
	t.Helper()
	res, err := h.Run(ctx, s)
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Alive) != 0 {
		t.Errorf("alive: %v", res.Alive)
	}
	return res
}

func TestLeaderEndsByItself(t *testing.T) {
	for _, c := range []struct {
		name   string
		argv   []string
		exit   int
		signal syscall.Signal
	}{
		{"quiet", persona("exit", "0"), 0, 0},
		{"code", persona("exit", "42"), 42, 0},
		{"signal", persona("die", "9"), 137, syscall.SIGKILL},
		{"by name", []string{"true"}, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			res := run(t, newTestHost(t), context.Background(), Spec{Argv: c.argv})
			if res.Exit != c.exit || res.Signal != c.signal || res.Stopped != ByItself || res.Swept != 0 {
				t.Errorf("got %+v", res)
			}
			if res.Took <= 0 || res.Start.IsZero() || res.MaxRSS < 1<<19 {
				t.Errorf("measured nothing: %+v", res)
			}
		})
	}
}

func TestChildGetsOnlyItsOwn(t *testing.T) {
	dir := t.TempDir()
	argv := persona("descriptor")
	plain := exec.Command(argv[0], argv[1:]...)
	plain.Dir, plain.Env, plain.Stdin = dir, []string{"GORACE=" + raceQuick, "LOOPD_RUN=run.1"}, strings.NewReader("x")
	plain.Env = append(plain.Env, "PWD="+dir)
	plain.Stderr = io.Discard
	want, err := plain.Output()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	run(t, newTestHost(t), context.Background(), Spec{
		Argv: argv, Dir: dir, Stdin: []byte("x"), Stdout: &out, Stderr: io.Discard,
		Env: []string{"GORACE=" + raceQuick, "LOOPD_RUN=first", "LOOPD_RUN=second", "PWD=/"}, Marker: "LOOPD_RUN=run",
	})
	if diff := cmp.Diff(string(want), out.String()); diff != "" {
		t.Error(diff)
	}
	if !strings.Contains(out.String(), "fd 0 blocking=true\n") || !strings.Contains(out.String(), "MARK run.1 ") {
		t.Error(out.String())
	}
}

func TestStartFailures(t *testing.T) {
	h := newTestHost(t)
	dir := t.TempDir()
	file := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	cancelled, cancel := context.WithCancelCause(context.Background())
	operator := errors.New("operator")
	cancel(operator)
	plain := file("plain", "#!/bin/sh\n", 0o644)
	for _, c := range []struct {
		name string
		ctx  context.Context
		spec Spec
		want error
		says string
	}{
		{"no such command", nil, Spec{Argv: []string{"no-such-command"}}, exec.ErrNotFound, "no-such-command"},
		{"no such path", nil, Spec{Argv: []string{dir + "/none"}}, exec.ErrNotFound, dir + "/none"},
		{"no such interpreter", nil, Spec{Argv: []string{file("script", "#!/no/such\n", 0o755)}}, exec.ErrNotFound, "interpreter"},
		{"not executable", nil, Spec{Argv: []string{plain}}, fs.ErrPermission, plain},
		{"not executable in PATH", nil, Spec{Argv: []string{"plain"}, Env: []string{"PATH=" + dir}}, fs.ErrPermission, "plain"},
		{"only in the working directory", nil, Spec{Argv: []string{"script"}, Dir: dir, Env: []string{"PATH=.::"}}, exec.ErrNotFound, "script"},
		{"no such directory", nil, Spec{Argv: []string{"true"}, Dir: dir + "/none"}, fs.ErrNotExist, "working directory"},
		{"argument too long", nil, Spec{Argv: []string{"true", strings.Repeat("x", 200_000)}}, syscall.E2BIG, "true"},
		{"nothing", nil, Spec{}, nil, "no command"},
		{"cancelled", cancelled, Spec{Argv: []string{"true"}}, operator, "true"},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx := c.ctx
			if ctx == nil {
				ctx = context.Background()
			}
			_, err := h.Run(ctx, c.spec)
			if err == nil || c.want != nil && !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v", err)
			}
			if c.want != exec.ErrNotFound && errors.Is(err, exec.ErrNotFound) {
				t.Errorf("%v says not found", err)
			}
		})
	}
	if len(h.execs) != 0 {
		t.Error("a failed start is in flight")
	}
	h.Abort()
	if _, err := h.Run(context.Background(), Spec{Argv: []string{"true"}}); !errors.Is(err, ErrAborted) {
		t.Errorf("after Abort: %v", err)
	}
}

func TestLimits(t *testing.T) {
	for _, c := range []struct {
		name string
		spec Spec
		want Stop
	}{
		{"wall", Spec{Wall: 50 * time.Millisecond}, AtWall},
		{"idle", Spec{Idle: 50 * time.Millisecond}, AtIdle},
		{"wall before idle", Spec{Wall: 50 * time.Millisecond, Idle: time.Minute}, AtWall},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRoll(t)
			c.spec.Argv, c.spec.Stdout = persona("chatter", r.path, "line"), &bytes.Buffer{}
			res := run(t, newTestHost(t), context.Background(), c.spec)
			if res.Stopped != c.want || res.Signal != syscall.SIGTERM || res.Took < 50*time.Millisecond {
				t.Errorf("got %+v", res)
			}
		})
	}
}

func TestBytesKeepALeaderFromBeingIdle(t *testing.T) {
	var out bytes.Buffer
	res := run(t, newTestHost(t), context.Background(), Spec{
		Argv: []string{"sh", "-c", "for i in 1 2 3 4 5 6 7 8; do echo; sleep 0.1; done"}, Stdout: &out, Idle: 600 * time.Millisecond,
	})
	if res.Stopped != ByItself || res.Took < 800*time.Millisecond {
		t.Errorf("got %+v", res)
	}
}

func TestInterrupt(t *testing.T) {
	for _, c := range []struct {
		name  string
		argv  []string
		spec  Spec
		exit  int
		swept int
	}{
		{"obeys", []string{"polite", "ROLL", "15"}, Spec{}, 7, 0},
		{"wants another signal", []string{"polite", "ROLL", "2"}, Spec{Signal: syscall.SIGINT}, 7, 0},
		{"is stubborn", []string{"deaf", "ROLL"}, Spec{Grace: 30 * time.Millisecond}, 137, 0},
		{"gets no grace", []string{"deaf", "ROLL"}, Spec{Grace: -1}, 137, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRoll(t)
			ctx, cancel := context.WithCancel(context.Background())
			go func() {
				r.next(t)
				cancel()
			}()
			for i, a := range c.argv {
				c.argv[i] = strings.ReplaceAll(a, "ROLL", r.path)
			}
			c.spec.Argv = persona(c.argv...)
			res := run(t, newTestHost(t), ctx, c.spec)
			if res.Stopped != Interrupted || res.Exit != c.exit || res.Swept != c.swept {
				t.Errorf("got %+v", res)
			}
		})
	}
}

func TestAbortCutsTheGraceShort(t *testing.T) {
	h, r := newTestHost(t), newRoll(t)
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		r.next(t)
		cancel()
		h.Abort()
	}()
	res := run(t, h, ctx, Spec{Argv: persona("deaf", r.path), Grace: time.Hour})
	if res.Stopped != Killed || res.Signal != syscall.SIGKILL {
		t.Errorf("got %+v", res)
	}
}

// answerWriter closes answered when it sees the final event.
type answerWriter struct {
	answered chan struct{}
	once     sync.Once
}

func (w *answerWriter) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte("final")) {
		w.once.Do(func() { close(w.answered) })
	}
	return len(p), nil
}

func TestLingersAfterItsAnswer(t *testing.T) {
	r := newRoll(t)
	w := &answerWriter{answered: make(chan struct{})}
	res := run(t, newTestHost(t), context.Background(), Spec{
		Argv: persona("chatter", r.path, "final"), Stdout: w, Answered: w.answered,
		Linger: 200 * time.Millisecond, Grace: time.Hour,
	})
	if res.Stopped != Lingered || res.Took < 200*time.Millisecond {
		t.Errorf("got %+v", res)
	}
}

func TestManyAtOnce(t *testing.T) {
	h := newTestHost(t)
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			var out bytes.Buffer
			res := run(t, h, context.Background(), Spec{
				Argv: []string{"sh", "-c", fmt.Sprintf("setsid sleep 30 & sleep 30 & echo %d; exit %d", i, i)}, Stdout: &out,
			})
			if res.Exit != i || out.String() != fmt.Sprintln(i) || res.Swept == 0 {
				t.Errorf("%d: %q %+v", i, out.String(), res)
			}
		})
	}
	wg.Wait()
	if len(h.execs) != 0 || len(h.stuck) != 0 {
		t.Errorf("in flight %v, stuck %v", h.execs, h.stuck)
	}
}

func TestStartTime(t *testing.T) {
	own, err := StartTime(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	again, _ := StartTime(os.Getpid())
	first, err := StartTime(1)
	if own != again || own == first || err != nil || !strings.Contains(own, "/") {
		t.Errorf("own %q, again %q, first process %q, %v", own, again, first, err)
	}
	cmd := exec.Command("true")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	awaitExit(cmd.Process.Pid)
	if s, err := StartTime(cmd.Process.Pid); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a zombie: %q, %v", s, err)
	}
	_ = cmd.Wait()
	if s, err := StartTime(cmd.Process.Pid); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("nobody: %q, %v", s, err)
	}
}
