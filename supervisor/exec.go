package supervisor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/sourcegraph/conc"

	"loopd/harness"
	"loopd/supervisor/proc"
)

// stderrKept is how much of an agent's stderr is kept for the diagnosis.
const stderrKept = 64 << 10

// execution is one exec of a harness and what became of it.
type execution struct {
	Harness    harness.Harness
	Model      string
	Prompt     string
	Reply      harness.Reply
	HasText    bool
	NotStarted string // why it could not be started
	TimedOut   string
	Interrupt  string
	Swept      int
	Lingered   bool
	Code       int
	Start, End time.Time
	Cost       float64
	CostKnown  bool
	Transcript string
}

// task is what an exec is asked for.
type task struct {
	harness    harness.Harness
	model      string
	prompt     string
	readOnly   bool
	wall, idle time.Duration
	iteration  int
	label      string       // "agent", "checker", "second vendor"
	begin      func() error // called just before the start, once nothing but the start can fail; nil for nothing
}

// exec runs a harness in a fresh context and gives its reply. An agent that goes wrong is data; an error is a fault of
// loopd or of the machine.
func (r *run) exec(ctx context.Context, t task) (execution, error) {
	x := execution{Harness: t.harness, Model: t.model, Prompt: t.prompt, Start: time.Now()}
	if r.s.Fault != nil {
		if err := r.s.Fault("exec", t.label); err != nil {
			return x, fmt.Errorf("start %s: %w", t.label, err)
		}
	}
	scratch, err := os.MkdirTemp("", "loopd-")
	if err != nil {
		return x, fmt.Errorf("make scratch folder: %w", err)
	}
	defer os.RemoveAll(scratch)
	inv, err := t.harness.Invoke(harness.Request{Prompt: t.prompt, Model: t.model, ReadOnly: t.readOnly, Dir: r.work, ScratchDir: scratch})
	if err != nil {
		return x, &UsageError{Err: err}
	}
	for path, b := range inv.Files {
		if err := os.WriteFile(path, b, 0o600); err != nil {
			return x, fmt.Errorf("write scratch file: %w", err)
		}
	}
	tr, err := newTranscript(r.place.transcripts(), t.iteration, r.redact)
	if err != nil {
		return x, err
	}
	x.Transcript = tr.path

	answered := make(chan struct{})
	fold := &foldWriter{fold: t.harness.Fold(), transcript: tr, answered: answered, watched: r.s.Watched, told: func(text string) {
		r.emit(Event{Kind: EventAgent, Iteration: t.iteration, Step: t.label, Text: r.redact.String(text)})
	}}
	fold.lines = harness.NewLines(fold.line)
	errs := &tail{max: stderrKept}
	beside := tr.beside()
	if t.begin != nil {
		if err := t.begin(); err != nil {
			_ = tr.Close()
			return x, err
		}
	}
	env := harness.Environ(r.s.Env, t.harness, r.s.Known, inv, r.allowEnv)
	env = append(env, noPush(env)...)
	watched, quiet := context.WithCancelCause(ctx)
	var watch conc.WaitGroup
	watch.Go(func() { fold.watchLife(watched, t.idle, func() { quiet(errIdle) }) })
	res, err := r.s.Host.Run(watched, proc.Spec{
		Argv: inv.Argv, Dir: r.work, Env: env, Stdin: inv.Stdin, Stdout: fold, Stderr: r.stderr(t.harness, io.MultiWriter(errs, beside), fold),
		Wall: t.wall, Idle: t.idle, Grace: r.s.Options.Grace, Signal: signalNamed(inv.StopSignal),
		Answered: answered, Linger: lingerAfterEnd, Marker: r.marker, TTYStderr: inv.TTYStderr,
	})
	silent := errors.Is(context.Cause(watched), errIdle)
	quiet(nil)
	watch.Wait()
	if silent && res.Stopped == proc.Interrupted {
		res.Stopped = proc.AtIdle
	}
	x.End = time.Now()
	_ = fold.lines.Close()
	cerr := errors.Join(tr.Close(), beside.Close())
	if o := r.s.Options; o.KeepTranscripts > 0 {
		cerr = errors.Join(cerr, pruneTranscripts(r.place.transcripts(), o.KeepTranscripts, o.KeepBytes))
	}
	if cerr != nil {
		r.emit(Event{Kind: EventWarning, Text: fmt.Sprintf("the transcript %s is incomplete: %v", tr.path, cerr)})
	}
	if err != nil {
		x.NotStarted = startFailure(inv.Argv[0], err)
		return x, nil
	}
	x.Code, x.Swept, x.Lingered = res.Exit, res.Swept, res.Stopped == proc.Lingered
	r.swept += res.Swept
	if len(res.Alive) > 0 {
		return x, fmt.Errorf("end process tree of %s: still alive: %v", t.harness.Name(), res.Alive)
	}
	exit := harness.Exit{Code: res.Exit, Stderr: r.redact.Bytes(errs.buf), Stopped: string(res.Stopped), Dropped: fold.lines.Dropped(), End: x.End}
	if res.Signal != 0 {
		exit.Code, exit.Signal = -1, signalName(res.Signal)
	}
	x.Reply = fold.fold.Reply(exit)
	x.Reply.Text = r.redact.String(x.Reply.Text) // whatever is made of it, no secret goes further
	x.Reply.Cause = r.redact.String(x.Reply.Cause)
	x.HasText = x.Reply.HasText
	x.Cost, x.CostKnown = r.cost(x.Reply, t.model)
	switch res.Stopped {
	case proc.AtWall, proc.AtIdle:
		x.TimedOut = string(res.Stopped)
	case proc.Interrupted, proc.Killed:
		x.Interrupt = interruptName(ctx)
	}
	if x.Reply.Stop == harness.Interrupted && x.Interrupt == "" && x.TimedOut == "" {
		x.Interrupt = "a signal from outside"
	}
	if x.Reply.Stop == harness.Complete {
		x.TimedOut = "" // the answer was whole before the limit came
	}
	if !x.HasText && x.TimedOut == "" && x.Interrupt == "" && (res.Exit == 127 || res.Exit == 126) {
		x.NotStarted = fmt.Sprintf("%s could not be started (exit %d): %s; see loopd harness test %s", t.harness.Name(), res.Exit, orElse(lastLine(string(exit.Stderr)), "no message"), t.harness.Name())
	}
	return x, nil
}

