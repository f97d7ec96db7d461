package main

import (
	"context"

	"loopd/journal"
)

// Run lets a held loop run again; the answer becomes steering.
func (c *resumeCmd) Run(a *app) error {
	s, done, err := a.operatorOf(c.Name)
	if err != nil {
		return err
	}
	defer done()
	return a.acted(s.SetStatus(context.Background(), journal.Active, c.Answer))
}
