package main

import "context"

// Run takes a loop back to propose-only.
func (c *demoteCmd) Run(a *app) error {
	s, done, err := a.operatorOf(c.Name)
	if err != nil {
		return err
	}
	defer done()
	return a.acted(s.Demote(context.Background()))
}
