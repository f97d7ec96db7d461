package proc

import (
	"bytes"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const (
	haveSubreaper = false
	rssUnit       = 1 // ru_maxrss is in bytes
)

// States of a process in sys/proc.h.
const (
	stateStopped = 4
	stateZombie  = 5
)

// subreap does nothing: orphans go to launchd.
func subreap() {}

// awaitExit returns when the child is a zombie, and leaves it one. waitid would return for a stopped child too
// (golang/go#19314).
func awaitExit(pid int) {
	kq, err := unix.Kqueue()
	if err == nil {
		defer unix.Close(kq)
		change := []unix.Kevent_t{{
			Ident: uint64(pid), Filter: unix.EVFILT_PROC, Flags: unix.EV_ADD | unix.EV_ONESHOT, Fflags: unix.NOTE_EXIT,
		}}
		for {
			_, err = unix.Kevent(kq, change, make([]unix.Kevent_t, 1), nil)
			if err != unix.EINTR {
				break
			}
		}
	}
	// NOTE_EXIT comes a little before the zombie; ESRCH where it has ended already.
	for {
		p, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
		if err != nil || p.Proc.P_stat == stateZombie {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// haveChildren cannot be told by one call.
func haveChildren() bool { return true }

func isOurs(pid int) bool { return parentOf(pid) == os.Getpid() }

func getsid(pid int) (int, error) { return unix.Getsid(pid) }

// leftovers lists what is left of x: its group, orphans that carry its marker, and all below those.
func (h *Host) leftovers(x *execution) (left, unknown []int, again bool) {
	seen := map[int]bool{x.pid: true}
	for _, p := range table() {
		pid := int(p.Proc.P_pid)
		if seen[pid] || h.stuck[pid] || h.execs[pid] != nil || p.Proc.P_stat == stateZombie {
			continue
		}
		orphan := p.Eproc.Ppid == 1 && x.marker != "" && carries(pid, x.marker)
		if int(p.Eproc.Pgid) != x.pid && !orphan {
			continue
		}
		for _, q := range append([]int{pid}, descendants(pid)...) {
			if !seen[q] {
				seen[q] = true
				left = append(left, q)
			}
		}
	}
	return left, nil, false
}

// reapOrphans does nothing: orphans are launchd's.
func (h *Host) reapOrphans() {}

func table() []unix.KinfoProc {
	all, err := unix.SysctlKinfoProcSlice("kern.proc.uid", os.Geteuid())
	if err != nil {
		return nil
	}
	return all
}

// descendants lists what lives below pid, parents before children.
func descendants(pid int) []int {
	below := map[int][]int{}
	for _, p := range table() {
		if p.Proc.P_stat != stateZombie {
			below[int(p.Eproc.Ppid)] = append(below[int(p.Eproc.Ppid)], int(p.Proc.P_pid))
		}
	}
	var all []int
	var walk func(int)
	walk = func(parent int) {
		for _, kid := range below[parent] {
			all = append(all, kid)
			walk(kid)
		}
	}
	walk(pid)
	return all
}

func processes() []int {
	var pids []int
	for _, p := range table() {
		pids = append(pids, int(p.Proc.P_pid))
	}
	return pids
}

func stopped(pid int) bool {
	p, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	return err == nil && p.Proc.P_stat == stateStopped
}

func parentOf(pid int) int {
	p, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return 0
	}
	return int(p.Eproc.Ppid)
}

// carries says whether the environment that a process was started with has exactly this entry.
func carries(pid int, entry string) bool {
	return hasEntry(pid, func(e string) bool { return e == entry })
}

// hasEntry reads kern.procargs2: the number of arguments, then strings: path, arguments, environment.
func hasEntry(pid int, match func(entry string) bool) bool {
	raw, err := unix.SysctlRaw("kern.procargs2", pid)
	if err != nil || len(raw) < 4 {
		return false
	}
	for e := range bytes.SplitSeq(raw[4:], []byte{0}) {
		if match(string(e)) {
			return true
		}
	}
	return false
}

// endChildren does nothing: orphans are launchd's.
func endChildren(func(pid int) bool, time.Duration) {}

// endEverything kills all that the worker has started. The mutex is held.
func (h *Host) endEverything() {
	for _, x := range h.execs {
		signalAll(append([]int{x.pid}, descendants(x.pid)...), syscall.SIGKILL, func(pgid int) bool { return pgid == syscall.Getpgrp() })
	}
	for _, x := range h.execs {
		if x.marker != "" {
			EndMarked(x.marker)
		}
	}
}

// selfPath is the running program.
func selfPath() (string, error) { return os.Executable() }

// nameGuard does nothing: the system has no name beside the file's.
func nameGuard() {}

func nameWorker() {}

// widen does nothing: the system grows a pipe by itself.
func widen(*os.File, int) {}
