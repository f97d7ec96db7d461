package main

import (
	"context"
	"strings"

	"loopd/journal"
)

// Run lets a held loop run again; the answer becomes steering.
func (c *resumeCmd) Run(a *app) error {
	s, done, err := a.operatorOf(c.Name)
	if err != nil {
		return err
	}
	defer done()
	switch {
	case c.Approve && strings.TrimSpace(c.By) == "":
		return usagef("loopd resume "+c.Name+" --approve --by WHO", "an approval needs the person who gives it")
	case c.Approve:
		return a.acted(s.Approve(context.Background(), c.By, c.Answer))
	case c.By != "":
		return usagef("loopd resume "+c.Name+" --approve --by "+c.By, "--by belongs to --approve")
	}
	return a.acted(s.SetStatus(context.Background(), journal.Active, c.Answer))
}
