package proc

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/sourcegraph/conc"
)

// guardVar tells the worker of its guard: "PID:FD", or "PID:FD:FD" where the worker has to tell its groups. It is taken
// out of the environment before anything else runs.
const guardVar = "LOOPD_GUARD"

// Supervise runs work under a guard, so that no agent outlives a killed supervisor, and returns the exit code of the
// process. Call it before anything else: this process becomes the guard and starts itself again as the worker, and only
// there work is called.
//
//	guard dies     the worker reads the end of a pipe, kills its tree, and exits 1 in the middle of whatever it does
//	worker dies    its orphans become children of the guard, which kills them until none is left; 128+signal
//	worker exits   the guard sweeps what is left, normally nothing; the worker's exit code
//	a signal       to either, or by the terminal to both, counts once: see tally
//	Ctrl-Z         the worker freezes its tree and stops; the guard stops when it sees that, and continues the worker
//
// Where the guard cannot be started work runs without one: see Host.Guarded.
func Supervise(work func(*Host) int) int { return supervise(work, !haveSubreaper) }

// supervise lets the worker tell its groups where orphans do not come to the guard.
func supervise(work func(*Host) int, byGroup bool) int {
	if l, ok := takeLink(); ok {
		return l.work(work)
	}
	code, err := guard(byGroup)
	if err != nil {
		return Unguarded(work)
	}
	return code
}

// ward is the guard's view of its worker.
type ward struct {
	worker  int
	tags    tags
	foreign bool         // this process had children before it became the guard
	groups  map[int]bool // told by the worker
}

func guard(byGroup bool) (int, error) {
	sigs := make(chan os.Signal, 64)
	signal.Notify(sigs, append(handled(), syscall.SIGCONT)...)
	defer signal.Stop(sigs)

	g := &ward{foreign: haveSubreaper && haveChildren(), tags: newTags(false), groups: map[int]bool{}}
	subreap()
	nameGuard()
	lifeline, told, err := g.start(byGroup)
	if err != nil {
		nameWorker()
		return 0, err
	}

	var wg conc.WaitGroup
	ended := make(chan syscall.WaitStatus, 1)
	wg.Go(func() { ended <- g.await() })
	reports := make(chan int32, 64)
	if told != nil {
		wg.Go(func() { receive(told, reports) })
	}
	for {
		select {
		case s := <-sigs:
			if s == syscall.SIGCONT {
				_ = syscall.Kill(g.worker, syscall.SIGCONT)
			} else {
				_, _ = lifeline.Write([]byte{byte(s.(syscall.Signal))})
			}
		case r := <-reports:
			g.note(r)
		case ws := <-ended:
			if told != nil {
				g.noteRest(told, reports)
			}
			g.endAll()
			_ = lifeline.Close()
			if ws.Signaled() {
				return 128 + int(ws.Signal()), nil
			}
			return ws.ExitStatus(), nil
		}
	}
}

// start starts the worker: same file even if it was replaced, same arguments, same group, so the terminal stays usable.
func (g *ward) start(byGroup bool) (lifeline, told *os.File, err error) {
	exe, err := selfPath()
	if err != nil {
		return nil, nil, err
	}
	theirs, lifeline, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	defer theirs.Close()
	files := []uintptr{0, 1, 2, theirs.Fd()}
	link := fmt.Sprintf("%s=%d:3", guardVar, os.Getpid())
	if byGroup {
		r, w, err := os.Pipe()
		if err != nil {
			return nil, nil, errors.Join(err, lifeline.Close())
		}
		defer w.Close()
		told, files, link = r, append(files, w.Fd()), link+":4"
	}
	restore := g.tags.set(g.tags.family())
	g.worker, err = syscall.ForkExec(exe, os.Args, &syscall.ProcAttr{
		Env: environment(os.Environ(), "", link), Files: files,
	})
	restore()
	if err != nil {
		_ = lifeline.Close()
		return nil, nil, err
	}
	return lifeline, told, nil
}

// await returns when the worker has ended. When the worker stops, so does the guard: that is what the shell waits for.
func (g *ward) await() syscall.WaitStatus {
	for {
		var ws syscall.WaitStatus
		_, err := syscall.Wait4(g.worker, &ws, syscall.WUNTRACED, nil)
		switch {
		case err == syscall.EINTR:
		case err != nil:
			return 1 << 8 // cannot be: nobody else waits for it
		case ws.Stopped():
			_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP)
		default:
			return ws
		}
	}
}

// note takes a report of the worker: a group has begun, or, negative, its leader is about to be reaped.
func (g *ward) note(r int32) {
	if r > 0 {
		g.groups[int(r)] = true
	} else {
		delete(g.groups, int(-r))
	}
}

// noteRest takes what a dead worker has reported and was not read yet. Its pipe ends with it.
func (g *ward) noteRest(told *os.File, reports <-chan int32) {
	_ = told.SetReadDeadline(time.Now().Add(time.Second))
	for r := range reports {
		g.note(r)
	}
}

// endAll kills what a dead worker left. What was ours before we became the guard is not touched, nor are its orphans.
func (g *ward) endAll() {
	for pgid := range g.groups {
		below := descendants(pgid) // tool shells in sessions of their own, as long as the leader lives
		_ = syscall.Kill(-pgid, syscall.SIGKILL)
		for _, pid := range below {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
	endChildren(func(pid int) bool { return g.foreign && !g.tags.related(pid) }, sweepLimit)
	removeStaleCgroups()
}

// receive reads reports until the pipe ends.
func receive(from io.Reader, reports chan<- int32) {
	defer close(reports)
	var b [4]byte
	for {
		if _, err := io.ReadFull(from, b[:]); err != nil {
			return
		}
		reports <- int32(binary.NativeEndian.Uint32(b[:]))
	}
}
