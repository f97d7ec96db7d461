package proc

import (
	"sync"
	"time"
)

// clock counts the time that is not stopped by Ctrl-Z. It is monotonic, so on Linux a suspended machine stops it too.
type clock struct {
	born time.Time

	mu      sync.Mutex
	stopped time.Duration // sum of the stops that are over
	since   time.Duration // start of the stop that is not over, from born
	frozen  bool
}

func newClock() *clock { return &clock{born: time.Now()} }

// now is the running time since the clock was made. During a stop it stands still, so a timer that fires on
// continuation, before the stop is known to be over, finds its deadline not reached.
func (c *clock) now() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.frozen {
		return c.since - c.stopped
	}
	return time.Since(c.born) - c.stopped
}

func (c *clock) freeze() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.frozen {
		c.frozen, c.since = true, time.Since(c.born)
	}
}

func (c *clock) thaw() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.frozen {
		c.frozen, c.stopped = false, c.stopped+time.Since(c.born)-c.since
	}
}
