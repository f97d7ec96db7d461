package main

import "context"

// Run gives a loop that earned it the next mode.
func (c *promoteCmd) Run(a *app) error {
	s, done, err := a.operatorOf(c.Name)
	if err != nil {
		return err
	}
	defer done()
	l, err := s.Dialect.Load(s.Ref)
	if err != nil {
		return err
	}
	p := l.State.Promotion
	a.Print.Notice("the case for "+c.Name, "mode", p.Mode, "clean cycles", p.Clean, "required", p.Required, "iterations", l.State.Iteration, "parked", len(l.State.Private.Parked))
	for _, e := range l.Recent {
		a.Print.Notice(firstLine(e.Raw), "unit", e.Unit, "ratchet", e.Ratchet)
	}
	return a.acted(s.Promote(context.Background(), c.By))
}
