package main

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"syscall"

	"github.com/nicholas-fedor/shoutrrr"

	"loopd/harness"
	"loopd/journal"
	"loopd/journal/all"
	"loopd/journal/contract"
	"loopd/journal/disk"
	"loopd/journal/markdown"
	"loopd/supervisor"
	"loopd/supervisor/proc"
)

// find finds a loop by name; what goes wrong is the user's to mend: exit 80.
func (a *app) find(name, dialect string) (journal.Ref, error) {
	ref, err := all.Find(a.Root, name, dialect)
	if other := markdown.Misnamed(a.Root, name); errors.Is(err, all.ErrUnknown) && other != "" {
		return ref, &exitError{Code: codeHeld, What: "this file is no loop's definition: its name must be exactly " + markdown.DefinitionFile + "; nothing was renamed or replaced", Where: a.show(other),
			Next: "if it is meant as one: mv " + a.show(other) + " " + a.show(filepath.Join(filepath.Dir(other), markdown.DefinitionFile))}
	}
	folder := filepath.Join(a.Root, loopFolder, name)
	if errors.Is(err, all.ErrUnknown) && isFolder(folder) == nil {
		return ref, &exitError{Code: codeUsage, What: "no loop: there is no LOOP.md in it, so it may be another tool's", Where: a.show(folder), Next: "loopd init NAME --archetype A makes a loop, under another name"}
	}
	if err != nil {
		return ref, &exitError{Code: codeUsage, What: err.Error(), Next: nextAfter(err)}
	}
	return ref, nil
}

// nextAfter is the next step after a loop was not found.
func nextAfter(err error) string {
	if errors.Is(err, fs.ErrPermission) {
		return "make the folder readable"
	}
	return "loopd status lists the loops here"
}

// loops lists every loop below the root, of all dialects.
func (a *app) loops() ([]journal.Ref, error) {
	var out []journal.Ref
	for _, d := range all.All() {
		refs, err := d.Find(a.Root)
		if err != nil {
			return nil, &exitError{Code: codeUsage, What: "cannot look for loops", Where: a.show(a.Root), Why: err, Next: nextAfter(err)}
		}
		for _, ref := range refs {
			// A skill is a loop once it was driven: not every skill of a person's is meant to be one.
			if ref.Dialect == "driver" && isFolder(ref.Dir) != nil {
				continue
			}
			out = append(out, ref)
		}
	}
	return out, nil
}

// dialect finds a dialect by its name.
func dialect(name string) (journal.Dialect, bool) {
	for _, d := range all.All() {
		if d.Name() == name {
			return d, true
		}
	}
	return nil, false
}

// supervise ties a loop to everything that running it needs. host is closed by whoever made it.
func (a *app) supervise(ref journal.Ref, host *proc.Host) (*supervisor.Supervisor, config, error) {
	c, err := a.loadConfig()
	if err != nil {
		return nil, c, err
	}
	known, err := c.harnesses()
	if err != nil {
		return nil, c, &exitError{Code: codeUsage, What: err.Error(), Next: "loopd config"}
	}
	d, ok := dialect(ref.Dialect)
	if !ok {
		return nil, c, usagef("loopd version", "unknown dialect %q", ref.Dialect)
	}
	s := &supervisor.Supervisor{
		Ref: ref, Dialect: d, Dialects: dialect, Lookup: known.Lookup, Known: known.All(), Protected: c.Protected,
		Prices: map[string]supervisor.Price{}, Channels: c.Channels, StateHome: a.stateHome(),
		Host: host, Disk: disk.Disk{}, Env: a.Env, Send: sendURL, Emit: func(supervisor.Event) {}, Version: version(),
	}
	if s.Own, err = contract.Own(a.Root); err != nil {
		return nil, c, &exitError{Code: codeUsage, What: "cannot look for contracts", Why: err, Next: nextAfter(err)}
	}
	for model, p := range c.Prices {
		s.Prices[model] = supervisor.Price{Input: p.Input, Output: p.Output, Cached: p.Cached, AsOf: p.AsOf}
	}
	if t := a.terminal(); t != nil {
		s.Terminal = t
	}
	s.Options.KeepTranscripts, s.Options.KeepBytes = c.Keep.Transcripts, c.Keep.Bytes
	return s, c, nil
}

