package worktree

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// AddDetached makes a linked working tree at dir, on the commit of HEAD and no branch. What lies at dir is set aside.
func (t *Tree) AddDetached(ctx context.Context, dir string) error {
	err := setAside(dir)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(dir), 0o755)
	}
	if err == nil {
		_, err = t.git(ctx, call{env: loopdIdentity}, "worktree", "add", "--quiet", "-f", "--detach", dir, "HEAD")
	}
	if err != nil {
		return fmt.Errorf("add working tree %s: %w", dir, err)
	}
	return nil
}

// RemoveLinked removes a linked working tree of this repository with all that is in it. What shall be kept of it must be
// parked first. A folder that is none of the repository's is left alone.
func (t *Tree) RemoveLinked(ctx context.Context, dir string) error {
	if t.linkedAt(dir) == "" {
		return nil
	}
	if _, err := t.git(ctx, call{}, "worktree", "remove", "--force", "--force", dir); err != nil {
		return fmt.Errorf("remove working tree %s: %w", dir, err)
	}
	return nil
}

// Linked lists the linked working trees of this repository below dir.
func (t *Tree) Linked(dir string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil // none were made
	}
	var out []string
	for _, e := range entries {
		if p := filepath.Join(dir, e.Name()); t.linkedAt(p) != "" {
			out = append(out, p)
		}
	}
	return out
}

// ParkedBelow lists the parked changes whose refs lie below a prefix, such as "refs/loopd/k/unit/".
func (t *Tree) ParkedBelow(ctx context.Context, prefix string) ([]string, error) {
	if !strings.HasPrefix(prefix, ownRefs) {
		return nil, fmt.Errorf("%s: %w", prefix, ErrNotParked)
	}
	b, err := t.git(ctx, call{}, "for-each-ref", "--format=%(refname)", prefix)
	if err != nil {
		return nil, fmt.Errorf("list parked changes: %w", err)
	}
	return strings.Fields(string(b)), nil
}
