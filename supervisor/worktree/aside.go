package worktree

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// unbend puts the rule files of the git directory back. The agent's (or a person's) version is kept beside.
func (t *Tree) unbend(m Mark) error {
	bent, err := t.bent(m)
	if err != nil {
		return err
	}
	for _, r := range bent {
		p := t.rulePlace(r.Name)
		if _, err := t.moveAside(p, r.Name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if !r.Exists {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			return fmt.Errorf("put back %s: %w", r.Name, err)
		}
		if err := os.WriteFile(p+".loopd", r.Data, 0o644); err != nil {
			return fmt.Errorf("put back %s: %w", r.Name, err)
		}
		if err := os.Rename(p+".loopd", p); err != nil {
			return fmt.Errorf("put back %s: %w", r.Name, err)
		}
	}
	return nil
}

// moveAside moves something out of the way without losing it: to loopd's folder under the git directory.
func (t *Tree) moveAside(from, name string) (string, error) {
	if _, err := os.Lstat(from); err != nil {
		return "", err
	}
	dir := filepath.Join(t.gitDir, "loopd", "aside")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("move %s aside: %w", name, err)
	}
	flat := strings.ReplaceAll(name, "/", "!")
	for n := 1; ; n++ {
		to := filepath.Join(dir, fmt.Sprintf("%d-%s", n, flat))
		if _, err := os.Lstat(to); err == nil {
			continue
		}
		if err := os.Rename(from, to); err != nil {
			return "", fmt.Errorf("move %s aside: %w", name, err)
		}
		return to, nil
	}
}