// operator makes a supervisor for an operator's command; done gives its host back.
func (a *app) operator(ref journal.Ref) (s *supervisor.Supervisor, done func(), err error) {
	host := proc.NewHost()
	s, _, err = a.supervise(ref, host)
	if err != nil {
		host.Close()
		return nil, nil, err
	}
	s.Options.Operate = true
	return s, host.Close, nil
}

func (a *app) operatorOf(name string) (*supervisor.Supervisor, func(), error) {
	ref, err := a.find(name, "")
	if err != nil {
		return nil, nil, err
	}
	return a.operator(ref)
}

// acted prints what an operator's command did.
func (a *app) acted(did supervisor.Acted, err error) error {
	if err != nil {
		return exitOf(err)
	}
	if err := a.Print.Result("%s", trimEnd(did.Text)); err != nil {
		return err
	}
	if did.Next != "" {
		a.Print.Notice("next: " + did.Next)
	}
	return nil
}

// exitOf gives an error of the supervisor its exit code and its next step.
func exitOf(err error) error {
	var usage *supervisor.UsageError
	var held *supervisor.HeldError
	var busy *supervisor.ErrBusy
	var unusable *supervisor.UnusableError
	switch {
	case errors.As(err, &usage):
		return &exitError{Code: codeUsage, What: err.Error(), Next: usage.Fix}
	case errors.As(err, &held):
		return &exitError{Code: codeHeld, What: err.Error(), Next: held.Fix}
	case errors.As(err, &busy):
		return &exitError{Code: codeBusy, What: err.Error(), Next: "wait for it, or look: loopd status"}
	case errors.As(err, &unusable):
		return &exitError{Code: codeUnavailable, What: err.Error(), Next: "loopd harness list"}
	}
	return &exitError{Code: codeFault, What: err.Error(), Next: repair(err)}
}

// repairs says what a person does about faults of the surroundings; the next start settles what was left.
var repairs = []struct {
	fault error
	next  string
}{
	{syscall.ENOSPC, "free space on the disk, then start again: what is left of the iteration is settled first"},
	{syscall.EDQUOT, "free space in your quota, then start again: what is left of the iteration is settled first"},
	{syscall.EROFS, "make the file system writable, then start again"},
	{syscall.EACCES, "give yourself the right to write there, then start again"},
	{syscall.EIO, "look at the disk (dmesg), then start again"},
}

func repair(err error) string {
	for _, r := range repairs {
		if errors.Is(err, r.fault) {
			return r.next
		}
	}
	return ""
}

// stateHome is where loops outside git keep what is private to loopd.
func (a *app) stateHome() string {
	base := lookup(a.Env, "XDG_STATE_HOME")
	if !filepath.IsAbs(base) {
		base = filepath.Join(lookup(a.Env, "HOME"), ".local", "state")
	}
	return filepath.Join(base, programName)
}

// defaultHarness is decision 12: where nobody chose, claude, then codex, else the only one that is here.
func defaultHarness(known []harness.Harness, dir string, env []string) string {
	var here []string
	for _, h := range known {
		inv, err := h.Invoke(harness.Request{})
		if err != nil {
			continue
		}
		if _, err := proc.Find(inv.Argv[0], dir, env); err == nil {
			here = append(here, h.Name())
		}
	}
	for _, first := range []string{"claude", "codex"} {
		for _, name := range here {
			if name == first {
				return name
			}
		}
	}
	if len(here) == 1 {
		return here[0]
	}
	return ""
}

// sendURL delivers to a notification URL (Slack, mail, ntfy, webhook …).
func sendURL(ctx context.Context, url, title, body string) error {
	sender, err := shoutrrr.CreateSender(url)
	if err != nil {
		return err
	}
	done := make(chan error, 1)
	go func() { done <- errors.Join(sender.Send(title+"\n"+body, nil)...) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}
