package disk

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"loopd/journal"
	"pgregory.net/rapid"
)

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func want(t *testing.T, path, text string) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil || string(b) != text {
		t.Fatalf("%s holds %q (%v), want %q", path, b, err, text)
	}
}

func onlyFiles(t *testing.T, dir string, names ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if !slices.Equal(got, names) {
		t.Fatalf("%s holds %q, want %q", dir, got, names)
	}
}

func TestReplaceKeepsModeAndFollowsLinks(t *testing.T) {
	dir := t.TempDir()
	file, store := filepath.Join(dir, "state.json"), filepath.Join(dir, "store")
	if err := os.Mkdir(store, 0o755); err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(store, "real"), "old")
	if err := os.Chmod(filepath.Join(store, "real"), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("store/real", file); err != nil {
		t.Fatal(err)
	}
	if err := (Disk{}).Replace("state", file, []byte("new")); err != nil {
		t.Fatal(err)
	}
	want(t, filepath.Join(store, "real"), "new")
	if to, err := os.Readlink(file); err != nil || to != "store/real" {
		t.Fatalf("the link is now %q, %v", to, err)
	}
	info, _ := os.Stat(filepath.Join(store, "real"))
	if info.Mode().Perm() != 0o640 {
		t.Fatalf("mode is %v, want 0640", info.Mode().Perm())
	}
	onlyFiles(t, store, "real")
}

func TestDanglingLinkNamesTheNewFile(t *testing.T) {
	dir := t.TempDir()
	link := filepath.Join(dir, "journal.md")
	if err := os.Symlink("deep/real.md", link); err != nil {
		t.Fatal(err)
	}
	for _, w := range []journal.Write{
		{Label: "journal", Path: link, Kind: journal.WriteAppend, Data: []byte("a\n")},
		{Label: "journal", Path: link, Kind: journal.WriteReplace, Data: []byte("b\n")},
	} {
		if err := (Disk{}).Do(w); err != nil {
			t.Fatal(err)
		}
		want(t, filepath.Join(dir, "deep/real.md"), string(w.Data))
	}
}

func TestNewFilesAndFolders(t *testing.T) {
	old := syscall.Umask(0o022)
	defer syscall.Umask(old)
	for name, write := range map[string]func(string) error{
		"append":  func(p string) error { return Disk{}.Append("journal", p, []byte("x\n")) },
		"replace": func(p string) error { return Disk{}.Replace("state", p, []byte("x\n")) },
	} {
		file := filepath.Join(t.TempDir(), "a", "b", name)
		if err := write(file); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(file)
		if err != nil || info.Mode().Perm() != 0o644 {
			t.Fatalf("%s: mode %v, %v", name, info.Mode(), err)
		}
		want(t, file, "x\n")
	}
}

func TestAppendCompletesATornLine(t *testing.T) {
	for _, c := range []struct{ had, want string }{
		{"", "new\n"},
		{"old\n", "old\nnew\n"},
		{"old", "old\nnew\n"},
		{"old\r\n", "old\r\nnew\n"},
		{"\n", "\nnew\n"},
	} {
		file := filepath.Join(t.TempDir(), "journal.md")
		put(t, file, c.had)
		if err := (Disk{}).Append("journal", file, []byte("new\n")); err != nil {
			t.Fatal(err)
		}
		want(t, file, c.want)
	}
}

func TestRemoveOnlyWhatStillSaysTheSame(t *testing.T) {
	file := filepath.Join(t.TempDir(), "STEER.md")
	put(t, file, "newer")
	if err := (Disk{}).Remove("steer", file, []byte("older")); !errors.Is(err, ErrChanged) {
		t.Fatalf("got %v, want ErrChanged", err)
	}
	w := journal.Write{Label: "steer", Path: file, Kind: journal.WriteRemove, Data: []byte("older")}
	if err := (Disk{}).Do(w); err != nil {
		t.Fatal(err)
	}
	want(t, file, "newer")
	w.Data = []byte("newer")
	for range 2 { // the second time it is gone already
		if err := (Disk{}).Do(w); err != nil {
			t.Fatal(err)
		}
	}
	onlyFiles(t, filepath.Dir(file))
}

