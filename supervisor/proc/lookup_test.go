package proc

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// One way to find a program for whoever starts it and for whoever only says whether it is here.
func TestFind(t *testing.T) {
	dir := t.TempDir()
	for name, mode := range map[string]fs.FileMode{"tool": 0o755, "data": 0o644} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"), mode); err != nil {
			t.Fatal(err)
		}
	}
	env := []string{"PATH=relative:" + dir + ":"}
	cases := []struct {
		file, want string
		kind       error
	}{
		{"tool", filepath.Join(dir, "tool"), nil},
		{"./tool", filepath.Join(dir, "tool"), nil},
		{filepath.Join(dir, "tool"), filepath.Join(dir, "tool"), nil},
		{"data", "data is on PATH and not executable", fs.ErrPermission},
		{"./data", filepath.Join(dir, "data") + " is not executable", fs.ErrPermission},
		{"nothing", "nothing is not on PATH", ErrNotFound},
		{"./nothing", filepath.Join(dir, "nothing") + " is no program", ErrNotFound},
		{".", ". is not on PATH", ErrNotFound},
		{"./", dir + " is no program", ErrNotFound},
		{"", " is not on PATH", ErrNotFound},
	}
	for _, c := range cases {
		got, err := Find(c.file, dir, env)
		if c.kind != nil {
			if !errors.Is(err, c.kind) || err.Error() != c.want {
				t.Errorf("%q: got %v, want %s", c.file, err, c.want)
			}
		} else if err != nil || got != c.want {
			t.Errorf("%q: got %q, %v", c.file, got, err)
		}
	}
}
