package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	tea "charm.land/bubbletea/v2"

	"loopd/harness"
	"loopd/journal"
)

// transcriptShown is how much of a running iteration's transcript is looked at, from its end, in bytes.
const transcriptShown = 64 << 10

// Run shows all loops, renewed once a second. It takes no lease and writes nothing by itself: what a key does is done by the
// command of that name, run as a person would run it.
func (c *watchCmd) Run(a *app) error {
	out, ok := a.Stdout.(*os.File)
	if !ok || a.terminal() == nil || !a.Print.Terminal() {
		return usagef("loopd status", "watch needs a terminal")
	}
	m := newWatch(a.watcher(c.Root))
	m.plain = !a.Print.color
	p := tea.NewProgram(m, tea.WithInput(a.Stdin), tea.WithOutput(out), tea.WithEnvironment(a.Env))
	_, err := p.Run()
	if errors.Is(err, tea.ErrInterrupted) {
		return nil // Ctrl-C is a way to quit
	}
	return err
}

// watcher reads loops for the watch, and runs commands for it.
type watcher struct {
	// loops lists all loops; a loop that cannot be read is a row with its defect.
	loops func() []watched
	// page gives what a loop's page shows.
	page func(w watched) watchedPage
	// act runs a command on a loop and gives what it said.
	act func(w watched, argv ...string) string
	// start runs a command that goes on by itself.
	start func(w watched, argv ...string) string
}

// watched is a loop with the root that it lies below.
type watched struct {
	root string
	reportJSON
}

// watchedPage is a loop's page.
type watchedPage struct {
	report     reportJSON
	transcript []string // readable lines of the running iteration, oldest first
}

func (a *app) watcher(roots []string) watcher {
	if len(roots) == 0 {
		roots = []string{a.Root}
	}
	apps := map[string]*app{}
	for i, r := range roots {
		roots[i] = a.abs(r)
		other := *a
		other.Root = roots[i]
		apps[roots[i]] = &other
	}
	self, err := os.Executable()
	return watcher{
		loops: func() []watched {
			var out []watched
			for _, root := range roots {
				refs, err := apps[root].loops()
				if err != nil {
					out = append(out, watched{root, reportJSON{statusJSON: statusJSON{Name: filepath.Base(root), Defects: []string{err.Error()}}}})
				}
				for _, ref := range refs {
					r, err := apps[root].report(ref, false)
					if err != nil {
						r.statusJSON = statusJSON{Name: ref.Name, Dialect: ref.Dialect, Defects: []string{err.Error()}}
					}
					out = append(out, watched{root, r})
				}
			}
			return out
		},
		page: func(w watched) watchedPage {
			app := apps[w.root]
			ref, err := app.find(w.Name, w.Dialect)
			if err != nil {
				return watchedPage{report: w.reportJSON}
			}
			r, err := app.report(ref, true)
			if err != nil {
				return watchedPage{report: w.reportJSON}
			}
			p := watchedPage{report: r}
			if r.Running != nil {
				p.transcript = app.transcriptLines(ref, r)
			}
			return p
		},
		act: func(w watched, argv ...string) string {
			if err != nil {
				return err.Error()
			}
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			cmd := exec.CommandContext(ctx, self, append([]string{"-C", w.root, "--no-color"}, argv...)...)
			cmd.Env = a.Env
			b, err := cmd.CombinedOutput()
			said := strings.TrimSpace(string(b))
			if said == "" && err != nil {
				said = err.Error()
			}
			return said
		},
		start: func(w watched, argv ...string) string {
			if err != nil {
				return err.Error()
			}
			cmd := exec.Command(self, append([]string{"-C", w.root}, argv...)...)
			cmd.Env, cmd.SysProcAttr = a.Env, &syscall.SysProcAttr{Setsid: true} // it outlives the watch
			if err := cmd.Start(); err != nil {
				return err.Error()
			}
			go func() { _ = cmd.Wait() }() // it is no zombie while the watch lives
			return "started: loopd " + strings.Join(argv, " ")
		},
	}
}

// transcriptLines turns the end of the running iteration's transcript into short lines, by the harness that ran last; what
// it does not understand is shown as it is.
func (a *app) transcriptLines(ref journal.Ref, r reportJSON) []string {
	s, done, err := a.operator(ref)
	if err != nil {
		return nil
	}
	defer done()
	path, err := s.Transcript(context.Background(), r.Iteration+1)
	if err != nil {
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil
	}
	from := max(0, info.Size()-transcriptShown)
	text, err := io.ReadAll(io.NewSectionReader(f, from, info.Size()-from))
	if err != nil {
		return nil
	}
	folds := []harness.Fold{}
	for _, h := range s.Known {
		folds = append(folds, h.Fold())
	}
	if len(r.Points) > 0 { // the one that ran last understands it best
		if h, err := s.Lookup(r.Points[len(r.Points)-1].Agent); err == nil {
			folds = append([]harness.Fold{h.Fold()}, folds...)
		}
	}
	var out []string
	for line := range bytes.SplitSeq(text, []byte("\n")) {
		if len(line) == 0 {
			continue
		}
		i := slices.IndexFunc(folds, func(f harness.Fold) bool { e := f.Line(line); return e.Text() != "" })
		if i >= 0 {
			e := folds[i].Line(line)
			out = append(out, e.Text())
		}
	}
	return out
}
