package native

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"loopd/journal"
	"loopd/journal/disk"
)

func TestRecord(t *testing.T) {
	root := t.TempDir()
	makeLoop(t, root)
	put(t, root, "STEER.md", "go\n")
	l := loadK(t, root)
	next := l.State
	next.Iteration = 3
	writes, err := Native{}.Record(l, journal.Record{
		Entry: &journal.Entry{N: 3, Time: noon, Agent: "claude", Unit: "TODO one"}, Note: "done · t · it", State: &next,
		Signs: []string{"- 2026-11-02 · a rule (b, it.3)"}, Strike: []int{1}, Add: []string{"TODO three\nof more", "TODO two"}, UsedSteer: l.Steer,
	})
	if err != nil {
		t.Fatal(err)
	}
	var labels []string
	for _, w := range writes {
		labels = append(labels, w.Label+" "+string(w.Kind)+" "+filepath.Base(w.Path))
		if err := (disk.Disk{}).Do(w); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{"journal append journal.md", "state replace state.json", "signs append signs.md", "backlog replace backlog.md", "steer remove STEER.md"}
	if !slices.Equal(labels, want) {
		t.Fatalf("%q, want %q", labels, want)
	}
	for file, text := range map[string]string{
		"journal.md": journalOf(1, "> refused · 2026-11-02T10:00:00Z · STOP\n\n", 2) + renderEntry(journal.Entry{N: 3, Time: noon, Agent: "claude", Unit: "TODO one"}, "\n") + "> done · t · it\n\n",
		"state.json": strings.Replace(familyState, `"iteration": 0`, `"iteration": 3`, 1),
		"signs.md":   "- 2026-11-01 · do not edit gen (make: exit 2, it.1)\n- 2026-11-02 · a rule (b, it.3)\n",
		"backlog.md": "# Backlog\n\n- [x] ~~TODO zero~~\n- [x] ~~TODO one~~\n  with a note\n- [ ] TODO two\n- [ ] TODO three of more\n\nWhat else there is.\n",
	} {
		b, err := os.ReadFile(filepath.Join(root, ".loop/k", file))
		if err != nil || string(b) != text {
			t.Errorf("%s: %q, %v, want %q", file, b, err, text)
		}
	}
	if _, err := os.Stat(filepath.Join(root, ".loop/k/STEER.md")); !os.IsNotExist(err) {
		t.Error("STEER.md is left")
	}
}

func TestRecordWritesNothingNew(t *testing.T) {
	root := t.TempDir()
	makeLoop(t, root)
	l := loadK(t, root)
	same := l.State
	writes, err := Native{}.Record(l, journal.Record{State: &same, Add: []string{"TODO one"}, Strike: []int{0}})
	if err != nil || len(writes) > 0 {
		t.Errorf("%+v, %v", writes, err)
	}
}

func TestRecordOfAFirstRun(t *testing.T) {
	root := t.TempDir()
	put(t, root, "LOOP.md", charterOfK)
	l := loadK(t, root)
	next := l.State
	next.Status, next.Iteration = journal.Active, 1
	writes, err := Native{}.Record(l, journal.Record{Entry: &journal.Entry{N: 1, Time: noon, Agent: "claude"}, State: &next, Add: []string{"a"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range writes {
		if err := (disk.Disk{}).Do(w); err != nil {
			t.Fatal(err)
		}
	}
	l = loadK(t, root)
	if len(l.Findings) > 0 || l.State.Created != "2026-11-02" || l.State.Status != journal.Active || l.Entries != 1 || l.BacklogText != "- [ ] a\n" {
		t.Errorf("%+v", l)
	}
}

func TestRecordRefuses(t *testing.T) {
	root := t.TempDir()
	makeLoop(t, root)
	l := loadK(t, root)
	for name, r := range map[string]journal.Record{
		"an item that is not there": {Strike: []int{3}},
		"a negative item":           {Strike: []int{-1}},
		"a sign of two lines":       {Signs: []string{"- a\n- b"}},
		"an empty sign":             {Signs: []string{" "}},
	} {
		if w, err := (Native{}).Record(l, r); err == nil {
			t.Errorf("%s: %v", name, w)
		}
	}
}

// Each labelled write can fail: what comes behind it is not done, and the state is never ahead of the evidence.
func TestFaultAtEveryWrite(t *testing.T) {
	for _, label := range []string{"journal", "state", "signs", "backlog", "steer"} {
		root := t.TempDir()
		makeLoop(t, root)
		put(t, root, "STEER.md", "go\n")
		l := loadK(t, root)
		next := l.State
		next.Iteration = 3
		writes, err := Native{}.Record(l, journal.Record{Entry: &journal.Entry{N: 3, Time: noon, Agent: "claude", Unit: "TODO one"}, State: &next,
			Signs: []string{"- 2026-11-02 · a rule (b, it.3)"}, Strike: []int{1}, UsedSteer: l.Steer})
		if err != nil {
			t.Fatal(err)
		}
		d := disk.Disk{Fault: func(op, at string) error {
			if at == label {
				return os.ErrPermission
			}
			return nil
		}}
		for _, w := range writes {
			if err = d.Do(w); err != nil {
				break
			}
		}
		if err == nil || !strings.Contains(err.Error(), label) {
			t.Fatalf("%s: %v", label, err)
		}
		if got := loadK(t, root); got.State.Iteration > got.Entries || len(got.Defects()) > 0 {
			t.Errorf("%s: iteration %d of %d entries, %v", label, got.State.Iteration, got.Entries, got.Defects())
		}
		// A start after the fault does the rest, and nothing twice.
		for range 2 {
			for _, w := range writes {
				if err := (disk.Disk{}).Redo(w); err != nil {
					t.Fatal(err)
				}
			}
		}
		got := loadK(t, root)
		if got.State.Iteration != 3 || got.Entries != 3 || strings.Count(got.Signs, "a rule") != 1 || !got.Backlog[1].Done || got.Steer != "" {
			t.Errorf("%s: after the redo %+v", label, got)
		}
	}
}

// git agrees on what is local.
func TestGitignore(t *testing.T) {
	root := t.TempDir()
	makeLoop(t, root)
	git := func(args ...string) string {
		cmd := exec.Command("git", args...)
		cmd.Dir = root
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	git("init", "-q")
	if err := os.WriteFile(filepath.Join(root, ".loop/.gitignore"), Gitignore(), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, f := range []string{"STEER.md", "STOP", ".state.json123", ".backlog.md7", "nested/state.json"} {
		put(t, root, f, "x")
	}
	if err := os.WriteFile(filepath.Join(root, ".loop/STOP"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	got := strings.Fields(git("ls-files", "--others", "--exclude-standard"))
	want := []string{".loop/.gitignore", ".loop/k/LOOP.md", ".loop/k/backlog.md", ".loop/k/nested/state.json", ".loop/k/signs.md"}
	if !slices.Equal(got, want) {
		t.Errorf("git would add %q, want %q", got, want)
	}
}
