package proc

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"strconv"
	"strings"
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
	if tag, ok := h.tags.of(pid); ok {
		for _, y := range h.execs {
			if y.tag == tag {
				return of(y)
			}
		}
		return mine
	}
	if sid, err := unix.Getsid(pid); err == nil {
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

// children lists the children of all threads of pid, zombies too. For a process other than ours it may miss one while
// others end.
func children(pid int) []int {
	dir := "/proc/" + strconv.Itoa(pid) + "/task/"
	task, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer task.Close()
	threads, _ := task.Readdirnames(-1)
	var pids []int
	for _, tid := range threads {
		text, err := os.ReadFile(dir + tid + "/children")
		if errors.Is(err, fs.ErrNotExist) && exists("/proc/"+strconv.Itoa(pid)) && !exists("/proc/thread-self/children") {
			return childrenByScan(pid) // a kernel without CONFIG_PROC_CHILDREN
		}
		for _, field := range strings.Fields(string(text)) {
			if n, err := strconv.Atoi(field); err == nil {
				pids = append(pids, n)
			}
		}
	}
	return pids
}

func childrenByScan(parent int) []int {
	var pids []int
	for _, pid := range processes() {
		if st, err := stat(pid); err == nil && st.parent == parent {
			pids = append(pids, pid)
		}
	}
	return pids
}

// descendants lists what lives below pid, parents before children.
func descendants(pid int) []int {
	var all []int
	for _, kid := range children(pid) {
		if st, err := stat(kid); err == nil && st.parent == pid && st.state != 'Z' && st.state != 'X' {
			all = append(append(all, kid), descendants(kid)...)
		}
	}
	return all
}

func processes() []int {
	proc, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer proc.Close()
	names, _ := proc.Readdirnames(-1)
	var pids []int
	for _, n := range names {
		if pid, err := strconv.Atoi(n); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

// status is what /proc/PID/stat says.
type status struct {
	state  byte // Z and X are dead, T and t stopped
	parent int
	start  string // clock ticks since boot
}

func stat(pid int) (status, error) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return status{}, err
	}
	// The name may hold spaces and parentheses, so the fields are counted from the last one.
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
	if len(fields) < 20 {
		return status{}, errors.New("read process status: too short")
	}
	parent, err := strconv.Atoi(string(fields[1]))
	return status{state: fields[0][0], parent: parent, start: string(fields[19])}, err
}

// stopped says whether a process is stopped already, by itself or by its own.
func stopped(pid int) bool {
	st, err := stat(pid)
	return err == nil && (st.state == 'T' || st.state == 't')
}

func parentOf(pid int) int {
	st, err := stat(pid)
	if err != nil {
		return 0
	}
	return st.parent
}

// carries says whether the environment that a process was started with has exactly this entry.
func carries(pid int, entry string) bool {
	return hasEntry(pid, func(e string) bool { return e == entry })
}

func hasEntry(pid int, match func(entry string) bool) bool {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	if err != nil {
		return false
	}
	for e := range bytes.SplitSeq(text, []byte{0}) {
		if match(string(e)) {
			return true
		}
	}
	return false
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