// A pipe in a file's place must not block, a folder must not be written into.
func TestNotRegular(t *testing.T) {
	dir := t.TempDir()
	pipe, folder := filepath.Join(dir, "pipe"), filepath.Join(dir, "folder")
	if err := syscall.Mkfifo(pipe, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, p := range []string{pipe, folder} {
		for _, k := range []journal.WriteKind{journal.WriteAppend, journal.WriteReplace, journal.WriteRemove} {
			err := Disk{}.Do(journal.Write{Label: "journal", Path: p, Kind: k, Data: []byte("x")})
			if !errors.Is(err, ErrNotRegular) || !strings.Contains(err.Error(), p) {
				t.Errorf("%s of %s: %v", k, p, err)
			}
		}
	}
	if err := os.Symlink("loop", filepath.Join(dir, "loop")); err != nil {
		t.Fatal(err)
	}
	if err := (Disk{}).Append("journal", filepath.Join(dir, "loop"), nil); !errors.Is(err, syscall.ELOOP) {
		t.Errorf("a link to itself: %v", err)
	}
	if err := (Disk{}).Do(journal.Write{Kind: "burn", Path: pipe}); err == nil {
		t.Error("an unknown kind was done")
	}
}

// Every operation of every write can fail; the file is then what it was, the error names label, operation and file, and
// no temporary file stays.
func TestFaultAtEveryOperation(t *testing.T) {
	kinds := map[journal.WriteKind][]string{
		journal.WriteAppend:  {OpOpen, OpWrite, OpFsync},
		journal.WriteReplace: {OpOpen, OpWrite, OpFsync, OpRename},
		journal.WriteRemove:  {OpOpen, OpRemove},
	}
	for kind, ops := range kinds {
		for _, op := range ops {
			for _, cause := range []error{syscall.ENOSPC, syscall.EIO, syscall.EROFS} {
				file := filepath.Join(t.TempDir(), "f")
				put(t, file, "old\n")
				hit := false
				d := Disk{Fault: func(o, label string) error {
					if o == op && label == "state" {
						hit = true
						return cause
					}
					return nil
				}}
				data := []byte("new\n")
				if kind == journal.WriteRemove {
					data = []byte("old\n")
				}
				err := d.Do(journal.Write{Label: "state", Path: file, Kind: kind, Data: data})
				if !hit || !errors.Is(err, cause) {
					t.Fatalf("%s, %s: hit %v, error %v", kind, op, hit, err)
				}
				for _, part := range []string{"state", op, file} {
					if !strings.Contains(err.Error(), part) {
						t.Errorf("%q lacks %q", err, part)
					}
				}
				want(t, file, "old\n")
				onlyFiles(t, filepath.Dir(file), "f")
			}
		}
	}
}

func TestFolderSyncFault(t *testing.T) {
	file := filepath.Join(t.TempDir(), "f")
	d := Disk{Fault: func(op, _ string) error {
		if op == OpFsyncFolder {
			return syscall.EIO
		}
		return nil
	}}
	for _, kind := range []journal.WriteKind{journal.WriteAppend, journal.WriteReplace, journal.WriteRemove} {
		err := d.Do(journal.Write{Label: "state", Path: file, Kind: kind, Data: []byte("x\n")})
		var e *Error
		if !errors.As(err, &e) || e.Op != OpFsyncFolder || !strings.Contains(e.After, "power loss") {
			t.Errorf("%s: %v", kind, err)
		}
	}
}

// A device that is full takes a part of the write: the part is cut off again. The limit on file sizes stands for it.
func TestFullDeviceLeavesNothing(t *testing.T) {
	file := filepath.Join(t.TempDir(), "journal.md")
	old := strings.Repeat("o", 1023) + "\n"
	put(t, file, old)
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	small := limit
	small.Cur = 2048
	for _, kind := range []journal.WriteKind{journal.WriteAppend, journal.WriteReplace} {
		w := journal.Write{Label: "journal", Path: file, Kind: kind, Data: bytes.Repeat([]byte("n"), 8000)}
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &small); err != nil {
			t.Fatal(err)
		}
		err := Disk{}.Do(w)
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
			t.Fatal(err)
		}
		if !errors.Is(err, syscall.EFBIG) {
			t.Errorf("%s: %v, want EFBIG", kind, err)
		}
		want(t, file, old)
		onlyFiles(t, filepath.Dir(file), "journal.md")
	}
}

// A reader in the middle of replacements sees whole versions only.
func TestReadersSeeWholeVersions(t *testing.T) {
	file := filepath.Join(t.TempDir(), "state.json")
	version := func(i int) []byte { return bytes.Repeat([]byte{byte('a' + i%26)}, 50000) }
	put(t, file, string(version(0)))
	done := make(chan error)
	go func() {
		for i := range 60 {
			if err := (Disk{}).Replace("state", file, version(i)); err != nil {
				done <- err
				return
			}
		}
		close(done)
	}()
	for {
		select {
		case err := <-done:
			if err != nil {
				t.Fatal(err)
			}
			return
		default:
		}
		b, err := os.ReadFile(file)
		if err != nil || len(b) != 50000 || bytes.Count(b, b[:1]) != len(b) {
			t.Fatalf("a reader saw %d mixed bytes, %v", len(b), err)
		}
	}
}

