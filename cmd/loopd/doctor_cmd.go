package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"

	"loopd/journal"
	"loopd/journal/native"
	"loopd/signs"
	"loopd/supervisor"
	"loopd/supervisor/proc"
)

// entriesRead is how many entries of a journal the doctor looks at, from its end.
const entriesRead = 100_000

// doctorJSON is the shape of `doctor --json`.
type doctorJSON struct {
	Schema int `json:"schema"`
	diagnosis
	// Health is OK, or names the rules that do not hold; LeftOut are those that do not concern the loop, with the reason.
	Health  string            `json:"health"`
	Ailing  []ailmentJSON     `json:"ailing"`
	LeftOut map[string]string `json:"left_out"`
}

type ailmentJSON struct {
	Rule string `json:"rule"`
	Read string `json:"read"`
	Want string `json:"want"`
	Fix  string `json:"fix"`
}

// Run examines loops by D1 to D9, as check does, and by H1 to H9: what their history says. Exit 80 where a loop may not
// start, 13 where only its health is a person's matter.
func (c *doctorCmd) Run(a *app) error {
	refs, err := a.named(c.Names)
	if err != nil {
		return err
	}
	cfg, configFindings, err := a.readConfig()
	if err != nil {
		return err
	}
	if len(refs) == 0 {
		a.Print.Notice("there is no loop to examine in " + a.show(a.Root) + "; make one with loopd init NAME --archetype A")
		return nil
	}
	ctx, stop := interruptible()
	defer stop()
	host := proc.NewHost()
	defer host.Close()
	code := codeOK
	for _, ref := range refs {
		d, err := a.examine(ctx, host, ref, cfg, configFindings)
		if err != nil {
			return orInterrupted(ctx, err)
		}
		ailments, leftOut, err := a.health(ctx, ref)
		if err != nil {
			return orInterrupted(ctx, err)
		}
		switch {
		case len(d.Failed) > 0:
			code = codeUsage
		case len(ailments) > 0 && code == codeOK:
			code = codeHeld
		}
		if err := c.print(a, d, ailments, leftOut, len(refs) > 1); err != nil {
			return err
		}
	}
	return endWith(code)
}

// health gathers what the health rules look at, and applies them.
func (a *app) health(ctx context.Context, ref journal.Ref) ([]supervisor.Ailment, map[string]string, error) {
	s, done, err := a.operator(ref)
	if err != nil {
		return nil, nil, err
	}
	defer done()
	v := supervisor.Vitals{}
	if v.Loop, err = s.Dialect.Load(ref); err != nil {
		return nil, nil, &exitError{Code: codeUsage, What: "cannot read loop " + ref.Name, Why: err, Next: "make it readable"}
	}
	v.Entries = v.Loop.Recent
	if journaled := filepath.Join(ref.Dir, "journal.md"); isFile(journaled) {
		if v.Entries, err = native.LastEntries(journaled, entriesRead); err != nil {
			return nil, nil, err
		}
		v.Whole = len(v.Entries) == 0 || v.Entries[0].N == 1
	}
	v.Signs, v.SignsSize = signs.Parse(v.Loop.Signs), len(v.Loop.Signs)
	if len(v.Loop.Defects()) == 0 {
		if v.Debris, err = s.Debris(ctx); err != nil {
			v.Debris = nil // D rules say what is wrong with the repository
		}
	}
	past, err := s.History(ctx)
	if err == nil {
		for _, p := range past {
			v.Longest = max(v.Longest, time.Duration(p.Steps["exec"]*float64(time.Second)))
		}
	}
	ailments, leftOut := supervisor.Health(v)
	return ailments, leftOut, nil
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

func (c *doctorCmd) print(a *app, d diagnosis, ailments []supervisor.Ailment, leftOut map[string]string, several bool) error {
	var rules []string
	for _, x := range ailments {
		rules = append(rules, x.Rule)
	}
	verdict := "OK"
	if len(rules) > 0 {
		verdict = strings.Join(rules, ", ")
	}
	if c.JSON {
		out := doctorJSON{Schema: 1, diagnosis: d, Health: verdict, Ailing: []ailmentJSON{}, LeftOut: leftOut}
		for i, f := range out.Findings {
			out.Findings[i].Read, out.Findings[i].Fix = a.hide(f.Read), a.hide(f.Fix)
		}
		for _, x := range ailments {
			out.Ailing = append(out.Ailing, ailmentJSON{x.Rule, a.hide(x.Read), x.Want, a.hide(x.Fix)})
		}
		return a.Print.JSON(out)
	}
	if err := a.printDiagnosis(d, false, several); err != nil {
		return err
	}
	for _, x := range ailments {
		if err := a.Print.Result("%s %s %s; want %s; %s", x.Rule, a.Print.markFail(), a.hide(x.Read), x.Want, a.hide(x.Fix)); err != nil {
			return err
		}
	}
	if a.Verbose {
		for _, r := range supervisor.HealthRules() {
			if why := leftOut[r[0]]; why != "" {
				a.Print.Notice(r[0] + " (" + r[1] + ") is left out: " + why)
			}
		}
	}
	return a.Print.Result("HEALTH: %s", verdict)
}
