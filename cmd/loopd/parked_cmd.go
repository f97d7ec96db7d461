package main

import (
	"context"
	"time"
)

// Run lists what was put back, or shows, applies or drops one of it.
func (c *parkedCmd) Run(a *app) error {
	s, done, err := a.operatorOf(c.Name)
	if err != nil {
		return err
	}
	defer done()
	if c.Action == "list" {
		l, err := s.Dialect.Load(s.Ref)
		if err != nil {
			return err
		}
		for _, p := range l.State.Private.Parked {
			if err := a.Print.Result("%d\t%s\t%s\t%s\t%s", p.N, p.At.Local().Format(time.DateTime), p.Ref, p.Unit, p.Why); err != nil {
				return err
			}
		}
		if len(l.State.Private.Parked) == 0 {
			a.Print.Notice(c.Name + ": nothing is parked")
		}
		return nil
	}
	if c.N == 0 {
		return usagef("loopd parked "+c.Name, "say which: loopd parked %s %s N", c.Name, c.Action)
	}
	return a.acted(s.ParkedAct(context.Background(), c.Action, c.N))
}
