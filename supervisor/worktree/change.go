package worktree

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Change is one path that differs from the base. Added and Deleted count lines, 0 for a binary file.
type Change struct {
	Path           string // slashes, relative to the top level; the bytes that git has
	Status         string // A, M, D or T (another type)
	Added, Deleted int
	Binary         bool
	was, is        entry
}

// entry is what a tree or an index says of a path; mode "000000" is no entry.
type entry struct{ mode, oid, path string }

const (
	absent  = "000000"
	gitlink = "160000"
)

// comparison is what differs between two trees.
type comparison struct {
	from, to string
	changes  []Change
}

// diff lists what differs between two trees (or commits).
func (t *Tree) diff(ctx context.Context, from, to string) ([]Change, error) {
	if c := t.compared; c != nil && c.from == from && c.to == to {
		return slices.Clone(c.changes), nil
	}
	changes, err := t.askDiff(ctx, from, to)
	if err != nil {
		return nil, err
	}
	t.compared = &comparison{from, to, changes}
	return slices.Clone(changes), nil
}

func (t *Tree) askDiff(ctx context.Context, from, to string) ([]Change, error) {
	// An index that is not there: git would read the real one for attributes, and stop where that is damaged.
	b, err := t.git(ctx, call{index: t.private("none")}, "diff-tree", "-r", "-z", "--raw", "--numstat", "--no-renames", "--no-abbrev", "--no-ext-diff", "--no-textconv", from, to)
	if err != nil {
		return nil, err
	}
	return readDiff(zero(b))
}

// staged lists what differs between the base and the real index. A damaged index is an error.
func (t *Tree) staged(ctx context.Context, m Mark) ([]Change, error) {
	b, err := t.git(ctx, call{}, "diff-index", "--cached", "-z", "--raw", "--no-renames", "--no-abbrev", t.base(m))
	if err != nil {
		return nil, err
	}
	return readDiff(zero(b))
}

// readDiff reads -z --raw records, then --numstat records where there are some.
func readDiff(records []string) ([]Change, error) {
	var out []Change
	at := map[string]int{}
	for i := 0; i < len(records); i++ {
		r := records[i]
		if head, is := strings.CutPrefix(r, ":"); is {
			f := strings.Fields(head)
			if len(f) != 5 || i+1 >= len(records) {
				return nil, fmt.Errorf("read git diff: odd record %q", r)
			}
			i++
			p := records[i]
			if n, twice := at[p]; twice { // an unmerged path may have more than one record
				if f[4] == "U" {
					out[n].Status = "U"
				}
				continue
			}
			at[p] = len(out)
			out = append(out, Change{Path: p, Status: f[4][:1], was: entry{f[0], f[2], p}, is: entry{f[1], f[3], p}})
			continue
		}
		f := strings.SplitN(r, "\t", 3)
		if len(f) != 3 {
			return nil, fmt.Errorf("read git diff: odd record %q", r)
		}
		n, known := at[f[2]]
		if !known {
			return nil, fmt.Errorf("read git diff: counts for unknown path %q", f[2])
		}
		if f[0] == "-" {
			out[n].Binary = true
			continue
		}
		var err1, err2 error
		out[n].Added, err1 = strconv.Atoi(f[0])
		out[n].Deleted, err2 = strconv.Atoi(f[1])
		if err1 != nil || err2 != nil {
			return nil, fmt.Errorf("read git diff: odd counts %q", r)
		}
	}
	return out, nil
}
