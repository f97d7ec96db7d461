package tracking

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"loopd/journal"
	"loopd/journal/journaltest"
)

func documentOfK() Document {
	return Document{Slug: "k", Task: "Remove a TODO", Objective: "no TODO is left", Check: "! grep -q TODO work.txt", Max: 5,
		Rows: []Row{{N: 1, Result: "removed one", Verdict: NotMet, Reason: "more is there"}}}
}

func put(t *testing.T, root, file string, data []byte) {
	t.Helper()
	path := filepath.Join(root, ".codevoyant/loops/k", file)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestSuite(t *testing.T) {
	whole := string(New(documentOfK()))
	journaltest.Suite{
		Dialect: Tracking{},
		Make: func(t *testing.T, root string) string {
			put(t, root, documentFile, []byte(whole))
			return "k"
		},
		Text:    []string{documentFile},
		NoNotes: true,
		Ships:   []string{"STATUS: OK\nRESULT: removed it\nEVIDENCE: wc\nVERDICT: NOT_MET\nREASON: more\nMISSING: two\n"},
		Broken: []journaltest.Broken{
			{Name: "no bound", File: documentFile, Data: strings.Replace(whole, "- **Max iterations:** 5\n", "", 1), Field: "Max iterations"},
			{Name: "an unknown status", File: documentFile, Data: strings.Replace(whole, "running", "sleeping", 1), Field: "Status"},
			{Name: "broken memory", File: journal.MemoryFile, Data: "{", Field: journal.MemoryFile},
		},
	}.Run(t)
}

func load(t *testing.T, root string) journal.Loop {
	t.Helper()
	refs, err := Tracking{}.Find(root)
	if err != nil || len(refs) != 1 {
		t.Fatal(refs, err)
	}
	l, err := Tracking{}.Load(refs[0])
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// What each outcome leaves in the document, and how it is read again.
func TestRecord(t *testing.T) {
	for _, tt := range []struct {
		name   string
		entry  journal.Entry
		max    int
		rows   int
		row    string
		status Status
		engine journal.Status
	}{
		{"not met", journal.Entry{Did: "a | b", Outcome: journal.Shipped, Reason: "more"}, 5, 2, `| 2 | a \| b | NOT_MET | more |`, Running, journal.Active},
		{"met", journal.Entry{Did: "it", Outcome: journal.Finished, Reason: "none left"}, 5, 2, "| 2 | it | MET | none left |", Complete, journal.Done},
		{"met at the bound", journal.Entry{Did: "it", Outcome: journal.Finished, Reason: "none left"}, 2, 2, "| 2 | it | MET | none left |", Complete, journal.Done},
		{"the bound", journal.Entry{Did: "it", Outcome: journal.Shipped, Reason: "more"}, 2, 2, "| 2 | it | NOT_MET | more |", MaxReached, journal.Active},
		{"failed", journal.Entry{Outcome: journal.Failed, Failed: true, Flags: []string{"overrun"}, Reason: "all is fine"}, 5, 2, "| 2 | failed | NOT_MET | overrun |", Running, journal.Active},
		{"a question", journal.Entry{Outcome: journal.Held}, 5, 1, "", Running, journal.Blocked},
	} {
		t.Run(tt.name, func(t *testing.T) {
			root := t.TempDir()
			d := documentOfK()
			d.Max = tt.max
			put(t, root, documentFile, New(d))
			l := load(t, root)
			next := l.State
			next.Status = tt.engine
			tt.entry.N = 2
			writes, err := Tracking{}.Record(l, journal.Record{Entry: &tt.entry, State: &next})
			if err != nil {
				t.Fatal(err)
			}
			for _, w := range writes {
				put(t, root, filepath.Base(w.Path), w.Data)
			}
			src, err := os.ReadFile(filepath.Join(root, ".codevoyant/loops/k/loop.md"))
			if err != nil {
				t.Fatal(err)
			}
			got, findings := Read("loop.md", src)
			if len(findings) > 0 || len(got.Rows) != tt.rows || got.Status != tt.status || !strings.Contains(string(src), tt.row) {
				t.Errorf("%v, %d rows, %s:\n%s", findings, len(got.Rows), got.Status, src)
			}
			if again := load(t, root); again.State.Status != tt.engine || again.State.Iteration != tt.rows {
				t.Errorf("read again: %s, iteration %d", again.State.Status, again.State.Iteration)
			}
		})
	}
}

// The prompt shows the shape of an answer and is none itself.
func TestBriefIsNoAnswer(t *testing.T) {
	root := t.TempDir()
	put(t, root, documentFile, New(documentOfK()))
	l := load(t, root)
	brief := Tracking{}.Brief(l, journal.Brief{Iteration: 2, Answer: "the first one"})
	for _, want := range []string{"Remove a TODO", "no TODO is left", "removed one", "the first one", "! grep -q TODO work.txt", "2 of at most 5"} {
		if !strings.Contains(brief, want) {
			t.Errorf("%q is not in:\n%s", want, brief)
		}
	}
	if r := (Tracking{}).Parse(l, brief, brief); r.Met {
		t.Error("the prompt, said back, is MET")
	}
}
