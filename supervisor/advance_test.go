package supervisor

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"loopd/harness"
	"loopd/journal"
)

func climbing() journal.Charter {
	return journal.Charter{Archetype: journal.RatchetClimb, Ratchet: journal.Ratchet{Metric: "m", Direction: journal.Decreasing, Command: "x"},
		Escalation: journal.Escalation{Stalled: 3}}
}

// step concludes an observation and gives the step that follows from it.
func step(c journal.Charter, o Observed, before, after float64) Step {
	o.Archetype = c.Archetype
	if c.Ratchet.Present() {
		o.Ratchet = Move(c.Ratchet.Direction, Reading{Value: before}, Reading{Value: after})
	} else {
		o.Ratchet = NoRatchet
	}
	return Step{Verdict: Conclude(o), Observed: o, Charter: c, Number: 1, Agent: "a", Now: t0, Before: Reading{Value: before}, After: Reading{Value: after}, Asks: true}
}

func TestAdvanceCounters(t *testing.T) {
	plain := climbing()
	plain.Ratchet = journal.Ratchet{}
	watch := climbing()
	watch.Archetype = journal.WatchAndReport
	idle := func() Observed {
		o := shippedIteration()
		o.TreeChanged, o.Report.Status = false, journal.ReportEmpty
		return o
	}
	unchanged := func() Observed { o := shippedIteration(); o.TreeChanged = false; return o }
	failed := func() Observed { o := shippedIteration(); o.Checks[0].OK = false; return o }
	with := func(stop harness.StopReason) Observed { o := shippedIteration(); o.Stop = stop; return o }
	cases := []struct {
		name                  string
		step                  Step
		iteration, stall      int
		value, best           float64
		clean, idleCount, row int
		status                journal.Status
	}{
		{"shipped, better", step(plus(plain, true), shippedIteration(), 5, 4), 1, 0, 4, 4, 3, 0, 0, journal.Active},
		{"shipped, held: stall grows", step(climbing(), shippedIteration(), 5, 5), 1, 2, 5, 5, 3, 0, 0, journal.Active},
		{"worse: the earlier reading stays", step(climbing(), shippedIteration(), 5, 6), 1, 2, 5, 5, 0, 1, 0, journal.Active},
		{"failed", step(climbing(), failed(), 5, 4), 1, 2, 5, 5, 0, 1, 0, journal.Active},
		{"no change never moves the ratchet", step(climbing(), unchanged(), 5, 4), 1, 2, 5, 5, 2, 1, 0, journal.Active},
		{"idle counts as stall in a loop with a ratchet", step(climbing(), idle(), 5, 5), 1, 2, 5, 5, 2, 2, 0, journal.Active},
		{"idle counts as no stall without one", step(plain, idle(), 0, 0), 1, 1, 0, 0, 2, 2, 0, journal.Active},
		{"failed without a ratchet is the stall", step(plain, failed(), 0, 0), 1, 2, 0, 0, 0, 1, 0, journal.Active},
		{"watchers do not stall", step(watch, idle(), 5, 5), 1, 1, 5, 5, 2, 2, 0, journal.Active},
		{"limited counts nothing", step(climbing(), with(harness.Limited), 5, 4), 0, 1, 0, 0, 2, 1, 0, journal.Active},
		{"unavailable counts nothing", step(climbing(), with(harness.Overloaded), 5, 4), 0, 1, 0, 0, 2, 1, 1, journal.Active},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := journal.State{Status: journal.Active, Ratchet: journal.RatchetState{StallCount: 1}, Promotion: journal.PromotionState{Mode: journal.ProposeOnly, Clean: 2}, Private: journal.Private{Idle: 1}}
			got := Advance(s, c.step)
			value, best := 0.0, 0.0
			if got.Ratchet.Value != nil {
				value, best = *got.Ratchet.Value, *got.Ratchet.Best
			}
			type numbers struct {
				iteration, stall      int
				value, best           float64
				clean, idle, unavailb int
				status                journal.Status
			}
			have := numbers{got.Iteration, got.Ratchet.StallCount, value, best, got.Promotion.Clean, got.Private.Idle, got.Private.UnavailableRow, got.Status}
			want := numbers{c.iteration, c.stall, c.value, c.best, c.clean, c.idleCount, c.row, c.status}
			if have != want {
				t.Fatalf("got  %+v\nwant %+v", have, want)
			}
		})
	}
}

func plus(c journal.Charter, ratchet bool) journal.Charter {
	if ratchet {
		c.Ratchet = climbing().Ratchet
	}
	return c
}

