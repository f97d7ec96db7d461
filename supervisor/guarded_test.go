package supervisor

import (
	"os"
	"path/filepath"
	"testing"
)

func TestGuardedFiles(t *testing.T) {
	write := func(t *testing.T, path, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cases := []struct {
		name string
		do   func(path string) error
		what string // "" where nothing is wrong
	}{
		{"rewritten", func(p string) error { return os.WriteFile(p, []byte("mine"), 0o644) }, "changed"},
		{"rewritten with what it held", func(p string) error { return os.WriteFile(p, []byte("theirs"), 0o644) }, ""},
		{"same size, times set back", func(p string) error {
			st, err := os.Stat(p)
			if err != nil {
				return err
			}
			if err := os.WriteFile(p, []byte("THEIRS"), 0o644); err != nil {
				return err
			}
			return os.Chtimes(p, st.ModTime(), st.ModTime())
		}, "changed"},
		{"removed", os.Remove, "removed"},
		{"its folder removed", func(p string) error { return os.RemoveAll(filepath.Dir(p)) }, "removed"},
		{"mode changed", func(p string) error { return os.Chmod(p, 0o755) }, "changed"},
		{"replaced by a link", func(p string) error { return os.Rename(p, p+".old") }, "removed"},
		{"replaced by a symbolic link", func(p string) error {
			if err := os.Remove(p); err != nil {
				return err
			}
			return os.Symlink("/etc/passwd", p)
		}, "changed"},
		{"replaced by a folder", func(p string) error {
			if err := os.Remove(p); err != nil {
				return err
			}
			return os.MkdirAll(filepath.Join(p, "deep"), 0o755)
		}, "changed"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "loop", "LOOP.md")
			write(t, path, "theirs")
			store := t.TempDir()
			g := openGuarded(store)
			if err := g.pin([]string{path}); err != nil {
				t.Fatal(err)
			}
			if err := c.do(path); err != nil {
				t.Fatal(err)
			}
			g = openGuarded(store) // as recovery in another process does
			all, err := g.compare()
			if err != nil {
				t.Fatal(err)
			}
			if c.what == "" {
				if len(all) != 0 {
					t.Fatalf("found %v", all)
				}
				return
			}
			if len(all) != 1 || all[0].What != c.what {
				t.Fatalf("found %v, want one that is %s", all, c.what)
			}
			if err := g.restore(all[0], filepath.Join(store, "rejected")); err != nil {
				t.Fatal(err)
			}
			b, err := os.ReadFile(path)
			if err != nil || string(b) != "theirs" {
				t.Fatalf("put back as %q, %v", b, err)
			}
			st, err := os.Lstat(path)
			if err != nil || st.Mode() != 0o644 {
				t.Fatalf("put back with mode %v, %v", st.Mode(), err)
			}
			if all, err := g.compare(); err != nil || len(all) != 0 {
				t.Fatalf("after the put-back: %v, %v", all, err)
			}
		})
	}
}

func TestGuardedAppearance(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "pre-commit")
	g := openGuarded(t.TempDir())
	if err := g.pin([]string{path}); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	all, err := g.compare()
	if err != nil || len(all) != 1 || all[0].What != "created" {
		t.Fatalf("found %v, %v", all, err)
	}
	rejected := filepath.Join(dir, "rejected")
	if err := g.restore(all[0], rejected); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(path); !os.IsNotExist(err) {
		t.Fatalf("the planted hook is still there: %v", err)
	}
	if kept, err := os.ReadDir(rejected); err != nil || len(kept) != 1 {
		t.Fatalf("what was planted is not kept: %v, %v", kept, err)
	}
}

// loopd's own append keeps the copy in step without reading the file again; somebody else's does not.
func TestGuardedAppend(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.md")
	if err := os.WriteFile(path, []byte("one\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	g := openGuarded(t.TempDir())
	if err := g.pin([]string{path}); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("two\n"); err != nil {
		t.Fatal(err)
	}
	f.Close()
	g.appended(path, []byte("two\n"))
	if all, err := g.compare(); err != nil || len(all) != 0 {
		t.Fatalf("found %v, %v", all, err)
	}
	if err := os.WriteFile(path, []byte("gone\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	all, err := g.compare()
	if err != nil || len(all) != 1 {
		t.Fatalf("found %v, %v", all, err)
	}
	if err := g.restore(all[0], t.TempDir()); err != nil {
		t.Fatal(err)
	}
	if b, _ := os.ReadFile(path); string(b) != "one\ntwo\n" {
		t.Fatalf("put back as %q", b)
	}
}
