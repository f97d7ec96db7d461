package supervisor

import (
	"context"
	"testing"

	"loopd/journal"
	"loopd/supervisor/proc"
)

// What was asked of a run that ended before it heard is overtaken by what is said afterwards.
func TestResumeOvertakesAPause(t *testing.T) {
	b := newBox(t, nil)
	b.agent("maker", ships)
	b.want(Options{}, CodeOK)
	host := proc.NewHost()
	defer host.Close()
	s := b.supervisor(host, Options{Operate: true})
	r, err := s.open(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if err := leave(r.place, "status-"+string(journal.Paused), ""); err != nil {
		t.Fatal(err)
	}
	if _, err := s.SetStatus(context.Background(), journal.Active, ""); err != nil {
		t.Fatal(err)
	}
	if left := pendingRequests(r.place); len(left) > 0 {
		t.Errorf("still asked for: %v", left)
	}
	b.want(Options{Now: true}, CodeOK)
}
