package supervisor

import (
	"context"
	"errors"
	"io"
	"sync/atomic"
	"time"

	"loopd/harness"
)

// foldWriter hands an agent's stdout on and, line by line, to the harness's fold.
type foldWriter struct {
	fold     harness.Fold
	lines    *harness.Lines
	all      io.Writer
	answered chan struct{}
	done     bool
	alive    atomic.Bool  // a line since the last look said that the agent moves
	told     func(string) // what the agent does, in a short line; nil where nobody looks
	maxTurns int          // that loopd counts itself, 0 for no limit
	over     func()       // called once they are exceeded
}

func (w *foldWriter) Write(p []byte) (int, error) {
	_, _ = w.all.Write(p)
	return w.lines.Write(p)
}

func (w *foldWriter) line(b []byte) {
	e := w.fold.Line(b)
	if e.Live {
		w.alive.Store(true)
	}
	if e.Terminal && !w.done {
		w.done = true
		close(w.answered)
	}
	if w.maxTurns > 0 && e.Turns > w.maxTurns {
		w.maxTurns = 0
		w.over()
	}
	if w.told != nil {
		if text := e.Text(); text != "" {
			w.told(text)
		}
	}
}

// errTurns is the cause of an end by the turn limit, where the CLI keeps none itself.
var errTurns = errors.New("more turns than the budget leaves")

// errIdle is the cause of an end by the idle limit.
var errIdle = errors.New("no sign of life within the idle limit")

// watchLife calls quiet when no line has said for so long that the agent moves. Bytes alone are no life: codex prints
// that it waits for the network for ever. It counts seconds that it lived through itself, so time stopped by Ctrl-Z
// does not count.
func (w *foldWriter) watchLife(ctx context.Context, idle time.Duration, quiet func()) {
	if idle <= 0 {
		return
	}
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for dead := time.Duration(0); ; {
		select {
		case <-ctx.Done():
			return
		case <-w.answered:
			return
		case <-tick.C:
		}
		if dead += lookEvery; w.alive.Swap(false) {
			dead = 0
		}
		if dead > idle {
			quiet()
			return
		}
	}
}

// stderr is where an agent's stderr goes. Of a CLI that speaks in events it is no sign of life: qwen tells there for ever
// that it tries again. Of any other it may be the only one.
func (w *foldWriter) stderr(h harness.Harness, to io.Writer) io.Writer {
	if h.Caps().Events {
		return to
	}
	return lifeWriter{to, &w.alive}
}

// lifeWriter takes what is written as a sign of life.
type lifeWriter struct {
	io.Writer
	alive *atomic.Bool
}

func (w lifeWriter) Write(p []byte) (int, error) {
	w.alive.Store(true)
	return w.Writer.Write(p)
}
