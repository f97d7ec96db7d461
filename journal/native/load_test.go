package native

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"loopd/journal"
)

func TestLoad(t *testing.T) {
	root := t.TempDir()
	makeLoop(t, root)
	put(t, root, "STEER.md", "from the bottom\nplease\n")
	l := loadK(t, root)
	if len(l.Findings) > 0 {
		t.Errorf("findings: %v", l.Findings)
	}
	if !l.HasState || l.State.Iteration != 2 || l.Entries != 2 || len(l.Recent) != 2 || l.Recent[1].Unit != "unit 2" {
		t.Errorf("%+v", l)
	}
	if l.Steer != "from the bottom\nplease\n" || !strings.Contains(l.Signs, "do not edit gen") || l.BacklogText != backlogOfK {
		t.Errorf("%q, %q, %q", l.Steer, l.Signs, l.BacklogText)
	}
	want := []journal.Item{{Text: "TODO zero", Done: true, Line: 3}, {Text: "TODO one", Line: 4}, {Text: "TODO two", Line: 6}}
	if diff := cmp.Diff(want, l.Backlog); diff != "" {
		t.Error(diff)
	}
}

// A loop that never ran has a charter and nothing else; a state that was moved away counts on from the journal.
func TestLoadWithoutState(t *testing.T) {
	root := t.TempDir()
	put(t, root, "LOOP.md", charterOfK)
	put(t, root, "STEER.md", " \n")
	l := loadK(t, root)
	s := l.State
	if l.HasState || len(l.Findings) > 0 || s.Status != journal.Designed || s.Name != "k" || s.Iteration != 0 || s.Ratchet.Threshold != 3 || s.Budget.MaxIterations != 20 || s.Promotion.Mode != journal.ProposeOnly || l.Steer != "" {
		t.Errorf("%+v", l)
	}
	put(t, root, "journal.md", journalOf(1, 2, 3))
	if l := loadK(t, root); l.State.Iteration != 3 {
		t.Errorf("iteration %d after three entries", l.State.Iteration)
	}
}

// settings of state.json that are not the charter's are warnings, with their place.
func TestMirrors(t *testing.T) {
	for _, c := range []struct{ old, new, field string }{
		{`"max_iterations": 20`, `"max_iterations": 99`, "budget.max_iterations"},
		{`"max_minutes_per_iteration": 1`, `"max_minutes_per_iteration": 1.5`, "budget.max_minutes_per_iteration"},
		{`"cadence": "on-demand"`, `"cadence": "auto"`, "budget.cadence"},
		{`"direction": "decreasing"`, `"direction": "increasing"`, "ratchet.direction"},
		{`"metric": "TODO lines"`, `"metric": "errors"`, "ratchet.metric"},
		{`"stall_threshold": 3`, `"stall_threshold": 9`, "ratchet.stall_threshold"},
		{`"required_cycles": 3`, `"required_cycles": 1`, "promotion.required_cycles"},
		{`"write_scope": []`, `"write_scope": ["**"]`, "promotion.write_scope"},
		{`"archetype": "ratchet-climb"`, `"archetype": "pipeline"`, "archetype"},
		{`"mode": "propose-only"`, `"mode": "write-full"`, "promotion.mode"},
	} {
		root := t.TempDir()
		makeLoop(t, root)
		text := strings.Replace(familyState, c.old, c.new, 1)
		put(t, root, "state.json", text)
		at := strings.Index(text, c.new) + strings.LastIndex(c.new, ": ") + 2
		line, column := position(text, at)
		l := loadK(t, root)
		if len(l.Findings) != 1 {
			t.Errorf("%s: %v", c.field, l.Findings)
			continue
		}
		if f := l.Findings[0]; !f.Warning || f.Field != c.field || f.File != ".loop/k/state.json" || f.Line != line || f.Column != column {
			t.Errorf("%s: %s, want line %d column %d", c.field, f, line, column)
		}
	}
}

func TestManySigns(t *testing.T) {
	root := t.TempDir()
	makeLoop(t, root)
	put(t, root, "signs.md", strings.Repeat("- a rule\n\n", 40))
	if l := loadK(t, root); len(l.Findings) > 0 {
		t.Errorf("forty signs: %v", l.Findings)
	}
	put(t, root, "signs.md", strings.Repeat("- a rule\n\n", 41))
	l := loadK(t, root)
	if len(l.Findings) != 1 || !l.Findings[0].Warning || l.Findings[0].Line != 81 {
		t.Errorf("forty-one signs: %v", l.Findings)
	}
}

