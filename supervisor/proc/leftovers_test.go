package proc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// An agent that exits leaves children of every kind behind, which hold its stdout.
func TestLeftovers(t *testing.T) {
	for name, host := range hosts(t) {
		for _, how := range []string{
			"plain", "setsid", "setsid double", "setsid double scrubbed", "setsid double scrubbed closed", "double",
		} {
			t.Run(name+"/"+how, func(t *testing.T) { leftovers(t, host(), strings.Fields(how)) })
		}
	}
}

func leftovers(t *testing.T, h *Host, how []string) {
	r := newRoll(t)
	s := Spec{Argv: persona(append([]string{"parent", r.path, "3"}, how...)...), Stdout: &bytes.Buffer{}, Marker: "LOOPD_RUN=t"}
	// The parent waits for the end of its input, which is held back until all are ready.
	held := hold(t, &s)
	var pids []int
	var left time.Time
	var wg sync.WaitGroup
	wg.Go(func() {
		defer held.Close()
		pids = r.call(t, "deaf", 3)
		left = time.Now()
	})
	res := run(t, h, context.Background(), s)
	wg.Wait()
	if took := time.Since(left); took > 250*time.Millisecond+slack {
		t.Errorf("the leftovers delayed Run by %v", took)
	}
	if res.Exit != 0 || res.Stopped != ByItself || res.Swept != 3 {
		t.Errorf("got %+v", res)
	}
	allDead(t, pids)
}

// slack is for a busy machine: a pipe that is waited for would take for ever. The figures of limits.md are for the benchmarks.
const slack = 3 * time.Second

// hold makes the leader read a named pipe instead of Stdin, and returns the writing end.
func hold(t *testing.T, s *Spec) *os.File {
	t.Helper()
	path := filepath.Join(t.TempDir(), "stdin")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	w, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	s.Argv = append([]string{"sh", "-c", `exec "$@" <"$0"`, path}, s.Argv...)
	return w
}

func TestBackgroundThatEndsByItselfIsNotSwept(t *testing.T) {
	var out bytes.Buffer
	res := run(t, newTestHost(t), context.Background(), Spec{
		Argv: []string{"sh", "-c", "(sleep 0.002; echo late) & echo early"}, Stdout: &out,
	})
	if res.Swept != 0 && out.String() == "early\nlate\n" {
		t.Errorf("a helper that ended by itself counts as swept: %+v", res)
	}
}

func TestForkStorm(t *testing.T) {
	for name, host := range hosts(t) {
		t.Run(name, func(t *testing.T) {
			mark := "LOOPD_RUN=storm" + filepath.Base(t.TempDir()) + fmt.Sprint(os.Getpid())
			res := run(t, host(), context.Background(), Spec{Argv: []string{"sh", "-c", storm, "sh", "200"}, Stdout: &bytes.Buffer{}, Marker: mark})
			if res.Exit != 0 || res.Swept == 0 {
				t.Errorf("nothing was swept: %+v", res)
			}
			if n := EndMarked(mark); n != 0 {
				t.Errorf("%d of the storm are alive", n)
			}
		})
	}
}

// A relay is worse than a storm: each process starts the next in a new session and exits, so no pid lives long enough to
// be listed first and killed later, but by luck. It ends by itself after 3,000 hops, some seconds.
func TestForkRelay(t *testing.T) {
	for name, host := range hosts(t) {
		t.Run(name, func(t *testing.T) {
			script := filepath.Join(t.TempDir(), "relay")
			if err := os.WriteFile(script, []byte(`trap "" TERM; [ $1 = 0 ] || setsid sh $0 $(($1-1)) &`), 0o600); err != nil {
				t.Fatal(err)
			}
			mark := "LOOPD_RUN=relay" + filepath.Base(t.TempDir()) + fmt.Sprint(os.Getpid())
			began := time.Now()
			res := run(t, host(), context.Background(), Spec{Argv: []string{"sh", script, "3000"}, Marker: mark})
			t.Logf("ended after %v", time.Since(began))
			if res.Swept == 0 {
				t.Errorf("nothing was swept: %+v", res)
			}
			if n := EndMarked(mark); n != 0 {
				t.Errorf("%d of the relay are alive", n)
			}
		})
	}
}

// storm starts orphans in sessions of their own, most of which start another one and exit, and does not wait for them.
const storm = `i=0; while [ $i -lt $1 ]; do (setsid sh -c "(setsid sh -c 'sleep 30' &); [ $((i % 5)) = 0 ] && sleep 30" &); i=$((i+1)); done`

