package main

import (
	"context"

	"loopd/journal"
)

// Run ends a loop for good; its files stay.
func (c *retireCmd) Run(a *app) error {
	s, done, err := a.operatorOf(c.Name)
	if err != nil {
		return err
	}
	defer done()
	return a.acted(s.SetStatus(context.Background(), journal.Retired, ""))
}
