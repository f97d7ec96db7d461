package worktree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"
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
	huge   []string // what was moved aside, in a person's words
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
	if err := t.addInTime(ctx, m, &s); err != nil {
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

// agentIndex looks at the real index where it is not the one of the Mark: what does it track that the base does not?
func (t *Tree) agentIndex(ctx context.Context, m Mark, s *snapshot) ([]Change, error) {
	sum, err := sumOf(t.realIndex())
	if err != nil {
		return nil, fmt.Errorf("read index: %w", err)
	}
	if sum == m.IndexSum {
		return nil, nil
	}
	if l := t.looked; l == nil || l.taken != m.Taken || l.sum != sum {
		l := &agentLook{taken: m.Taken, sum: sum}
		if l.changes, err = t.readAgentIndex(ctx, m, &l.snapshot); err != nil {
			return nil, err
		}
		t.looked = l
	}
	l := t.looked.snapshot
	s.unmerged, s.damaged, s.touched = l.unmerged, l.damaged, l.touched
	return t.looked.changes, nil
}

// agentLook is what was found in a real index of that content.
type agentLook struct {
	taken    int64 // of the Mark
	sum      string
	snapshot snapshot
	changes  []Change
}

func (t *Tree) readAgentIndex(ctx context.Context, m Mark, s *snapshot) ([]Change, error) {
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

// addAll brings everything that is not ignored into the private index. What git cannot add is named and left out. limit
// bounds git's time; 0 is the Runner's.
func (t *Tree) addAll(ctx context.Context, m Mark, s *snapshot, limit time.Duration) error {
	args := append([]string{"add", "--all", "--sparse", "--ignore-errors"}, left(m.Owned)...)
	out, err := t.ask(ctx, call{index: s.index, limit: limit}, args...)
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
