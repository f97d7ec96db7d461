package disk

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"
)

// Replace makes the file say data, atomically: a temporary file in the same folder is written, synced and renamed, then
// the folder is synced. A reader, and a crash at any instant, sees the old bytes or the new ones. The mode of an existing
// file is kept, a new one gets 0644 less the umask; a symbolic link is followed and stays.
func (d Disk) Replace(label, path string, data []byte) error {
	const unchanged = "it is unchanged"
	s := step{disk: d, label: label, path: path}
	var real string
	err := s.try(OpOpen, unchanged, func() (err error) { real, err = target(path); return err })
	if err != nil {
		return err
	}
	s.path = real
	dir := filepath.Dir(real)
	if err := s.folder(dir); err != nil {
		return err
	}
	var tmp *renameio.PendingFile
	err = s.try(OpOpen, unchanged, func() (err error) {
		tmp, err = renameio.NewPendingFile(real, renameio.WithTempDir(dir), renameio.WithPermissions(0o644), renameio.WithExistingPermissions())
		return err
	})
	if err != nil {
		return err
	}
	// After a successful rename this does nothing.
	defer tmp.Cleanup()
	if err := s.try(OpWrite, unchanged, func() error { _, err := tmp.Write(data); return err }); err != nil {
		return err
	}
	// The sync itself is the first thing that CloseAtomicallyReplace does: one fsync, not two.
	if err := s.try(OpFsync, unchanged, func() error { return nil }); err != nil {
		return err
	}
	if err := s.try(OpRename, unchanged, tmp.CloseAtomicallyReplace); err != nil {
		return err
	}
	return s.try(OpFsyncFolder, "it was replaced, but a power loss may bring the old bytes back", func() error { return syncFolder(dir) })
}

// Remove deletes a file that still holds exactly held, and syncs the folder. A file that is gone already is fine; one
// that says something else stays, with ErrChanged.
func (d Disk) Remove(label, path string, held []byte) error {
	const stays = "it stays"
	s := step{disk: d, label: label, path: path}
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	err := s.try(OpOpen, stays, func() error {
		if _, err := target(path); err != nil {
			return err
		}
		now, err := os.ReadFile(path)
		if err == nil && !bytes.Equal(now, held) {
			err = ErrChanged
		}
		return err
	})
	if err != nil {
		return err
	}
	if err := s.try(OpRemove, stays, func() error { return os.Remove(path) }); err != nil {
		return err
	}
	return s.try(OpFsyncFolder, "it was removed, but a power loss may bring it back", func() error { return syncFolder(filepath.Dir(path)) })
}
