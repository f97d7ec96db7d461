package worktree

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// lockAge is how old a lock file must be to count as left over. A person's editor asks git for the status every few
// seconds and holds the index's lock for a moment; that is nobody's fault.
const lockAge = time.Second

// lockWait bounds the wait for fresh lock files; where they keep coming somebody is at work, and only old ones count.
const lockWait = 5 * time.Second

// housekeeping are the locks of `git gc`, which a commit starts in the background: they guard its log and its pid, no ref
// and no index, and may be held for minutes. One that a killed gc left is nobody's misdeed either.
var housekeeping = []string{"gc.log.lock", "gc.pid.lock"}

// locks gives git's lock files, absolute, old or new; those of its housekeeping are none.
func (t *Tree) locks() ([]string, error) {
	var out []string
	for _, dir := range unique([]string{t.gitDir, t.commonDir}) {
		found, err := filepath.Glob(filepath.Join(escapeGlob(dir), "*.lock"))
		if err != nil {
			return nil, fmt.Errorf("look for lock files: %w", err)
		}
		for _, l := range found {
			if !slices.Contains(housekeeping, filepath.Base(l)) {
				out = append(out, l)
			}
		}
		inRefs, err := t.walkRefs(dir, Refs{})
		if err != nil {
			return nil, err
		}
		out = append(out, inRefs...)
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

func escapeGlob(s string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(s)
}

// leftLocks gives the lock files that are not in had and that nobody holds: it waits for fresh ones to go away or to age.
func (t *Tree) leftLocks(had []string) ([]string, error) {
	for start := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		all, err := t.locks()
		if err != nil {
			return nil, err
		}
		var left []string
		fresh := false
		for _, l := range all {
			if slices.Contains(had, l) {
				continue
			}
			st, err := os.Lstat(l)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return nil, fmt.Errorf("look at lock file: %w", err)
			}
			// A time in the future is a clock that was set, or a touch: it would stay fresh.
			if age := time.Since(st.ModTime()); age >= 0 && age < lockAge {
				fresh = true
				continue
			}
			left = append(left, l)
		}
		if !fresh || time.Since(start) > lockWait {
			return left, nil
		}
	}
}

// inGit names a file of the git directory in a person's words.
func (t *Tree) inGit(p string) string {
	if rel, err := filepath.Rel(t.root, p); err == nil && !strings.HasPrefix(rel, "..") {
		return rel
	}
	return p
}
