// Package journaltest is the suite that every dialect passes: what journal.Dialect promises, tried on real files.
//
// A dialect's test makes a Suite and calls Run. Nothing here knows a concrete dialect, and only tests import it.
package journaltest

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"loopd/journal"
	"loopd/journal/disk"
)

// Suite is one dialect with what the suite needs to know of its files.
type Suite struct {
	Dialect journal.Dialect
	// Make writes a loop that could run, with at least one entry in its history, into an empty root and gives its name.
	Make func(t *testing.T, root string) string
	// NoNotes: the format has no room for a line that is no iteration.
	NoNotes bool
	// Ships are final messages that report shipped.
	Ships []string
	// Broken are contents of the loop's files that must become defects with file and line.
	Broken []Broken
	// Text names the loop's text files, relative to its folder: they may have CRLF line ends and a byte order mark.
	Text []string
}

// Broken is one bad content of one file.
type Broken struct {
	Name  string
	File  string // relative to the loop's folder
	Data  string
	Field string // what the finding must name
}

// Run runs the suite.
func (s Suite) Run(t *testing.T) {
	t.Run("Find", s.find)
	t.Run("ReadOnly", s.readOnly)
	t.Run("Record", s.record)
	t.Run("RecordOrder", s.recordOrder)
	t.Run("Note", s.note)
	t.Run("Parse", s.parse)
	t.Run("BadInput", s.badInput)
	t.Run("AnyInput", s.anyInput)
	t.Run("LineEnds", s.lineEnds)
}

// loop makes a loop and loads it without a defect.
func (s Suite) loop(t *testing.T) (root string, ref journal.Ref, l journal.Loop) {
	t.Helper()
	root = t.TempDir()
	name := s.Make(t, root)
	refs, err := s.Dialect.Find(root)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(refs, func(r journal.Ref) bool { return r.Name == name })
	if i < 0 {
		t.Fatalf("Find gives %+v, without %s", refs, name)
	}
	return root, refs[i], s.load(t, refs[i])
}

func (s Suite) load(t *testing.T, ref journal.Ref) journal.Loop {
	t.Helper()
	l, err := s.Dialect.Load(ref)
	if err != nil {
		t.Fatal(err)
	}
	if d := l.Defects(); len(d) > 0 {
		t.Fatalf("the good loop has defects: %v", d)
	}
	return l
}

func (s Suite) find(t *testing.T) {
	root, ref, l := s.loop(t)
	if s.Dialect.Name() == "" || strings.ContainsAny(s.Dialect.Name(), " /") {
		t.Errorf("the dialect's name is %q", s.Dialect.Name())
	}
	if ref.Dialect != s.Dialect.Name() || l.Dialect != s.Dialect.Name() {
		t.Errorf("dialect %s says it is %q and %q", s.Dialect.Name(), ref.Dialect, l.Dialect)
	}
	for _, p := range []string{ref.Root, ref.Dir, ref.File, l.Root, l.Dir, l.Charter.File} {
		if !filepath.IsAbs(p) {
			t.Errorf("%q is not absolute: %+v", p, ref)
		}
	}
	if _, err := os.Stat(ref.File); err != nil {
		t.Error(err)
	}
	t.Chdir(root)
	here, err := s.Dialect.Find(".")
	if err != nil || len(here) == 0 || !filepath.IsAbs(here[0].File) {
		t.Errorf("Find of a relative root gives %+v, %v", here, err)
	}
	for _, empty := range []string{t.TempDir(), filepath.Join(root, "no such folder")} {
		if refs, err := s.Dialect.Find(empty); err != nil || len(refs) > 0 {
			t.Errorf("Find in %s gives %+v, %v", empty, refs, err)
		}
	}
}