// A backlog's own count is read before loopd strikes the unit (grep -c of the open items): a unit that was struck is no stall.
func TestAStruckUnitIsNoStall(t *testing.T) {
	held := step(climbing(), shippedIteration(), 5, 5)
	s := journal.State{Ratchet: journal.RatchetState{StallCount: 2}}
	if got := Advance(s, held); got.Ratchet.StallCount != 3 || got.Status != journal.Stalled {
		t.Errorf("nothing struck: stall %d, %s", got.Ratchet.StallCount, got.Status)
	}
	held.Struck = 1
	if got := Advance(s, held); got.Ratchet.StallCount != 0 || got.Status == journal.Stalled {
		t.Errorf("struck: stall %d, %s", got.Ratchet.StallCount, got.Status)
	}
	worse := step(climbing(), shippedIteration(), 5, 6)
	worse.Struck = 1
	if got := Advance(s, worse); got.Ratchet.StallCount == 0 {
		t.Error("a regression is movement")
	}
}

// What a status shows of a vendor: what became of its iterations, how often it was away, which stalls its word ended.
func TestTally(t *testing.T) {
	failed := shippedIteration()
	failed.Checks[0].OK = false
	limited := shippedIteration()
	limited.Stop = harness.Limited
	stalled := func(by string) journal.State {
		return journal.State{Ratchet: journal.RatchetState{StallCount: 3}, Private: journal.Private{Escalated: by, Hypothesis: "look there", HypothesisBy: by}}
	}
	for _, tt := range []struct {
		name  string
		state journal.State
		step  Step
		want  map[string]journal.Tally
	}{
		{"good", journal.State{}, step(climbing(), shippedIteration(), 5, 4), map[string]journal.Tally{"a": {Good: 1}}},
		{"failed", journal.State{}, step(climbing(), failed, 5, 4), map[string]journal.Tally{"a": {Failed: 1}}},
		{"limited", journal.State{}, step(climbing(), limited, 5, 4), map[string]journal.Tally{"a": {Away: 1}}},
		{"moved after a hypothesis", stalled("b"), step(climbing(), shippedIteration(), 5, 4), map[string]journal.Tally{"a": {Good: 1}, "b": {Unblocked: 1}}},
		{"held after a hypothesis", stalled("b"), step(climbing(), shippedIteration(), 5, 5), map[string]journal.Tally{"a": {Good: 1}}},
		{"moved without one", stalled(""), step(climbing(), shippedIteration(), 5, 4), map[string]journal.Tally{"a": {Good: 1}}},
	} {
		if d := cmp.Diff(tt.want, Advance(tt.state, tt.step).Private.Harness); d != "" {
			t.Errorf("%s: %s", tt.name, d)
		}
	}
}

func TestBestIsByDirection(t *testing.T) {
	seven := 7.0
	if got := Best(journal.Decreasing, &seven, 9); got != 7 {
		t.Errorf("decreasing: best of 7 and 9 is %v", got)
	}
	if got := Best(journal.Increasing, &seven, 9); got != 9 {
		t.Errorf("increasing: best of 7 and 9 is %v", got)
	}
}

func TestMove(t *testing.T) {
	bad := Reading{Err: errors.New("no number")}
	for _, c := range []struct {
		d             journal.Direction
		before, after Reading
		want          Movement
	}{
		{journal.Decreasing, Reading{Value: 5}, Reading{Value: 4}, Better},
		{journal.Decreasing, Reading{Value: 5}, Reading{Value: 6}, Worse},
		{journal.Increasing, Reading{Value: 5}, Reading{Value: 6}, Better},
		{journal.Increasing, Reading{Value: 5}, Reading{Value: 4}, Worse},
		{journal.Increasing, Reading{Value: 5}, Reading{Value: 5}, HeldStill},
		{journal.Increasing, bad, Reading{Value: 5}, Unreadable},
		{journal.Increasing, Reading{Value: 5}, bad, Unreadable},
	} {
		if got := Move(c.d, c.before, c.after); got != c.want {
			t.Errorf("%s %s → %s: %s, want %s", c.d, c.before, c.after, got, c.want)
		}
	}
}

// A stall goes to the second vendor once; if the next iteration does not move the ratchet either, a human is asked.
func TestStallEscalatesOnce(t *testing.T) {
	o := shippedIteration()
	s := journal.State{Status: journal.Active, Ratchet: journal.RatchetState{StallCount: 2}}
	st := step(climbing(), o, 5, 5)
	st.EscalateTo = "codex"
	s = Advance(s, st)
	if s.Status != journal.Active || !stalled(s, climbing()) {
		t.Fatalf("after the third: status %s, stalled %v; want active and stalled", s.Status, stalled(s, climbing()))
	}
	s.Private.Escalated = "codex"
	s = Advance(s, st)
	if s.Status != journal.Stalled || s.Private.Question == "" {
		t.Fatalf("after the fourth: status %s, question %q; want stalled", s.Status, s.Private.Question)
	}
	moved := Advance(journal.State{Status: journal.Active, Ratchet: journal.RatchetState{StallCount: 3}, Private: journal.Private{Escalated: "codex", Hypothesis: "h"}}, step(climbing(), o, 5, 4))
	if moved.Private.Escalated != "" || moved.Private.Hypothesis != "" {
		t.Fatal("the escalation is remembered though the ratchet moved")
	}
}

