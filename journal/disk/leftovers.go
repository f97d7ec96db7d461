package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Leftovers removes what a killed Replace of the file left beside it: its temporary files. Nobody else may be writing the
// file.
func Leftovers(path string) error {
	real, err := target(path)
	if err != nil {
		return nil // the write says so
	}
	entries, err := os.ReadDir(filepath.Dir(real))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look for leftovers of %s: %w", path, plain(err))
	}
	for _, e := range entries {
		digits, ok := strings.CutPrefix(e.Name(), "."+filepath.Base(real))
		if !ok || len(digits) < 5 || strings.Trim(digits, "0123456789") != "" || !e.Type().IsRegular() {
			continue
		}
		if err := os.Remove(filepath.Join(filepath.Dir(real), e.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove leftover of %s: %w", path, plain(err))
		}
	}
	return nil
}
