package proc

import (
	"slices"
	"syscall"
	"time"
)

// sweep ends what is left of x, whose leader has ended: TERM, KILL after LeftoverGrace, or KILL at once where hard. It
// returns when a fresh listing shows nothing, and takes x out of the registry in the same critical section. swept is
// how many had to be ended, alive who could not be ended or told apart.
func (h *Host) sweep(x *execution, hard bool) (swept int, alive []int) {
	var (
		began = time.Now()
		asked = map[int]bool{}
		pause = 200 * time.Microsecond
	)
	for {
		h.mu.Lock()
		left, unknown, again := h.leftovers(x)
		age := time.Since(began)
		switch {
		case len(left) == 0 && !again && x.group.empty():
			h.forget(x)
			h.mu.Unlock()
			return len(x.swept), unknown
		case age > settle+LeftoverGrace+sweepLimit:
			for _, pid := range left {
				h.stuck[pid] = true
			}
			h.forget(x)
			h.mu.Unlock()
			return len(x.swept), append(left, unknown...)
		case hard || age >= settle+LeftoverGrace:
			x.group.kill()
			h.signal(left, syscall.SIGKILL)
			for _, pid := range left {
				x.swept[pid] = true
			}
		case age >= settle:
			fresh := slices.DeleteFunc(slices.Clone(left), func(pid int) bool { return asked[pid] })
			h.signal(fresh, syscall.SIGTERM)
			for _, pid := range fresh {
				x.swept[pid], asked[pid] = true, true
			}
		}
		h.mu.Unlock()
		if !again || len(left) > 0 {
			time.Sleep(pause)
			pause = min(pause*3/2, 5*time.Millisecond)
		}
	}
}

// killTree kills a leader that lives with all that is below it and all that has left it. What a cgroup does not hold is
// found by the sweep that follows.
func (h *Host) killTree(x *execution) {
	h.mu.Lock()
	defer h.mu.Unlock()
	tree, ok := x.group.members()
	if !ok {
		orphans, _, _ := h.leftovers(x)
		tree = append(orphans, descendants(x.pid)...)
	}
	x.group.kill()
	signalGroup(x.pid, syscall.SIGKILL)
	if !ok {
		h.signal(tree, syscall.SIGKILL)
	}
	for _, pid := range tree {
		if pid != x.pid {
			x.swept[pid] = true
		}
	}
}

// signal sends sig to each of pids and to the groups of those that are our children. A group's number is safe while a
// member is a child of ours that is not reaped; others are signalled right after they were listed.
func (h *Host) signal(pids []int, sig syscall.Signal) {
	signalAll(pids, sig, h.sparesGroup)
}

func signalAll(pids []int, sig syscall.Signal, spared func(pgid int) bool) {
	done := map[int]bool{}
	for _, pid := range pids {
		pgid, err := syscall.Getpgid(pid)
		if err != nil {
			continue
		}
		if !done[pgid] && isOurs(pid) && !spared(pgid) {
			done[pgid] = true
			signalGroup(pgid, sig)
		}
		if !done[pgid] {
			_ = syscall.Kill(pid, sig)
			if sig == syscall.SIGTERM {
				_ = syscall.Kill(pid, syscall.SIGCONT)
			}
		}
	}
}
