package supervisor

import (
	"context"
	"errors"
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

// What was added since the last look is read, a line that is being written is not, and a history that became shorter is said.
func TestHistorySince(t *testing.T) {
	dir := t.TempDir()
	path := place{loop: dir}.history()
	add := func(text string) {
		t.Helper()
		if err := appendLine(path, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	look := func(from int64, want ...int) int64 {
		t.Helper()
		past, next, err := HistorySince(dir, from)
		if err != nil || len(past) != len(want) {
			t.Fatalf("from %d: %d iterations, want %v (%v)", from, len(past), want, err)
		}
		for i, p := range past {
			if p.Iteration != want[i] {
				t.Errorf("from %d: iteration %d, want %d", from, p.Iteration, want[i])
			}
		}
		return next
	}
	look(0)
	add(`{"loop":"k","iteration":1,"outcome":"shipped"}` + "\n")
	next := look(0, 1)
	look(next)
	add(`{"loop":"k","iteration":2,"outcome":"failed"}`)
	look(next)
	add("\n")
	next = look(next, 2)
	look(0, 1, 2)
	if err := os.Truncate(path, 10); err != nil {
		t.Fatal(err)
	}
	if _, _, err := HistorySince(dir, next); !errors.Is(err, ErrCut) {
		t.Errorf("a history that became shorter: %v", err)
	}
}
