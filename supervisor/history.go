package supervisor

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"loopd/journal"
)

// Past is one exec of a loop as loopd measured it, counted or not: what reports and plots are made of. It is no evidence:
// the journal is, and a history that is lost costs a report its figures and nothing else.
type Past struct {
	Result
	At    time.Time          `json:"at"` // the end
	Steps map[string]float64 `json:"steps"`
	Value *float64           `json:"value,omitempty"` // the ratchet's reading after the iteration, put back or not
	Rule  string             `json:"rule,omitempty"`  // of the outcome table
	Lines int                `json:"lines,omitempty"` // changed
	Files int                `json:"files,omitempty"`
}

// historyMost bounds how much of a history is read, in bytes: some 40,000 iterations.
const historyMost = 32 << 20

func (p place) history() string { return filepath.Join(p.loop, "history.jsonl") }

// stopwatch adds up the seconds that each step of an iteration took.
type stopwatch struct {
	name  string
	since time.Time
	sums  map[string]float64
}

// enter ends the step under way and begins another; "" begins none.
func (w *stopwatch) enter(name string, now time.Time) {
	if w.sums == nil {
		w.sums = map[string]float64{}
	}
	if w.name != "" {
		w.sums[w.name] += now.Sub(w.since).Seconds()
	}
	w.name, w.since = name, now
}

// remember adds an iteration to the history. A failure is said, no more.
func (r *run) remember(it *iteration, res Result) {
	now := time.Now()
	it.watch.enter("", now)
	p := Past{Result: res, At: now, Steps: it.watch.sums, Rule: it.verdict.Rule, Lines: it.step.Lines, Files: it.step.Files}
	if it.loop.Charter.Ratchet.Present() && it.after.Err == nil && res.Counted {
		p.Value = &it.after.Value
	}
	line, err := json.Marshal(p)
	if err == nil {
		err = appendLine(r.place.history(), []byte(r.redact.String(string(line))+"\n"))
	}
	if err != nil {
		r.emit(Event{Kind: EventWarning, Text: "the history for reports was not written: " + err.Error()})
	}
}

func appendLine(path string, line []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(line)
	return errors.Join(err, f.Close())
}

// History gives the execs of the loop as they were measured, oldest first. Lines that cannot be read are left out.
func (s *Supervisor) History(ctx context.Context) ([]Past, error) {
	r, err := s.open(ctx)
	if err != nil {
		return nil, err
	}
	f, err := os.Open(r.place.history())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read history: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("read history: %w", err)
	}
	from := max(0, info.Size()-historyMost)
	text, err := io.ReadAll(io.NewSectionReader(f, from, info.Size()-from))
	if err != nil {
		return nil, fmt.Errorf("read history: %w", err)
	}
	var out []Past
	for line := range bytes.SplitSeq(text, []byte("\n")) {
		var p Past
		if json.Unmarshal(line, &p) == nil && p.Loop != "" && p.Outcome != journal.Outcome("") {
			out = append(out, p)
		}
	}
	return out, nil
}
