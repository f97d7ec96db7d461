package supervisor

import (
	"fmt"
	"time"

	"loopd/journal"
)

// The waits of spec/iteration.md ("Pace"). The driver seed gives 60 s, 1800–3600 s and the rule that nothing wakes inside
// the prompt cache's dead zone.
const (
	fastWait        = 60 * time.Second
	longWait        = 1800 * time.Second
	idleWait        = 3600 * time.Second
	limitedFirst    = 15 * time.Minute
	limitedMost     = 5 * time.Hour
	unavailFirst    = 30 * time.Second
	unavailMost     = 15 * time.Minute
	unavailMaxInRow = 5
	askEvery        = 3 // idle iterations between two questions to the operator
	cacheMargin     = 30 * time.Second
	resetJitterMost = 60 * time.Second
)

// PaceFacts is what the next wake depends on.
type PaceFacts struct {
	Outcome journal.Outcome
	Status  journal.Status // after the iteration
	Idle    int            // idle iterations in a row, this one included
	// LimitedRow and UnavailableRow count such outcomes in a row, this one included.
	LimitedRow, UnavailableRow int
	Reset                      time.Time // of a usage limit; zero where unknown
	Jitter                     time.Duration
	Cadence                    journal.Cadence
	Drain                      bool
	// Bounded is true with --max: an on-demand loop then goes on.
	Bounded  bool
	Start    time.Time // of the iteration that ended
	End      time.Time // the agent's exit: the prompt cache's age counts from here
	CacheTTL time.Duration
	// Asks is true for loops that put the idle question (not for watchers, decision 27).
	Asks bool
	// Missing: the harness could not be started and no other takes over.
	Missing bool
}

// Pace is the decision about the next start.
type Pace struct {
	Stop bool
	// Ask: the operator is asked whether to go on (keep going, redirect, stop).
	Ask  bool
	Wake time.Time
	// Why names the rule and its numbers, for the countdown.
	Why string
	// Limited marks a usage limit's reset: --once waits for it too.
	Limited bool
	// TakeOver names the fallback harness that takes the same iteration at once; "" for none.
	TakeOver string
}

// paceRow is one line of the pace table.
type paceRow struct {
	outcome journal.Outcome
	decide  func(f PaceFacts) Pace
}

// paces is the table of spec/iteration.md ("Pace"). Waits are measured from the agent's exit.
var paces = []paceRow{
	{journal.Shipped, productive},
	{journal.Rejected, productive},
	{journal.Filed, func(f PaceFacts) Pace { return wait(f, longWait, "filed: a person looks at it first") }},
	{journal.Heartbeat, func(f PaceFacts) Pace { return wait(f, longWait, "nothing to report") }},
	{journal.Idle, idle},
	{journal.Held, func(PaceFacts) Pace { return Pace{Stop: true, Why: "blocked: a person is needed"} }},
	{journal.Failed, func(f PaceFacts) Pace { return wait(f, fastWait, "failed: try again") }},
	{journal.NoChange, func(f PaceFacts) Pace { return wait(f, fastWait, "no change: try again") }},
	{journal.Limited, limited},
	{journal.Unavailable, unavailableWait},
	{journal.Finished, func(PaceFacts) Pace { return Pace{Stop: true, Why: "done"} }},
	{journal.Interrupted, func(PaceFacts) Pace { return Pace{Stop: true, Why: "interrupted"} }},
}

// NextWake decides when the next iteration starts, or that none does. It is pure: jitter and times are given.
func NextWake(f PaceFacts) Pace {
	if f.Status != journal.Active && f.Outcome.Counts() {
		return Pace{Stop: true, Why: string(f.Status)}
	}
	for _, r := range paces {
		if r.outcome == f.Outcome {
			return r.decide(f)
		}
	}
	return Pace{Stop: true, Why: "unknown outcome " + string(f.Outcome)}
}

