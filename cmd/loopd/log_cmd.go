package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"loopd/journal/contract"
	"loopd/journal/markdown"
	"loopd/journal/native"
)

// Run shows the last entries of a journal, goes on as entries are added, or gives the transcript of one iteration.
func (c *logCmd) Run(a *app) error {
	s, done, err := a.operatorOf(c.Name)
	if err != nil {
		return err
	}
	defer done()
	if c.Transcript > 0 {
		path, err := s.Transcript(context.Background(), c.Transcript)
		if errors.Is(err, fs.ErrNotExist) {
			return usagef("loopd log "+c.Name, "%s has no transcript of iteration %d; the newest are kept only", c.Name, c.Transcript)
		}
		if err != nil {
			return err
		}
		if err := copyFile(a.Stdout, path); err != nil {
			return err
		}
		// What it said beside: of one that crashed, all there is.
		err = copyFile(a.Stderr, strings.TrimSuffix(path, ".jsonl")+".stderr")
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	if s.Ref.Dialect == (contract.Loops{}).Name() {
		return c.receipts(a, s.Ref)
	}
	if history := historyFiles[s.Ref.Dialect]; history != "" {
		return c.history(a, filepath.Join(s.Ref.Dir, history))
	}
	path := filepath.Join(s.Ref.Dir, "journal.md")
	entries, err := native.LastEntries(path, c.Entries)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if c.JSON {
			err = a.Print.JSON(entryJSON{Schema: 1, N: e.N, Time: e.Time, Agent: e.Agent, Unit: e.Unit, Did: e.Did, Verify: append([]string{}, e.Verify...), Ratchet: e.Ratchet, Next: e.Next, Flags: append([]string{}, e.Flags...), Failed: e.Failed})
		} else {
			err = a.Print.Result("%s", trimEnd(e.Raw))
		}
		if err != nil {
			return err
		}
	}
	if len(entries) == 0 {
		a.Print.Notice(c.Name + ": the journal has no entries yet")
	}
	if !c.Follow {
		return nil
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return follow(ctx, a.Stdout, path)
}

// entryJSON is the shape of `log --json`.
type entryJSON struct {
	Schema  int       `json:"schema"` // of this shape
	N       int       `json:"n"`
	Time    time.Time `json:"time"`
	Agent   string    `json:"agent"`
	Unit    string    `json:"unit"`
	Did     string    `json:"did"`
	Verify  []string  `json:"verify"`
	Ratchet string    `json:"ratchet,omitempty"`
	Next    string    `json:"next,omitempty"`
	Flags   []string  `json:"flags"`
	Failed  bool      `json:"failed"`
}

// historyFiles are the files of the dialects whose history is no journal of the family's shape: they are shown as they are.
var historyFiles = map[string]string{"tracking": "loop.md", "markdown": markdown.RecordFile}

// history shows another convention's history file, of a record the last entries.
func (c *logCmd) history(a *app, path string) error {
	if c.JSON {
		return usagef("loopd log "+c.Name, "--json is for journals: %s is prose", a.show(path))
	}
	src, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		a.Print.Notice(c.Name + ": it has no history yet")
		return nil
	}
	if err != nil {
		return fmt.Errorf("read history: %w", err)
	}
	text := string(src)
	if entries, _ := markdown.ReadRecord(a.show(path), src); len(entries) > c.Entries {
		text = text[strings.Index(text, entries[len(entries)-c.Entries].Text):]
	}
	if err := a.Print.Result("%s", trimEnd(text)); err != nil || !c.Follow {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return follow(ctx, a.Stdout, path)
}

// follow copies what is added to a file until the context ends. A look a second is enough for a person.
func follow(ctx context.Context, w io.Writer, path string) error {
	info, err := os.Stat(path)
	at := int64(0)
	if err == nil {
		at = info.Size()
	}
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		f, err := os.Open(path)
		if err != nil {
			continue
		}
		if info, err := f.Stat(); err == nil && info.Size() < at {
			at = 0
		}
		n, err := io.Copy(w, io.NewSectionReader(f, at, 1<<40))
		f.Close()
		if err != nil {
			return fmt.Errorf("follow %s: %w", path, err)
		}
		at += n
	}
}

func copyFile(w io.Writer, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("read transcript: %w", err)
	}
	defer f.Close()
	if _, err := io.Copy(w, f); err != nil {
		return fmt.Errorf("show transcript: %w", err)
	}
	return nil
}
