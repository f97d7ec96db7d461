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

// switchFiles goes from the snapshot to the base as `git checkout` goes from one commit to another: only what differs is
// written or deleted, each file is compared with the snapshot first, and no symbolic link is followed.
func (t *Tree) switchFiles(ctx context.Context, m Mark, w whole) error {
	gone := make([]entry, 0, len(w.stay))
	for _, p := range w.stay {
		gone = append(gone, entry{absent, "", p})
	}
	if err := t.setEntries(ctx, w.index, gone); err != nil {
		return err
	}
	from, err := t.writeTree(ctx, w.index)
	if err != nil {
		return err
	}
	to := t.base(m)
	if len(w.staged) > 0 {
		// What loops own keeps its entries, so that it is no difference and stays untouched.
		back := make([]entry, 0, len(w.changes))
		for _, c := range w.changes {
			back = append(back, c.was)
		}
		if to, err = t.treeWith(ctx, w.index, back); err != nil {
			return err
		}
	}
	changes, err := t.diff(ctx, from, to)
	if err != nil {
		return err
	}
	modes := t.modes(changes)
	if err := t.clearWay(changes); err != nil {
		return err
	}
	args := []string{"read-tree", "-m", "-u", from, to}
	out, err := t.ask(ctx, call{index: w.index}, args...)
	if err != nil {
		return err
	}
	if out.Exit != 0 {
		if s := string(out.Stderr); strings.Contains(s, "not uptodate") || strings.Contains(s, "would be overwritten") || strings.Contains(s, "would be removed") {
			return fmt.Errorf("%w: %w", errMoved, failed(args, out))
		}
		return failed(args, out)
	}
	return t.putModes(modes)
}

// modes remembers the permissions of files that will be written anew: git keeps the executable bit alone.
func (t *Tree) modes(changes []Change) map[string]fs.FileMode {
	out := map[string]fs.FileMode{}
	for _, c := range changes {
		if !strings.HasPrefix(c.was.mode, "100") || !strings.HasPrefix(c.is.mode, "100") {
			continue
		}
		st, err := os.Lstat(t.abs(c.Path))
		if err != nil || !st.Mode().IsRegular() {
			continue
		}
		perm := st.Mode().Perm()
		switch {
		case c.was.mode == c.is.mode:
		case c.is.mode == "100755":
			perm |= (perm & 0o444) >> 2
		default:
			perm &^= 0o111
		}
		out[c.Path] = perm
	}
	return out
}

func (t *Tree) putModes(modes map[string]fs.FileMode) error {
	for p, perm := range modes {
		if !t.plain(p) {
			continue
		}
		if st, err := os.Lstat(t.abs(p)); err == nil && st.Mode().IsRegular() && st.Mode().Perm() != perm {
			if err := os.Chmod(t.abs(p), perm); err != nil {
				return fmt.Errorf("put permissions back: %w", err)
			}
		}
	}
	return nil
}

// clearWay moves aside what stands where a file of the base belongs and is not in the snapshot: ignored files, devices,
// nested repositories. git would refuse, or delete ignored files without a word.
func (t *Tree) clearWay(changes []Change) error {
	from := map[string]bool{} // in the snapshot: git removes these itself
	under := map[string]bool{}
	for _, c := range changes {
		if c.was.mode != absent {
			from[c.Path] = true
			for i, r := range c.Path {
				if r == '/' {
					under[c.Path[:i]] = true
				}
			}
		}
	}
	for _, c := range changes {
		if err := t.openFolders(c.Path); err != nil {
			return err
		}
		if c.is.mode == absent || c.is.mode == gitlink {
			continue
		}
		blocked := ""
		for i, r := range c.Path {
			if r != '/' {
				continue
			}
			st, err := os.Lstat(t.abs(c.Path[:i]))
			if err != nil {
				break // nothing is there, nor below
			}
			if !st.IsDir() {
				if !from[c.Path[:i]] {
					blocked = c.Path[:i]
				}
				break
			}
		}
		if blocked == "" && t.realFolders(c.Path) {
			st, err := os.Lstat(t.abs(c.Path))
			switch {
			case err != nil:
			case st.IsDir():
				if !from[c.Path] && t.holdsMore(c.Path, from, under) {
					blocked = c.Path
				}
			case !from[c.Path]:
				blocked = c.Path
			}
		}
		if blocked == "" {
			continue
		}
		if _, err := t.moveAside(t.abs(blocked), blocked); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// holdsMore tells whether a folder holds anything that is not in the snapshot.
func (t *Tree) holdsMore(dir string, from, under map[string]bool) bool {
	if !under[dir] {
		return true
	}
	more := false
	_ = filepath.WalkDir(t.abs(dir), func(p string, d fs.DirEntry, err error) error {
		rel, relErr := filepath.Rel(t.root, p)
		if err != nil || relErr != nil || !d.IsDir() && !from[filepath.ToSlash(rel)] {
			more = true
			return fs.SkipAll
		}
		return nil
	})
	return more
}

// openFolders makes the folders above a path writable again for their owner, where an agent closed them.
func (t *Tree) openFolders(p string) error {
	for i, r := range p {
		if r != '/' {
			continue
		}
		st, err := os.Lstat(t.abs(p[:i]))
		if err != nil || !st.IsDir() {
			return nil
		}
		if st.Mode().Perm()&0o300 != 0o300 {
			if err := os.Chmod(t.abs(p[:i]), st.Mode().Perm()|0o700); err != nil {
				return fmt.Errorf("open folder: %w", err)
			}
		}
	}
	return nil
}
