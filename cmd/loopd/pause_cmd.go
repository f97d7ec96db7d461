package main

import (
	"context"

	"loopd/journal"
)

// Run pauses a loop: at once where nobody runs it, else at its next boundary.
func (c *pauseCmd) Run(a *app) error {
	s, done, err := a.operatorOf(c.Name)
	if err != nil {
		return err
	}
	defer done()
	return a.acted(s.SetStatus(context.Background(), journal.Paused, ""))
}
