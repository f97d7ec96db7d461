package proc

import (
	"os"
	"syscall"
)

// suspend is Ctrl-Z: everything below us is stopped, then we are. On continuation all goes on. The clock stands still
// in between. The guard stops when it sees that we have.
func (h *Host) suspend(continued <-chan os.Signal) {
	if !jobControlled() {
		return // as the kernel does: nobody could continue us
	}
	select {
	case <-continued: // an old one
	default:
	}
	h.mu.Lock()
	h.clock.freeze()
	frozen := freezeBelow(os.Getpid())
	h.mu.Unlock()

	_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP)
	<-continued

	for _, pid := range frozen {
		_ = syscall.Kill(pid, syscall.SIGCONT)
	}
	h.clock.thaw()
}

// freezeBelow stops all descendants of pid, parents first so that they start no others, and says which it stopped.
// What was stopped already is not ours to continue.
func freezeBelow(pid int) []int {
	var frozen []int
	seen := map[int]bool{}
	for range 10 { // what was forked before its parent stopped is found in the next round
		fresh := false
		for _, p := range descendants(pid) {
			if seen[p] {
				continue
			}
			seen[p], fresh = true, true
			if !stopped(p) && syscall.Kill(p, syscall.SIGSTOP) == nil {
				frozen = append(frozen, p)
			}
		}
		if !fresh {
			break
		}
	}
	return frozen
}

// jobControlled says whether somebody could continue us: a process of our session in another group that is the parent
// of one of our group. Without it POSIX calls the group orphaned, and Ctrl-Z does nothing by default.
func jobControlled() bool {
	session, err := getsid(0)
	if err != nil {
		return false
	}
	group := syscall.Getpgrp()
	for p := os.Getppid(); p > 1; p = parentOf(p) {
		sid, err := getsid(p)
		if err != nil || sid != session {
			return false
		}
		if pgid, err := syscall.Getpgid(p); err != nil || pgid != group {
			return err == nil
		}
	}
	return false
}
