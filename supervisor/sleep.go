package supervisor

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"loopd/journal"
)

// lookEvery is how often a sleeping loop looks at its control files: a stat of a few files, no more.
const lookEvery = time.Second

// sleep waits until the wake. STOP, STEER, requests and signals are noticed within a second. Wall clock and monotonic
// clock are both watched: a suspended laptop does not lose the wake, a clock set back does not delay it for ever.
func (r *run) sleep(ctx context.Context, p Pace) (Ending, bool) {
	wait := time.Until(p.Wake)
	if wait <= 0 {
		return Ending{}, false
	}
	r.emit(Event{Kind: EventSleep, Wake: p.Wake, Text: p.Why})
	begun := time.Now()
	// One processor is enough to sleep on: with more, each look wakes others that find nothing to do.
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	steer := filepath.Join(r.s.Ref.Dir, "STEER.md")
	steered := exists(steer)
	requests := int64(0)
	for {
		left := min(p.Wake.Round(0).Sub(time.Now().Round(0)), wait-time.Since(begun))
		if left <= 0 {
			return Ending{}, false
		}
		if !r.deadline.IsZero() && time.Now().After(r.deadline) {
			return r.timeUp(CodeOK), true
		}
		timer := time.NewTimer(min(left, lookEvery))
		select {
		case <-ctx.Done():
			timer.Stop()
			return Ending{Code: interruptCode(ctx), Why: "interrupted while asleep; nothing was running"}, true
		case <-timer.C:
		}
		if asked := changedAt(r.place.requests()); asked != requests {
			requests = asked
			if end, stop := r.boundary(ctx); stop {
				return end, true
			}
		}
		if r.noticesDue(time.Now()) {
			if err := r.resend(ctx, false); err != nil {
				return Ending{Code: CodeFault, Why: err.Error()}, true
			}
		}
		if r.stopFile() != "" {
			return Ending{}, false // the gate refuses, and journals it
		}
		if !steered && !p.Limited && exists(steer) {
			return Ending{}, false // the operator has something to say
		}
	}
}

// boundary is the point between two iterations at which requests of other loopd commands take effect.
func (r *run) boundary(ctx context.Context) (Ending, bool) {
	if ctx.Err() != nil {
		return Ending{Code: interruptCode(ctx), Why: "interrupted; nothing was running"}, true
	}
	for _, q := range pendingRequests(r.place) {
		if err := r.apply(q); err != nil {
			return Ending{Code: CodeFault, Why: err.Error()}, true
		}
		switch q.Status {
		case journal.Paused, journal.Retired:
			return Ending{Code: CodeRefused, Why: "status is " + string(q.Status) + " (asked for while it ran)", Fix: "loopd resume " + r.s.Ref.Name}, true
		}
	}
	return Ending{}, false
}

// watchStop cancels the iteration under way when `loopd stop --now` asks for it.
func (r *run) watchStop(ctx context.Context, cancel context.CancelCauseFunc) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if exists(filepath.Join(r.place.requests(), requestNow)) {
				os.Remove(filepath.Join(r.place.requests(), requestNow))
				cancel(errStopNow)
				return
			}
		}
	}
}

// changedAt is when a folder's entries last changed, in ns; 0 where it is not there.
func changedAt(dir string) int64 {
	info, err := os.Stat(dir)
	if err != nil {
		return 0
	}
	return info.ModTime().UnixNano()
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