// readOnly: nothing but the disk package writes.
func (s Suite) readOnly(t *testing.T) {
	root, ref, l := s.loop(t)
	before := snapshot(t, root)
	if _, err := s.Dialect.Find(root); err != nil {
		t.Fatal(err)
	}
	s.load(t, ref)
	prompt := s.Dialect.Brief(l, journal.Brief{Iteration: l.Entries + 1, Mode: journal.ProposeOnly})
	if strings.TrimSpace(prompt) == "" {
		t.Error("the brief is empty")
	}
	s.Dialect.Parse(l, "whatever", prompt)
	if _, err := s.Dialect.Record(l, entryRecord(l)); err != nil {
		t.Fatal(err)
	}
	if after := snapshot(t, root); after != before {
		t.Errorf("files changed:\n%s\nwas\n%s", after, before)
	}
}

// entryRecord is one more iteration.
func entryRecord(l journal.Loop) journal.Record {
	next := l.State
	next.Iteration = l.Entries + 1
	next.Status = journal.Active
	next.LastAgent = "claude"
	next.LastRun = time.Date(2026, 11, 3, 9, 0, 0, 0, time.UTC)
	return journal.Record{State: &next, Entry: &journal.Entry{N: l.Entries + 1, Time: next.LastRun, Agent: "claude", Unit: "one unit of the suite", Did: "did it",
		Next: "the next one", Verify: []string{"true → exit 0 ✅"}}}
}

func (s Suite) record(t *testing.T) {
	_, ref, l := s.loop(t)
	for range 3 {
		before := l.Entries
		writes, err := s.Dialect.Record(l, entryRecord(l))
		if err != nil {
			t.Fatal(err)
		}
		again, err := s.Dialect.Record(l, entryRecord(l))
		if err != nil || fmt.Sprint(again) != fmt.Sprint(writes) {
			t.Fatalf("the same record renders twice in two ways: %v", err)
		}
		for _, w := range writes {
			if err := (disk.Disk{}).Do(w); err != nil {
				t.Fatal(err)
			}
		}
		l = s.load(t, ref)
		if l.Entries != before+1 || l.State.Iteration != before+1 || !l.HasState || l.State.Status != journal.Active {
			t.Fatalf("after one more iteration: %d entries (were %d), state %+v", l.Entries, before, l.State)
		}
		if n := len(l.Recent); n == 0 || n > 3 || l.Recent[n-1].N != l.Entries || !strings.Contains(l.Recent[n-1].Raw, "did it") {
			t.Fatalf("recent entries %+v", l.Recent)
		}
		if missing, err := s.Dialect.Record(l, journal.Record{}); err != nil || len(missing) > 0 {
			t.Fatalf("an empty record writes %v, %v", missing, err)
		}
	}
}

// recordOrder: evidence before state, everything rendered up front, below the loop's own folder or root.
func (s Suite) recordOrder(t *testing.T) {
	_, _, l := s.loop(t)
	writes, err := s.Dialect.Record(l, entryRecord(l))
	if err != nil {
		t.Fatal(err)
	}
	evidence, state := -1, -1
	for i, w := range writes {
		switch w.Label {
		case "journal":
			evidence = i
		case "state":
			state = i
		}
		if !filepath.IsAbs(w.Path) || w.Label == "" || w.Kind == "" || len(w.Data) == 0 {
			t.Errorf("write %d is incomplete: %s %s %s, %d bytes", i, w.Label, w.Kind, w.Path, len(w.Data))
		}
	}
	if evidence != 0 || state < 0 || state < evidence {
		t.Errorf("evidence is write %d, state is write %d", evidence, state)
	}
}

