package proc

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// trial is one guard with its worker and a tree, in a process group of its own and in the session of the test, as a
// shell with job control starts it.
type trial struct {
	roll   *roll
	record string // written when the exec of the worker has ended
	guard  *exec.Cmd
	worker int
}

func tryOut(t *testing.T, nets string, env []string, wrap []string, tree ...string) *trial {
	t.Helper()
	c := &trial{roll: newRoll(t), record: filepath.Join(t.TempDir(), "record")}
	tree = slices.Clone(tree)
	for i, a := range tree {
		tree[i] = strings.ReplaceAll(a, "ROLL", c.roll.path)
	}
	argv := append(wrap, persona(append([]string{"supervised", c.roll.path, c.record, nets}, persona(tree...)...)...)...)
	c.guard = exec.Command(argv[0], argv[1:]...)
	c.guard.Env = append(os.Environ(), env...)
	c.guard.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := c.guard.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.guard.Process.Kill()
		_ = c.guard.Wait()
	})
	c.worker = c.roll.call(t, "worker", 1)[0]
	return c
}

// end waits for the guard and returns its exit code, -1 for a signal, and the record.
func (c *trial) end(t *testing.T) (int, string) {
	t.Helper()
	_ = c.guard.Wait()
	text, _ := os.ReadFile(c.record)
	return c.guard.ProcessState.ExitCode(), string(text)
}

var stubborn = []string{"parent", "ROLL", "5", "setsid", "double", "scrubbed", "deaf", "stay"}

func TestGuardReturnsTheWorkersCode(t *testing.T) {
	for _, nets := range []string{"tree", "groups"} {
		c := tryOut(t, nets, nil, nil, "exit", "3")
		code, record := c.end(t)
		if want := "guarded=true stopped= exit=3 alive=[] err=<nil>"; code != 42 || record != want {
			t.Errorf("%s: code %d, record %q", nets, code, record)
		}
	}
}

func TestGuardKilled(t *testing.T) {
	c := tryOut(t, "tree", nil, nil, stubborn...)
	pids := append(c.roll.call(t, "deaf", 5), c.roll.call(t, "parent", 1)...)
	pids = append(pids, c.worker)
	_ = c.guard.Process.Kill()
	took := diesWithin(t, pids, time.Second)
	t.Logf("the tree was gone %v after the guard", took)
	if _, record := c.end(t); record != "" {
		t.Errorf("the worker went on and recorded %q", record)
	}
}

func TestWorkerKilled(t *testing.T) {
	c := tryOut(t, "tree", nil, nil, stubborn...)
	pids := append(c.roll.call(t, "deaf", 5), c.roll.call(t, "parent", 1)...)
	began := time.Now()
	_ = syscall.Kill(c.worker, syscall.SIGKILL)
	code, record := c.end(t)
	t.Logf("the guard had ended the tree after %v", time.Since(began))
	if code != 137 || record != "" {
		t.Errorf("code %d, record %q", code, record)
	}
	allDead(t, append(pids, c.worker))
}

// Without a subreaper the guard knows the groups, and what is below their leaders.
func TestWorkerKilledWhereThereAreOnlyGroups(t *testing.T) {
	c := tryOut(t, "groups", nil, nil, "parent", "ROLL", "3", "setsid", "scrubbed", "deaf", "stay")
	pids := append(c.roll.call(t, "deaf", 3), c.roll.call(t, "parent", 1)...)
	_ = syscall.Kill(c.worker, syscall.SIGKILL)
	if code, _ := c.end(t); code != 137 {
		t.Errorf("code %d", code)
	}
	allDead(t, pids)
}

// pkill -9 NAME must not hit guard and worker alike.
func TestNamesOfGuardAndWorker(t *testing.T) {
	c := tryOut(t, "tree", nil, nil, "polite", "ROLL", "15")
	c.roll.call(t, "polite", 1)
	for pid, want := range map[int]string{c.guard.Process.Pid: "guard", c.worker: filepath.Base(os.Args[0])} {
		if got, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid)); strings.TrimSpace(string(got)) != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	_ = c.guard.Process.Signal(syscall.SIGTERM)
	if code, record := c.end(t); code != 42 || !strings.Contains(record, "stopped=interrupted exit=7") {
		t.Errorf("code %d, record %q", code, record)
	}
}

