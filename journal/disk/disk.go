// Package disk holds the only two ways in which loopd writes a file, Replace and Append, and the removal of a file that
// still says what was read. Each is one durable step: after nil the change survives a power loss, after an error the file
// is what it was, as far as the disk still lets itself be told so.
//
// What the bytes mean does not belong here, nor does any other way to write.
package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"loopd/journal"
)

// Disk writes files. The zero value is the real disk.
type Disk struct {
	// Fault is asked before every single operation, with the operation ("write", "fsync", "rename" …, the Op constants)
	// and the label of the write ("journal", "state" …). An error from it takes the place of the operation's own. It is
	// nil but in tests: faults are injected by labelled operation, as in superfly/litefs.
	Fault func(op, label string) error
}

// The operations that can fail, as Fault and the errors name them.
const (
	OpFolder      = "make folder"
	OpOpen        = "open"
	OpWrite       = "write"
	OpFsync       = "fsync"
	OpRename      = "rename"
	OpRemove      = "remove"
	OpFsyncFolder = "fsync folder"
	OpTruncate    = "truncate" // gives up what a failed or torn append left
)

// Error says which write failed, at which operation, and what the file holds now.
type Error struct {
	Op    string // one of the Op constants
	Label string
	Path  string
	After string // what became of the file: "it is unchanged"
	Err   error
}

func (e *Error) Error() string {
	return fmt.Sprintf("write %s: %s %s: %v; %s", e.Label, e.Op, e.Path, e.Err, e.After)
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// ErrChanged says that a file that was to be removed no longer holds what was read; it stays.
var ErrChanged = errors.New("the file was changed meanwhile")

// ErrNotRegular says that a folder, a pipe or a device stands in a file's place.
var ErrNotRegular = errors.New("not a regular file")

// Do carries out one rendered write. Removing a file that is gone, or that says something else by now, is no error: the
// newer text stays for the next iteration.
func (d Disk) Do(w journal.Write) error {
	switch w.Kind {
	case journal.WriteAppend:
		return d.Append(w.Label, w.Path, w.Data)
	case journal.WriteReplace:
		return d.Replace(w.Label, w.Path, w.Data)
	case journal.WriteRemove:
		if err := d.Remove(w.Label, w.Path, w.Data); !errors.Is(err, ErrChanged) {
			return err
		}
		return nil
	}
	return fmt.Errorf("write %s: kind %q of %s is unknown", w.Label, w.Kind, w.Path)
}

// step is one write under way: it asks for faults and words the errors.
type step struct {
	disk        Disk
	label, path string
}

func (s step) try(op, after string, do func() error) error {
	var err error
	if s.disk.Fault != nil {
		err = s.disk.Fault(op, s.label)
	}
	if err == nil {
		err = do()
	}
	if err == nil {
		return nil
	}
	var p *fs.PathError
	if errors.As(err, &p) && p.Op == "sync" && op == OpRename {
		op = OpFsync // a rename begins with the sync of what is renamed
	}
	return &Error{Op: op, Label: s.label, Path: s.path, After: after, Err: plain(err)}
}

// plain drops the path that the os package adds: the error names it already.
func plain(err error) error {
	var p *fs.PathError
	var l *os.LinkError
	switch {
	case errors.As(err, &p):
		return p.Err
	case errors.As(err, &l):
		return l.Err
	}
	return err
}

// folder makes the folder of a file where it is missing, and syncs what holds the new name.
func (s step) folder(dir string) error {
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		return nil // whatever else is wrong with it, opening the file says so
	}
	parent := filepath.Dir(dir)
	if parent != dir {
		if err := s.folder(parent); err != nil {
			return err
		}
	}
	const after = "nothing was written"
	if err := s.try(OpFolder, after, func() error { return os.Mkdir(dir, 0o755) }); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return s.try(OpFsyncFolder, after, func() error { return syncFolder(parent) })
}

// syncFolder makes a created, renamed or removed name durable. File systems without such a sync say EINVAL or ENOTSUP.
func syncFolder(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = f.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) {
		err = nil
	}
	return errors.Join(err, f.Close())
}

// target resolves the last component of a path: loop files may be symbolic links into a shared store, and the link must
// stay. A link to a file that does not exist yet names that file.
func target(path string) (string, error) {
	for range 40 {
		info, err := os.Lstat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return path, nil
		case err != nil:
			return "", err
		case info.Mode().IsRegular():
			return path, nil
		case info.Mode()&fs.ModeSymlink == 0:
			return "", ErrNotRegular
		}
		to, err := os.Readlink(path)
		if err != nil {
			return "", err
		}
		if !filepath.IsAbs(to) {
			dir, err := filepath.EvalSymlinks(filepath.Dir(path))
			if err != nil {
				return "", err
			}
			to = filepath.Join(dir, to)
		}
		path = to
	}
	return "", syscall.ELOOP
}