// foldWriter hands an agent's stdout to the transcript and, line by line, to the harness's fold.
type foldWriter struct {
	fold       harness.Fold
	lines      *harness.Lines
	transcript *transcript
	answered   chan struct{}
	done       bool
	watched    bool        // somebody looks at what the agent does
	alive      atomic.Bool // a line since the last look said that the agent moves
	told       func(string)
}

func (w *foldWriter) Write(p []byte) (int, error) {
	_, _ = w.transcript.Write(p)
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
	if w.watched {
		if text := e.Text(); text != "" {
			w.told(text)
		}
	}
}

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
func (r *run) stderr(h harness.Harness, to io.Writer, fold *foldWriter) io.Writer {
	if h.Caps().Events {
		return to
	}
	return lifeWriter{to, &fold.alive}
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

// cost gives what an exec cost in USD: the harness's own figure, else by the price table. An unknown price is not
// guessed.
func (r *run) cost(reply harness.Reply, model string) (float64, bool) {
	if reply.CostKnown {
		return reply.Cost, true
	}
	p, ok := r.s.Prices[model]
	if !ok {
		return 0, false
	}
	u := reply.Usage
	return (float64(u.Input+u.CacheWrite)*p.Input + float64(u.CacheRead)*p.Cached + float64(u.Output)*p.Output) / 1e6, true
}

func tokens(u harness.Usage) int64 { return u.Input + u.Output + u.CacheRead + u.CacheWrite }

// noPush makes the agent's git refuse to push, as far as its environment goes: a remote-tracking ref that moved by a
// push is found afterwards all the same.
func noPush(env []string) []string {
	for _, kv := range env {
		if strings.HasPrefix(kv, "GIT_CONFIG_COUNT=") {
			return nil // the caller's own settings must stay
		}
	}
	return []string{"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=url.loopd-refuses-to-push://.pushInsteadOf", "GIT_CONFIG_VALUE_0="}
}

func startFailure(argv0 string, err error) string {
	switch {
	case errors.Is(err, os.ErrNotExist):
		return fmt.Sprintf("%s was not found on PATH; install it, or choose another with --harness (loopd harness list shows what is here)", argv0)
	case errors.Is(err, os.ErrPermission):
		return fmt.Sprintf("%s is not executable: %v", argv0, err)
	}
	return fmt.Sprintf("%s could not be started: %v", argv0, err)
}

// signalNames are the signals that CLIs want for stopping, or die of.
var signalNames = map[string]syscall.Signal{"TERM": syscall.SIGTERM, "INT": syscall.SIGINT, "KILL": syscall.SIGKILL, "HUP": syscall.SIGHUP}

func signalNamed(name string) syscall.Signal { return signalNames[name] }

func signalName(s syscall.Signal) string {
	for name, sig := range signalNames {
		if sig == s {
			return name
		}
	}
	return s.String()
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}
