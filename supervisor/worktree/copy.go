package worktree

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// copyFile writes what src holds to dst, with src's modification time, and gives the SHA-256 of it.
func copyFile(src *os.File, dst string) (sum string, err error) {
	st, err := src.Stat()
	if err != nil {
		return "", err
	}
	to, err := os.OpenFile(dst, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	_, err = io.Copy(io.MultiWriter(to, h), src)
	if err = errors.Join(err, to.Close()); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), os.Chtimes(dst, st.ModTime(), st.ModTime())
}

func copyPath(from, to string) (sum string, err error) {
	src, err := os.Open(from)
	if err != nil {
		return "", err
	}
	defer src.Close()
	return copyFile(src, to)
}

// sumOf gives the SHA-256 of a file, "" where there is none.
func sumOf(path string) (string, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", fmt.Errorf("read %s: %w", path, err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