// A pipe, a folder or a link to nowhere in a file's place is a defect and never blocks.
func TestLoadOfWhatIsNoFile(t *testing.T) {
	for _, file := range []string{"LOOP.md", "state.json", "journal.md", "signs.md", "backlog.md", "STEER.md"} {
		for kind, make := range map[string]func(string) error{
			"a pipe":   func(p string) error { return syscall.Mkfifo(p, 0o644) },
			"a folder": func(p string) error { return os.Mkdir(p, 0o755) },
			"a device": func(p string) error { return os.Symlink("/dev/zero", p) },
		} {
			root := t.TempDir()
			makeLoop(t, root)
			path := filepath.Join(root, ".loop/k", file)
			if err := os.RemoveAll(path); err != nil {
				t.Fatal(err)
			}
			if err := make(path); err != nil {
				t.Fatal(err)
			}
			l := loadK(t, root)
			if d := l.Defects(); len(d) != 1 || d[0].Read != kind || d[0].File != ".loop/k/"+file {
				t.Errorf("%s is %s: %v", file, kind, l.Findings)
			}
			if w, err := (Native{}).Record(l, journal.Record{State: &l.State}); file == "state.json" && err == nil {
				t.Errorf("a state is written over %s: %v", kind, w)
			}
		}
	}
}

func TestLoadErrors(t *testing.T) {
	root := t.TempDir()
	makeLoop(t, root)
	path := filepath.Join(root, ".loop/k/signs.md")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("signs.md", path); err != nil {
		t.Fatal(err)
	}
	if _, err := (Native{}).Load(refOf(root)); err == nil || !strings.Contains(err.Error(), "signs.md") {
		t.Errorf("a link to itself: %v", err)
	}
	if _, err := (Native{}).Load(refOf(t.TempDir())); err == nil || !strings.Contains(err.Error(), "LOOP.md") {
		t.Errorf("no charter: %v", err)
	}
	big := t.TempDir()
	makeLoop(t, big)
	put(t, big, "STEER.md", strings.Repeat("x", steerMax+1))
	if d := loadK(t, big).Defects(); len(d) != 1 || !strings.Contains(d[0].Read, "1048577 bytes") {
		t.Errorf("a flood of steering: %v", d)
	}
}

func TestFind(t *testing.T) {
	root := t.TempDir()
	base := filepath.Join(root, ".loop")
	for _, name := range []string{"b", "a", "Ünï cøde", ".hidden", "-dash", "no-charter", "real"} {
		if err := os.MkdirAll(filepath.Join(base, name), 0o755); err != nil {
			t.Fatal(err)
		}
		if name != "no-charter" {
			if err := os.WriteFile(filepath.Join(base, name, "LOOP.md"), nil, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	outside := t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "LOOP.md"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]string{"a-second-name": "real", "elsewhere": outside, "elsewhere-too": outside, "nowhere": "gone", "file-link": "a/LOOP.md"} {
		if err := os.Symlink(to, filepath.Join(base, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(base, "STOP"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	refs, err := Native{}.Find(root)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, r := range refs {
		names = append(names, r.Name)
	}
	if want := []string{"a", "b", "elsewhere", "real", "Ünï cøde"}; !slices.Equal(names, want) {
		t.Errorf("%q, want %q", names, want)
	}
	if err := os.Symlink("round", filepath.Join(base, "round")); err != nil {
		t.Fatal(err)
	}
	if _, err := (Native{}).Find(root); err == nil || !strings.Contains(err.Error(), filepath.Join(base, "round")) {
		t.Errorf("a folder that cannot be read: %v", err)
	}
	file := t.TempDir()
	if err := os.WriteFile(filepath.Join(file, ".loop"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if refs, err := (Native{}).Find(file); err != nil || len(refs) > 0 {
		t.Errorf(".loop is a file: %v, %v", refs, err)
	}
}

func TestUnreadableFolder(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root may read everything")
	}
	root := t.TempDir()
	makeLoop(t, root)
	dir := filepath.Join(root, ".loop/k")
	if err := os.Chmod(dir, 0); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(dir, 0o755)
	if _, err := (Native{}).Find(root); err == nil || !strings.Contains(err.Error(), dir) {
		t.Errorf("%v", err)
	}
}

// One load with a long history is one load with a short one (spec/limits.md).
func BenchmarkLoad(b *testing.B) {
	for _, n := range []int{10, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			root := b.TempDir()
			ref := refOf(root)
			if err := os.MkdirAll(ref.Dir, 0o755); err != nil {
				b.Fatal(err)
			}
			if err := os.Rename(longJournal(b, n), filepath.Join(ref.Dir, "journal.md")); err != nil {
				b.Fatal(err)
			}
			for file, text := range map[string]string{"LOOP.md": charterOfK, "state.json": strings.Replace(familyState, `"iteration": 0`, fmt.Sprintf(`"iteration": %d`, n), 1)} {
				if err := os.WriteFile(filepath.Join(ref.Dir, file), []byte(text), 0o644); err != nil {
					b.Fatal(err)
				}
			}
			for b.Loop() {
				if l, err := (Native{}).Load(ref); err != nil || l.Entries != n {
					b.Fatal(l.Entries, err)
				}
			}
		})
	}
}
