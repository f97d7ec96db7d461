package worktree

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// mendHead writes HEAD again as it was at the Mark where an agent deleted or spoilt it (`git update-ref -d HEAD` on a
// detached HEAD does): without it git takes the folder for no repository at all. It says so; "" where HEAD is sound. The
// commit that HEAD was on last is kept under refs/loopd/dropped where the reflog is still there.
func (t *Tree) mendHead(ctx context.Context, m Mark) (string, error) {
	if t.tables() {
		return "", nil // there HEAD is in the tables too
	}
	file := filepath.Join(t.gitDir, "HEAD")
	b, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("read HEAD: %w", err)
	}
	text := strings.TrimSpace(string(b))
	if isOID(text) || strings.HasPrefix(text, "ref: refs/") || strings.HasPrefix(text, "ref:\trefs/") {
		return "", nil
	}
	what := "HEAD was damaged"
	if err != nil {
		what = "HEAD was deleted"
	}
	was := m.Head.OID
	if m.Head.Branch != "" {
		was = "ref: " + m.Head.Branch
	}
	if err := os.WriteFile(file+".loopd", []byte(was+"\n"), 0o644); err != nil {
		return "", fmt.Errorf("put HEAD back: %w", err)
	}
	if err := os.Rename(file+".loopd", file); err != nil {
		return "", fmt.Errorf("put HEAD back: %w", err)
	}
	if last := t.lastHead(); last != "" {
		found, err := t.commits(ctx, []string{last})
		if err != nil {
			return "", err
		}
		for _, at := range found {
			if _, err := t.git(ctx, call{env: loopdIdentity}, "update-ref", droppedRefs+at, at); err != nil {
				return "", fmt.Errorf("keep what HEAD was on: %w", err)
			}
		}
	}
	return what, nil
}

// lastHead gives the last commit that HEAD's reflog names.
func (t *Tree) lastHead() string {
	b, err := os.ReadFile(filepath.Join(t.gitDir, "logs", "HEAD"))
	if err != nil {
		return "" // reflogs are off
	}
	last := ""
	for line := range bytes.Lines(b) {
		// Old and new value stand first.
		f := strings.Fields(string(line))
		for _, at := range f[:min(2, len(f))] {
			if isOID(at) && at != t.none() {
				last = at
			}
		}
	}
	return last
}
