package markdown

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"loopd/journal"
	"loopd/journal/journaltest"
)

const definitionOfK = `# K Loop

## Use For
Removing TODO lines.

## Purpose
Keep removing TODO lines.

## Direction
work.txt only.

## Trigger
A manual tick.

## Run Policy
Iteration unit: one TODO line
Default activation bound: up to 2 items

## Continue When
- work.txt has a TODO line: ` + "`grep -c TODO work.txt`" + ` → exits 0

## Stop When
- no TODO is left: ` + "`grep -c TODO work.txt`" + ` → exits 1

## Allowed Actions
- edit work.txt

## Ask Human When
- the change is risky

## State To Track
- current focus

## Record Each Iteration
Signal, action, result, next.
`

func dialectLoop(t *testing.T, root string) string {
	t.Helper()
	dir := filepath.Join(root, "loops", "k")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	state := NewState(nil, Field{Name: FieldLoop, Value: "k"}, Field{Name: FieldBound, Value: "up to 2 items"}, Field{Name: FieldProgress, Value: "0 of 2"}, Field{Name: FieldCount, Value: "1"})
	record := Append(nil, Activation(Activated{Loop: "k", By: "a person"}))
	record = append(record, Append(record, Iteration(1, time.Date(2026, 11, 2, 9, 0, 0, 0, time.UTC), "claude", "Signal: a TODO"))...)
	for name, data := range map[string][]byte{DefinitionFile: []byte(definitionOfK), StateFile: state, RecordFile: record} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return "k"
}

func TestSuite(t *testing.T) {
	journaltest.Suite{
		Dialect: Markdown{},
		Make:    dialectLoop,
		Text:    []string{DefinitionFile, StateFile, RecordFile},
		NoNotes: true,
		Ships:   []string{"Signal: a TODO\nAction: removed it\n\nStatus: waiting\nDirection: within\nNext: the next TODO\n"},
		Broken: []journaltest.Broken{
			{Name: "no way to stop", File: DefinitionFile, Data: strings.Replace(definitionOfK, "## Stop When", "## Stop Wen", 1), Field: "Stop When"},
			{Name: "no status", File: StateFile, Data: "# Loop State\n\nStatus: sleeping\nLoop: k\n", Field: "Status"},
			{Name: "a field twice", File: StateFile, Data: "# Loop State\n\nStatus: running\nLoop: k\nStatus: waiting\n", Field: "Status"},
		},
	}.Run(t)
}

// The status that a tick leaves: what ends it beats the bound, the bound beats going on.
func TestStatusAfter(t *testing.T) {
	outside, none := Definition{External: true}, Definition{}
	for _, tt := range []struct {
		name          string
		def           Definition
		was, engine   journal.Status
		done          int
		acted, ticked bool
		want          journal.Status
	}{
		{"within the bound", outside, Running, journal.Active, 1, true, true, Running},
		{"the bound, a trigger from outside", outside, Running, journal.Active, 2, true, true, Waiting},
		{"the bound, no trigger", none, Running, journal.Active, 2, true, true, Stopped},
		{"nothing to go on with", outside, Running, journal.Active, 0, false, true, Waiting},
		{"a stop condition", outside, Running, journal.Done, 0, false, true, Completed},
		{"a question", outside, Running, journal.Blocked, 2, true, true, Paused},
		{"a person's pause", outside, Running, journal.Paused, 0, false, false, Paused},
		{"a person's stop", outside, Running, journal.Retired, 0, false, false, Stopped},
		{"an act while it waits", outside, Waiting, journal.Active, 0, false, false, Waiting},
	} {
		if got := statusAfter(tt.def, tt.was, tt.engine, Count(2), tt.done, tt.acted, tt.ticked); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

// What the agent says of the direction decides whether a person is asked.
func TestParse(t *testing.T) {
	const entry = "Signal: a TODO\nAction: removed it\n\n"
	for text, want := range map[string]journal.Report{
		entry + "Status: waiting\nDirection: within\nNext: more\n":      {Status: journal.ReportShipped},
		entry + "Status: waiting\nDirection: outside\nNext: ask\n":      {Question: "outside"},
		entry + "Status: waiting\nNext: more\n":                         {Question: "outside"},
		entry + "Status: paused\nDirection: within\nNext: which one?\n": {Question: "which one?"},
		"I did it.": {Violation: "no Status:"},
		"Status: waiting\nDirection: within\nNext: more\n":                                       {Violation: "no record entry"},
		entry + "Status: waiting\nDirection: within\nNext: x\n\nLOOP-OUTCOME: empty — nothing\n": {Status: journal.ReportEmpty},
	} {
		got := Markdown{}.Parse(journal.Loop{}, text, "")
		if got.Status != want.Status || !strings.Contains(got.Question, want.Question) || (got.Question == "") != (want.Question == "") || !strings.Contains(got.Violation, want.Violation) {
			t.Errorf("%q: %+v", text, got)
		}
	}
}
