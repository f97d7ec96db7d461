package supervisor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"loopd/journal"
	"loopd/supervisor/proc"
)

// crashVar makes the test binary run one iteration in a box and die by SIGKILL at the n-th labelled operation, or have
// that operation fail (see crashAt).
const crashVar = "LOOPD_TEST_CRASH"

func TestMain(m *testing.M) {
	if at := os.Getenv(crashVar); at != "" {
		os.Exit(crashAt(at))
	}
	if len(os.Args) > 1 && os.Args[1] == proc.SandboxArg {
		fmt.Fprintln(os.Stderr, proc.EnterSandbox(os.Args[2:]))
		os.Exit(126)
	}
	os.Exit(m.Run())
}

// crashAt is the re-executed process: "N root" dies at operation N, "0 root" counts the operations and prints them, "-1
// root" does neither. "N:ERRNO root" has operation N fail with that error, "N+:ERRNO root" all from there on.
func crashAt(spec string) int {
	first, root, _ := strings.Cut(spec, " ")
	first, errno, failing := strings.Cut(first, ":")
	first, onwards := strings.CutSuffix(first, "+")
	n, err := strconv.Atoi(first)
	if err != nil {
		return 2
	}
	number, _ := strconv.Atoi(errno)
	os.Unsetenv(crashVar)
	host := proc.NewHost()
	defer host.Close()
	s, err := boxSupervisor(root, os.Environ(), host, Options{Once: true})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	count := 0
	s.Fault = func(op, label string) error {
		count++
		if n == 0 {
			fmt.Printf("%s %s\n", op, label)
		}
		if failing && (count == n || onwards && count > n) {
			return syscall.Errno(number)
		}
		if count == n {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
		return nil
	}
	s.Disk.Fault = s.Fault
	s.Dialect = readFaults{s.Dialect, s.Fault}
	end, err := s.Run(context.Background())
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return end.Code
}

// readFaults is a dialect whose files cannot always be read.
type readFaults struct {
	journal.Dialect
	fault func(op, label string) error
}

func (d readFaults) Load(ref journal.Ref) (journal.Loop, error) {
	if err := d.fault("read", "loop"); err != nil {
		return journal.Loop{}, err
	}
	return d.Dialect.Load(ref)
}

// child runs the test binary again over a box and gives its output and exit code (-1 where it was killed).
func (b *box) child(at string) (string, int) {
	b.t.Helper()
	self, err := os.Executable()
	if err != nil {
		b.t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, self)
	c.Env = append(b.env, crashVar+"="+at+" "+b.root)
	out, err := c.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		b.t.Fatal(err)
	}
	return string(out), c.ProcessState.ExitCode()
}

// consistent is the two-state rule, judged from git and the files alone: what is recorded is committed and struck once,
// what is not recorded is not in the tree.
func (b *box) consistent(when string) {
	b.t.Helper()
	text := ""
	if data, err := os.ReadFile(filepath.Join(b.root, ".loop/k/journal.md")); err == nil {
		text = string(data)
	}
	entries := entriesOf(text)
	todos := strings.Count(b.read("work.txt"), "TODO")
	commits := b.git("rev-list", "--count", "main..HEAD")
	if todos != 5-entries || commits != strconv.Itoa(entries) {
		b.t.Errorf("%s: %d entries, %s commits, %d TODO lines left of 5\n%s", when, entries, commits, todos, text)
	}
	if st := b.state(); st.Iteration != entries {
		b.t.Errorf("%s: state says iteration %d, the journal has %d entries", when, st.Iteration, entries)
	}
	if s := b.git("status", "--porcelain", "--", ".", ":(exclude).loop"); s != "" {
		b.t.Errorf("%s: the tree is not clean: %s", when, s)
	}
	if strings.Count(text, "## 1 · ") > 1 || strings.Count(text, "## 2 · ") > 1 {
		b.t.Errorf("%s: an entry stands twice:\n%s", when, text)
	}
}

// kill -9 at every labelled operation of an iteration; the next start reaches one of the two states and works on.
func TestKilledAtEveryOperation(t *testing.T) {
	counting := newBox(t, nil)
	counting.agent("maker", ships)
	out, code := counting.child("0")
	if code != 0 {
		t.Fatalf("the counting run ended with %d:\n%s", code, out)
	}
	operations := strings.Split(strings.TrimSpace(out), "\n")
	if len(operations) < 20 {
		t.Fatalf("only %d operations are labelled: %q", len(operations), operations)
	}
	step := 1
	if testing.Short() {
		step = 5
	}
	for n := 1; n <= len(operations); n += step {
		t.Run(fmt.Sprintf("%02d %s", n, operations[n-1]), func(t *testing.T) {
			t.Parallel()
			b := newBox(t, nil)
			b.agent("maker", ships)
			if out, code := b.child(strconv.Itoa(n)); code != -1 {
				t.Fatalf("was not killed: exit %d\n%s", code, out)
			}
			if out, code := b.child("-1"); code != 0 {
				t.Fatalf("the next start ended with %d:\n%s", code, out)
			}
			b.consistent("after the next start")
			if got := entriesOf(b.read(".loop/k/journal.md")); got != 1 && got != 2 {
				t.Errorf("%d entries after a killed and a whole start", got)
			}
		})
	}
}

// Every labelled operation fails once, with a full disk, a broken one, a read-only one and a forbidden one in turn; or everything fails
// from there on. The message names it, nothing is claimed that is not on disk, and the next start works on.
func TestFaultAtEveryOperation(t *testing.T) {
	counting := newBox(t, nil)
	counting.agent("maker", ships)
	out, code := counting.child("0")
	if code != 0 {
		t.Fatalf("the counting run ended with %d:\n%s", code, out)
	}
	operations := strings.Split(strings.TrimSpace(out), "\n")
	errnos := []syscall.Errno{syscall.ENOSPC, syscall.EIO, syscall.EROFS, syscall.EACCES}
	step := 1
	if testing.Short() {
		step = 7
	}
	for n := 1; n <= len(operations); n += step {
		errno := errnos[n%len(errnos)]
		for _, onwards := range []string{"", "+"} {
			t.Run(fmt.Sprintf("%02d%s %s", n, onwards, operations[n-1]), func(t *testing.T) {
				t.Parallel()
				b := newBox(t, nil)
				b.agent("maker", ships)
				out, code := b.child(fmt.Sprintf("%d%s:%d", n, onwards, int(errno)))
				if code != 1 && code != 0 && code != 14 && code != 15 {
					t.Errorf("ended with %d:\n%s", code, out)
				}
				if code == 1 && !strings.Contains(out, errno.Error()) {
					t.Errorf("the message does not say what failed (%s):\n%s", errno, out)
				}
				if out, code := b.child("-1"); code != 0 {
					t.Fatalf("the next start ended with %d:\n%s", code, out)
				}
				b.consistent("after the next start")
			})
		}
	}
}
