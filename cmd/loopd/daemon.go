package main

import (
	"fmt"
	"sync"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"

	"loopd/supervisor"
)

// lateness is how long after the end of a step's limit, or after its wake, a run counts as stuck: the grace of an agent and
// the settling of its tree lie within.
const lateness = 5 * time.Minute

// service tells systemd how a run is, where it is a unit of Type=notify: that it is ready, what it does in one line, and,
// with WatchdogSec=, that it is not stuck. A run whose step is long over its limit is not defended any more. The agents get
// no NOTIFY_SOCKET (spec/iteration.md, Environment).
type service struct {
	next func(supervisor.Event)
	send func(state string)

	mu    sync.Mutex
	by    time.Time // something else must have happened by then; zero for no bound
	stop  chan struct{}
	ended sync.WaitGroup
}

// newDaemon is nil where there is no systemd to be told.
func newDaemon(there bool, next func(supervisor.Event)) *service {
	if !there {
		return nil
	}
	every, err := daemon.SdWatchdogEnabled(false)
	if err != nil {
		every = 0 // WATCHDOG_USEC is meant for another process, or is no number
	}
	return startService(next, every, func(state string) { _, _ = daemon.SdNotify(false, state) }) // nobody is there who could be told
}

func startService(next func(supervisor.Event), every time.Duration, send func(state string)) *service {
	s := &service{next: next, send: send, stop: make(chan struct{})}
	send(daemon.SdNotifyReady)
	if every > 0 {
		s.ended.Go(func() { s.watchdog(every / 2) })
	}
	return s
}

func (s *service) watchdog(every time.Duration) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		if s.well(time.Now()) {
			s.send(daemon.SdNotifyWatchdog)
		}
		select {
		case <-s.stop:
			return
		case <-t.C:
		}
	}
}

func (s *service) well(now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.by.IsZero() || now.Before(s.by)
}

// event passes an event on.
func (s *service) event(e supervisor.Event) {
	s.mu.Lock()
	switch e.Kind {
	case supervisor.EventStep:
		s.by = time.Time{}
		if e.Limit > 0 {
			s.by = e.At.Add(e.Limit + lateness)
		}
	case supervisor.EventSleep:
		s.by = e.Wake.Add(lateness)
	case supervisor.EventEnd:
		s.by = time.Time{}
	}
	s.mu.Unlock()
	switch e.Kind {
	case supervisor.EventStep:
		s.send(fmt.Sprintf("STATUS=iteration %d: %s", e.Iteration, e.Step))
	case supervisor.EventSleep:
		s.send(fmt.Sprintf("STATUS=next wake %s (%s)", e.Wake.Local().Format(time.DateTime), e.Text))
	}
	s.next(e)
}

func (s *service) close() {
	s.send(daemon.SdNotifyStopping)
	close(s.stop)
	s.ended.Wait()
}
