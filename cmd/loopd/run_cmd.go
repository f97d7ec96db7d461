package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"loopd/journal"
	"loopd/supervisor"
	"loopd/supervisor/proc"
)

// Run runs iterations of a loop. A guard process (see main) watches over this one, so that whichever dies the agent's tree
// goes too.
func (c *runCmd) Run(a *app) error {
	ref, err := c.which(a)
	if err != nil {
		return err
	}
	if ref.Dialect != "driver" && (len(c.Flags) > 0 || c.IdleCount > 0) {
		return usagef("loopd run "+c.Name, "%s is a %s loop: it takes no flags and no --idle-count of an iteration skill (%q)", c.Name, ref.Dialect, c.Flags)
	}
	if ref.Dialect == "markdown" {
		if err := c.markdownReady(a, ref); err != nil {
			return err
		}
	}
	if ref.Dialect == "driver" && !c.DryRun && isFolder(ref.Dir) != nil { // a skill gets its memory with its first run
		if _, err := a.plant(ref, nil, nil); err != nil {
			return err
		}
	}
	host := a.Host
	if host == nil {
		host = proc.NewHost()
		defer host.Close()
	}
	end, err := c.drive(a, ref, host, func() { c.bound(ref) })
	if err != nil {
		return err
	}
	return c.finish(a, ref, end)
}

// which is the loop that is meant: by its name, or by the file of its contract.
func (c *runCmd) which(a *app) (journal.Ref, error) {
	switch {
	case c.Contract != "" && c.Name != "":
		return journal.Ref{}, usagef("loopd run --contract "+c.Contract, "a contract is run by its file, without a name (%q)", c.Name)
	case c.Contract != "":
		ref, err := c.contract(a)
		c.Name = ref.Name
		return ref, err
	case c.Name == "":
		return journal.Ref{}, usagef("loopd run --help", "which loop? give its name, or --contract FILE")
	}
	return a.find(c.Name, c.Dialect)
}

// drive runs a loop. Once the settings are in force, adjust may change them.
func (c *runCmd) drive(a *app, ref journal.Ref, host *proc.Host, adjust func()) (supervisor.Ending, error) {
	s, conf, err := a.supervise(ref, host)
	if err != nil {
		return supervisor.Ending{}, err
	}
	l, err := s.Dialect.Load(ref)
	if err != nil {
		return supervisor.Ending{}, &exitError{Code: codeUsage, What: "cannot read loop " + ref.Name, Where: a.show(ref.Dir), Why: err, Next: "make it readable"}
	}
	if _, err := a.settle(l.Charter, conf); err != nil {
		return supervisor.Ending{}, err
	}
	adjust()
	s.Options = c.options(s.Options)
	s.Watched = a.Print.Terminal() || a.Verbose
	if s.Options.Maker == "" && l.Charter.Harness.Maker == "" {
		if s.Options.Maker = defaultHarness(s.Known, a.Root, a.Env); s.Options.Maker != "" {
			a.Print.Notice("no harness was chosen: " + s.Options.Maker + " is used")
		}
	}
	live := newLive(a.Print, c.JSON, a.Verbose)
	defer live.close()
	s.Emit = live.event
	if d := newDaemon(os.Getenv("NOTIFY_SOCKET") != "", live.event); d != nil {
		s.Emit = d.event
		defer d.close()
	}
	ctx, stop := a.interrupted(host)
	defer stop()
	end, err := s.Run(ctx)
	var by supervisor.InterruptedBy
	if errors.Is(err, proc.ErrAborted) && errors.As(context.Cause(ctx), &by) {
		return supervisor.Ending{}, &exitError{Code: 128 + int(by.Signal), What: "ended at once; nothing that it started is alive", Next: "start again: the iteration is put back first"}
	}
	if err != nil {
		return supervisor.Ending{}, exitOf(err)
	}
	return end, nil
}

func (c *runCmd) options(o supervisor.Options) supervisor.Options {
	o.Once, o.IfDue, o.PrintWake, o.Now, o.Drain, o.DryRun, o.Yes = c.Once || c.IfDue, c.IfDue, c.PrintWake, c.Now, c.Drain, c.DryRun, c.Yes
	o.Workers = cmp.Or(c.Workers, 2)
	o.Sandbox, o.Judge, o.Protect = c.Sandbox, c.Judge, c.Protect
	o.Worktree, o.NoGit, o.Baseline = c.Worktree, c.NoGit, c.Baseline
	o.Max, o.For, o.Until = c.Max, c.For, c.Until
	o.Timeout, o.Idle, o.Grace, o.MaxCost = c.Timeout, c.IdleTimeout, c.Grace, c.MaxCost
	o.Maker, o.Checker, o.EscalateTo, o.Model = c.Harness, c.Checker, c.Escalate, c.Model
	for _, name := range strings.Split(c.Fallback, ",") {
		if name = strings.TrimSpace(name); name != "" {
			o.Fallback = append(o.Fallback, name)
		}
	}
	o.Flags, o.GivenFlags, o.IdleCount = c.Flags, len(c.Flags) > 0, c.IdleCount
	return o
}

// wakeCommand is the whole command of the next wake: with a skill's flags and idle count, since nothing else may survive
// between two wakes (the loop driver seed, "The wake prompt is the only state that survives").
func (c *runCmd) wakeCommand(ref journal.Ref, end supervisor.Ending) string {
	words := []string{"loopd", "run", c.Name, "--once", "--print-wake"}
	if ref.Dialect == "driver" {
		words = append(words, fmt.Sprintf("--idle-count=%d", end.Idle))
		if len(end.Flags) > 0 {
			words = append(append(words, "--"), end.Flags...)
		}
	}
	return asTyped(words)
}

// finish says how the run ended, what it did, and how to take or drop the work.
func (c *runCmd) finish(a *app, ref journal.Ref, end supervisor.Ending) error {
	if end.Text != "" {
		if err := a.Print.Result("%s", trimEnd(end.Text)); err != nil {
			return err
		}
		return endWith(end.Code)
	}
	if c.PrintWake && !end.Wake.IsZero() {
		if err := a.Print.Result("wake: %s · %s", end.Wake.Local().Format(time.RFC3339), c.wakeCommand(ref, end)); err != nil {
			return err
		}
	}
	why := c.Name + ": " + end.Why
	say := a.Print.Notice
	if end.Code == codeOK {
		say(why)
	} else {
		say = a.Print.Warn
		say(why, "exit", end.Code)
	}
	if end.Fix != "" {
		say("next: " + end.Fix)
	}
	if end.Iterations > 0 && end.Branch != "" {
		a.Print.Notice(fmt.Sprintf("%s, %s on %s", many(end.Iterations, "iteration"), many(end.Commits, "commit"), end.Branch))
		if end.Commits > 0 {
			a.Print.Notice("look at the work: git log -p " + end.Base[:12] + ".." + end.Branch)
			if !strings.HasPrefix(end.Branch, "loop/") {
				return endWith(end.Code) // the person's own branch is neither merged nor dropped
			}
			a.Print.Notice("take it: git switch YOUR-BRANCH && git merge " + end.Branch + "; drop it: git branch -D " + end.Branch)
		}
	}
	return endWith(end.Code)
}

// many counts a thing in words.
func many(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	if strings.HasSuffix(thing, "s") {
		thing += "e" // processes
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