// A variable that somebody left in the environment makes no worker: this process becomes a guard.
func TestForgedLink(t *testing.T) {
	for _, value := range []string{"", "1:3", fmt.Sprintf("%d:1", os.Getpid()), fmt.Sprintf("%d:99", os.Getpid()), "x"} {
		c := tryOut(t, "tree", []string{guardVar + "=" + value}, nil, "exit", "0")
		if c.worker == c.guard.Process.Pid {
			t.Errorf("%q made a worker", value)
		}
		if code, record := c.end(t); code != 42 || !strings.Contains(record, "guarded=true") {
			t.Errorf("%q: code %d, record %q", value, code, record)
		}
	}
}

// A worker whose guard was killed while it was being loaded does nothing at all: it is no guard of its own.
func TestGuardKilledBeforeItsWorkerBegins(t *testing.T) {
	r := newRoll(t)
	record := filepath.Join(t.TempDir(), "record")
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	_ = write.Close()
	defer read.Close()
	argv := persona(append([]string{"supervised", r.path, record, "tree"}, persona("exit", "0")...)...)
	c := exec.Command(argv[0], argv[1:]...)
	c.Env = append(os.Environ(), guardVar+"=1:3")
	c.ExtraFiles = []*os.File{read}
	out, err := c.CombinedOutput()
	if code := c.ProcessState.ExitCode(); code != 1 {
		t.Errorf("exit %d, %v\n%s", code, err, out)
	}
	if text, err := os.ReadFile(record); err == nil {
		t.Errorf("it worked, and recorded %q", text)
	}
}

// What the shell had started before it became loopd is not the guard's, and neither is what that leaves behind.
func TestGuardLeavesForeignChildrenAlone(t *testing.T) {
	r := newRoll(t)
	// The shell's child becomes a child of the guard by exec; its own child is an orphan later.
	script := `"$1" persona deaf "$2" & "$1" persona middle "$2" setsid & wait $!; shift 2; exec "$@"`
	c := tryOut(t, "tree", nil, []string{"sh", "-c", script, "sh", persona()[0], r.path}, "deaf", "ROLL")
	foreign := r.call(t, "deaf", 2)
	agent := c.roll.call(t, "deaf", 1)
	_ = syscall.Kill(c.worker, syscall.SIGKILL)
	if code, _ := c.end(t); code != 137 {
		t.Errorf("code %d", code)
	}
	allDead(t, agent)
	for _, pid := range foreign {
		if dead(pid) {
			t.Errorf("process %d of others was ended", pid)
		}
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}

// A wish counts once, whoever got the signal.
func TestSignalsCountOnce(t *testing.T) {
	const first, second = syscall.SIGINT, syscall.SIGTERM
	for _, c := range []struct {
		name string
		wrap []string
		send func(c *trial) error
	}{
		{"guard alone", nil, func(c *trial) error { return c.guard.Process.Signal(first) }},
		{"worker alone", nil, func(c *trial) error { return syscall.Kill(c.worker, first) }},
		{"both, as a terminal does", nil, func(c *trial) error { return syscall.Kill(-c.guard.Process.Pid, first) }},
		{"inherited as ignored", []string{"sh", "-c", `trap "" INT; exec "$@"`, "sh"}, func(c *trial) error { return c.guard.Process.Signal(first) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			trial := tryOut(t, "tree", nil, c.wrap, "deaf", "ROLL")
			pid := trial.roll.call(t, "deaf", 1)
			if err := c.send(trial); err != nil {
				t.Fatal(err)
			}
			trial.roll.call(t, fmt.Sprintf("interrupt=%d=1", first), 1)
			allAlive(t, pid) // the grace is 20 s
			_ = trial.guard.Process.Signal(second)
			if what, _ := trial.roll.next(t); what != fmt.Sprintf("interrupt=%d=2", second) {
				t.Errorf("then came %s", what)
			}
			code, record := trial.end(t)
			if want := "guarded=true stopped=killed exit=137 alive=[] err=<nil>"; code != 42 || record != want {
				t.Errorf("code %d, record %q", code, record)
			}
			allDead(t, pid)
		})
	}
}

func TestSIGQUITIsAtOnce(t *testing.T) {
	c := tryOut(t, "tree", nil, nil, "deaf", "ROLL")
	pid := c.roll.call(t, "deaf", 1)
	_ = syscall.Kill(-c.guard.Process.Pid, syscall.SIGQUIT)
	if code, record := c.end(t); code != 42 || !strings.Contains(record, "stopped=killed") {
		t.Errorf("code %d, record %q", code, record)
	}
	allDead(t, pid)
}

func TestNohup(t *testing.T) {
	c := tryOut(t, "tree", nil, []string{"sh", "-c", `trap "" HUP; exec "$@"`, "sh"}, "deaf", "ROLL")
	c.roll.call(t, "deaf", 1)
	_ = syscall.Kill(-c.guard.Process.Pid, syscall.SIGHUP)
	_ = c.guard.Process.Signal(syscall.SIGTERM)
	if what, _ := c.roll.next(t); what != fmt.Sprintf("interrupt=%d=1", syscall.SIGTERM) {
		t.Errorf("got %s", what)
	}
	_ = c.guard.Process.Signal(syscall.SIGINT)
	c.end(t)
}

// The agent gets the default of SIGINT, whatever loopd inherited.
func TestAgentGetsDefaultSignals(t *testing.T) {
	r := newRoll(t)
	c := tryOut(t, "tree", nil, []string{"sh", "-c", `trap "" INT; exec "$@"`, "sh"}, "polite", r.path, fmt.Sprint(int(syscall.SIGUSR1)))
	pid := r.call(t, "polite", 1)[0]
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), "SigIgn:\t0000000000000000\n") {
		t.Error(string(text))
	}
	_ = syscall.Kill(pid, syscall.SIGUSR1)
	if code, record := c.end(t); code != 42 || !strings.Contains(record, "exit=7") {
		t.Errorf("code %d, record %q", code, record)
	}
}

