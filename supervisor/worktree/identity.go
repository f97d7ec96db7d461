package worktree

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// ErrNoIdentity says that git does not know who commits.
var ErrNoIdentity = errors.New("git does not know who you are")

// unknownPerson are git's words for it.
var unknownPerson = []string{"Please tell me who you are", "empty ident name", "no email was given", "no name was given", "unable to auto-detect email", "unable to auto-detect name", "empty email"}

func noIdentity(stderr []byte) bool {
	for _, w := range unknownPerson {
		if strings.Contains(string(stderr), w) {
			return true
		}
	}
	return false
}

// Identity makes sure that git can commit as the person; ErrNoIdentity where it cannot. It is asked once for a Tree.
func (t *Tree) Identity(ctx context.Context) error {
	if t.asked {
		return nil
	}
	for _, who := range []string{"GIT_COMMITTER_IDENT", "GIT_AUTHOR_IDENT"} {
		args := []string{"var", who}
		out, err := t.ask(ctx, call{}, args...)
		if err != nil {
			return fmt.Errorf("ask for identity: %w", err)
		}
		if out.Exit != 0 {
			if noIdentity(out.Stderr) {
				return fmt.Errorf("%w: %w", ErrNoIdentity, failed(args, out))
			}
			return fmt.Errorf("ask for identity: %w", failed(args, out))
		}
	}
	t.asked = true
	return nil
}

// signed tells whether the person signs commits. It is asked once for a Tree.
func (t *Tree) signed(ctx context.Context) (bool, error) {
	if t.signs != nil {
		return *t.signs, nil
	}
	// Not by ask: its settings switch signing off.
	args := []string{"config", "--type=bool", "--get", "commit.gpgSign"}
	out, err := t.run.Git(ctx, Command{Args: args, Dir: t.root, Env: []string{"GIT_DIR=" + t.gitDir}})
	if err != nil {
		return false, &GitError{Args: args, Exit: -1, Err: err}
	}
	if out.Exit > 1 {
		return false, failed(args, out)
	}
	yes := oid(out.Stdout) == "true"
	t.signs = &yes
	return yes, nil
}
