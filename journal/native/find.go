package native

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"loopd/journal"
)

// Find lists .loop/*/LOOP.md under root, sorted by name. A symbolic link to a folder counts like the folder, unless it
// leads to one that is listed already. Names that nobody could type (journal.CheckName) are no loops.
func (Native) Find(root string) ([]journal.Ref, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return nil, fmt.Errorf("find loops: %w", err)
	}
	base := filepath.Join(root, folder)
	entries, err := os.ReadDir(base)
	if absent(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("find loops: %w", err)
	}
	// Real folders first: a link to one of them is a second name for it, not a second loop.
	slices.SortStableFunc(entries, func(a, b fs.DirEntry) int { return link(a) - link(b) })
	seen := map[string]bool{}
	var out []journal.Ref
	for _, e := range entries {
		dir := filepath.Join(base, e.Name())
		if journal.CheckName(e.Name()) != nil || !e.IsDir() && link(e) == 0 {
			continue
		}
		file := filepath.Join(dir, charterFile)
		if _, err := os.Lstat(file); absent(err) {
			continue
		} else if err != nil {
			return nil, fmt.Errorf("find loops in %s: %w", dir, err)
		}
		real, err := filepath.EvalSymlinks(dir)
		if err != nil {
			return nil, fmt.Errorf("find loops in %s: %w", dir, err)
		}
		if seen[real] {
			continue
		}
		seen[real] = true
		out = append(out, journal.Ref{Name: e.Name(), Dialect: Native{}.Name(), Root: root, Dir: dir, File: file})
	}
	slices.SortFunc(out, func(a, b journal.Ref) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}

func link(e fs.DirEntry) int {
	if e.Type()&fs.ModeSymlink != 0 {
		return 1
	}
	return 0
}

// absent: no such file, or a file where a folder would have to be.
func absent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}
