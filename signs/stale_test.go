package signs

import "testing"

func TestStand(t *testing.T) {
	list := []Sign{
		{Rule: "run the generator first", Why: "go test ./...", Iteration: 3},
		{Rule: "before changing api/, make sure that `make lint` stays green", Why: "it failed", Iteration: 5},
		{Rule: "written by hand"},
	}
	failures := []Failure{{3, "go test ./..."}, {5, "make lint"}, {7, "go test ./..."}, {9, "make lint"}, {11, ""}, {12, "go vet"}}
	for i, want := range []struct{ last, matched int }{{7, 2}, {9, 2}, {0, 0}} {
		got := Stand(list, failures)[i]
		if got.Last != want.last || got.Matched != want.matched {
			t.Errorf("%q: last %d, matched %d; want %d, %d", got.Rule, got.Last, got.Matched, want.last, want.matched)
		}
	}
	s := Standing{Last: 7}
	for _, c := range []struct {
		now, n int
		want   bool
	}{{7, 5, false}, {11, 5, false}, {12, 5, true}, {40, 5, true}, {7, 0, true}} {
		if got := s.Stale(c.now, c.n); got != c.want {
			t.Errorf("stale at %d for %d: %v", c.now, c.n, got)
		}
	}
}
