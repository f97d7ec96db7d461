package proc

import "time"

// phase is how far a leader is on its way out.
type phase int

const (
	running  phase = iota
	answered       // the final event was seen; the leader has Linger
	asked          // the signal was sent; the leader has the grace
	killed         // SIGKILL was sent
)

// step is what Run has to do next.
type step int

const (
	wait   step = iota // until the time given, or an event
	ask                // send the signal to the group
	kill               // send SIGKILL to the group
	giveUp             // SIGKILL did nothing
)

// forever is the wait of a leader without limits.
const forever = time.Duration(-1)

// watch decides when a leader has to go. It is told the time (of the Host's clock) and does nothing itself.
//
//	phase     | after                        | step   | next phase
//	running   | Wall since the start         | ask    | asked, AtWall
//	running   | Idle since the last byte     | ask    | asked, AtIdle
//	answered  | Linger since the answer      | ask    | asked, Lingered, LeftoverGrace
//	asked     | the grace                    | kill   | killed
//	killed    | stuckAfter                   | giveUp |
//	running, answered | interrupt            | ask    | asked, Interrupted
//	all but killed    | abort                | kill   | killed, Killed
type watch struct {
	wall, idle, grace, linger time.Duration // 0 is no limit for wall and idle

	phase   phase
	since   time.Duration // when the phase began
	why     Stop
	pending step // from an event, not yet done
}

func newWatch(s *Spec, now time.Duration) *watch {
	return &watch{wall: s.Wall, idle: s.Idle, grace: s.grace(), linger: s.linger(), since: now}
}

func (w *watch) answer(now time.Duration) {
	if w.phase == running {
		w.phase, w.since = answered, now
	}
}

func (w *watch) interrupt(now time.Duration) {
	if w.phase < asked {
		w.ask(Interrupted, now)
	}
}

func (w *watch) abort(now time.Duration) {
	if w.phase < killed {
		w.phase, w.since, w.why, w.pending = killed, now, Killed, kill
	}
}

func (w *watch) ask(why Stop, now time.Duration) {
	w.phase, w.since, w.why, w.pending = asked, now, why, ask
	if why == Lingered {
		w.grace = LeftoverGrace
	}
}

// next is what to do at now, where the last byte came at last; for wait also how long.
func (w *watch) next(now, last time.Duration) (step, time.Duration) {
	left := forever
	until := func(t time.Duration) bool {
		if left == forever || t-now < left {
			left = max(t-now, 0)
		}
		return now >= t
	}
	if w.pending == wait {
		switch w.phase {
		case running:
			switch {
			case w.wall > 0 && until(w.since+w.wall):
				w.ask(AtWall, now)
			case w.idle > 0 && until(max(w.since, last)+w.idle):
				w.ask(AtIdle, now)
			}
		case answered:
			if until(w.since + w.linger) {
				w.ask(Lingered, now)
			}
		case asked:
			if until(w.since + w.grace) {
				w.phase, w.since, w.pending = killed, now, kill
			}
		case killed:
			if until(w.since + stuckAfter) {
				return giveUp, 0
			}
		}
	}
	do := w.pending
	w.pending = wait
	if do != wait {
		left = 0
	}
	return do, left
}

// hard says whether what is left of the tree gets no TERM any more.
func (w *watch) hard() bool { return w.phase == killed }
