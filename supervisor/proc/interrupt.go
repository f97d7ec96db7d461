package proc

import (
	"os"
	"os/signal"
	"syscall"
)

// Interrupt is the operator's wish to stop.
type Interrupt struct {
	Signal syscall.Signal // SIGINT, SIGTERM, SIGHUP or SIGQUIT
	Nth    int            // 1 is with grace; from 2 on at once: the Host has been aborted before it is delivered
}

// tally counts one wish once. A terminal sends Ctrl-C to guard and worker alike, and the guard passes on each that it
// gets; kill(1) reaches the guard alone. So of each signal the larger count is right: those that the worker got itself,
// or those that the guard gave notice of.
type tally struct {
	direct, notice [65]int
}

// add counts one and says whether the number of wishes grew.
func (t *tally) add(sig syscall.Signal, direct bool) bool {
	if sig <= 0 || int(sig) >= len(t.direct) {
		return false
	}
	before := max(t.direct[sig], t.notice[sig])
	if direct {
		t.direct[sig]++
	} else {
		t.notice[sig]++
	}
	return max(t.direct[sig], t.notice[sig]) > before
}

// handled are the signals that the operator sends. SIGINT inherited as ignored (a background job of sh) is handled all
// the same (decision 39); SIGHUP is not: nohup wants to outlive the terminal. SIGQUIT is among them because a terminal
// sends it to the guard too, and both would die of it.
func handled() []os.Signal {
	sigs := []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGQUIT, syscall.SIGTSTP}
	if !signal.Ignored(syscall.SIGHUP) {
		sigs = append(sigs, syscall.SIGHUP)
	}
	return sigs
}

// listen handles signals until stop is closed: those of this process and, where there is a guard, its notices.
// notices is closed when the guard has died.
func (h *Host) listen(notices <-chan syscall.Signal, stop <-chan struct{}) {
	direct := make(chan os.Signal, 64)
	continued := make(chan os.Signal, 1)
	broken := make(chan os.Signal, 1) // SIGPIPE: a closed stdout is an error of the write, not the end of an iteration
	signal.Notify(direct, handled()...)
	signal.Notify(continued, syscall.SIGCONT)
	signal.Notify(broken, syscall.SIGPIPE)

	h.owned.Go(func() {
		defer signal.Stop(broken)
		defer signal.Stop(continued)
		defer signal.Stop(direct)
		var count tally
		nth := 0
		for {
			var fresh bool
			var sig syscall.Signal
			select {
			case <-stop:
				return
			case s := <-direct:
				sig = s.(syscall.Signal)
				fresh = count.add(sig, true)
			case s, ok := <-notices:
				if !ok {
					h.lose()
				}
				sig = s
				fresh = count.add(sig, false)
			}
			switch {
			case !fresh:
			case sig == syscall.SIGTSTP:
				h.suspend(continued)
			default:
				nth++
				if sig == syscall.SIGQUIT {
					nth = max(nth, 2)
				}
				if nth >= 2 {
					h.Abort()
				}
				select {
				case h.interrupts <- Interrupt{Signal: sig, Nth: nth}:
				default: // nobody reads: Abort has done what matters
				}
			}
		}
	})
}

// Unguarded runs work in this process, with the signals of the operator handled as under Supervise, but without a
// guard: if this process is killed, its agents live on. Nothing else in the process may start or wait for children.
func Unguarded(work func(*Host) int) int {
	return attended(work, newHost(haveSubreaper && !haveChildren(), false), nil)
}

// attended runs work with signals handled. notices may be nil.
func attended(work func(*Host) int, h *Host, notices <-chan syscall.Signal) int {
	stop := make(chan struct{})
	h.listen(notices, stop)
	defer h.Close()
	defer close(stop)
	return work(h)
}
