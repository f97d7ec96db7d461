package worktree

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"
)

// lockPatience is how long we wait for a person's git to let go of the index.
const lockPatience = 3 * time.Second

// install moves a private index into the place of the real one, under git's own lock.
func (t *Tree) install(index string) error {
	if err := t.installed(index); err != nil {
		return fmt.Errorf("put index in place: %w", err)
	}
	return nil
}

func (t *Tree) installed(index string) error {
	f, err := os.Open(index)
	if err != nil {
		return err
	}
	// A torn index after a power loss would stop every git command of the person.
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return err
	}
	// Killed between the rename and the removal: both names are one file, and a rename would do nothing.
	if sameFile(index, t.realIndex()) {
		return os.Remove(index)
	}
	lock := t.realIndex() + ".lock"
	if err := takeLock(index, lock); err != nil {
		return err
	}
	if err := os.Rename(lock, t.realIndex()); err != nil {
		return errors.Join(err, os.Remove(lock))
	}
	return os.Remove(index)
}

// takeLock makes the lock file with the content of the index.
func takeLock(index, lock string) error {
	for start := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		// A link fails where the lock exists: it takes the lock and fills it in one step.
		err := os.Link(index, lock)
		switch {
		case err == nil:
			return nil
		case !errors.Is(err, fs.ErrExist):
			return copyLock(index, lock) // a file system without links
		case sameFile(index, lock):
			return nil // ours: an earlier run was killed here
		case time.Since(start) > lockPatience:
			return fmt.Errorf("%s is held by another git, or left over: %w", lock, err)
		}
	}
}

func copyLock(index, lock string) error {
	f, err := os.OpenFile(lock, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if _, err := copyPath(index, lock); err != nil {
		return errors.Join(err, os.Remove(lock))
	}
	return nil
}

func sameFile(a, b string) bool {
	x, err1 := os.Stat(a)
	y, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(x, y)
}