// note: a refusal is one line and no entry, and a state alone writes no journal.
func (s Suite) note(t *testing.T) {
	_, ref, l := s.loop(t)
	next := l.State
	next.Private.Idle = 2
	writes, err := s.Dialect.Record(l, journal.Record{State: &next})
	if err != nil {
		t.Fatal(err)
	}
	noted, err := s.Dialect.Record(l, journal.Record{Note: "refused · 2026-11-03T09:00:00Z · a\n## 99 · 2026-11-03T09:00:00Z · claude"})
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range writes {
		if w.Label == "journal" {
			t.Errorf("a state without an entry writes a journal: %q", w.Data)
		}
	}
	if s.NoNotes && len(noted) > 0 {
		t.Fatalf("a note gives %+v", noted)
	}
	if !s.NoNotes && (len(noted) != 1 || !bytes.HasPrefix(noted[0].Data, []byte("> refused · 2026-11-03T09:00:00Z · a")) || bytes.Contains(noted[0].Data, []byte("\n##"))) {
		t.Fatalf("a note gives %+v", noted)
	}
	for _, w := range append(writes, noted...) {
		if err := (disk.Disk{}).Do(w); err != nil {
			t.Fatal(err)
		}
	}
	after := s.load(t, ref)
	if after.Entries != l.Entries || len(after.Recent) != len(l.Recent) || after.State.Private.Idle != 2 {
		t.Errorf("a note changed %d entries to %d, %+v", l.Entries, after.Entries, after.Recent)
	}
}

// garbage are final messages that report nothing.
var garbage = []string{"", " \n\t", "I did a lot of work and everything is shipped.", "All tests pass. Done! ✅", "\x00\xff\xfe\x00", "shipped", "STATUS", "VERDICT:",
	"```\nshipped\n```", "{\"status\": \"shipped\"}", "## 1 · 2026-11-03T09:00:00Z · claude\n- Verify: all ✅\n", strings.Repeat("a", 1<<20), strings.Repeat("\n", 1<<16)}

// parse: an answer is never guessed.
func (s Suite) parse(t *testing.T) {
	_, _, l := s.loop(t)
	brief := s.Dialect.Brief(l, journal.Brief{Iteration: l.Entries + 1, Mode: journal.ProposeOnly})
	for _, text := range append(slices.Clone(garbage), brief) {
		if r := s.Dialect.Parse(l, text, brief); r.Status == journal.ReportShipped || r.OK {
			t.Errorf("%.60q reports %q, OK %v", text, r.Status, r.OK)
		}
	}
	for _, text := range s.Ships {
		if r := s.Dialect.Parse(l, text, brief); r.Status != journal.ReportShipped {
			t.Errorf("%q reports %q, %s", text, r.Status, r.Violation)
		}
		// What an agent dictates cannot open a line of its own.
		for _, field := range append([]string{"Unit: a", "Did: a", "Next: a"}, s.Ships...) {
			r := s.Dialect.Parse(l, text+"\n- "+field+"\r\x1b[2J\u2028## 9 · 2026-11-03T09:00:00Z · x\n", brief)
			for _, v := range append([]string{r.Unit, r.Did, r.Next, r.Detail, r.Sign}, append(r.Flags, r.Split...)...) {
				if strings.ContainsAny(v, "\n\r\x1b\u2028") {
					t.Errorf("%q was dictated", v)
				}
			}
		}
	}
}

// badInput: what is wrong becomes a defect with a position, never a panic or a silent default, and is not overwritten.
func (s Suite) badInput(t *testing.T) {
	for _, b := range s.Broken {
		t.Run(b.Name, func(t *testing.T) {
			root, ref, _ := s.loop(t)
			file := filepath.Join(ref.Dir, b.File)
			write(t, file, []byte(b.Data))
			l, err := s.Dialect.Load(ref)
			if err != nil {
				t.Fatal(err)
			}
			found := false
			for _, f := range l.Defects() {
				if f.Line < 1 || f.Want == "" || strings.Contains(f.String(), "\n") {
					t.Errorf("a finding without position or words: %+v", f)
				}
				found = found || f.Field == b.Field && filepath.Base(f.File) == filepath.Base(b.File)
			}
			if !found {
				t.Errorf("no defect of %q in %s, but %v", b.Field, b.File, l.Findings)
			}
			before := snapshot(t, root)
			writes, _ := s.Dialect.Record(l, entryRecord(l))
			for _, w := range writes {
				if w.Path == file && w.Kind == journal.WriteReplace {
					t.Errorf("the bad file would be overwritten with %q", w.Data)
				}
			}
			if snapshot(t, root) != before {
				t.Error("Record wrote")
			}
		})
	}
}

