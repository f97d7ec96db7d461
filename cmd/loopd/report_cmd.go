package main

import (
	"bytes"
	"context"
	"path/filepath"
	"time"

	"loopd/journal"
	"loopd/journal/disk"
	"loopd/journal/native"
	"loopd/supervisor"
)

// What a report shows of a loop: the newest entries, and of each parked change a part.
const (
	reportEntries = 200
	reportParked  = 20
	diffMost      = 20 << 10 // bytes
)

// Run gives the rollup of all loops, or of one with a plot of its ratchet; --html writes the page.
func (c *reportCmd) Run(a *app) error {
	refs, err := a.reported(c.Name)
	if err != nil {
		return err
	}
	if c.HTML != "" {
		if err := writableFile(a.abs(c.HTML)); err != nil {
			return &exitError{Code: codeUsage, What: "the page cannot be written", Where: c.HTML, Why: err, Next: "choose another file"}
		}
	}
	loops := []reportJSON{}
	for _, ref := range refs {
		r, err := a.report(ref, c.HTML != "")
		if err != nil {
			return err
		}
		loops = append(loops, r)
	}
	switch {
	case c.HTML != "":
		var b bytes.Buffer
		if err := a.writePage(&b, loops, time.Now(), nil); err != nil {
			return err
		}
		if err := (disk.Disk{}).Replace("report", a.abs(c.HTML), b.Bytes()); err != nil {
			return &exitError{Code: codeFault, What: "cannot write the page", Where: c.HTML, Why: err, Next: repair(err)}
		}
		return a.Print.Result("wrote %s", c.HTML)
	case c.JSON:
		for _, r := range loops {
			if err := a.Print.JSON(r); err != nil {
				return err
			}
		}
		return nil
	case len(loops) == 0:
		a.Print.Notice("there is no loop here", "root", a.Root, "next", "loopd init NAME --archetype backlog-drain")
		return nil
	}
	return a.Print.Result("%s", a.hide(rollup(loops, time.Now())))
}

// reported are the loops of a report: the one that is named, or all.
func (a *app) reported(name string) ([]journal.Ref, error) {
	if name == "" {
		return a.loops()
	}
	ref, err := a.find(name, "")
	return []journal.Ref{ref}, err
}

// report gathers what is known of a loop; with details its entries and parked changes too. Nothing is changed, and no lease
// is taken.
func (a *app) report(ref journal.Ref, details bool) (reportJSON, error) {
	s, done, err := a.operator(ref)
	if err != nil {
		return reportJSON{}, err
	}
	defer done()
	st, l, err := statusOf(s)
	if err != nil {
		return reportJSON{}, err
	}
	r := reportJSON{Schema: 1, statusJSON: st, Goal: l.Charter.Goal, Metric: l.Charter.Ratchet.Metric, Direction: string(l.Charter.Ratchet.Direction), Required: l.State.Promotion.Required, Points: []point{}}
	ctx := context.Background()
	if past, err := s.History(ctx); err == nil { // outside of git and the like there is none
		r.Points = pointsOf(past)
	}
	r.Figures = figuresOf(r.Points)
	if !details {
		return r, nil
	}
	r.Entries = l.Recent
	if journaled := filepath.Join(ref.Dir, "journal.md"); isFile(journaled) {
		if r.Entries, err = native.LastEntries(journaled, reportEntries); err != nil {
			return r, err
		}
	}
	parked := l.State.Private.Parked
	for _, p := range parked[max(0, len(parked)-reportParked):] {
		r.Changes = append(r.Changes, parkedChange{p, a.parkedText(ctx, s, p.Ref)})
	}
	return r, nil
}

// parkedText is the diff of a parked change, cut to size.
func (a *app) parkedText(ctx context.Context, s *supervisor.Supervisor, ref string) string {
	text, cut, err := s.PeekParked(ctx, ref, diffMost)
	switch {
	case err != nil:
		return "cannot be shown: " + err.Error()
	case cut:
		return text + "… (loopd parked shows all of it)"
	}
	return text
}

// writableFile says why a file could not be replaced; it is not touched.
func writableFile(path string) error {
	if isFolder(path) == nil {
		return &exitError{What: "it is a folder"}
	}
	return isFolder(filepath.Dir(path))
}
