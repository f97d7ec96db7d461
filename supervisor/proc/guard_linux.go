package proc

import (
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// selfPath is the running program, even if its file was replaced or removed.
func selfPath() (string, error) { return "/proc/self/exe", nil }

// nameGuard changes the name that pkill and killall compare, so that one of them with -9 does not hit guard and worker
// alike and leave the agents to nobody. The command line stays.
func nameGuard() { _ = os.WriteFile("/proc/self/comm", []byte("guard"), 0) }

// nameWorker gives the process the name of the program: a worker started from /proc/self/exe is called "exe".
func nameWorker() { _ = os.WriteFile("/proc/self/comm", []byte(filepath.Base(os.Args[0])), 0) }

func getsid(pid int) (int, error) { return unix.Getsid(pid) }

// endChildren kills every child that is not spared, and all below, again and again until a listing shows none. It gives
// up after limit.
func endChildren(spared func(pid int) bool, limit time.Duration) {
	began := time.Now()
	pause := 200 * time.Microsecond
	for haveChildren() {
		var left []int
		again := false
		for _, pid := range children(os.Getpid()) {
			switch {
			case spared(pid):
			case reapZombie(pid):
				again = true
			default:
				left = append(append(left, pid), descendants(pid)...)
			}
		}
		if len(left) == 0 && !again || time.Since(began) > limit {
			return
		}
		signalAll(left, unix.SIGKILL, func(pgid int) bool { return pgid <= 1 || pgid == unix.Getpgrp() })
		if len(left) > 0 {
			time.Sleep(pause)
			pause = min(pause*3/2, 5*time.Millisecond)
		}
	}
}

// endEverything kills all that the worker has started. The mutex is held.
func (h *Host) endEverything() {
	h.groups.kill()
	endChildren(func(int) bool { return false }, sweepLimit)
	h.groups.close()
}
