package main

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"loopd/journal"
	"loopd/supervisor"
)

// live turns the events of a run into lines: the result on stdout, everything else on stderr, and on a terminal one line
// at the bottom that is replaced: step, elapsed / limit, cost so far, then the countdown to the next wake and why.
type live struct {
	print   *printer
	json    bool
	verbose bool

	mu    sync.Mutex
	step  string
	doing string
	begun time.Time
	limit time.Duration
	wake  time.Time
	why   string
	cost  float64
	used  int64 // tokens
	stop  chan struct{}
	ended sync.WaitGroup
}

func newLive(p *printer, json, verbose bool) *live {
	l := &live{print: p, json: json, verbose: verbose, stop: make(chan struct{})}
	if p.Terminal() {
		l.ended.Go(l.tick)
	}
	return l
}

// tick renews the line twice a second: only on a terminal, so that an unwatched run sleeps.
func (l *live) tick() {
	t := time.NewTicker(500 * time.Millisecond)
	defer t.Stop()
	for {
		select {
		case <-l.stop:
			return
		case <-t.C:
			l.print.Live(l.line(time.Now()))
		}
	}
}

func (l *live) close() {
	close(l.stop)
	l.ended.Wait()
	l.print.Live("")
}

func (l *live) line(now time.Time) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.wake.IsZero() {
		return fmt.Sprintf("next wake in %s (%s)", max(l.wake.Sub(now), 0).Round(time.Second), l.why)
	}
	if l.step == "" {
		return ""
	}
	s := l.step + " " + now.Sub(l.begun).Round(time.Second).String()
	if l.limit > 0 {
		s += " / " + l.limit.String()
	}
	if l.used > 0 {
		s += " · " + tokenCount(l.used)
	}
	if l.cost > 0 {
		s += fmt.Sprintf(" · $%.2f", l.cost)
	}
	if l.doing != "" {
		s += " · " + l.doing
	}
	return cut(s, 78)
}

// tokenCount is a number of tokens in three digits.
func tokenCount(n int64) string {
	switch {
	case n >= 1_000_000:
		return fmt.Sprintf("%.3gM tokens", float64(n)/1e6)
	case n >= 1000:
		return fmt.Sprintf("%.3gk tokens", float64(n)/1e3)
	}
	return fmt.Sprintf("%d tokens", n)
}

// event takes one event of the run.
func (l *live) event(e supervisor.Event) {
	l.mu.Lock()
	switch e.Kind {
	case supervisor.EventStep:
		l.step, l.begun, l.limit, l.doing, l.wake = fmt.Sprintf("iteration %d: %s", e.Iteration, e.Step), e.At, e.Limit, "", time.Time{}
	case supervisor.EventAgent:
		l.doing = e.Text
	case supervisor.EventSleep:
		l.wake, l.why = e.Wake, e.Text
	case supervisor.EventEnd:
		l.step, l.wake = "", time.Time{}
		l.cost += e.Result.Cost
		l.used += e.Result.Tokens
	}
	l.mu.Unlock()
	switch e.Kind {
	case supervisor.EventNotice:
		l.print.Notice(e.Text)
	case supervisor.EventWarning:
		l.print.Warn(e.Text)
	case supervisor.EventStep:
		l.print.Detail("step "+e.Step, "iteration", e.Iteration)
	case supervisor.EventAgent:
		l.print.Detail(e.Step + ": " + e.Text)
	case supervisor.EventSleep:
		l.print.Notice("next wake "+e.Wake.Local().Format(time.DateTime), "why", e.Text)
	case supervisor.EventEnd:
		l.result(e)
	}
}

// resultJSON is the shape of `run --json`, one line an iteration.
type resultJSON struct {
	Schema int `json:"schema"` // of this shape
	supervisor.Result
}

// result writes the one line of an iteration. A heartbeat is the OK token alone: the silence contract.
func (l *live) result(e supervisor.Event) {
	r := e.Result
	var err error
	switch {
	case l.json:
		err = l.print.JSON(resultJSON{1, *r})
	case r.OKToken != "":
		err = l.print.Result("%s", r.OKToken)
	default:
		err = l.print.Result("%s", resultLine(*r))
	}
	if err != nil {
		l.print.Warn(err.Error())
	}
	if e.Text != "" {
		l.print.Warn(e.Text)
	}
}

// resultLine is "iteration N: <unit> ✅, ratchet X→Y, next: <unit>"; ❌ where it failed, ⏸ where it does not count or
// waits for a person.
func resultLine(r supervisor.Result) string {
	mark := "✅"
	switch r.Outcome {
	case journal.Failed:
		mark = "❌"
	case journal.Held, journal.Limited, journal.Unavailable, journal.Interrupted, journal.NoChange:
		mark = "⏸ " + string(r.Outcome)
	}
	s := fmt.Sprintf("iteration %d: %s %s", r.Iteration, r.Unit, mark)
	if r.Ratchet != "" {
		s += ", ratchet " + r.Ratchet
	}
	if r.Next != "" {
		s += ", next: " + r.Next
	}
	return strings.TrimSpace(s)
}

// cut shortens a line to n characters.
func cut(s string, n int) string {
	runes := []rune(s)
	if len(runes) <= n {
		return s
	}
	return string(runes[:n-1]) + "…"
}