func allAlive(t *testing.T, pids []int) {
	t.Helper()
	for _, pid := range pids {
		if dead(pid) {
			t.Errorf("process %d is dead", pid)
		}
	}
}

// Where nobody could continue us Ctrl-Z does nothing, as POSIX has it for an orphaned group.
func TestCtrlZWithoutJobControl(t *testing.T) {
	c := tryOut(t, "tree", nil, []string{"setsid", "--wait"}, "polite", "ROLL", "15")
	agent := c.roll.call(t, "polite", 1)[0]
	_ = syscall.Kill(c.worker, syscall.SIGTSTP)
	_ = syscall.Kill(c.worker, syscall.SIGTERM) // handled after it
	c.roll.call(t, fmt.Sprintf("interrupt=%d=1", syscall.SIGTERM), 1)
	if code, record := c.end(t); code != 42 || !strings.Contains(record, "exit=7") {
		t.Errorf("code %d, record %q", code, record)
	}
	allDead(t, []int{agent})
}

// Ctrl-Z stops everything and the clock; fg continues it.
func TestCtrlZ(t *testing.T) {
	const pause = 300 * time.Millisecond
	began := time.Now()
	c := tryOut(t, "tree", nil, nil, "parent", "ROLL", "2", "setsid", "double", "scrubbed", "stay")
	pids := append(c.roll.call(t, "deaf", 2), c.roll.call(t, "parent", 1)...)
	_ = syscall.Kill(-c.guard.Process.Pid, syscall.SIGTSTP)
	var ws syscall.WaitStatus
	if _, err := syscall.Wait4(c.guard.Process.Pid, &ws, syscall.WUNTRACED, nil); err != nil || !ws.Stopped() {
		t.Fatalf("the guard did not stop: %v %v", ws, err)
	}
	for _, pid := range append(pids, c.worker) {
		// The signal was sent before the guard stopped; on a busy machine it takes effect when the process is scheduled.
		for began := time.Now(); !stopped(pid); time.Sleep(time.Millisecond) {
			if time.Since(began) > 10*time.Second {
				t.Fatalf("process %d is not stopped", pid)
			}
		}
	}
	time.Sleep(pause) // not to wait for anything: it is the time that must not count
	_ = syscall.Kill(-c.guard.Process.Pid, syscall.SIGCONT)
	_ = c.guard.Process.Signal(syscall.SIGTERM) // the leader obeys only if it goes on
	code, record := c.end(t)
	if code != 42 || !strings.HasPrefix(record, "guarded=true stopped=interrupted exit=143 alive=[]") {
		t.Errorf("code %d, record %q", code, record)
	}
	text, _ := os.ReadFile(c.record + ".took")
	if took, err := time.ParseDuration(string(text)); err != nil || took > time.Since(began)-pause {
		t.Errorf("the exec took %s of %v, with a stop of %v", text, time.Since(began), pause)
	}
	allDead(t, pids)
}
