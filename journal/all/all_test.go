package all

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"loopd/journal"
	"loopd/journal/native"
)

// twin is the native dialect under another name, in a root of its own: two dialects with one loop name.
type twin struct {
	native.Native
	name, root string
}

func (d twin) Name() string { return d.name }

func (d twin) Find(string) ([]journal.Ref, error) {
	refs, err := d.Native.Find(d.root)
	for i := range refs {
		refs[i].Dialect = d.name
	}
	return refs, err
}

func rootWith(t *testing.T, names ...string) string {
	t.Helper()
	root := t.TempDir()
	for _, n := range names {
		dir := filepath.Join(root, ".loop", n)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "LOOP.md"), []byte("# Loop: "+n+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestFind(t *testing.T) {
	root := rootWith(t, "kaizen", "triage", "coverage")
	ref, err := Find(root, "kaizen", "")
	if err != nil || ref.Name != "kaizen" || ref.Dialect != "native" || ref.File != filepath.Join(root, ".loop/kaizen/LOOP.md") {
		t.Fatalf("%+v, %v", ref, err)
	}
	if again, err := Find(root, "kaizen", "native"); err != nil || again != ref {
		t.Fatalf("%+v, %v", again, err)
	}
	for _, c := range []struct {
		name, dialect string
		kind          error
		says          []string
	}{
		{"kaizne", "", ErrUnknown, []string{`"kaizne"`, "did you mean kaizen?", root}},
		{"KAIZEN", "", ErrUnknown, []string{"did you mean kaizen?"}},
		{"qqqqqqqq", "", ErrUnknown, []string{"there is coverage, kaizen, triage"}},
		{"kaizen", "nativ", ErrDialect, []string{"did you mean native?"}},
		{"kaizen", "yaml", ErrDialect, []string{"there is contract, driver, markdown, native, tracking"}},
		{"", "", ErrName, nil},
		{"a/b", "", ErrName, []string{"slash"}},
		{"..", "", ErrName, []string{"dot"}},
		{".git", "", ErrName, []string{"dot"}},
		{"-rf", "", ErrName, []string{"dash"}},
		{"a\nb", "", ErrName, nil},
	} {
		_, err := Find(root, c.name, c.dialect)
		if !errors.Is(err, c.kind) {
			t.Errorf("%q %q: %v, want %v", c.name, c.dialect, err, c.kind)
			continue
		}
		for _, s := range c.says {
			if !strings.Contains(err.Error(), s) {
				t.Errorf("%q lacks %q", err, s)
			}
		}
	}
	empty := t.TempDir()
	if _, err := Find(empty, "kaizen", ""); !errors.Is(err, ErrUnknown) || !strings.Contains(err.Error(), "loopd init kaizen") {
		t.Errorf("no loops at all: %v", err)
	}
}

func TestOneNameInTwoDialects(t *testing.T) {
	first, second := rootWith(t, "k"), rootWith(t, "k", "solo")
	dialects := []journal.Dialect{native.Native{}, twin{name: "markdown", root: second}}
	_, err := find(dialects, first, "k", "")
	if !errors.Is(err, ErrAmbiguous) {
		t.Fatal(err)
	}
	for _, s := range []string{first, second, "--dialect native", "--dialect markdown"} {
		if !strings.Contains(err.Error(), s) {
			t.Errorf("%q lacks %q", err, s)
		}
	}
	if ref, err := find(dialects, first, "k", "markdown"); err != nil || ref.Dialect != "markdown" {
		t.Errorf("%+v, %v", ref, err)
	}
	if ref, err := find(dialects, first, "solo", ""); err != nil || ref.Dialect != "markdown" {
		t.Errorf("%+v, %v", ref, err)
	}
	// A charter beside a skill of the same name is one native loop.
	dialects[1] = twin{name: "driver", root: second}
	if ref, err := find(dialects, first, "k", ""); err != nil || ref.Dialect != "native" {
		t.Errorf("%+v, %v", ref, err)
	}
}

func TestDiskErrorIsNoUsageError(t *testing.T) {
	root := rootWith(t, "k")
	if err := os.Symlink("self", filepath.Join(root, ".loop", "self")); err != nil {
		t.Fatal(err)
	}
	_, err := Find(root, "k", "")
	if err == nil || errors.Is(err, ErrUnknown) || !strings.Contains(err.Error(), "self") {
		t.Errorf("%v, want an error that names the folder", err)
	}
}

func TestDialectNamesDiffer(t *testing.T) {
	seen := map[string]bool{}
	for _, d := range All() {
		if d.Name() == "" || seen[d.Name()] {
			t.Errorf("dialect %q stands in the list twice", d.Name())
		}
		seen[d.Name()] = true
	}
	if !seen["native"] {
		t.Error("native is not in the list")
	}
}
