package supervisor

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"loopd/supervisor/proc"
)

// An operator who interrupts a step before the agent is no fault: the code is the signal's, and nothing was written.
func TestInterruptedAtTheGate(t *testing.T) {
	b := newBox(t, func(s string) string {
		return strings.Replace(s, "`grep -c TODO work.txt`", "`echo x >../begun; sleep 60; grep -c TODO work.txt`", 1)
	})
	b.agent("maker", ships)
	host := proc.NewHost()
	defer host.Close()
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	stop := make(chan struct{})
	go func() {
		defer close(stop)
		for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
			if _, err := os.Stat(filepath.Join(filepath.Dir(b.root), "begun")); err == nil {
				break
			}
		}
		cancel(InterruptedBy{syscall.SIGINT})
	}()
	end, err := b.supervisor(host, Options{Once: true}).Run(ctx)
	<-stop
	if err != nil || end.Code != CodeInterrupt {
		t.Fatalf("ended with %d (%s), %v; want 130", end.Code, end.Why, err)
	}
	b.clean()
}
