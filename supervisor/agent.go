package supervisor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/sourcegraph/conc"

	"loopd/harness"
	"loopd/supervisor/proc"
)

// atTurns is why an agent was ended that took more turns than it may.
const atTurns = proc.Stop("turns")

const (
	stderrKept = 64 << 10 // how much of an agent's stderr is kept for the diagnosis, in bytes
	reportMost = 1 << 20  // a larger report of a CLI is none, in bytes
)

// agent is one run of an agent CLI, from the request to its reply. It knows no loop.
type agent struct {
	harness        harness.Harness
	request        harness.Request // its scratch folder is made by run
	host           *proc.Host
	known          []harness.Harness
	env, allow     []string
	wall, idle     time.Duration
	grace          time.Duration
	marker         string
	sandbox        func(harness.Invocation) proc.Sandbox // what it may write; nil for everything
	stdout, stderr io.Writer                             // get all that it prints, as it comes
	told           func(string)                          // see foldWriter
	begin          func() error                          // called just before the start, once nothing but the start can fail; nil for nothing
}

// agentEnd is what became of an agent.
type agentEnd struct {
	invocation harness.Invocation
	reply      harness.Reply
	result     proc.Result
	stderr     string // the end of what it printed there
	notStarted string // why it could not be started; all else but the invocation is empty then
}

// run starts the agent, waits for it and its tree, and reads its reply. No secret of redact is in what it returns.
func (a agent) run(ctx context.Context, redact *redactor) (agentEnd, error) {
	var end agentEnd
	scratch, err := os.MkdirTemp("", "loopd-")
	if err != nil {
		return end, fmt.Errorf("make scratch folder: %w", err)
	}
	defer os.RemoveAll(scratch)
	a.request.ScratchDir = scratch
	inv, err := a.harness.Invoke(a.request)
	if err != nil {
		return end, &UsageError{Err: err}
	}
	end.invocation = inv
	for path, b := range inv.Files {
		if err := os.WriteFile(path, b, 0o600); err != nil {
			return end, fmt.Errorf("write scratch file: %w", err)
		}
	}
	fold := &foldWriter{fold: a.harness.Fold(), all: a.stdout, answered: make(chan struct{}), told: a.told}
	fold.lines = harness.NewLines(fold.line)
	if caps := a.harness.Caps(); caps.CountsTurns && !caps.Turns {
		fold.maxTurns = a.request.MaxTurns
	}
	errs := &tail{max: stderrKept}
	if a.begin != nil {
		if err := a.begin(); err != nil {
			return end, err
		}
	}
	var box proc.Sandbox
	if a.sandbox != nil {
		box = a.sandbox(inv)
		box.Write = append(box.Write, scratch)
	}
	env := harness.Environ(a.env, a.harness, a.known, inv, a.allow)
	env = append(env, noPush(env)...)
	watched, quiet := context.WithCancelCause(ctx)
	fold.over = func() { quiet(errTurns) }
	var watch conc.WaitGroup
	watch.Go(func() { fold.watchLife(watched, a.idle, func() { quiet(errIdle) }) })
	res, err := a.host.Run(watched, proc.Spec{
		Argv: inv.Argv, Dir: a.request.Dir, Env: env, Stdin: inv.Stdin, Stdout: fold, Stderr: fold.stderr(a.harness, io.MultiWriter(errs, a.stderr)),
		Wall: a.wall, Idle: a.idle, Grace: a.grace, Signal: signalNamed(inv.StopSignal),
		Answered: fold.answered, Linger: lingerAfterEnd, Marker: a.marker, TTYStderr: inv.TTYStderr, Sandbox: box,
	})
	why := context.Cause(watched)
	quiet(nil)
	watch.Wait()
	if res.Stopped == proc.Interrupted {
		switch {
		case errors.Is(why, errIdle):
			res.Stopped = proc.AtIdle
		case errors.Is(why, errTurns):
			res.Stopped = atTurns
		}
	}
	_ = fold.lines.Close() // cannot fail
	end.result = res
	if err != nil {
		end.notStarted = startFailure(inv.Argv[0], err)
		return end, nil
	}
	exit := harness.Exit{Code: res.Exit, Stderr: redact.Bytes(errs.buf), Stopped: string(res.Stopped), Dropped: fold.lines.Dropped(), Report: report(inv.Report), End: time.Now()}
	if res.Signal != 0 {
		exit.Code, exit.Signal = -1, signalName(res.Signal)
	}
	end.stderr = string(exit.Stderr)
	end.reply = fold.fold.Reply(exit)
	end.reply.Text = redact.String(end.reply.Text) // whatever is made of it, no secret goes further
	end.reply.Cause = redact.String(end.reply.Cause)
	return end, nil
}

// report reads what a CLI left in its scratch folder; nil where it left nothing. The agent could write there too, so
// neither a link nor a pipe is opened, and no more is read than a report can be.
func report(path string) []byte {
	if path == "" {
		return nil
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() > reportMost {
		return nil
	}
	b, err := io.ReadAll(io.LimitReader(f, reportMost))
	if err != nil {
		return nil
	}
	return b
}

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
	case errors.Is(err, proc.ErrNotFound):
		return argv0 + " is not on PATH"
	case errors.Is(err, os.ErrNotExist):
		return fmt.Sprintf("%s, or the interpreter that its first line names, does not exist", argv0)
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
