package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"loopd/harness"
	"loopd/journal"
	"loopd/supervisor/proc"
)

// checkLimit is how long a verification command may take, as in a run (spec/iteration.md, "Limits where nothing is said").
const checkLimit = 10 * time.Minute

// outputKept is how much of a command's output is looked at, from its end, in bytes.
const outputKept = 64 << 10

// Run examines loops and prints one line a finding, then the verdict. Exit 80 where a loop may not start.
func (c *checkCmd) Run(a *app) error {
	switch {
	case c.Contract != "" && len(c.Names) > 0:
		return usagef("loopd check --contract "+c.Contract, "--contract checks a file: no loop can be named beside it (%q)", c.Names)
	case c.Contract != "":
		return a.checkContract(c.Contract, c.Strict, c.JSON)
	case c.Strict:
		return usagef("loopd check --contract FILE --strict", "--strict is for a contract")
	}
	refs, err := a.named(c.Names)
	if err != nil {
		return err
	}
	cfg, configFindings, err := a.readConfig()
	if err != nil {
		return err
	}
	if len(refs) == 0 {
		if len(configFindings) > 0 {
			_, err = a.loadConfig()
			return err
		}
		a.Print.Notice("there is no loop to check in " + a.show(a.Root) + "; make one with loopd init NAME --archetype A")
		return nil
	}
	ctx, stop := interruptible()
	defer stop()
	host := proc.NewHost()
	defer host.Close()
	failed := false
	for _, ref := range refs {
		d, err := a.examine(ctx, host, ref, cfg, configFindings)
		if err != nil {
			return orInterrupted(ctx, err)
		}
		failed = failed || len(d.Failed) > 0
		if err := a.printDiagnosis(d, c.JSON, len(refs) > 1); err != nil {
			return err
		}
	}
	if failed {
		return endWith(codeUsage)
	}
	return nil
}

// named gives the loops of these names; all of them for none.
func (a *app) named(names []string) ([]journal.Ref, error) {
	if len(names) == 0 {
		return a.loops()
	}
	var out []journal.Ref
	for _, name := range names {
		ref, err := a.find(name, "")
		if err != nil {
			return nil, err
		}
		out = append(out, ref)
	}
	return out, nil
}

// examine gathers what the doctor looks at and lets it look.
func (a *app) examine(ctx context.Context, host *proc.Host, ref journal.Ref, cfg config, configFindings []journal.Finding) (diagnosis, error) {
	d, ok := dialect(ref.Dialect)
	if !ok {
		return diagnosis{}, usagef("loopd version", "unknown dialect %q", ref.Dialect)
	}
	loop, err := d.Load(ref)
	if err != nil {
		return diagnosis{}, &exitError{Code: codeUsage, What: "cannot read loop " + ref.Name, Why: err, Next: "make it readable, then: loopd check " + ref.Name}
	}
	p := &patient{Loop: loop, Config: cfg, ConfigFindings: configFindings, Env: a.Env, Show: a.show, House: a.house(ref.Root)}
	// A broken table is a finding of its own; the other harnesses are looked at all the same.
	p.Harnesses, _ = cfg.harnesses()
	if p.Settings, err = a.settle(loop.Charter, cfg); err != nil {
		return diagnosis{}, err
	}
	env := harness.CheckEnviron(a.Env, p.Harnesses.All(), loop.Charter.Harness.Env)
	p.Shell = func(line string) (seen, error) {
		a.Print.Live("check " + ref.Name + ": " + line)
		defer a.Print.Live("")
		return shell(ctx, host, ref.Root, env, line)
	}
	return examine(p)
}

// checkMarker marks what `check` starts.
const checkMarker = "LOOPD_RUN=check"

// shell runs one command line with sh, as a verification is run.
func shell(ctx context.Context, host *proc.Host, dir string, env []string, line string) (seen, error) {
	out, errs := &tail{}, &tail{}
	res, err := host.Run(ctx, proc.Spec{
		Argv: []string{"sh", "-c", line}, Dir: dir, Env: env, Stdout: out, Stderr: errs, Wall: checkLimit, Grace: time.Second, Marker: checkMarker,
	})
	if err != nil {
		return seen{}, fmt.Errorf("run %q: %w", line, err)
	}
	if res.Stopped == proc.Interrupted || res.Stopped == proc.Killed {
		return seen{}, errors.New("interrupted")
	}
	hung := res.Stopped == proc.AtWall
	return seen{Exit: res.Exit, Hung: hung, Missing: !hung && (res.Exit == 126 || res.Exit == 127), Stdout: out.kept, Stderr: errs.kept}, nil
}

// tail keeps the last bytes written to it.
type tail struct{ kept []byte }

func (t *tail) Write(b []byte) (int, error) {
	t.kept = append(t.kept, b...)
	if over := len(t.kept) - outputKept; over > 0 {
		t.kept = append(t.kept[:0], t.kept[over:]...)
	}
	return len(b), nil
}

// house reads the rule files of a repository that agents are meant to obey.
func (a *app) house(root string) []houseFile {
	var out []houseFile
	for _, name := range []string{"CLAUDE.md", "AGENTS.md"} {
		path := filepath.Join(root, name)
		if b, err := os.ReadFile(path); err == nil {
			out = append(out, houseFile{File: a.show(path), Text: string(b)})
		}
	}
	return out
}

// checkJSON is the shape of `check --json`, one line a loop.
type checkJSON struct {
	Schema int `json:"schema"` // of this shape
	diagnosis
}

// printDiagnosis prints the findings and the verdict of one loop.
func (a *app) printDiagnosis(d diagnosis, asJSON, several bool) error {
	if asJSON {
		for i, f := range d.Findings {
			d.Findings[i].Read, d.Findings[i].Fix = a.hide(f.Read), a.hide(f.Fix)
		}
		return a.Print.JSON(checkJSON{1, d})
	}
	if several {
		if err := a.Print.Result("%s", d.Loop); err != nil {
			return err
		}
	}
	for _, f := range d.Findings {
		mark := a.Print.markFail()
		if f.Warning {
			mark = a.Print.markWarning()
		}
		if err := a.Print.Result("%s %s %s", f.Rule, mark, a.hide(f.String())); err != nil {
			return err
		}
	}
	return a.Print.Result("%s", d.verdictLine())
}
