package main

import (
	"fmt"
	"syscall"
	"time"
)

// heldStdout: the agent exits and leaves a child that holds its stdout. 20 of 20 must go on.
func heldStdout(b *bench) (result, error) {
	f, err := b.newFixture(charter{check: "bench-check"}, 0)
	if err != nil {
		return result{}, err
	}
	n := 20
	if b.quick {
		n = 3
	}
	if err := finish(f.loop("hold", 0, "--drain", "--max", fmt.Sprint(n)), 0); err != nil {
		return result{}, err
	}
	events, err := f.events()
	if err != nil {
		return result{}, err
	}
	times := between(events, "end", "check")
	if len(times) != n {
		return result{}, fmt.Errorf("%d of %d iterations went on", len(times), n)
	}
	s := sampleOf("loopd ms", times)
	r := absolute(s.High, "ms", 1000, 250, s)
	r.Note = "the slowest of all counts; a bare shell loop: nothing is ended, the pipe is waited for"
	return r, nil
}

// stubbornTree: the wall clock ends an agent whose 50 children ignore TERM, have sessions of their own and hold its
// stdout. Counted from the signal plus the grace to the last death; the check that follows must find nobody.
func stubbornTree(b *bench) (result, error) {
	const grace = time.Second
	var times []float64
	for range b.rounds {
		// A fresh loop each time: one that fails the same way three times is held.
		f, err := b.newFixture(charter{check: "bench-check"}, 0)
		if err != nil {
			return result{}, err
		}
		cmd := f.loop("stubborn", 50, "--once", "--timeout", "2s", "--grace", grace.String())
		if err := cmd.Start(); err != nil {
			return result{}, err
		}
		if err := f.await("ready"); err != nil {
			return result{}, err
		}
		pids, err := f.pids()
		if err != nil {
			return result{}, err
		}
		dead, err := allDead(pids, 20*time.Second)
		_ = cmd.Wait() // it ends with 14: the iteration failed by design
		if err != nil {
			return result{}, err
		}
		events, err := f.events()
		if err != nil {
			return result{}, err
		}
		var term, check time.Time
		for _, e := range events {
			switch e.kind {
			case "term":
				term = e.at
			case "check":
				check = e.at
			}
		}
		switch {
		case term.IsZero():
			return result{}, fmt.Errorf("the agent got no TERM")
		case check.IsZero():
			return result{}, fmt.Errorf("no check ran after the time limit")
		}
		times = append(times, ms(dead.Sub(term)-grace))
		if late := dead.Sub(check); late > 2*time.Millisecond { // the observer looks twice a millisecond
			return result{}, fmt.Errorf("a process lived %s into the verification", late)
		}
	}
	s := sampleOf("loopd ms", times)
	return absolute(max(s.Median, 0), "ms", 100, 10, s), nil
}

// killedSupervisor: kill -9 of loopd while the same tree works.
func killedSupervisor(b *bench) (result, error) {
	var times []float64
	for range b.rounds {
		f, err := b.newFixture(charter{}, 0)
		if err != nil {
			return result{}, err
		}
		cmd := f.loop("stubborn", 50, "--once")
		if err := cmd.Start(); err != nil {
			return result{}, err
		}
		if err := f.await("ready"); err != nil {
			return result{}, err
		}
		pids, err := f.pids()
		if err != nil {
			return result{}, err
		}
		began := time.Now()
		if err := cmd.Process.Signal(syscall.SIGKILL); err != nil {
			return result{}, err
		}
		dead, err := allDead(pids, 10*time.Second)
		_ = cmd.Wait()
		if err != nil {
			return result{}, err
		}
		times = append(times, ms(dead.Sub(began)))
	}
	s := sampleOf("loopd ms", times)
	return absolute(s.High, "ms", 1000, 100, s), nil
}
