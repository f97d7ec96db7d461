package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"loopd/supervisor/proc"
)

// selftestJSON is the shape of a line of `selftest --json`: a fact of the machine, or a case.
type selftestJSON struct {
	Schema  int     `json:"schema"`
	Kind    string  `json:"kind"` // fact or case
	Name    string  `json:"name"`
	OK      bool    `json:"ok"`
	Skipped bool    `json:"skipped,omitempty"`
	Says    string  `json:"says"`
	Seconds float64 `json:"seconds,omitempty"`
}

// Run tries on this machine what loopd promises: repositories in a temporary folder, a scripted agent, this very binary. One
// line a case, after the machine's facts.
func (c *selftestCmd) Run(a *app) error {
	for _, f := range a.facts() {
		if err := c.say(a, selftestJSON{Kind: "fact", Name: f.Name, OK: f.Good, Says: f.Says}); err != nil {
			return err
		}
	}
	base, err := os.MkdirTemp("", "loopd-selftest-")
	if err != nil {
		return &exitError{Code: codeFault, What: "cannot make a folder to try in", Why: err, Next: repair(err)}
	}
	defer os.RemoveAll(base)
	if base, err = filepath.EvalSymlinks(base); err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this binary: %w", err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	failed := 0
	for i, k := range selftests {
		if ctx.Err() != nil {
			return endWith(codeInterrupt)
		}
		begin := time.Now()
		b := &selftestBox{ctx: ctx, self: self, dir: filepath.Join(base, fmt.Sprint(i)), home: lookup(a.Env, "HOME"), env: a.Env}
		says, err := b.try(k)
		line := selftestJSON{Kind: "case", Name: k.name, OK: err == nil, Says: says, Seconds: time.Since(begin).Seconds()}
		if err != nil {
			line.Says = err.Error()
			failed++
		}
		line.Skipped = err == nil && strings.HasPrefix(says, "skipped")
		if err := c.say(a, line); err != nil {
			return err
		}
	}
	if failed > 0 {
		a.Print.Warn(many(failed, "case") + " failed: do not leave loops alone on this machine before you know why")
		return endWith(codeFault)
	}
	return nil
}

func (c *selftestCmd) say(a *app, l selftestJSON) error {
	l.Schema = 1
	if c.JSON {
		return a.Print.JSON(l)
	}
	switch {
	case l.Kind == "fact":
		mark := "yes "
		if !l.OK {
			mark = "no  "
		}
		return a.Print.Result("%s %s: %s", mark, l.Name, a.hide(l.Says))
	case l.Skipped:
		return a.Print.Result("-    %s: %s", l.Name, a.hide(l.Says))
	case l.OK:
		return a.Print.Result("%s   %s: %s (%.1f s)", a.Print.markGood(), l.Name, a.hide(l.Says), l.Seconds)
	}
	return a.Print.Result("%s %s: %s", a.Print.markFail(), l.Name, a.hide(l.Says))
}

// facts are what decides how sure loopd can be here.
func (a *app) facts() []proc.Fact {
	out := proc.Facts(a.Env)
	git := proc.Fact{Name: "git", Says: "not found on PATH: nothing can be put back"}
	if v, err := exec.Command("git", "--version").Output(); err == nil {
		git.Good, git.Says = true, strings.TrimSpace(string(v))
	}
	fs := proc.FileSystem(a.Root)
	disk := proc.Fact{Name: "file system", Good: fs != "nfs" && fs != "cifs" && fs != "9p", Says: fs + " (" + a.Root + ")"}
	if !disk.Good {
		disk.Says += ": locks and durable writes depend on the server"
	}
	return append(out, git, disk)
}
