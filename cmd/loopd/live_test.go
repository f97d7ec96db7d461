package main

import (
	"testing"
	"time"

	"loopd/supervisor"
)

func TestLiveLineSays(t *testing.T) {
	p, _, _ := printed(globals{})
	l := &live{print: p, stop: make(chan struct{})}
	at := time.Date(2026, 11, 30, 22, 0, 0, 0, time.UTC)
	step := func(step string, limit time.Duration) {
		l.event(supervisor.Event{Kind: supervisor.EventStep, Iteration: 2, Step: step, At: at, Limit: limit})
	}
	says := func(after time.Duration, want string) {
		t.Helper()
		if got := l.line(at.Add(after)); got != want {
			t.Errorf("it says %q, want %q", got, want)
		}
	}
	says(0, "")
	step("exec", 10*time.Minute)
	says(62*time.Second, "iteration 2: exec 1m2s / 10m0s")
	l.event(supervisor.Event{Kind: supervisor.EventAgent, Step: "exec", Text: "Edit work.txt"})
	says(63*time.Second, "iteration 2: exec 1m3s / 10m0s · Edit work.txt")
	l.event(supervisor.Event{Kind: supervisor.EventEnd, Result: &supervisor.Result{Cost: 0.125, Tokens: 12_345}})
	says(64*time.Second, "")
	l.event(supervisor.Event{Kind: supervisor.EventSleep, Wake: at.Add(2 * time.Minute), Text: "shipped: fast, 60 s"})
	says(65*time.Second, "next wake in 55s (shipped: fast, 60 s)")
	step("verify", 0)
	says(time.Second, "iteration 2: verify 1s · 12.3k tokens · $0.12")
}

func TestTokenCount(t *testing.T) {
	for n, want := range map[int64]string{7: "7 tokens", 999: "999 tokens", 1000: "1k tokens", 45_678: "45.7k tokens", 1_234_567: "1.23M tokens"} {
		if got := tokenCount(n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}
