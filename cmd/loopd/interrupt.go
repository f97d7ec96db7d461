package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"

	"github.com/sourcegraph/conc"

	"loopd/supervisor"
	"loopd/supervisor/proc"
)

// errInterrupted is the cause of a context that an operator's signal ended.
type errInterrupted struct{ signal syscall.Signal }

func (e errInterrupted) Error() string { return "interrupted by " + e.signal.String() }

// ExitCode is 128 and the signal's number, as in a shell.
func (e errInterrupted) ExitCode() int { return 128 + int(e.signal) }

// interrupted is a context for commands that run agents: it ends by what the operator sends, through the guard.
func (a *app) interrupted(host *proc.Host) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	var wg conc.WaitGroup
	wg.Go(func() {
		select {
		case i := <-host.Interrupts():
			cancel(supervisor.InterruptedBy{Signal: i.Signal})
		case <-ctx.Done():
		}
	})
	return ctx, func() {
		cancel(nil)
		wg.Wait()
	}
}

// interruptible is a context for short commands that start processes: these are in groups of their own, so a Ctrl-C at
// the terminal does not reach them by itself. stop gives the signals back.
func interruptible() (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	var wg conc.WaitGroup
	wg.Go(func() {
		select {
		case s := <-signals:
			cancel(errInterrupted{s.(syscall.Signal)})
		case <-ctx.Done():
		}
	})
	return ctx, func() {
		signal.Stop(signals)
		cancel(nil)
		wg.Wait()
	}
}

// orInterrupted gives the signal that ended a context in place of the error that followed from it.
func orInterrupted(ctx context.Context, err error) error {
	var by errInterrupted
	if err != nil && errors.As(context.Cause(ctx), &by) {
		return by
	}
	var guarded supervisor.InterruptedBy
	if err != nil && errors.As(context.Cause(ctx), &guarded) {
		return errInterrupted{guarded.Signal}
	}
	return err
}
