package main

import (
	gobuild "go/build"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// importRules says which packages of this module a package may import. What is not listed may import none.
var importRules = map[string][]string{
	"loopd/cmd/loopd":           {"loopd/..."},
	"loopd/supervisor":          {"loopd/harness", "loopd/journal", "loopd/journal/disk", "loopd/signs", "loopd/supervisor/proc", "loopd/supervisor/worktree"},
	"loopd/journal/disk":        {"loopd/journal"},
	"loopd/journal/native":      {"loopd/journal", "loopd/journal/disk"},
	"loopd/journal/contract":    {"loopd/journal"},
	"loopd/journal/driver":      {"loopd/journal", "loopd/journal/native"}, // its memory has that format
	"loopd/journal/markdown":    {"loopd/journal", "loopd/journal/native"}, // its optional sections are the family's
	"loopd/journal/tracking":    {"loopd/journal"},
	"loopd/journal/all":         {"loopd/journal", "loopd/journal/contract", "loopd/journal/driver", "loopd/journal/markdown", "loopd/journal/native", "loopd/journal/tracking"},
	"loopd/journal/journaltest": {"loopd/journal", "loopd/journal/disk"},
	"loopd/harness/harnesstest": {"loopd/harness"},
	"loopd/scripts/benchmark":   {"loopd/..."},
}

func TestImportRules(t *testing.T) {
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		if name := d.Name(); path != root && (strings.HasPrefix(name, ".") && name != ".." || name == "testdata") {
			return filepath.SkipDir
		}
		pkg, err := gobuild.ImportDir(path, 0)
		if err != nil {
			return nil // a folder without Go
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		from := "loopd/" + filepath.ToSlash(rel)
		for _, imported := range pkg.Imports {
			if strings.HasPrefix(imported, "loopd/") && !allowed(importRules[from], imported) {
				t.Errorf("%s imports %s: that is not in the rules of this test", from, imported)
			}
			if imported == "os/exec" && from != "loopd/supervisor/proc" && from != "loopd/cmd/loopd" && !strings.HasPrefix(from, "loopd/scripts") {
				t.Errorf("%s imports os/exec: only supervisor/proc starts processes", from)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func allowed(rules []string, imported string) bool {
	for _, r := range rules {
		if r == imported || strings.HasSuffix(r, "/...") && strings.HasPrefix(imported, strings.TrimSuffix(r, "...")) {
			return true
		}
	}
	return false
}
