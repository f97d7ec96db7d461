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
	"runtime"
	"slices"
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

func TestStreams(t *testing.T) {
	h := newTestHost(t)
	big := bytes.Repeat([]byte("x"), 1<<20)
	for _, c := range []struct {
		name string
		argv []string
		in   []byte
		want string // the end of stdout
	}{
		{"no input is the end of it", persona("count"), nil, "0\n"},
		{"input", persona("count"), []byte("12345"), "5\n"},
		{"1 MiB in", persona("count"), big, "1048576\n"},
		{"1 MiB never read", persona("exit", "0"), big, ""},
		{"1 MiB out before it reads 1 MiB", persona("talk"), big, "1048576\n"},
		{"stdin closed", []string{"sh", "-c", "exec <&-; echo done"}, big, "done\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out bytes.Buffer
			res := run(t, h, context.Background(), Spec{Argv: c.argv, Stdin: c.in, Stdout: &out})
			if res.Exit != 0 || !strings.HasSuffix(out.String(), c.want) || c.want == "" && out.Len() > 0 {
				t.Errorf("exit %d, stdout ends in %q", res.Exit, out.String()[max(0, out.Len()-40):])
			}
		})
	}
}

func TestOneWriterForBothStreams(t *testing.T) {
	var both bytes.Buffer // the race detector would see two writers
	run(t, newTestHost(t), context.Background(), Spec{
		Argv: []string{"sh", "-c", "for i in 1 2 3 4 5 6 7 8 9; do echo out; echo err >&2; done"}, Stdout: &both, Stderr: &both,
	})
	if got, want := both.String(), strings.Repeat("out\nerr\n", 9); got != want {
		t.Errorf("got %q", got)
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

func TestTerminalOnStderr(t *testing.T) {
	var out, errs bytes.Buffer
	run(t, newTestHost(t), context.Background(), Spec{Argv: persona("terminal"), Stdout: &out, Stderr: &errs, TTYStderr: true})
	if got, want := out.String(), "device=true controlling=true\n"; got != want {
		t.Errorf("stdout %q, want %q", got, want)
	}
	if got, want := errs.String(), "to the terminal\r\n"; got != want {
		t.Errorf("stderr %q, want %q", got, want)
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
	if open := openFiles(t); open != openFiles(t) || len(h.execs) != 0 {
		t.Error("a failed start leaves something")
	}
	h.Abort()
	if _, err := h.Run(context.Background(), Spec{Argv: []string{"true"}}); !errors.Is(err, ErrAborted) {
		t.Errorf("after Abort: %v", err)
	}
}

func openFiles(t *testing.T) int {
	names, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(names)
}

// An agent that exits leaves children of every kind behind, which hold its stdout.
func TestLeftovers(t *testing.T) {
	for _, how := range []string{
		"plain", "setsid", "setsid double", "setsid double scrubbed", "setsid double scrubbed closed", "double",
	} {
		t.Run(how, func(t *testing.T) {
			h, r := newTestHost(t), newRoll(t)
			s := Spec{Argv: persona(append([]string{"parent", r.path, "3"}, strings.Fields(how)...)...), Stdout: &bytes.Buffer{}, Marker: "LOOPD_RUN=t"}
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
		})
	}
}

// slack is for a busy machine; the figures of limits.md are for scripts/bench.
const slack = 300 * time.Millisecond

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
	h := newTestHost(t)
	before := processCount()
	res := run(t, h, context.Background(), Spec{Argv: persona("storm", "300"), Stdout: &bytes.Buffer{}, Marker: "LOOPD_RUN=storm"})
	if res.Swept == 0 {
		t.Error("nothing was swept")
	}
	if n := EndMarked("LOOPD_RUN=storm"); n != 0 {
		t.Errorf("%d of the storm are alive", n)
	}
	if after := processCount(); after > before+50 {
		t.Errorf("%d processes before, %d after", before, after)
	}
}

func processCount() int { return len(processes()) }

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

// The tree of limits.md: 50 processes that ignore TERM, in sessions of their own, holding the pipe.
func TestStubbornTree(t *testing.T) {
	h, r := newTestHost(t), newRoll(t)
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
		Linger: 200 * time.Millisecond, Idle: 100 * time.Millisecond, Grace: time.Hour,
	})
	if res.Stopped != Lingered || res.Took < 200*time.Millisecond {
		t.Errorf("got %+v", res)
	}
}

func TestFloodInBoundedMemory(t *testing.T) {
	h := newTestHost(t)
	var before, after runtime.MemStats
	var n counter
	runtime.ReadMemStats(&before)
	res := run(t, h, context.Background(), Spec{Argv: persona("flood", "200"), Stdout: &n})
	runtime.ReadMemStats(&after)
	if res.Exit != 0 || n != 200<<20 {
		t.Errorf("%d bytes, %+v", n, res)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 4<<20 {
		t.Errorf("allocated %d bytes", used)
	}
}

type counter int

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

// What the tree printed before it died is all there, however slow the reader is.
func TestSlowWriterLosesNothing(t *testing.T) {
	var got bytes.Buffer
	slow := writerFunc(func(p []byte) (int, error) {
		time.Sleep(20 * time.Millisecond)
		return got.Write(p)
	})
	res := run(t, newTestHost(t), context.Background(), Spec{Argv: persona("flood", "1"), Stdout: slow})
	if res.Exit != 0 || got.Len() != 1<<20 {
		t.Errorf("%d bytes, %+v", got.Len(), res)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

func TestWriterThatFailsDoesNotBlockTheTree(t *testing.T) {
	full := errors.New("disk full")
	res := run(t, newTestHost(t), context.Background(), Spec{
		Argv: persona("flood", "5"), Stdout: writerFunc(func([]byte) (int, error) { return 0, full }),
	})
	if res.Exit != 0 || !errors.Is(res.Dropped, full) {
		t.Errorf("got %+v", res)
	}
}

func TestWriterThatPanics(t *testing.T) {
	h := newTestHost(t)
	defer func() {
		if recover() == nil {
			t.Error("the panic is lost")
		}
		if len(h.execs) != 0 {
			t.Error("the exec is still in flight")
		}
	}()
	_, _ = h.Run(context.Background(), Spec{
		Argv: persona("flood", "5"), Stdout: writerFunc(func([]byte) (int, error) { panic("a fault of the reader") }),
	})
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

func TestStartTime(t *testing.T) {
	own, err := StartTime(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	again, _ := StartTime(os.Getpid())
	parent, _ := StartTime(os.Getppid())
	if own != again || own == parent || !strings.Contains(own, "/") {
		t.Errorf("own %q, again %q, parent %q", own, again, parent)
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

func TestNets(t *testing.T) {
	h := newTestHost(t)
	run(t, h, context.Background(), Spec{Argv: []string{"true"}})
	nets := h.Nets()
	t.Log(nets)
	if !slices.Contains(nets, "subreaper") || !slices.Contains(nets, "tag") || slices.Contains(nets, "guard") {
		t.Errorf("got %v", nets)
	}
}
