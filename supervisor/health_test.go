package supervisor

import (
	"slices"
	"strings"
	"testing"
	"time"

	"loopd/journal"
	"loopd/signs"
)

// healthy is a loop of three good iterations; each case changes what it is about.
func healthy() Vitals {
	v := Vitals{Whole: true, Loop: journal.Loop{Name: "k", Entries: 3, State: journal.State{Name: "k", Status: journal.Active, Iteration: 3},
		Charter: journal.Charter{Escalation: journal.Escalation{Stalled: 3}, Budget: journal.Budget{PerIteration: time.Hour, Total: 10 * time.Hour}}}}
	v.Loop.State.Promotion = journal.PromotionState{Mode: journal.ProposeOnly, Clean: 3, Required: 3}
	for n := 1; n <= 3; n++ {
		v.Entries = append(v.Entries, journal.Entry{N: n, Unit: string(rune('a' + n)), Verify: []string{"`go test` → exit 0 ✅"}})
	}
	return v
}

func TestHealth(t *testing.T) {
	red := func(e *journal.Entry) { e.Failed, e.Verify = true, []string{"`go test` → exit 1 ❌"} }
	cases := []struct {
		name   string
		change func(v *Vitals)
		rules  string
		read   string
	}{
		{"healthy", func(v *Vitals) {}, "", ""},
		{"never run", func(v *Vitals) { *v = Vitals{Whole: true, Loop: journal.Loop{Name: "k", Charter: v.Loop.Charter}} }, "", ""},
		{"the state is ahead", func(v *Vitals) { v.Loop.State.Iteration = 4 }, "H1", "the newest entry is 3, the state says iteration 4"},
		{"an entry is missing", func(v *Vitals) { v.Entries = slices.Delete(v.Entries, 1, 2); v.Loop.State.Promotion.Clean = 2 }, "H1", "entry 2 is missing"},
		{"an entry stands twice", func(v *Vitals) { v.Entries = append(v.Entries, v.Entries[2]); v.Entries[3].Unit = "x" }, "H1", "entry 3 stands 2 times"},
		{"older entries were not read", func(v *Vitals) {
			v.Entries, v.Whole, v.Loop.Entries, v.Loop.State.Iteration = v.Entries[1:], false, 3, 3
		}, "", ""},
		{"it stands still", func(v *Vitals) { v.Loop.State.Ratchet.StallCount = 3 }, "H2", "3 iterations without movement"},
		{"the last one failed", func(v *Vitals) { red(&v.Entries[2]); v.Loop.State.Promotion.Clean = 0 }, "H3", "iteration 3 failed: `go test` → exit 1 ❌"},
		{"it failed, and the next was good", func(v *Vitals) {
			red(&v.Entries[1])
			v.Loop.State.Promotion.Clean, v.Signs = 1, []signs.Sign{{Rule: "r", Why: "go test", Iteration: 2}}
		}, "", ""},
		{"it failed, and earned a sign", func(v *Vitals) {
			red(&v.Entries[2])
			v.Loop.State.Promotion.Clean, v.Signs = 0, []signs.Sign{{Rule: "r", Why: "go test", Iteration: 3}}
		}, "", ""},
		{"a dirty tree", func(v *Vitals) { v.Debris = []string{"modified x"} }, "H4", "modified x"},
		{"too many clean cycles", func(v *Vitals) { v.Loop.State.Promotion.Clean = 4 }, "H5", "clean_cycles is 4, the journal ends in 3"},
		{"a near-miss in between", func(v *Vitals) { v.Entries[1].Flags = []string{"guardrail near-miss: signs.md changed, undone"} }, "H5", "ends in 1"},
		{"promoted by nobody", func(v *Vitals) { v.Loop.State.Promotion.Mode = journal.WriteScoped }, "H5", "approved by nobody"},
		{"promoted by somebody", func(v *Vitals) {
			v.Loop.State.Promotion.Mode, v.Loop.State.Private.ApprovedBy = journal.WriteScoped, "ada"
		}, "", ""},
		{"more time than there is", func(v *Vitals) { v.Loop.State.Private.Spent.Seconds = 36001 }, "H6", "10h0m1s in all"},
		{"one long iteration", func(v *Vitals) { v.Longest = 67 * time.Minute }, "H6", "1h7m0s"},
		{"the same unit three times", func(v *Vitals) {
			for i := range v.Entries {
				v.Entries[i].Unit = "again"
			}
		}, "H7", `unit "again" in iterations 1 to 3`},
		{"the same unit three times, with a note", func(v *Vitals) {
			for i := range v.Entries {
				v.Entries[i].Unit = "again"
			}
			v.Entries[2].Flags = []string{"agent: the third part of it"}
		}, "", ""},
		{"a failure that taught nothing", func(v *Vitals) { red(&v.Entries[0]); v.Loop.State.Promotion.Clean = 2 }, "H8", "iteration 1 failed at `go test`"},
		{"a failure that another one's sign names", func(v *Vitals) {
			red(&v.Entries[0])
			v.Loop.State.Promotion.Clean, v.Signs = 2, []signs.Sign{{Rule: "run `go test` first"}}
		}, "", ""},
		{"many signs", func(v *Vitals) { v.Signs = make([]signs.Sign, 51) }, "H9", "51 rules"},
		{"a large file", func(v *Vitals) { v.SignsSize = 9 << 10 }, "H9", "9 KiB"},
	}
	seen := map[string]bool{}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			v := healthy()
			c.change(&v)
			got, passed := Health(v)
			var rules, reads []string
			for _, a := range got {
				seen[a.Rule] = true
				rules, reads = append(rules, a.Rule), append(reads, a.Read)
				if a.Want == "" || a.Fix == "" {
					t.Errorf("%s says not what would do: %+v", a.Rule, a)
				}
			}
			if strings.Join(rules, " ") != c.rules || !strings.Contains(strings.Join(reads, "\n"), c.read) || len(passed) > 0 {
				t.Errorf("%v: %q, left out %v; want %s: %q", rules, reads, passed, c.rules, c.read)
			}
		})
	}
	for _, r := range HealthRules() {
		if !seen[r[0]] {
			t.Errorf("rule %s has no case", r[0])
		}
	}
	v := healthy()
	v.Loop.Charter.Unmanaged, v.Debris, v.Loop.State.Promotion.Clean = true, []string{"x"}, 9
	if got, passed := Health(v); len(got) > 0 || passed["H4"] == "" || passed["H1"] != "" {
		t.Errorf("a loop that leaves git to the agent: %v, left out %v", got, passed)
	}
}
