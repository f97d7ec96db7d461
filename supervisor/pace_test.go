package supervisor

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"loopd/journal"
)

var t0 = time.Date(2026, 11, 3, 10, 0, 0, 0, time.UTC)

func TestNextWake(t *testing.T) {
	auto := journal.Cadence{Kind: journal.Auto, Text: "auto"}
	demand := journal.Cadence{Kind: journal.OnDemand, Text: "on-demand"}
	every := func(d time.Duration) journal.Cadence {
		return journal.Cadence{Kind: journal.Every, Every: d, Text: "every"}
	}
	end := t0.Add(10 * time.Minute)
	cases := []struct {
		name string
		f    PaceFacts
		stop bool
		wait time.Duration
		ask  bool
	}{
		{"shipped", PaceFacts{Outcome: journal.Shipped, Cadence: auto}, false, 60 * time.Second, false},
		{"shipped, drain", PaceFacts{Outcome: journal.Shipped, Cadence: auto, Drain: true}, false, 0, false},
		{"shipped, drain beats a floor", PaceFacts{Outcome: journal.Shipped, Cadence: every(time.Hour), Drain: true}, false, 0, false},
		{"rejected", PaceFacts{Outcome: journal.Rejected, Cadence: auto}, false, 60 * time.Second, false},
		{"filed", PaceFacts{Outcome: journal.Filed, Cadence: auto}, false, 1800 * time.Second, false},
		{"filed, drain waits long", PaceFacts{Outcome: journal.Filed, Cadence: auto, Drain: true}, false, 1800 * time.Second, false},
		{"idle", PaceFacts{Outcome: journal.Idle, Idle: 1, Cadence: auto, Asks: true}, false, 3600 * time.Second, false},
		{"idle, third", PaceFacts{Outcome: journal.Idle, Idle: 3, Cadence: auto, Asks: true}, false, 3600 * time.Second, true},
		{"idle, fourth", PaceFacts{Outcome: journal.Idle, Idle: 4, Cadence: auto, Asks: true}, false, 3600 * time.Second, false},
		{"idle, sixth", PaceFacts{Outcome: journal.Idle, Idle: 6, Cadence: auto, Asks: true}, false, 3600 * time.Second, true},
		{"idle, third, a watcher", PaceFacts{Outcome: journal.Idle, Idle: 3, Cadence: auto}, false, 3600 * time.Second, false},
		{"blocked", PaceFacts{Outcome: journal.Held, Cadence: auto}, true, 0, false},
		{"failed", PaceFacts{Outcome: journal.Failed, Cadence: auto}, false, 60 * time.Second, false},
		{"no change", PaceFacts{Outcome: journal.NoChange, Cadence: auto}, false, 60 * time.Second, false},
		{"heartbeat", PaceFacts{Outcome: journal.Heartbeat, Cadence: auto}, false, 1800 * time.Second, false},
		{"done", PaceFacts{Outcome: journal.Finished, Cadence: auto}, true, 0, false},
		{"interrupted", PaceFacts{Outcome: journal.Interrupted, Cadence: auto}, true, 0, false},
		{"limited with a reset", PaceFacts{Outcome: journal.Limited, Cadence: auto, Reset: end.Add(7 * time.Minute), Jitter: 20 * time.Second}, false, 7*time.Minute + 20*time.Second, false},
		{"limited, the reset falls where it falls", PaceFacts{Outcome: journal.Limited, Cadence: auto, Reset: end.Add(350 * time.Second)}, false, 350 * time.Second, false},
		{"limited, no reset", PaceFacts{Outcome: journal.Limited, LimitedRow: 1, Cadence: demand}, false, 15 * time.Minute, false},
		{"limited, third", PaceFacts{Outcome: journal.Limited, LimitedRow: 3, Cadence: auto}, false, 60 * time.Minute, false},
		{"limited, at most", PaceFacts{Outcome: journal.Limited, LimitedRow: 30, Cadence: auto}, false, 5 * time.Hour, false},
		{"unavailable", PaceFacts{Outcome: journal.Unavailable, UnavailableRow: 1, Cadence: demand}, false, 30 * time.Second, false},
		{"unavailable, fourth", PaceFacts{Outcome: journal.Unavailable, UnavailableRow: 4, Cadence: auto}, false, 240 * time.Second, false},
		{"unavailable, fifth", PaceFacts{Outcome: journal.Unavailable, UnavailableRow: 5, Cadence: auto}, true, 0, false},
		{"on-demand", PaceFacts{Outcome: journal.Shipped, Cadence: demand}, true, 0, false},
		{"on-demand, bounded", PaceFacts{Outcome: journal.Shipped, Cadence: demand, Bounded: true}, false, 60 * time.Second, false},
		{"on-demand, drain, productive", PaceFacts{Outcome: journal.Shipped, Cadence: demand, Drain: true}, false, 0, false},
		{"on-demand, drain, idle", PaceFacts{Outcome: journal.Idle, Idle: 1, Cadence: demand, Drain: true}, true, 0, false},
		{"every 30m is between starts", PaceFacts{Outcome: journal.Shipped, Cadence: every(30 * time.Minute)}, false, 20 * time.Minute, false},
		{"every, due already", PaceFacts{Outcome: journal.Shipped, Cadence: every(5 * time.Minute)}, false, 0, false},
		{"every, in the dead zone, is only lengthened", PaceFacts{Outcome: journal.Shipped, Cadence: every(16 * time.Minute)}, false, 630 * time.Second, false},
		{"a status other than active stops", PaceFacts{Outcome: journal.Failed, Status: journal.Stalled, Cadence: auto}, true, 0, false},
	}
	seen := map[journal.Outcome]bool{}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			f := c.f
			f.Start, f.End, f.CacheTTL = t0, end, 300*time.Second
			if f.Status == "" {
				f.Status = journal.Active
			}
			seen[f.Outcome] = true
			p := NextWake(f)
			if p.Stop != c.stop || p.Ask != c.ask {
				t.Fatalf("got stop %v ask %v (%s), want %v %v", p.Stop, p.Ask, p.Why, c.stop, c.ask)
			}
			if !c.stop && p.Wake.Sub(end) != c.wait {
				t.Fatalf("got a wait of %s (%s), want %s", p.Wake.Sub(end), p.Why, c.wait)
			}
		})
	}
	for _, r := range paces {
		if !seen[r.outcome] {
			t.Errorf("row %q of the table has no case", r.outcome)
		}
	}
}

// No table, cadence or back-off ever wakes in the dead zone of a prompt cache; only resets, daily and cron may.
func TestDeadZoneIsNeverChosen(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ttl := time.Duration(rapid.IntRange(61, 7200).Draw(t, "ttl")) * time.Second
		w := time.Duration(rapid.IntRange(0, 20000).Draw(t, "wait")) * time.Second
		minimum := rapid.Bool().Draw(t, "minimum")
		got := deadZone(w, ttl, minimum)
		if got >= ttl && got <= 2*ttl {
			t.Fatalf("wait %s with TTL %s became %s, inside the dead zone", w, ttl, got)
		}
		if minimum && got < w {
			t.Fatalf("a minimum of %s was shortened to %s", w, got)
		}
	})
}
