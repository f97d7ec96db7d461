package main

import (
	"fmt"
	"path/filepath"

	"loopd/journal/native"
	"loopd/signs"
	"loopd/supervisor"
)

// signJSON is the shape of `signs --json`.
type signJSON struct {
	Schema    int    `json:"schema"`
	Rule      string `json:"rule"`
	Date      string `json:"date,omitempty"`
	Iteration int    `json:"iteration"` // of the failure that earned it; 0 where nobody wrote it down
	Why       string `json:"why,omitempty"`
	Matched   int    `json:"matched"` // failures
	Last      int    `json:"last"`    // iteration of the newest one; 0 for none
	Stale     bool   `json:"stale"`
}

// Run lists the rules that a loop earned, each with the failure that earned it. Nothing is deleted: that is a person's.
func (c *signsCmd) Run(a *app) error {
	s, done, err := a.operatorOf(c.Name)
	if err != nil {
		return err
	}
	defer done()
	l, err := s.Dialect.Load(s.Ref)
	if err != nil {
		return &exitError{Code: codeUsage, What: "cannot read loop " + c.Name, Why: err, Next: "make it readable"}
	}
	entries, err := native.LastEntries(filepath.Join(s.Ref.Dir, "journal.md"), entriesRead)
	if err != nil {
		return err
	}
	shown := 0
	for _, st := range signs.Stand(signs.Parse(l.Signs), supervisor.Failures(entries)) {
		stale := st.Stale(l.State.Iteration, c.For)
		if c.Stale && !stale {
			continue
		}
		shown++
		if c.JSON {
			err = a.Print.JSON(signJSON{1, st.Rule, st.Date, st.Iteration, st.Why, st.Matched, st.Last, stale})
		} else {
			err = a.Print.Result("%s", a.hide(signLine(st, l.State.Iteration)))
		}
		if err != nil {
			return err
		}
	}
	switch {
	case shown > 0 && c.Stale:
		a.Print.Notice("nothing is deleted by loopd: take out what is obsolete in " + a.show(filepath.Join(s.Ref.Dir, "signs.md")))
	case shown == 0 && c.Stale:
		a.Print.Notice(fmt.Sprintf("%s has no sign that nothing matched for %d iterations", c.Name, c.For))
	case shown == 0:
		a.Print.Notice(c.Name + " has no signs yet: they are earned by failures")
	}
	return nil
}

func signLine(s signs.Standing, now int) string {
	line := s.Rule
	if s.Iteration == 0 {
		line += "\n    written by hand, without a failure"
	} else {
		line += fmt.Sprintf("\n    iteration %d, %s: %s", s.Iteration, s.Date, s.Why)
	}
	switch {
	case s.Matched == 0:
		return line + "; no failure matches it"
	case s.Last == now:
		return line + fmt.Sprintf("; %s, the last in this iteration", many(s.Matched, "failure"))
	}
	return line + fmt.Sprintf("; %s, the last %s ago", many(s.Matched, "failure"), many(now-s.Last, "iteration"))
}
