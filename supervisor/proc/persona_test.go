package proc

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// The children of these tests are the test binary itself: "persona NAME ARGS…". They are chosen by argv, so that a
// persona may have no environment at all.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "persona" {
		os.Exit(personas()[os.Args[2]](os.Args[3:]))
	}
	if len(os.Args) > 1 && os.Args[1] == SandboxArg {
		fmt.Fprintln(os.Stderr, EnterSandbox(os.Args[2:]))
		os.Exit(126)
	}
	// Under the race detector a process would sleep for a second when it exits.
	_ = os.Setenv("GORACE", raceQuick)
	goleak.VerifyTestMain(m)
}

const raceQuick = "atexit_sleep_ms=0"

func personas() map[string]func(args []string) int {
	return map[string]func([]string) int{
		"exit":       func(a []string) int { return number(a[0]) },
		"die":        dieBySignal,
		"count":      countInput,
		"chatter":    chatter,
		"deaf":       deaf,
		"polite":     polite,
		"parent":     parent,
		"middle":     middle,
		"flood":      flood,
		"talk":       talkFirst,
		"descriptor": descriptors,
		"terminal":   terminal,
		"supervised": supervised,
	}
}

func number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		panic(err)
	}
	return n
}

// persona is the argv of one.
func persona(args ...string) []string {
	exe, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return append([]string{exe, "persona"}, args...)
}

// ready writes one line into the roll: "WHAT PID".
func ready(roll, what string) {
	f, err := os.OpenFile(roll, os.O_WRONLY, 0)
	if err != nil {
		panic(err)
	}
	defer f.Close()
	fmt.Fprintf(f, "%s %d\n", what, os.Getpid())
}

func forEver() int {
	for {
		time.Sleep(time.Hour)
	}
}

func dieBySignal(a []string) int {
	_ = syscall.Kill(os.Getpid(), syscall.Signal(number(a[0])))
	return forEver()
}

// countInput says how many bytes it read.
func countInput([]string) int {
	n, _ := io.Copy(io.Discard, os.Stdin)
	fmt.Println(n)
	return 0
}

// chatter prints its arguments and stays.
func chatter(a []string) int {
	ready(a[0], "chatter")
	for _, line := range a[1:] {
		fmt.Println(line)
	}
	return forEver()
}

// deaf ignores what can be ignored, says so, and stays.
func deaf(a []string) int {
	signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	ready(a[0], "deaf")
	return forEver()
}

// polite exits 7 on the signal that is given.
func polite(a []string) int {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.Signal(number(a[1])))
	ready(a[0], "polite")
	<-c
	return 7
}

// parent ROLL N HOW… starts N deaf children, waits until each is ready, says so, and then exits or stays. HOW has any of
// setsid, double (fork), scrubbed (environment), closed (descriptors), deaf (the parent too), stay.
func parent(a []string) int {
	roll, n, how := a[0], number(a[1]), strings.Join(a[2:], " ")
	if strings.Contains(how, "deaf") {
		signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	}
	for range n {
		argv := persona("deaf", roll)
		if strings.Contains(how, "double") {
			argv = persona("middle", roll, how)
		}
		cmd := child(argv, how)
		if err := cmd.Start(); err != nil {
			panic(err)
		}
		if strings.Contains(how, "double") {
			_ = cmd.Wait()
		}
	}
	ready(roll, "parent")
	if strings.Contains(how, "stay") {
		return forEver()
	}
	// The test releases the parent when it has the pids of all: an exit may come before a child is ready.
	_, _ = io.Copy(io.Discard, os.Stdin)
	return 0
}

// middle starts one deaf child and exits, so that the child is an orphan.
func middle(a []string) int {
	if err := child(persona("deaf", a[0]), a[1]).Start(); err != nil {
		panic(err)
	}
	return 0
}

func child(argv []string, how string) *exec.Cmd {
	cmd := exec.Command(argv[0], argv[1:]...)
	if !strings.Contains(how, "closed") {
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	}
	if strings.Contains(how, "scrubbed") {
		cmd.Env = []string{"GORACE=" + raceQuick}
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: strings.Contains(how, "setsid")}
	return cmd
}

// flood prints N MiB.
func flood(a []string) int {
	block := bytes.Repeat([]byte("0123456789abcdef"), 1<<16)
	for range number(a[0]) {
		if _, err := os.Stdout.Write(block); err != nil {
			return 1
		}
	}
	return 0
}

// talkFirst writes 1 MiB before it reads.
func talkFirst([]string) int {
	flood([]string{"1"})
	return countInput(nil)
}

