package supervisor

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"loopd/harness"
	"loopd/supervisor/proc"
	"loopd/supervisor/worktree"
)

// gitLimit bounds a git command where nothing else is said: on 50,000 files the slowest takes seconds.
const gitLimit = 5 * time.Minute

// gitRunner runs git through proc, like every process of loopd.
type gitRunner struct {
	host   *proc.Host
	env    []string
	marker string
	fault  func(op, label string) error
}

// Git implements worktree.Runner. Hooks that git runs for a commit get the checks' environment: no secrets (decision 4).
func (g gitRunner) Git(ctx context.Context, c worktree.Command) (worktree.Output, error) {
	if g.fault != nil {
		if err := g.fault("git", c.Args[0]); err != nil {
			return worktree.Output{}, fmt.Errorf("run git %s: %w", strings.Join(c.Args, " "), err)
		}
	}
	limit := c.Limit
	if limit <= 0 {
		limit = gitLimit
	}
	var out, errs bytes.Buffer
	stdout := io.Writer(&out)
	if c.Most > 0 {
		stdout = &head{w: &out, left: c.Most}
	}
	env := append(worktree.Environ(g.env), c.Env...)
	res, err := g.host.Run(ctx, proc.Spec{Argv: append([]string{"git"}, c.Args...), Dir: c.Dir, Env: env, Stdin: c.Stdin, Stdout: stdout, Stderr: &errs,
		Wall: limit, Grace: time.Second, Marker: g.marker})
	if err != nil {
		return worktree.Output{}, fmt.Errorf("run git %s: %w", strings.Join(c.Args, " "), err)
	}
	if res.Stopped != "" {
		return worktree.Output{Stdout: out.Bytes(), Stderr: errs.Bytes(), Exit: -1}, fmt.Errorf("run git %s: %w after %s", strings.Join(c.Args, " "), worktree.ErrSlow, res.Took.Round(time.Millisecond))
	}
	return worktree.Output{Stdout: out.Bytes(), Stderr: errs.Bytes(), Exit: res.Exit}, nil
}

func (s *Supervisor) git(marker string) gitRunner {
	return gitRunner{host: s.Host, env: harness.CheckEnviron(s.Env, s.Known, nil), marker: marker, fault: s.Fault}
}

// head keeps the beginning of a stream and drops the rest.
type head struct {
	w    io.Writer
	left int
}

func (h *head) Write(p []byte) (int, error) {
	kept := p[:min(len(p), h.left)]
	h.left -= len(kept)
	if _, err := h.w.Write(kept); err != nil {
		return 0, err
	}
	return len(p), nil
}
