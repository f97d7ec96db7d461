package proc

import (
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestWatch(t *testing.T) {
	const s = time.Second
	event := func(f func(*watch, time.Duration)) func(*watch, time.Duration) { return f }
	answer, interrupt, abort := event((*watch).answer), event((*watch).interrupt), event((*watch).abort)
	type moment struct {
		at, last time.Duration
		event    func(*watch, time.Duration)
		want     step
		left     time.Duration
	}
	for _, c := range []struct {
		name string
		spec Spec
		then []moment
		why  Stop
		hard bool
	}{
		{"no limits", Spec{}, []moment{{at: 1000 * time.Hour, want: wait, left: forever}}, ByItself, false},
		{"wall", Spec{Wall: 60 * s}, []moment{
			{at: 0, want: wait, left: 60 * s}, {at: 59 * s, last: 59 * s, want: wait, left: s}, {at: 60 * s, last: 60 * s, want: ask},
			{at: 60 * s, want: wait, left: 10 * s}, {at: 70 * s, want: kill}, {at: 70 * s, want: wait, left: 5 * s}, {at: 75 * s, want: giveUp},
		}, AtWall, true},
		{"idle", Spec{Wall: 60 * s, Idle: 20 * s, Grace: s}, []moment{
			{at: 0, want: wait, left: 20 * s}, {at: 20 * s, last: 5 * s, want: wait, left: 5 * s}, {at: 25 * s, last: 5 * s, want: ask},
			{at: 25 * s, want: wait, left: s},
		}, AtIdle, false},
		{"wall and idle at once", Spec{Wall: 20 * s, Idle: 20 * s}, []moment{{at: 30 * s, want: ask}}, AtWall, false},
		{"interrupt", Spec{Wall: 60 * s}, []moment{
			{at: s, event: interrupt, want: ask}, {at: 2 * s, event: interrupt, want: wait, left: 9 * s}, {at: 11 * s, want: kill},
		}, Interrupted, true},
		{"interrupt during the grace of a limit", Spec{Wall: 60 * s}, []moment{
			{at: 60 * s, want: ask}, {at: 61 * s, event: interrupt, want: wait, left: 9 * s},
		}, AtWall, false},
		{"abort", Spec{}, []moment{{at: s, event: abort, want: kill}, {at: 2 * s, event: abort, want: wait, left: 4 * s}}, Killed, true},
		{"abort during the grace", Spec{}, []moment{{at: s, event: interrupt, want: ask}, {at: 2 * s, event: abort, want: kill}}, Killed, true},
		{"no grace", Spec{Grace: -1}, []moment{{at: s, event: interrupt, want: ask}, {at: s, want: kill}}, Interrupted, true},
		{"answered", Spec{Wall: 60 * s, Idle: 5 * s}, []moment{
			{at: s, event: answer, want: wait, left: 10 * s}, {at: 2 * s, event: answer, want: wait, left: 9 * s},
			{at: 11 * s, want: ask}, {at: 11 * s, want: wait, left: LeftoverGrace}, {at: 12 * s, want: kill},
		}, Lingered, true},
		{"answered, then interrupted", Spec{}, []moment{
			{at: s, event: answer, want: wait, left: 10 * s}, {at: 2 * s, event: interrupt, want: ask}, {at: 3 * s, want: wait, left: 9 * s},
		}, Interrupted, false},
		{"answered too late", Spec{Wall: s}, []moment{{at: s, want: ask}, {at: 2 * s, event: answer, want: wait, left: 9 * s}}, AtWall, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWatch(&c.spec, 0)
			for i, m := range c.then {
				if m.event != nil {
					m.event(w, m.at)
				}
				do, left := w.next(m.at, m.last)
				if do != m.want || left != m.left {
					t.Errorf("moment %d: step %d, left %v; want %d, %v", i, do, left, m.want, m.left)
				}
			}
			if w.why != c.why || w.hard() != c.hard {
				t.Errorf("why %q hard %t", w.why, w.hard())
			}
		})
	}
}

func TestClockStandsStill(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newClock()
		var got []time.Duration
		for _, do := range []func(){func() {}, c.freeze, c.freeze, c.thaw, c.thaw, c.freeze, c.thaw} {
			time.Sleep(time.Second)
			do()
			got = append(got, c.now())
		}
		want := []time.Duration{1, 2, 2, 2, 3, 4, 4}
		for i := range want {
			want[i] *= time.Second
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

func TestTally(t *testing.T) {
	const i, m = syscall.SIGINT, syscall.SIGTERM
	type one struct {
		sig    syscall.Signal
		direct bool
		fresh  bool
	}
	for _, c := range []struct {
		name string
		in   []one
	}{
		{"guard alone", []one{{i, false, true}, {i, false, true}}},
		{"worker alone", []one{{i, true, true}, {i, true, true}}},
		{"both", []one{{i, true, true}, {i, false, false}, {i, false, true}, {i, true, false}}},
		{"both, two that arrive as one", []one{{i, false, true}, {i, false, true}, {i, true, false}}},
		{"two kinds", []one{{i, true, true}, {m, false, true}, {i, false, false}, {m, true, false}}},
		{"nonsense on the pipe", []one{{0, false, false}, {255, false, false}}},
	} {
		var count tally
		for n, o := range c.in {
			if got := count.add(o.sig, o.direct); got != o.fresh {
				t.Errorf("%s: number %d counts: %t", c.name, n, got)
			}
		}
	}
}
