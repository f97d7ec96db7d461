package worktree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// snapshot is the working tree as git can hold it: an index of ours, and the tree written from it.
type snapshot struct {
	index   string   // file of the private index; what loops own stands in it as at the Mark
	tree    string   // what loops own stands in it as in the base: this is what is compared, parked and committed
	changes []Change // from the base
	// staged are the entries of loops' files that were staged and not committed at the Mark: in the index, not in the tree.
	staged []entry // as in the base
	// aside are what was left out on purpose: nested repositories, submodules that were moved and not staged.
	nested []string
	unread []string // what could not be read
	forced []string // ignored files that the agent gave to git all the same
	// of the real index
	unmerged []string
	damaged  error // the real index cannot be read
	touched  bool  // the real index differs from the base or from the one at the Mark in what it tracks
}

// take makes a snapshot in the private index of that name.
func (t *Tree) take(ctx context.Context, m Mark, name string) (snapshot, error) {
	s := snapshot{index: t.private(name)}
	if err := t.seedIndex(ctx, m, s.index); err != nil {
		return s, err
	}
	real, err := t.agentIndex(ctx, m, &s)
	if err != nil {
		return s, err
	}
	if err := t.addAll(ctx, m, &s); err != nil {
		return s, err
	}
	if err := t.measure(ctx, m, &s); err != nil {
		return s, err
	}
	again, err := t.addForced(ctx, m, &s, real)
	if err != nil {
		return s, err
	}
	fixed, err := t.sortOut(ctx, m, &s, real)
	if err != nil || !again && !fixed {
		return s, err
	}
	return s, t.measureAgain(ctx, m, &s)
}

// seedIndex begins a private index with the one of the Mark. A copy that was lost or changed is made anew from the base:
// then git reads every file again, which is slow and right.
func (t *Tree) seedIndex(ctx context.Context, m Mark, index string) error {
	if err := t.makePrivate(); err != nil {
		return err
	}
	// A lock on an index of ours is what a killed run of loopd left: the lease says that nobody else is here.
	for _, f := range []string{index, index + ".lock"} {
		if err := os.Remove(f); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("clear private index: %w", err)
		}
	}
	if m.Index != "" {
		sum, err := copyPath(t.private(filepath.Base(m.Index)), index)
		if err == nil && sum == m.IndexSum {
			return nil
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("copy private index: %w", err)
		}
		if err := os.Remove(index); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("clear private index: %w", err)
		}
	}
	if _, err := t.git(ctx, call{index: index}, "read-tree", t.base(m)); err != nil {
		return fmt.Errorf("make private index: %w", err)
	}
	return nil
}

