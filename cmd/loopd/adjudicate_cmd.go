package main

import (
	"context"

	"loopd/supervisor"
)

// Run settles a dirty working tree, or where it is clean the newest parked change.
func (c *adjudicateCmd) Run(a *app) error {
	s, done, err := a.operatorOf(c.Name)
	if err != nil {
		return err
	}
	defer done()
	ruling := supervisor.RulePark
	switch {
	case c.Keep:
		ruling = supervisor.RuleKeep
	case c.Backlog:
		ruling = supervisor.RuleBacklog
	}
	return a.acted(s.Adjudicate(context.Background(), ruling))
}
