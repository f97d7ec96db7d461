package worktree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"
)

// ErrSlow is the error of a Runner for a command that reached its limit and was ended.
var ErrSlow = errors.New("ended at its limit")

const (
	// slowAdd is how long git may read what changed before somebody asks why. On 50,000 files it takes under a second.
	slowAdd = 10 * time.Second
	// hugeFile is the size, in bytes, from which a file is in the way then: git reads it whole, compresses it, and keeps it
	// for ever. No forge takes a file of half that size.
	hugeFile = 256 << 20
)

// addInTime is addAll, within limits: what a huge file costs is not known before. Where git takes too long the huge files
// among the changes are moved aside, which costs nothing and loses nothing, and are told.
func (t *Tree) addInTime(ctx context.Context, m Mark, s *snapshot) error {
	err := t.addAll(ctx, m, s, slowAdd)
	if !errors.Is(err, ErrSlow) {
		return err
	}
	// The ended git left its lock on an index that is nobody's but ours.
	if err := os.Remove(s.index + ".lock"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove the lock of an ended git: %w", err)
	}
	if err := t.seedIndex(ctx, m, s.index); err != nil {
		return err
	}
	list := append([]string{"ls-files", "--others", "--modified", "--exclude-standard", "-z"}, left(m.Owned)...)
	b, err := t.git(ctx, call{index: s.index}, list...)
	if err != nil {
		return err
	}
	for _, p := range unique(zero(b)) {
		info, err := os.Lstat(t.abs(p))
		if err != nil || !info.Mode().IsRegular() || info.Size() < hugeFile || !t.realFolders(p) {
			continue
		}
		to, err := t.moveAside(t.abs(p), p)
		if err != nil {
			return err
		}
		s.huge = append(s.huge, fmt.Sprintf("%s has %d MB, which git cannot hold: it was moved to %s", shown(p), info.Size()>>20, to))
	}
	return t.addAll(ctx, m, s, 0)
}
