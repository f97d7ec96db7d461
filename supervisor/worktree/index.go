package worktree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
)

// seedIndex begins a private index with the one of the Mark. A copy that was lost or changed is made anew from the base:
// then git reads every file again, which is slow and right.
func (t *Tree) seedIndex(ctx context.Context, m Mark, index string) error {
	if err := t.makePrivate(); err != nil {
		return err
	}
	if err := clearIndex(index); err != nil {
		return err
	}
	if m.Index != "" {
		sum, err := copyPath(t.private(filepath.Base(m.Index)), index)
		if err == nil && sum == m.IndexSum {
			return nil
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("copy private index: %w", err)
		}
		if err := clearIndex(index); err != nil {
			return err
		}
	}
	if _, err := t.git(ctx, call{index: index}, "read-tree", t.base(m)); err != nil {
		return fmt.Errorf("make private index: %w", err)
	}
	return nil
}

// clearIndex removes a private index and a lock on it: that is what a killed run of loopd left, for the lease says that
// nobody else is here.
func clearIndex(index string) error {
	if err := errors.Join(removeIfThere(index), removeIfThere(index+".lock")); err != nil {
		return fmt.Errorf("clear private index: %w", err)
	}
	return nil
}

func (t *Tree) writeTree(ctx context.Context, index string) (string, error) {
	b, err := t.git(ctx, call{index: index}, "write-tree")
	return oid(b), err
}

// setEntries writes entries into an index; mode absent removes.
func (t *Tree) setEntries(ctx context.Context, index string, entries []entry) error {
	if len(entries) == 0 {
		return nil
	}
	lines := make([]string, 0, len(entries))
	// Removals first: a file may stand where a folder was, or the other way round.
	entries = slices.Clone(entries)
	slices.SortStableFunc(entries, func(a, b entry) int { return boolInt(b.mode == absent) - boolInt(a.mode == absent) })
	for _, e := range entries {
		at := e.oid
		if e.mode == absent {
			at = t.none()
		}
		lines = append(lines, fmt.Sprintf("%s %s\t%s", e.mode, at, e.path))
	}
	_, err := t.git(ctx, call{index: index, stdin: joinZero(lines)}, "update-index", "-z", "--index-info")
	return err
}

// treeWith writes the tree of an index with some entries set otherwise; the index stays as it is.
func (t *Tree) treeWith(ctx context.Context, index string, entries []entry) (string, error) {
	if len(entries) == 0 {
		return t.writeTree(ctx, index)
	}
	other := t.private("other")
	if err := clearIndex(other); err != nil {
		return "", err
	}
	if _, err := copyPath(index, other); err != nil {
		return "", fmt.Errorf("copy private index: %w", err)
	}
	if err := t.setEntries(ctx, other, entries); err != nil {
		return "", err
	}
	return t.writeTree(ctx, other)
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