// The tree of limits.md: 50 processes that ignore TERM, in sessions of their own, holding the pipe.
func TestStubbornTree(t *testing.T) {
	for name, host := range hosts(t) {
		t.Run(name, func(t *testing.T) { stubbornTree(t, host()) })
	}
}

func stubbornTree(t *testing.T, h *Host) {
	r := newRoll(t)
	ctx, cancel := context.WithCancel(context.Background())
	var pids []int
	var asked time.Time
	var wg sync.WaitGroup
	wg.Go(func() {
		pids = r.call(t, "deaf", 50)
		asked = time.Now()
		cancel()
	})
	const grace = 50 * time.Millisecond
	res := run(t, h, ctx, Spec{
		Argv: persona("parent", r.path, "50", "setsid", "scrubbed", "deaf", "stay"), Stdout: &bytes.Buffer{}, Grace: grace,
	})
	wg.Wait()
	took := time.Since(asked) - grace
	t.Logf("50 stubborn processes were gone %v after the grace", took)
	if res.Stopped != Interrupted || res.Signal != syscall.SIGKILL || res.Swept != 50 || took > 100*time.Millisecond+slack {
		t.Errorf("took %v: %+v", took, res)
	}
	allDead(t, pids)
}

// Two execs at once: what one leaves behind is ended, the other and its tree live.
func TestOneExecsDebrisIsNotAnothersTree(t *testing.T) {
	h, rOne, rTwo := newTestHost(t), newRoll(t), newRoll(t)
	ctx, cancel := context.WithCancel(context.Background())
	two := make(chan Result, 1)
	go func() {
		res, _ := h.Run(ctx, Spec{Argv: persona("parent", rTwo.path, "3", "setsid", "double", "scrubbed", "stay"), Stdout: &bytes.Buffer{}, Grace: -1})
		two <- res
	}()
	others := rTwo.call(t, "deaf", 3)

	s := Spec{Argv: persona("parent", rOne.path, "3", "setsid", "double", "scrubbed"), Stdout: &bytes.Buffer{}}
	held := hold(t, &s)
	var mine []int
	var wg sync.WaitGroup
	wg.Go(func() {
		defer held.Close()
		mine = rOne.call(t, "deaf", 3)
	})
	res := run(t, h, context.Background(), s)
	wg.Wait()
	if res.Swept != 3 {
		t.Errorf("first exec: %+v", res)
	}
	allDead(t, mine)
	for _, pid := range others {
		if dead(pid) {
			t.Errorf("process %d of the other exec was ended", pid)
		}
	}
	cancel()
	if res := <-two; res.Stopped != Interrupted || res.Swept != 3 || len(res.Alive) != 0 {
		t.Errorf("second exec: %+v", res)
	}
	allDead(t, others)
}

// Children that this process started by other means are not ours to end or to reap.
func TestForeignChildrenAreLeftAlone(t *testing.T) {
	h, r := newTestHost(t), newRoll(t)
	cmd := exec.Command(persona("polite", r.path, "15")[0], persona("polite", r.path, "15")[1:]...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	r.next(t)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() { run(t, h, context.Background(), Spec{Argv: []string{"sh", "-c", "sleep 30 & exit 0"}}) })
	}
	wg.Wait()
	if dead(cmd.Process.Pid) {
		t.Error("a child of others was ended")
	}
	_ = cmd.Process.Signal(syscall.SIGTERM)
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 7 {
		t.Errorf("its exit was lost: %v", err)
	}
}

func TestEndMarked(t *testing.T) {
	r := newRoll(t)
	start := func(mark string) *exec.Cmd {
		argv := persona("deaf", r.path)
		cmd := exec.Command(argv[0], argv[1:]...)
		cmd.Env = []string{mark}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		r.next(t)
		return cmd
	}
	mark := "LOOPD_RUN=" + filepath.Base(t.TempDir()) + fmt.Sprint(os.Getpid())
	hit := []*exec.Cmd{start(mark), start(mark + ".17")}
	miss := []*exec.Cmd{start(mark + "7"), start(mark + ".x"), start("X" + mark)}
	if n := EndMarked(mark); n != 2 {
		t.Errorf("ended %d", n)
	}
	for _, cmd := range hit {
		_ = cmd.Wait()
	}
	for _, cmd := range miss {
		if dead(cmd.Process.Pid) {
			t.Errorf("%v was ended too", cmd.Env)
		}
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
}
