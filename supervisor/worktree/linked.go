package worktree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// AddWorktree makes sure that a linked working tree is at dir, on branch loop/<name> (by the rules of Enter), and tells
// whether it was made now. One that is there is taken as it is. One whose folder was deleted is made again; a folder that
// git no longer knows is moved aside to dir.lost-N first, and never deleted.
func (t *Tree) AddWorktree(ctx context.Context, name, dir string) (created bool, err error) {
	if created, err = t.addWorktree(ctx, name, dir); err != nil {
		return false, fmt.Errorf("add working tree %s: %w", dir, err)
	}
	return created, nil
}

func (t *Tree) addWorktree(ctx context.Context, name, dir string) (bool, error) {
	if admin := t.linkedAt(dir); admin != "" {
		return false, nil
	}
	if err := setAside(dir); err != nil {
		return false, err
	}
	refs, err := t.refs(ctx)
	if err != nil {
		return false, err
	}
	head, err := t.head(ctx, refs)
	if err != nil {
		return false, err
	}
	if head.OID == "" {
		return false, errors.New("the repository has no commit yet: a working tree needs one to start from")
	}
	// The one that was at dir may still have its branch on the books.
	branch := t.staleAt(dir)
	if branch == "" {
		c, err := t.choose(ctx, name, head, refs)
		if err != nil {
			return false, err
		}
		if c.ref == head.Branch {
			return false, fmt.Errorf("%s: %w", short(c.ref), ErrCheckedOut)
		}
		if !c.ahead {
			if err := t.point(ctx, c, head, refs); err != nil {
				return false, err
			}
		}
		branch = c.ref
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return false, err
	}
	// -f: for this folder only; `git worktree prune` would forget other people's trees on disks that are not plugged in.
	_, err = t.git(ctx, call{env: loopdIdentity}, "worktree", "add", "--quiet", "-f", dir, strings.TrimPrefix(branch, "refs/heads/"))
	return err == nil, err
}

// linkedAt gives the git directory of the linked working tree at dir, "" where dir is none of this repository's.
func (t *Tree) linkedAt(dir string) string {
	b, err := os.ReadFile(filepath.Join(dir, ".git"))
	if err != nil {
		return ""
	}
	admin, is := strings.CutPrefix(strings.TrimSpace(string(b)), "gitdir: ")
	if !is || !sameDir(filepath.Dir(filepath.Dir(admin)), t.commonDir) {
		return ""
	}
	if _, err := os.Stat(filepath.Join(admin, "HEAD")); err != nil {
		return "" // pruned
	}
	return admin
}

// staleAt gives the branch of a working tree that git has on its books for dir and whose folder is gone.
func (t *Tree) staleAt(dir string) string {
	books, _ := filepath.Glob(filepath.Join(escapeGlob(t.commonDir), "worktrees", "*", "gitdir")) // the pattern is well formed
	for _, g := range books {
		b, err := os.ReadFile(g)
		if err != nil || !sameDir(filepath.Dir(filepath.Dir(strings.TrimSpace(string(b)))), filepath.Dir(dir)) || filepath.Base(filepath.Dir(strings.TrimSpace(string(b)))) != filepath.Base(dir) {
			continue
		}
		h, err := os.ReadFile(filepath.Join(filepath.Dir(g), "HEAD"))
		if err != nil {
			continue
		}
		if branch, is := strings.CutPrefix(strings.TrimSpace(string(h)), "ref:"); is {
			return strings.TrimSpace(branch)
		}
	}
	return ""
}

func sameDir(a, b string) bool { return filepath.Clean(a) == filepath.Clean(b) || sameFile(a, b) }

// setAside moves what lies at dir out of the way. An empty folder may stay.
func setAside(dir string) error {
	found, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(found) == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	for n := 1; ; n++ {
		to := fmt.Sprintf("%s.lost-%d", dir, n)
		if _, err := os.Lstat(to); err == nil {
			continue
		}
		return os.Rename(dir, to)
	}
}
