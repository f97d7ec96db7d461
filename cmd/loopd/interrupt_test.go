package main

import (
	"context"
	"errors"
	"syscall"
	"testing"
)

func TestInterruptible(t *testing.T) {
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		ctx, stop := interruptible()
		if err := syscall.Kill(syscall.Getpid(), s); err != nil {
			t.Fatal(err)
		}
		<-ctx.Done()
		if got := asExit(orInterrupted(ctx, errors.New("what followed"))).Code; got != 128+int(s) {
			t.Errorf("%v ends with %d", s, got)
		}
		stop()
	}
	ctx, stop := interruptible()
	stop()
	cause := errors.New("a fault")
	if err := orInterrupted(ctx, cause); !errors.Is(err, cause) || context.Cause(ctx) == nil {
		t.Errorf("without a signal: %v", err)
	}
}