// Killed at any byte of the append, a start finds out what stands, and Redo and Retract lead to one of the two states.
func TestTornAppends(t *testing.T) {
	entry := "## 2 · 2026-11-01T10:00:00Z · claude\n- Unit: x\n\n"
	for _, before := range []string{"", "## 1 · 2026-11-01T09:00:00Z · claude\n- Unit: x\n\n", "no line end\n"} {
		for n := 0; n <= len(entry); n++ {
			file := filepath.Join(t.TempDir(), "journal.md")
			w := journal.Write{Label: "journal", Path: file, Kind: journal.WriteAppend, Data: []byte(entry)}
			wanted := Torn
			switch n {
			case 0:
				wanted = Absent
			case len(entry):
				wanted = Whole
			}
			put(t, file, before+entry[:n])
			if got, err := Stands(w); err != nil || got != wanted {
				t.Fatalf("%d bytes after %q: %s, %v, want %s", n, before, got, err, wanted)
			}
			if err := (Disk{}).Retract(w); err != nil {
				t.Fatal(err)
			}
			if wanted == Whole {
				want(t, file, before+entry)
			} else {
				want(t, file, before)
			}
			put(t, file, before+entry[:n])
			for range 2 {
				if err := (Disk{}).Redo(w); err != nil {
					t.Fatal(err)
				}
				want(t, file, before+entry)
			}
		}
	}
}

func TestStandsThroughLaterNotes(t *testing.T) {
	file := filepath.Join(t.TempDir(), "journal.md")
	w := journal.Write{Label: "journal", Path: file, Kind: journal.WriteAppend, Data: []byte("## 2 · t · a\n")}
	for text, wanted := range map[string]Standing{
		"## 2 · t · a\n> refused · t · STOP\n": Whole,
		"- Did: ## 2 · t · a\n":                Absent, // inside a line
		"## 2 · t · a, and more\n":             Absent,
		"x\n## 2 · t":                          Torn,
		"x ## 2 · t":                           Absent,
	} {
		put(t, file, text)
		if got, err := Stands(w); err != nil || got != wanted {
			t.Errorf("%q: %s, %v, want %s", text, got, err, wanted)
		}
	}
}

func TestRedoOfTheOtherKinds(t *testing.T) {
	dir := t.TempDir()
	state, steer := filepath.Join(dir, "state.json"), filepath.Join(dir, "STEER.md")
	put(t, state, "old")
	put(t, steer, "go")
	put(t, filepath.Join(dir, ".state.json8461"), "left by a killed replacement")
	put(t, filepath.Join(dir, ".state.json.swp"), "an editor's")
	writes := []journal.Write{
		{Label: "state", Path: state, Kind: journal.WriteReplace, Data: []byte("new")},
		{Label: "steer", Path: steer, Kind: journal.WriteRemove, Data: []byte("go")},
	}
	for round, wanted := range []Standing{Absent, Whole} {
		for _, w := range writes {
			if got, err := Stands(w); err != nil || got != wanted {
				t.Errorf("round %d, %s: %s, %v, want %s", round, w.Label, got, err, wanted)
			}
			if err := (Disk{}).Redo(w); err != nil {
				t.Fatal(err)
			}
		}
	}
	want(t, state, "new")
	onlyFiles(t, dir, ".state.json.swp", "state.json")
}

// Appends of any text, torn anywhere, redone: every one of them stands exactly once, in order.
func TestAppendsProperty(t *testing.T) {
	dir := t.TempDir()
	n := 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		file := filepath.Join(dir, fmt.Sprint(n))
		all := ""
		for i := range rapid.IntRange(1, 5).Draw(t, "appends") {
			w := journal.Write{Label: "journal", Path: file, Kind: journal.WriteAppend,
				Data: []byte(fmt.Sprintf("## %d %s\n", i, rapid.StringMatching(`[a-z#\n ]{0,20}`).Draw(t, "text")))}
			kept := rapid.IntRange(0, len(w.Data)).Draw(t, "kept")
			if err := os.WriteFile(file, []byte(all+string(w.Data[:kept])), 0o644); err != nil {
				t.Fatal(err)
			}
			if err := (Disk{}).Redo(w); err != nil {
				t.Fatal(err)
			}
			all += string(w.Data)
			b, err := os.ReadFile(file)
			if err != nil || string(b) != all {
				t.Fatalf("file holds %q, %v, want %q", b, err, all)
			}
		}
	})
}
