package supervisor

import (
	"context"
	"os"
	"testing"
	"time"

	"loopd/journal"
	"loopd/supervisor/proc"
)

func TestStopwatch(t *testing.T) {
	var w stopwatch
	for _, s := range []struct {
		name string
		at   time.Duration
	}{{"pin", 0}, {"exec", time.Second}, {"verify", 61 * time.Second}, {"exec", 62 * time.Second}, {"", 63 * time.Second}} {
		w.enter(s.name, t0.Add(s.at))
	}
	if w.sums["pin"] != 1 || w.sums["exec"] != 61 || w.sums["verify"] != 1 || len(w.sums) != 3 {
		t.Errorf("steps took %v", w.sums)
	}
}

// What was measured can be read again; a torn or foreign line costs itself alone.
func TestHistory(t *testing.T) {
	b := newBox(t, nil)
	b.agent("maker", ships)
	b.want(Options{}, 0)
	host := proc.NewHost()
	defer host.Close()
	s := b.supervisor(host, Options{})
	r, err := s.open(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if err := appendLine(r.place.history(), []byte("torn {\n{\"x\":1}\n")); err != nil {
		t.Fatal(err)
	}
	got, err := s.History(context.Background())
	if err != nil || len(got) != 1 {
		t.Fatalf("%d of 1: %v", len(got), err)
	}
	p := got[0]
	if p.Iteration != 1 || p.Outcome != journal.Shipped || !p.Counted || p.Value == nil || p.Steps["exec"] <= 0 || p.At.IsZero() || p.Files != 1 {
		t.Errorf("remembered %+v", p)
	}
	if info, err := os.Stat(r.place.history()); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the history is %v, %v", info.Mode(), err)
	}
}