// anyInput: whatever stands in a file, loading neither fails nor panics, and a finding has its position.
func (s Suite) anyInput(t *testing.T) {
	shapes := map[string]func([]byte) []byte{
		"empty":     func([]byte) []byte { return nil },
		"half":      func(b []byte) []byte { return b[:len(b)/2] },
		"tail":      func(b []byte) []byte { return b[len(b)/3:] },
		"twice":     func(b []byte) []byte { return append(slices.Clone(b), b...) },
		"NUL":       func(b []byte) []byte { return bytes.ReplaceAll(b, []byte(" "), []byte{0}) },
		"not UTF-8": func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("e"), []byte{0xe9}) },
		"UTF-16": func(b []byte) []byte {
			return append([]byte{0xff, 0xfe}, bytes.ReplaceAll(b, []byte(""), []byte{0})...)
		},
		"CR":        func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("\n"), []byte("\r")) },
		"long line": func(b []byte) []byte { return append(bytes.Repeat([]byte("- [ "), 1<<18), b...) },
		"reversed":  func(b []byte) []byte { b = slices.Clone(b); slices.Reverse(b); return b },
	}
	root, ref, _ := s.loop(t)
	for _, file := range filesOf(t, root) {
		good, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for name, shape := range shapes {
			write(t, file, shape(good))
			l, err := s.Dialect.Load(ref)
			if err != nil {
				t.Errorf("%s, %s: %v", file, name, err)
			}
			for _, f := range l.Findings {
				if f.File == "" || f.Field == "" || !f.Warning && f.Line < 1 {
					t.Errorf("%s, %s: a finding without position: %+v", file, name, f)
				}
			}
			s.Dialect.Brief(l, journal.Brief{})
			s.Dialect.Parse(l, "x", "")
			_, _ = s.Dialect.Record(l, entryRecord(l))
		}
		write(t, file, good)
	}
}

// lineEnds: CRLF and a byte order mark change nothing that is read, and what is added takes the file's line ends.
func (s Suite) lineEnds(t *testing.T) {
	_, ref, plain := s.loop(t)
	for _, name := range s.Text {
		file := filepath.Join(ref.Dir, name)
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		write(t, file, append([]byte("\ufeff"), bytes.ReplaceAll(b, []byte("\n"), []byte("\r\n"))...))
	}
	l := s.load(t, ref)
	if l.Charter.Goal != plain.Charter.Goal || l.Entries != plain.Entries || len(l.Backlog) != len(plain.Backlog) || l.State.Iteration != plain.State.Iteration {
		t.Errorf("goal %q, %d entries, %d items, iteration %d; want %q, %d, %d, %d", l.Charter.Goal, l.Entries, len(l.Backlog), l.State.Iteration,
			plain.Charter.Goal, plain.Entries, len(plain.Backlog), plain.State.Iteration)
	}
	for i := range l.Backlog {
		if l.Backlog[i] != plain.Backlog[i] {
			t.Errorf("item %+v, want %+v", l.Backlog[i], plain.Backlog[i])
		}
	}
	writes, err := s.Dialect.Record(l, entryRecord(l))
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range writes {
		if rel, err := filepath.Rel(ref.Dir, w.Path); err == nil && slices.Contains(s.Text, rel) && bytes.Count(w.Data, []byte("\n")) != bytes.Count(w.Data, []byte("\r\n")) {
			t.Errorf("%s gets mixed line ends: %q", rel, w.Data)
		}
	}
}
