package main

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestJudged(t *testing.T) {
	for _, c := range []struct {
		value  float64
		larger bool
		want   verdict
	}{
		{1.5, false, verdictBeyond}, {2, false, verdictMust}, {2.51, false, verdictMissed},
		{0.9, true, verdictMissed}, {1.5, true, verdictMust}, {2.5, true, verdictBeyond},
	} {
		r := result{Value: c.value, Larger: c.larger, Must: 2.5, Beyond: 1.5}
		if c.larger {
			r.Must, r.Beyond = 1, 2
		}
		if got := r.judged().Verdict; got != c.want {
			t.Errorf("%v larger=%v: %s, want %s", c.value, c.larger, got, c.want)
		}
	}
}

func TestSampleIsMedianAndSpread(t *testing.T) {
	want := sample{What: "x", Median: 3, Low: 1, High: 9, N: 3}
	if d := cmp.Diff(want, sampleOf("x", []float64{9, 1, 3})); d != "" {
		t.Error(d)
	}
}

func TestBetweenPairsEachEndWithTheNextStart(t *testing.T) {
	at := func(n int) time.Time { return time.UnixMilli(int64(n)) }
	events := []event{{"start", at(0), 1}, {"end", at(10), 1}, {"check", at(12), 2}, {"start", at(15), 3}, {"end", at(20), 3}}
	if d := cmp.Diff([]float64{5}, between(events, "end", "start")); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]float64{2}, between(events, "end", "check")); d != "" {
		t.Error(d)
	}
}

func TestSubcommand(t *testing.T) {
	for args, want := range map[string]string{
		"-c core.hooksPath=/dev/null -C /w status --porcelain": "status",
		"--no-pager commit-tree x":                             "commit-tree",
	} {
		if got := subcommand(args); got != want {
			t.Errorf("%s: %s, want %s", args, got, want)
		}
	}
}
