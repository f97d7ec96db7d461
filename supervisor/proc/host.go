package proc

import (
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/sourcegraph/conc"
)

// Host starts and ends all process trees of this process. There should be one in a process: the tag of a child is
// passed through a limit of the whole process. All methods may be called from several goroutines.
type Host struct {
	clock *clock

	mu     sync.Mutex // covers fork with registration, and a listing with its signals
	execs  map[int]*execution
	stuck  map[int]bool // children that SIGKILL does not end; left alone, reaped when they end
	marks  uint64       // execs started
	owning bool         // every child of this process is of an exec
	tags   tags
	groups *cgroups

	tell func(pgid int, begun bool) // tells the guard of a group; nil where it need not know

	guarded    bool
	aborted    chan struct{}
	abortOnce  sync.Once
	interrupts chan Interrupt

	buffers sync.Pool // of *[]byte, for pumps
	closed  chan struct{}
	chld    chan os.Signal
	owned   conc.WaitGroup // the reaper
	late    conc.WaitGroup // leaders that could not be ended in time
}

// execution is one exec in flight: from fork until nothing of it was found.
type execution struct {
	pid    int // leader, group and session
	tag    uint64
	marker string
	group  *cgroup
	reaped bool         // the leader is: its pid may name another process
	swept  map[int]bool // what had to be ended beside the leader
	last   atomic.Int64 // time of the last byte, on the Host's clock
}

// NewHost returns a Host for a process that may have children of its own, as tests and short commands do: only what can
// be attributed to an exec is ended. It makes the process a child subreaper where the system has that. Close it.
func NewHost() *Host { return newHost(false, false) }

// newHost makes a Host. owning: every child of this process is of an exec. inherit: the guard has chosen the tags.
func newHost(owning, inherit bool) *Host {
	subreap()
	h := &Host{
		clock: newClock(), execs: map[int]*execution{}, stuck: map[int]bool{}, owning: owning,
		tags: newTags(inherit), groups: newCgroups(),
		aborted: make(chan struct{}), interrupts: make(chan Interrupt, 16), closed: make(chan struct{}),
		chld: make(chan os.Signal, 1),
	}
	h.buffers.New = func() any { b := make([]byte, bufferSize); return &b }
	signal.Notify(h.chld, syscall.SIGCHLD)
	h.owned.Go(h.reap)
	return h
}

// Close gives back what the Host holds. No exec may be in flight.
func (h *Host) Close() {
	signal.Stop(h.chld)
	close(h.closed)
	h.owned.Wait()
	h.groups.close()
}

// Abort kills every exec in flight at once, without grace, and lets no other start. Run then returns Killed or
// ErrAborted. A second interrupt does it by itself.
func (h *Host) Abort() { h.abortOnce.Do(func() { close(h.aborted) }) }

// Interrupts delivers what the operator sent, where signals are handled (Supervise, Unguarded); else it never delivers.
func (h *Host) Interrupts() <-chan Interrupt { return h.interrupts }

// Guarded says whether a guard ends the tree should this process be killed.
func (h *Host) Guarded() bool { return h.guarded }

// Nets names what holds the trees, for doctor: "guard", "subreaper", "tag", "cgroup", "marker". A cgroup is known only
// after the first Run.
func (h *Host) Nets() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	var nets []string
	for _, n := range []struct {
		name string
		on   bool
	}{
		{"guard", h.guarded}, {"subreaper", haveSubreaper}, {"tag", h.tags.on()}, {"cgroup", h.groups.on()}, {"marker", true},
	} {
		if n.on {
			nets = append(nets, n.name)
		}
	}
	return nets
}

// reap collects orphans that end while an exec runs. It waits a little after each SIGCHLD: the one for a leader comes
// just when its own sweep needs the mutex, and that sweep reaps too.
func (h *Host) reap() {
	for {
		select {
		case <-h.closed:
			return
		case <-h.chld:
		}
		select {
		case <-h.closed:
			return
		case <-time.After(100 * time.Millisecond):
		}
		h.mu.Lock()
		if haveChildren() {
			h.reapOrphans()
		}
		h.mu.Unlock()
	}
}

// alone says whether x is the only exec in flight.
func (h *Host) alone() bool { return len(h.execs) == 1 }

// sparesGroup says whether pgid must not be signalled as a group: ours, or the group of an exec whose leader lives.
func (h *Host) sparesGroup(pgid int) bool {
	if pgid <= 1 || pgid == syscall.Getpgrp() {
		return true
	}
	x, ok := h.execs[pgid]
	return ok && !x.reaped
}