func productive(f PaceFacts) Pace {
	if f.Drain {
		return Pace{Wake: f.End, Why: "drain: productive, at once"}
	}
	return wait(f, fastWait, string(f.Outcome)+": next unit")
}

func idle(f PaceFacts) Pace {
	p := wait(f, idleWait, fmt.Sprintf("idle %d in a row", f.Idle))
	p.Ask = f.Asks && f.Idle > 0 && f.Idle%askEvery == 0
	return p
}

func limited(f PaceFacts) Pace {
	if !f.Reset.IsZero() {
		return Pace{Wake: f.Reset.Add(min(f.Jitter, resetJitterMost)), Limited: true, Why: "usage limit until " + f.Reset.Format(time.RFC3339)}
	}
	w := doubling(limitedFirst, limitedMost, f.LimitedRow)
	p := wait(f, w, fmt.Sprintf("usage limit, reset time unknown: back off %s", w))
	p.Limited = true
	return p
}

func unavailableWait(f PaceFacts) Pace {
	if f.UnavailableRow >= unavailMaxInRow {
		return Pace{Stop: true, Why: fmt.Sprintf("unavailable %d times in a row", f.UnavailableRow)}
	}
	if f.Missing {
		return Pace{Stop: true, Why: "the harness cannot be started: waiting installs nothing"}
	}
	w := doubling(unavailFirst, unavailMost, f.UnavailableRow)
	return Pace{Wake: f.End.Add(deadZone(w, f.CacheTTL, true)), Why: fmt.Sprintf("unavailable: back off %s", w)}
}

// doubling is first, 2·first, 4·first … for the 1st, 2nd, 3rd time in a row, at most most.
func doubling(first, most time.Duration, row int) time.Duration {
	w := first
	for i := 1; i < row && w < most; i++ {
		w *= 2
	}
	return min(w, most)
}

// wait applies the cadence to the table's wait: a written cadence replaces it (decision 14), on-demand ends the run
// unless it drains or is bounded, auto is the table alone.
func wait(f PaceFacts, table time.Duration, why string) Pace {
	limited := f.Outcome == journal.Limited
	switch c := f.Cadence; {
	case limited:
		// A back-off is no cadence: it may not be shortened by one.
		return Pace{Wake: f.End.Add(deadZone(table, f.CacheTTL, true)), Why: why}
	case c.Kind == journal.OnDemand && !f.Drain && !f.Bounded,
		c.Kind == journal.OnDemand && f.Drain && !f.Bounded && !isProductive(f.Outcome):
		return Pace{Stop: true, Why: "cadence on-demand"}
	case c.Kind == journal.Every:
		// The floor is between starts; a wake that is due already waits for nothing but the dead zone.
		w := max(f.Start.Add(c.Every).Sub(f.End), 0)
		return Pace{Wake: f.End.Add(deadZone(w, f.CacheTTL, true)), Why: "cadence " + c.Text}
	case c.Kind == journal.Daily || c.Kind == journal.Cron:
		return Pace{Wake: c.Next(f.End, f.End.Location()), Why: "cadence " + c.Text}
	}
	w := deadZone(table, f.CacheTTL, false)
	if w != table {
		why = fmt.Sprintf("%s (%s moved out of the prompt cache's dead zone)", why, table)
	}
	return Pace{Wake: f.End.Add(w), Why: why}
}

func isProductive(o journal.Outcome) bool {
	return o == journal.Shipped || o == journal.Rejected
}

// deadZone moves a wait out of [TTL, 2·TTL], where the prompt cache has just gone and no rest is gained: below 1.5·TTL
// it becomes TTL − 30 s, from there on 2·TTL + 30 s. A minimum (a cadence's floor, a back-off) is only ever lengthened
// (decision 14).
func deadZone(w, ttl time.Duration, minimum bool) time.Duration {
	if ttl <= 0 || w < ttl || w > 2*ttl {
		return w
	}
	if !minimum && w < ttl+ttl/2 && ttl > cacheMargin {
		return ttl - cacheMargin
	}
	return 2*ttl + cacheMargin
}
