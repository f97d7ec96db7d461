package worktree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// hookLimit bounds one commit hook (spec/iteration.md "Limits where nothing is said").
const hookLimit = 5 * time.Minute

// HookError is a commit hook that refused or hung: found before anything claims success.
type HookError struct {
	Hook     string // pre-commit or commit-msg
	Words    string // what it printed
	TimedOut bool
}

func (e *HookError) Error() string {
	how := "refused"
	if e.TimedOut {
		how = fmt.Sprintf("did not end within %s", hookLimit)
	}
	return fmt.Sprintf("commit hook %s %s: %s", e.Hook, how, lastWords(e.Words))
}

func lastWords(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}

// hooked tells whether there is such a hook to run; asking git costs a process.
func (t *Tree) hooked(hook string) bool {
	st, err := os.Stat(filepath.Join(t.hooks, hook))
	return err == nil && st.Mode().IsRegular() && st.Mode()&0o111 != 0
}

// hook runs a hook of the person's as git itself would for a commit: hooks path as configured, our index as the index. None
// of our settings reaches it, and no GIT_DIR, which would lead a git that works in another folder astray.
func (t *Tree) hook(ctx context.Context, index, hook string, args ...string) error {
	full := append([]string{"hook", "run", "--ignore-missing", hook}, args...)
	out, err := t.run.Git(ctx, Command{Args: full, Dir: t.root, Env: []string{"GIT_INDEX_FILE=" + index}, Limit: hookLimit})
	words := strings.TrimSpace(string(out.Stdout) + "\n" + string(out.Stderr))
	switch {
	case err != nil && out.Exit == -1 && ctx.Err() == nil:
		return &HookError{Hook: hook, Words: words, TimedOut: true}
	case err != nil:
		return &GitError{Args: full, Exit: -1, Stderr: firstLine(out.Stderr), Err: err}
	case strings.Contains(words, "'hook' is not a git command"):
		return errors.New("run commit hooks: git 2.36 or newer is needed")
	case out.Exit != 0:
		return &HookError{Hook: hook, Words: words}
	}
	return nil
}
