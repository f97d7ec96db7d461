package proc

import (
	"context"
	"fmt"
	"syscall"
	"time"

	"github.com/sourcegraph/conc"
)

// Run starts s, watches it, ends its whole tree and returns when nothing of it is alive. How the tree ended is data:
// an error means that nothing was started. It then wraps exec.ErrNotFound, fs.ErrPermission, syscall.E2BIG or what
// else the system said, ErrAborted, or the cause of ctx.
//
// Cancelling ctx is the operator's interrupt: Signal to the group, Grace, SIGKILL to the group, SIGKILL to every other
// descendant.
func (h *Host) Run(ctx context.Context, s Spec) (Result, error) {
	if err := context.Cause(ctx); err != nil {
		return Result{}, fmt.Errorf("start %s: %w", name(s.Argv), err)
	}
	io, err := openStreams(&s)
	if err != nil {
		return Result{}, fmt.Errorf("start %s: %w", name(s.Argv), err)
	}
	x, err := h.start(&s, io)
	if err != nil {
		io.close()
		return Result{}, fmt.Errorf("start %s: %w", name(s.Argv), err)
	}
	began := h.clock.now()
	res := Result{Start: time.Now()}

	var pumps, waiter conc.WaitGroup
	io.begin(&pumps, h, x, s.Stdin)
	ended := make(chan struct{})
	waiter.Go(func() {
		awaitExit(x.pid)
		close(ended)
	})

	w := newWatch(&s, began)
	gone := h.attend(ctx, &s, x, w, ended)
	res.Took, res.Stopped = h.clock.now()-began, w.why
	if gone {
		waiter.Wait()
		res.setStatus(h.finish(x, w.hard(), &res))
	} else {
		res.Exit = -1
		res.Alive = append([]int{x.pid}, descendants(x.pid)...)
		h.late.Go(func() {
			<-ended
			h.finish(x, true, &Result{})
		})
	}
	io.end()
	pumps.Wait()
	res.Dropped = io.failure()
	return res, nil
}

// attend waits for the leader to become a zombie, and climbs down the stop ladder where it has to. It returns false if
// the leader cannot be ended.
func (h *Host) attend(ctx context.Context, s *Spec, x *execution, w *watch, ended <-chan struct{}) bool {
	cancelled, aborted, answer := ctx.Done(), (<-chan struct{})(h.aborted), s.Answered
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		select {
		case <-ended: // before any limit that was reached at the same time
			return true
		default:
		}
		do, left := w.next(h.clock.now(), time.Duration(x.last.Load()))
		switch do {
		case ask:
			signalGroup(x.pid, s.signal())
			continue
		case kill:
			h.killTree(x)
			continue
		case giveUp:
			return false
		}
		timer.Stop()
		if left != forever {
			timer.Reset(left)
		}
		select {
		case <-ended:
			return true
		case <-timer.C:
		case <-cancelled:
			w.interrupt(h.clock.now())
			cancelled = nil
		case <-aborted:
			w.abort(h.clock.now())
			aborted = nil
		case <-answer:
			w.answer(h.clock.now())
			answer = nil
		}
	}
}

// finish reaps the leader, which is a zombie, and ends what is left of its tree.
func (h *Host) finish(x *execution, hard bool, res *Result) (syscall.WaitStatus, syscall.Rusage) {
	var ws syscall.WaitStatus
	var ru syscall.Rusage
	h.mu.Lock()
	if haveSubreaper {
		// Nothing of the tree can hide: what lived under the leader is our child by now. Elsewhere the zombie has to
		// stay until the group was killed, so that its number is not given to another.
		ws, ru = h.reapLeader(x)
		if !haveChildren() {
			h.forget(x)
			h.mu.Unlock()
			return ws, ru
		}
	}
	h.mu.Unlock()
	res.Swept, res.Alive = h.sweep(x, hard)
	if !haveSubreaper {
		h.mu.Lock()
		ws, ru = h.reapLeader(x)
		h.forget(x)
		h.mu.Unlock()
	}
	return ws, ru
}

func (h *Host) reapLeader(x *execution) (ws syscall.WaitStatus, ru syscall.Rusage) {
	if h.tell != nil {
		h.tell(x.pid, false)
	}
	for {
		if _, err := syscall.Wait4(x.pid, &ws, 0, &ru); err != syscall.EINTR {
			break
		}
	}
	x.reaped = true
	return ws, ru
}

func (h *Host) forget(x *execution) {
	if h.execs[x.pid] == x {
		delete(h.execs, x.pid)
	}
	h.groups.release(x.group)
	x.group = nil
}

func (r *Result) setStatus(ws syscall.WaitStatus, ru syscall.Rusage) {
	r.Exit = ws.ExitStatus()
	if ws.Signaled() {
		r.Signal = ws.Signal()
		r.Exit = 128 + int(r.Signal)
	}
	r.CPU = time.Duration(ru.Utime.Nano() + ru.Stime.Nano())
	r.MaxRSS = int64(ru.Maxrss) * rssUnit
}

// signalGroup signals the group of a leader that is not reaped, so the number is still its own. A stopped process does
// not see a signal until it is continued.
func signalGroup(pid int, sig syscall.Signal) {
	_ = syscall.Kill(-pid, sig)
	if sig != syscall.SIGKILL {
		_ = syscall.Kill(-pid, syscall.SIGCONT)
	}
}

func name(argv []string) string {
	if len(argv) == 0 {
		return "nothing"
	}
	return argv[0]
}