// agentIndex looks at the real index where it is not the one of the Mark: what does it track that the base does not?
func (t *Tree) agentIndex(ctx context.Context, m Mark, s *snapshot) ([]Change, error) {
	sum, err := sumOf(t.realIndex())
	if err != nil {
		return nil, fmt.Errorf("read index: %w", err)
	}
	if sum == m.IndexSum {
		return nil, nil
	}
	changes, err := t.staged(ctx, m)
	var bad *GitError
	if errors.As(err, &bad) && bad.Exit > 0 {
		s.damaged, s.touched = err, true
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	out := changes[:0]
	for _, c := range changes {
		if belongs(m.Owned, c.Path) || deep(c.Path) {
			s.touched = true
			continue
		}
		if c.Status == "U" {
			s.unmerged = append(s.unmerged, c.Path)
		}
		out = append(out, c)
	}
	s.touched = s.touched || len(out) > 0
	return out, nil
}

// addAll brings everything that is not ignored into the private index. What git cannot add is named and left out.
func (t *Tree) addAll(ctx context.Context, m Mark, s *snapshot) error {
	args := append([]string{"add", "--all", "--sparse", "--ignore-errors"}, left(m.Owned)...)
	out, err := t.ask(ctx, call{index: s.index}, args...)
	if err != nil {
		return err
	}
	if out.Exit == 0 {
		return nil
	}
	if out.Exit != 1 {
		return failed(args, out)
	}
	rest, err := t.git(ctx, call{index: s.index}, append([]string{"ls-files", "--others", "--exclude-standard", "-z"}, left(m.Owned)...)...)
	if err != nil {
		return err
	}
	for _, p := range zero(rest) {
		if p = strings.TrimSuffix(p, "/"); deep(p) {
			continue
		}
		if _, err := os.Lstat(t.abs(p + "/.git")); err == nil {
			s.nested = append(s.nested, p)
		} else {
			s.unread = append(s.unread, p)
		}
	}
	if rest, err = t.git(ctx, call{index: s.index}, append([]string{"diff-files", "--name-only", "--no-ext-diff", "-z"}, left(m.Owned)...)...); err != nil {
		return err
	}
	var gone []entry
	for _, p := range zero(rest) {
		st, err := os.Lstat(t.abs(p))
		switch {
		case err != nil:
		case st.Mode().IsRegular():
			s.unread = append(s.unread, p)
		case st.Mode()&fs.ModeSymlink == 0:
			gone = append(gone, entry{absent, "", p}) // a pipe, or a nested repository without a commit, in a file's place
		}
	}
	return t.setEntries(ctx, s.index, gone)
}

// measure writes the tree and lists what changed. Loops' own entries are told apart.
func (t *Tree) measure(ctx context.Context, m Mark, s *snapshot) error {
	tree, err := t.writeTree(ctx, s.index)
	if err != nil {
		return err
	}
	s.tree = tree
	s.changes, err = t.diff(ctx, t.base(m), tree)
	return err
}

func (t *Tree) writeTree(ctx context.Context, index string) (string, error) {
	b, err := t.git(ctx, call{index: index}, "write-tree")
	return oid(b), err
}

// addForced adds what the agent's index tracks and git would ignore: it is a part of the change, and the agent's own commit
// must not lose it when ours comes on top.
func (t *Tree) addForced(ctx context.Context, m Mark, s *snapshot, real []Change) (bool, error) {
	known := map[string]bool{}
	for _, c := range s.changes {
		known[c.Path] = true
	}
	for _, c := range real {
		if c.was.mode == absent && c.is.mode != gitlink && !known[c.Path] && t.plain(c.Path) {
			s.forced = append(s.forced, c.Path)
		}
	}
	if len(s.forced) == 0 {
		return false, nil
	}
	_, err := t.git(ctx, call{index: s.index, stdin: joinZero(s.forced)}, "update-index", "--add", "--remove", "-z", "--stdin")
	return true, err
}

// plain tells whether a path is a file or symbolic link that is reached through real folders.
func (t *Tree) plain(p string) bool {
	st, err := os.Lstat(t.abs(p))
	if err != nil || !st.Mode().IsRegular() && st.Mode()&fs.ModeSymlink == 0 {
		return false
	}
	return t.realFolders(p)
}

// realFolders tells whether no folder above the path is a symbolic link.
func (t *Tree) realFolders(p string) bool {
	for i, r := range p {
		if r != '/' {
			continue
		}
		if st, err := os.Lstat(t.abs(p[:i])); err != nil || !st.IsDir() {
			return false
		}
	}
	return true
}

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

// measureAgain is measure for an index that was sorted out: the tree is written from a copy with the base's version of
// what loops own.
func (t *Tree) measureAgain(ctx context.Context, m Mark, s *snapshot) error {
	tree, err := t.treeWith(ctx, s.index, s.staged)
	if err != nil {
		return err
	}
	s.tree = tree
	s.changes, err = t.diff(ctx, t.base(m), tree)
	return err
}

// treeWith writes the tree of an index with some entries set otherwise; the index stays as it is.
func (t *Tree) treeWith(ctx context.Context, index string, entries []entry) (string, error) {
	if len(entries) == 0 {
		return t.writeTree(ctx, index)
	}
	other := t.private("other")
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
