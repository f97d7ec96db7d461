package worktree

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strconv"
)

// Tracked tells which of the paths, relative to the top level, git tracks, or something below them. After a Fingerprint that is as seen by it: files
// of loops that the agent gave to git are not tracked (decision 38).
func (t *Tree) Tracked(ctx context.Context, paths []string) (map[string]bool, error) {
	out := make(map[string]bool, len(paths))
	if len(paths) == 0 {
		return out, nil
	}
	args := []string{"ls-files", "--cached", "-z", "--"}
	for _, p := range paths {
		args = append(args, ":(top,literal)"+filepath.ToSlash(p))
	}
	c := call{}
	if _, err := os.Stat(t.work); err == nil {
		c.index = t.work
	}
	b, err := t.git(ctx, c, args...)
	if err != nil {
		return nil, fmt.Errorf("ask what is tracked: %w", err)
	}
	is := map[string]bool{}
	for _, p := range zero(b) {
		for ; p != "." && !is[p]; p = path.Dir(p) {
			is[p] = true
		}
	}
	for _, p := range paths {
		out[p] = is[filepath.ToSlash(p)]
	}
	return out, nil
}

// CountCommits counts the commits of to that from does not have; from "" counts all of them.
func (t *Tree) CountCommits(ctx context.Context, from, to string) (int, error) {
	if to == "" || from == to {
		return 0, nil
	}
	spec := to
	if from != "" {
		spec = from + ".." + to
	}
	b, err := t.git(ctx, call{}, "rev-list", "--count", spec, "--")
	if err != nil {
		return 0, fmt.Errorf("count commits: %w", err)
	}
	n, err := strconv.Atoi(oid(b))
	if err != nil {
		return 0, fmt.Errorf("count commits: %w", err)
	}
	return n, nil
}
