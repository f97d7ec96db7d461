package worktree

import (
	"context"
	"os"
	"slices"
	"strings"
)

// sortOut takes out of the snapshot what is no part of a change: what loops own, and repositories inside the tree that
// nobody asked git to track (decision 33).
func (t *Tree) sortOut(ctx context.Context, m Mark, s *snapshot, real []Change) (bool, error) {
	var reset []entry
	for _, c := range s.changes {
		switch {
		case belongs(m.Owned, c.Path):
			s.staged = append(s.staged, c.was)
		case deep(c.Path):
			reset = append(reset, c.was)
		case c.is.mode == gitlink && !t.wanted(c, real):
			s.nested = append(s.nested, c.Path)
			back := c.was
			if back.mode != gitlink {
				back.mode = absent // the tracked file gave way to the repository
			}
			reset = append(reset, back)
		}
	}
	slices.Sort(s.nested)
	if len(reset)+len(s.staged) == 0 {
		return false, nil
	}
	return true, t.setEntries(ctx, s.index, reset)
}

// wanted: a submodule that the agent staged or committed at another commit, or a new one that .gitmodules names.
func (t *Tree) wanted(c Change, real []Change) bool {
	if c.was.mode != gitlink {
		b, err := os.ReadFile(t.abs(".gitmodules"))
		return err == nil && namesModule(string(b), c.Path)
	}
	return slices.ContainsFunc(real, func(r Change) bool { return r.Path == c.Path && r.is == c.is })
}

func namesModule(gitmodules, path string) bool {
	for line := range strings.SplitSeq(gitmodules, "\n") {
		key, value, ok := strings.Cut(line, "=")
		if ok && strings.TrimSpace(key) == "path" && strings.Trim(strings.TrimSpace(value), `"`) == path {
			return true
		}
	}
	return false
}
