package proc

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

const (
	haveSubreaper = true
	rssUnit       = 1 << 10 // ru_maxrss is in KiB
)

// subreap makes orphans below this process children of this process.
func subreap() { _ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) }

// awaitExit returns when the child is a zombie, and leaves it one.
func awaitExit(pid int) {
	for unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil) == unix.EINTR {
	}
}

// haveChildren is the proof: the kernel looks at all children of all threads under one lock.
func haveChildren() bool {
	for {
		err := unix.Waitid(unix.P_ALL, 0, nil, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT|unix.WALL, nil)
		if err != unix.EINTR {
			return err != unix.ECHILD
		}
	}
}

// reapZombie reaps the child if it is one.
func reapZombie(pid int) bool {
	for {
		got, err := syscall.Wait4(pid, nil, syscall.WNOHANG|unix.WALL, nil)
		if err != syscall.EINTR {
			return got == pid
		}
	}
}

// isOurs says whether pid is a child of this process. While it is not reaped, its number and its group's are its own.
func isOurs(pid int) bool {
	return unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT|unix.WALL, nil) == nil
}

// owner says whose a child is that is no leader in flight.
type owner int

const (
	nobodys owner = iota // not of an exec, or not to be told
	mine                 // of the exec that is swept, or of one that is over
	anothers
	unclear
)

// own attributes a child for the sweep of x; x may be nil.
func (h *Host) own(pid int, x *execution) owner {
	of := func(y *execution) owner {
		if y == x {
			return mine
		}
		return anothers
	}
	sid, err := unix.Getsid(pid)
	if own, _ := unix.Getsid(0); err == nil && sid == own {
		return nobodys // each exec has a session of its own, and nothing can join ours
	}
	if tag, ok := h.tags.of(pid); ok {
		for _, y := range h.execs {
			if y.tag == tag {
				return of(y)
			}
		}
		return mine
	}
	if err == nil {
		if y := h.execs[sid]; y != nil {
			return of(y)
		}
	}
	for _, y := range h.execs {
		if y.marker != "" && carries(pid, y.marker) {
			return of(y)
		}
	}
	switch {
	case !h.owning:
		return nobodys
	case x != nil && h.alone():
		return mine
	}
	return unclear
}

// leftovers lists what is left of x: its children of ours, each followed by all below it. The kernel's list of our
// children only grows while h.mu is held, as nobody else reaps; but a child that died while we read may have left its
// own children where we had been already. So a listing that reaped somebody proves nothing: again.
func (h *Host) leftovers(x *execution) (left, unknown []int, again bool) {
	if !haveChildren() {
		return nil, nil, false
	}
	h.eachOrphan(func(pid int) {
		if h.stuck[pid] {
			if reapZombie(pid) {
				delete(h.stuck, pid)
				again = true
			}
			return
		}
		switch whose := h.own(pid, x); {
		case whose == nobodys:
		case reapZombie(pid):
			again = true
		case whose == mine:
			left = append(append(left, pid), descendants(pid)...)
		case whose == unclear:
			unknown = append(unknown, pid)
		}
	})
	return left, unknown, again
}

// reapOrphans collects zombies that are no leaders.
func (h *Host) reapOrphans() {
	h.eachOrphan(func(pid int) {
		if h.stuck[pid] || h.own(pid, nil) != nobodys {
			if reapZombie(pid) {
				delete(h.stuck, pid)
			}
		}
	})
}

func (h *Host) eachOrphan(do func(pid int)) {
	for _, pid := range children(os.Getpid()) {
		if y := h.execs[pid]; y == nil || y.reaped {
			do(pid)
		}
	}
}

// widen makes a pipe hold size bytes. It is refused where the user's pipes hold too much already; then it stays as it is.
func widen(pipe *os.File, size int) { _, _ = unix.FcntlInt(pipe.Fd(), unix.F_SETPIPE_SZ, size) }
