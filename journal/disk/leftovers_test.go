package disk

import (
	"os"
	"path/filepath"
	"testing"
)

func TestLeftovers(t *testing.T) {
	dir := t.TempDir()
	keep := []string{"state.json", ".state.json", ".state.json1234", ".state.jsonx12345", ".state.json12345x", ".other12345", "state.json12345"}
	for _, name := range append([]string{".state.json5254134895487429158"}, keep...) {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		if err := Leftovers(filepath.Join(dir, "state.json")); err != nil {
			t.Fatal(err)
		}
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != len(keep) {
		t.Errorf("%v, %v; want %v", left, err, keep)
	}
	if err := Leftovers(filepath.Join(dir, "none", "state.json")); err != nil {
		t.Error(err)
	}
}