// descriptors prints what a child has open and how it is set up.
func descriptors([]string) int {
	names, _ := filepath.Glob("/proc/self/fd/*")
	for _, name := range names {
		fd := number(filepath.Base(name))
		if flags, _, errno := syscall.Syscall(syscall.SYS_FCNTL, uintptr(fd), syscall.F_GETFL, 0); errno == 0 && fd < 3 {
			fmt.Printf("fd %d blocking=%t\n", fd, flags&syscall.O_NONBLOCK == 0)
		} else if target, err := os.Readlink(name); err == nil && !strings.Contains(target, "epoll") && !strings.Contains(target, "eventfd") && !strings.HasPrefix(target, "/proc/") {
			fmt.Println("open", fd, target)
		}
	}
	text, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "SigIgn") {
			fmt.Print(line)
		}
	}
	dir, _ := os.Getwd()
	fmt.Println("dir", dir, "PWD", os.Getenv("PWD"), "MARK", os.Getenv("LOOPD_RUN"), "GUARD", os.Getenv(guardVar))
	return 0
}

// terminal says on stdout whether stderr is one and whether it is the controlling one.
func terminal([]string) int {
	info, _ := os.Stderr.Stat()
	_, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	fmt.Printf("device=%t controlling=%t\n", info.Mode()&os.ModeCharDevice != 0, err == nil)
	fmt.Fprint(os.Stderr, "to the terminal\n")
	return 0
}

// supervised ROLL RECORD NETS ARGV… runs ARGV under a guard, reports every interrupt in the roll, and writes into RECORD
// how the exec ended. NETS is "groups" for a system without subreaper.
func supervised(a []string) int {
	roll, record, nets, argv := a[0], a[1], a[2], a[3:]
	return supervise(func(h *Host) int {
		ready(roll, "worker")
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		go func() { // ends with the process
			for i := range h.Interrupts() {
				cancel()
				ready(roll, fmt.Sprintf("interrupt=%d=%d", i.Signal, i.Nth))
			}
		}()
		res, err := h.Run(ctx, Spec{Argv: argv, Stdout: os.Stdout, Stderr: os.Stderr, Marker: "LOOPD_RUN=t", Grace: 20 * time.Second})
		text := fmt.Sprintf("guarded=%t stopped=%s exit=%d alive=%v err=%v", h.Guarded(), res.Stopped, res.Exit, res.Alive, err)
		for path, text := range map[string]string{record: text, record + ".took": res.Took.String()} {
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				panic(err)
			}
		}
		return 42
	}, nets == "groups")
}

// roll is a named pipe in which the personas of a test say that they are ready.
type roll struct {
	path  string
	file  *os.File
	lines chan string
	kept  map[string][]int // read before they were called
}

func newRoll(t *testing.T) *roll {
	t.Helper()
	r := &roll{path: filepath.Join(t.TempDir(), "roll"), lines: make(chan string, 1000), kept: map[string][]int{}}
	if err := syscall.Mkfifo(r.path, 0o600); err != nil {
		t.Fatal(err)
	}
	var err error
	if r.file, err = os.OpenFile(r.path, os.O_RDWR|syscall.O_NONBLOCK, 0); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for s := bufio.NewScanner(r.file); s.Scan(); {
			r.lines <- s.Text()
		}
	}()
	t.Cleanup(func() {
		r.file.Close()
		<-done
	})
	return r
}

// next is the next line: what and pid.
func (r *roll) next(t *testing.T) (string, int) {
	t.Helper()
	select {
	case line := <-r.lines:
		what, pid, _ := strings.Cut(line, " ")
		return what, number(pid)
	case <-time.After(20 * time.Second):
		t.Fatal("nobody is ready")
		return "", 0
	}
}

// call waits for n lines that say what, in any order among others, and returns their pids.
func (r *roll) call(t *testing.T, what string, n int) []int {
	t.Helper()
	for len(r.kept[what]) < n {
		got, pid := r.next(t)
		r.kept[got] = append(r.kept[got], pid)
	}
	pids := r.kept[what][:n:n]
	r.kept[what] = r.kept[what][n:]
	return pids
}

// dead says whether a process has ended; a zombie has.
func dead(pid int) bool {
	_, err := StartTime(pid)
	return errors.Is(err, fs.ErrNotExist)
}

func allDead(t *testing.T, pids []int) {
	t.Helper()
	for _, pid := range pids {
		if !dead(pid) {
			t.Errorf("process %d is alive", pid)
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}

// diesWithin waits until all of pids are dead, and says how long that took.
func diesWithin(t *testing.T, pids []int, limit time.Duration) time.Duration {
	t.Helper()
	began := time.Now()
	for _, pid := range pids {
		for !dead(pid) {
			if time.Since(began) > limit {
				allDead(t, pids)
				t.Fatalf("not all dead within %v", limit)
			}
			time.Sleep(500 * time.Microsecond)
		}
	}
	return time.Since(began)
}
