package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Append adds data at the end of the file in one write and syncs it; a new file gets 0644 less the umask and its folder
// is synced. Where the file does not end with a line end (a crash tore the last line, or an editor left it out), one is
// written first, so that data begins a line. After an error what was written is cut off again as far as that is possible,
// so that evidence that loopd reports as not written is not found later.
func (d Disk) Append(label, path string, data []byte) error {
	return d.extend(label, path, data, true)
}

func (d Disk) extend(label, path string, data []byte, wholeLine bool) error {
	const unchanged = "nothing was added"
	s := step{disk: d, label: label, path: path}
	var real string
	if err := s.try(OpOpen, unchanged, func() (err error) { real, err = target(path); return err }); err != nil {
		return err
	}
	s.path = real
	if err := s.folder(filepath.Dir(real)); err != nil {
		return err
	}
	_, err := os.Lstat(real)
	fresh := errors.Is(err, fs.ErrNotExist)
	var f *os.File
	err = s.try(OpOpen, unchanged, func() (err error) {
		f, err = os.OpenFile(real, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o644)
		return err
	})
	if err != nil {
		return err
	}
	defer f.Close()
	size, torn, err := lastLine(f)
	if err != nil {
		return &Error{Op: OpOpen, Label: label, Path: real, After: unchanged, Err: plain(err)}
	}
	if torn && wholeLine {
		data = append([]byte{'\n'}, data...)
	}
	if err := s.try(OpWrite, unchanged, func() error { _, err := f.Write(data); return err }); err != nil {
		return s.giveUp(f, size, err)
	}
	if err := s.try(OpFsync, unchanged, f.Sync); err != nil {
		return s.giveUp(f, size, err)
	}
	if !fresh {
		return nil
	}
	return s.try(OpFsyncFolder, "it was written, but a power loss may lose the new file", func() error { return syncFolder(filepath.Dir(real)) })
}

// lastLine gives the size of a file and whether its last line lacks a line end.
func lastLine(f *os.File) (size int64, torn bool, err error) {
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return 0, false, err
	}
	var last [1]byte
	if _, err := f.ReadAt(last[:], info.Size()-1); err != nil {
		return 0, false, err
	}
	return info.Size(), last[0] != '\n', nil
}

// giveUp cuts a file back to its size from before a failed append.
func (s step) giveUp(f *os.File, size int64, cause error) error {
	err := s.try(OpTruncate, "", func() error {
		info, err := f.Stat()
		if err != nil || info.Size() == size {
			return err
		}
		return errors.Join(f.Truncate(size), f.Sync())
	})
	var e *Error
	if err != nil && errors.As(cause, &e) {
		e.After = "a part of it may stand at the end of the file"
	}
	return cause
}
