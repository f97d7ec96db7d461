package main

import (
	"context"

	"loopd/journal"
)

// Run confirms a loop and sets it active. On a terminal the loop is shown and asked about, elsewhere --yes is the answer.
func (c *activateCmd) Run(a *app) error {
	if ref, err := a.find(c.Name, ""); err == nil && ref.Dialect == "markdown" {
		return c.activateMarkdown(a, ref)
	}
	s, done, err := a.operatorOf(c.Name)
	if err != nil {
		return err
	}
	defer done()
	l, err := s.Dialect.Load(s.Ref)
	if err != nil {
		return err
	}
	if d := l.Defects(); len(d) > 0 {
		return usagef("loopd check "+c.Name, "%s", d[0])
	}
	if !c.Yes {
		for _, line := range confirmation(l) {
			a.Print.Notice(line)
		}
		term := a.terminal()
		if term == nil {
			return &exitError{Code: codeHeld, What: "not confirmed: there is no terminal to ask on", Next: "loopd activate " + c.Name + " --yes"}
		}
		if answer, ok := term.Ask(context.Background(), "Activate "+c.Name+"?", []string{"yes", "no"}); !ok || answer != "yes" {
			return &exitError{Code: codeHeld, What: "not confirmed", Next: "loopd activate " + c.Name}
		}
	}
	return a.acted(s.SetStatus(context.Background(), journal.Active, ""))
}

// confirmation says what a loop will do once it is active.
func confirmation(l journal.Loop) []string {
	b := l.Charter.Budget
	return []string{
		"loop " + l.Name + " (" + string(l.Charter.Archetype) + "): " + l.Charter.Goal,
		"unit of one iteration: " + l.Charter.Unit,
		"cadence " + b.Cadence.Text + ", mode " + string(l.State.Promotion.Mode),
	}
}