// The first repeat of a failure forbids the approach, the second stalls at once.
func TestSameFailureTwice(t *testing.T) {
	c := climbing()
	c.Escalation.Stalled = 10
	fail := func(n int, did string) Step {
		o := shippedIteration()
		o.Checks[0].OK = false
		o.Report.Unit, o.Report.Did = "unit", did
		st := step(c, o, 5, 4)
		st.Number, st.FailedCheck, st.Signature = n, "test", Signature("test", "FAIL at line 12 of /tmp/x/y.go")
		return st
	}
	s := Advance(journal.State{Status: journal.Active}, fail(1, "first way"))
	if b := briefOf(&iteration{loop: journal.Loop{State: s, Charter: c}, start: s}, "a", time.Minute); len(b.Forbidden) != 0 || b.FailedIteration != 1 {
		t.Fatalf("after one failure: forbidden %q, failed iteration %d", b.Forbidden, b.FailedIteration)
	}
	s = Advance(s, fail(2, "second way"))
	if b := briefOf(&iteration{loop: journal.Loop{State: s, Charter: c}, start: s}, "a", time.Minute); len(b.Forbidden) != 2 || b.Forbidden[0] != "first way" || b.Forbidden[1] != "second way" {
		t.Fatalf("after two failures: forbidden %q", b.Forbidden)
	}
	if s = Advance(s, fail(3, "third way")); s.Status != journal.Stalled {
		t.Fatalf("after three failures: status %s, want stalled", s.Status)
	}
}

func TestSignatureMasksNumbersAndPaths(t *testing.T) {
	a := Signature("go test", "FAIL: /tmp/a1/x_test.go:12 got 3 want 4 (0.12s)")
	b := Signature("go test", "FAIL: /home/u/b2/x_test.go:99 got 7  want 8 (3.4s)")
	if a != b {
		t.Fatalf("%q and %q differ", a, b)
	}
	if a == Signature("go vet", "FAIL: /tmp/a1/x_test.go:12 got 3 want 4") {
		t.Fatal("another check has the same signature")
	}
}

// Idle loops ask at 3, 6, 9 in a row; unattended they are blocked until a person answers.
func TestIdleAsks(t *testing.T) {
	idle := shippedIteration()
	idle.TreeChanged, idle.Report.Status = false, journal.ReportEmpty
	c := climbing()
	c.Ratchet = journal.Ratchet{}
	for _, attended := range []bool{false, true} {
		st := step(c, idle, 0, 0)
		st.Attended = attended
		s := journal.State{Status: journal.Active}
		for n := 1; n <= 3; n++ {
			s = Advance(s, st)
		}
		want := journal.Blocked
		if attended {
			want = journal.Active
		}
		if s.Status != want || s.Private.Idle != 3 {
			t.Errorf("attended %v: status %s after %d idle iterations, want %s", attended, s.Status, s.Private.Idle, want)
		}
	}
}

func TestDemotion(t *testing.T) {
	o := shippedIteration()
	o.Guardrails = []string{"x"}
	s := journal.State{Status: journal.Active, Promotion: journal.PromotionState{Mode: journal.WriteFull, Clean: 9}, Private: journal.Private{Approved: journal.WriteFull}}
	s = Advance(s, step(climbing(), o, 5, 4))
	if s.Promotion.Mode != journal.ProposeOnly || s.Promotion.Clean != 0 || s.Private.Approved != journal.ProposeOnly {
		t.Fatalf("got mode %s, %d clean cycles, approved %s", s.Promotion.Mode, s.Promotion.Clean, s.Private.Approved)
	}
}

func TestCleanCyclesNeedTheCheckersPass(t *testing.T) {
	for verdict, want := range map[CheckerVerdict]int{CheckerPass: 1, CheckerSilent: 0} {
		o := shippedIteration()
		o.Checker = verdict
		st := step(climbing(), o, 5, 4)
		st.CheckerNamed = true
		if s := Advance(journal.State{Status: journal.Active}, st); s.Promotion.Clean != want {
			t.Errorf("checker %q: %d clean cycles, want %d", verdict, s.Promotion.Clean, want)
		}
	}
}
