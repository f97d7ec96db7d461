package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"loopd/journal"
	"loopd/journal/disk"
	"loopd/journal/markdown"
)

// activation is what a person says of one activation beside the definition.
type activation struct {
	max         int
	queue, gate bool
	check       string
	details     []string
}

// given reports whether a bound was named.
func (v activation) given() bool { return v.max > 0 || v.queue || v.gate || v.check != "" }

// bound is the activation's: the one that was named, which Run Policy must allow, else the policy's default.
func (v activation) bound(a *app, d markdown.Definition, ref journal.Ref) (markdown.Bound, error) {
	b := d.Policy.Default
	switch {
	case v.max > 0:
		b = markdown.Count(v.max)
	case v.queue:
		b = markdown.UntilQueueEmpty()
	case v.check != "":
		b = markdown.UntilCheck(v.check)
	case v.gate:
		b = markdown.OneGate()
	}
	if err := d.Policy.Allows(b); err != nil {
		return b, &exitError{Code: codeUsage, What: err.Error(), Where: a.show(ref.File), Next: "choose an allowed bound, or leave it out: the default is " + d.Policy.Default.String()}
	}
	return b, nil
}

// fill gives the Required Activation Details: from flags, else asked for on a terminal. One that stays open needs a person.
func (v activation) fill(a *app, d markdown.Definition, ref journal.Ref) ([]markdown.Detail, error) {
	var given []markdown.Given
	for _, kv := range v.details {
		k, value, ok := strings.Cut(kv, "=")
		if !ok || strings.TrimSpace(k) == "" {
			return nil, usagef("loopd activate "+ref.Name+` --detail "NAME=VALUE"`, "--detail %q is not NAME=VALUE", kv)
		}
		given = append(given, markdown.Given{Name: k, Value: value})
	}
	details, open := d.Fill(given)
	if t := a.terminal(); t != nil {
		for _, x := range details {
			if strings.TrimSpace(x.Value) != "" {
				continue
			}
			if answer, ok := t.Ask(context.Background(), "Required for this activation: "+x.Name+"?", nil); ok {
				given = append(given, markdown.Given{Name: x.Name, Value: answer})
			}
		}
		details, open = d.Fill(given)
	}
	if len(open) > 0 {
		var texts []string
		for _, f := range open {
			texts = append(texts, f.String())
		}
		return nil, &exitError{Code: codeHeld, What: strings.Join(texts, "\n"), Next: "loopd activate " + ref.Name + ` --detail "NAME=VALUE"`}
	}
	return details, nil
}

// definition reads the definition of a markdown loop. One that is missing or unclear in what the protocol wants to be clear
// needs a person (exit 13), and no file is made.
func (a *app) definition(ref journal.Ref) (markdown.Definition, error) {
	src, err := os.ReadFile(ref.File)
	if err != nil {
		return markdown.Definition{}, &exitError{Code: codeUsage, What: "cannot read the definition", Where: a.show(ref.File), Why: err, Next: "make it readable"}
	}
	d, findings := markdown.Read(a.show(ref.File), src)
	var open []string
	for _, f := range findings {
		if f.Warning {
			a.Print.Warn(f.String())
			continue
		}
		open = append(open, f.String())
	}
	if len(open) > 0 {
		return d, &exitError{Code: codeHeld, What: strings.Join(open, "\n"), Next: "say it in " + a.show(ref.File) + ", then: loopd activate " + ref.Name}
	}
	return d, nil
}

// markdownReady stops a run of a loop that nobody has activated: the confirmation is shown, and asked for on a terminal. A
// bound on the command line of an active loop begins a new activation with it.
func (c *runCmd) markdownReady(a *app, ref journal.Ref) error {
	d, err := a.definition(ref)
	if err != nil {
		return err
	}
	v := activation{max: c.Max, queue: c.UntilQueueEmpty, check: c.UntilCheck, gate: c.Gate, details: c.Detail}
	bound, err := v.bound(a, d, ref)
	if err != nil {
		return err
	}
	_, serr := os.Stat(filepath.Join(ref.Dir, markdown.StateFile))
	if active := !errors.Is(serr, fs.ErrNotExist); active && (!v.given() || c.DryRun) {
		return nil
	} else if active {
		if l, err := (markdown.Markdown{}).Load(ref); err == nil && l.State.Status != journal.Active {
			return nil // the gate says why it does not run
		}
		// What was confirmed stays; only how far it runs is new.
		record, _ := os.ReadFile(filepath.Join(ref.Dir, markdown.RecordFile))
		entries, _ := markdown.ReadRecord(markdown.RecordFile, record)
		last, _ := markdown.LastActivation(entries)
		return a.plantMarkdown(d, ref, markdown.ActivateAndRun, bound, last.Details)
	}
	details, err := v.fill(a, d, ref)
	if err != nil {
		return err
	}
	choice, err := a.confirm(d, ref, bound, details)
	if err != nil {
		return err
	}
	if choice != markdown.ActivateAndRun && choice != markdown.ActivateAndWait {
		return &exitError{Code: codeHeld, What: "not activated: " + choice.String()}
	}
	if err := a.ignoreRuntime(ref, ""); err != nil {
		return err
	}
	if err := a.plantMarkdown(d, ref, choice, bound, details); err != nil {
		return err
	}
	if choice == markdown.ActivateAndWait {
		return &exitError{Code: codeRefused, What: ref.Name + " is active and waits", Next: "loopd run " + ref.Name}
	}
	return nil
}

// bound sets how many iterations this run may make: the activation's bound.
func (c *runCmd) bound(ref journal.Ref) {
	if ref.Dialect != "markdown" {
		return
	}
	c.Max = 0 // it went into the activation
	src, err := os.ReadFile(filepath.Join(ref.Dir, markdown.StateFile))
	if err != nil {
		return // the load says what is wrong
	}
	s, _ := markdown.ReadState(markdown.StateFile, src)
	if text, err := os.ReadFile(ref.File); err == nil {
		if d, _ := markdown.Read(markdown.DefinitionFile, text); d.Policy.StopsAfterEach() {
			defer func() { c.Max, c.Drain = 1, false }()
		}
	}
	b, err := markdown.ParseBound(s.Get(markdown.FieldBound))
	if err != nil {
		b = markdown.Count(1) // never without a bound
	}
	switch b.Kind {
	case markdown.BoundCount, markdown.BoundGate:
		c.Max = max(1, b.N)
		if done, ok := markdown.ReadProgress(s.Get(markdown.FieldProgress)); ok && done < c.Max {
			c.Max -= done
		}
	case markdown.BoundCheck:
		if c.Drain = true; b.Check != nil {
			c.Until = b.Check.Command
		}
	default:
		c.Drain = true // its conditions end it
	}
}

// activateMarkdown confirms a markdown loop and creates its runtime files.
func (c *activateCmd) activateMarkdown(a *app, ref journal.Ref) error {
	d, err := a.definition(ref)
	if err != nil {
		return err
	}
	v := activation{max: c.Max, queue: c.UntilQueueEmpty, check: c.UntilCheck, gate: c.Gate, details: c.Detail}
	bound, err := v.bound(a, d, ref)
	if err != nil {
		return err
	}
	details, err := v.fill(a, d, ref)
	if err != nil {
		return err
	}
	var choice markdown.Choice
	switch {
	case c.Yes:
		choice = markdown.ActivateAndRun
	case c.Wait:
		choice = markdown.ActivateAndWait
	default:
		if choice, err = a.confirm(d, ref, bound, details); err != nil {
			return err
		}
	}
	if choice != markdown.ActivateAndRun && choice != markdown.ActivateAndWait {
		return a.Print.Result("%s: nothing was created: %s", ref.Name, choice)
	}
	if err := a.ignoreRuntime(ref, c.Gitignore); err != nil {
		return err
	}
	if err := a.plantMarkdown(d, ref, choice, bound, details); err != nil {
		return err
	}
	if err := a.Print.Result("%s: activated, %s", ref.Name, bound); err != nil {
		return err
	}
	a.Print.Notice("next: loopd run " + ref.Name)
	return nil
}

// confirm shows the protocol's confirmation and asks for one of its five choices; without a terminal nobody can answer.
func (a *app) confirm(d markdown.Definition, ref journal.Ref, bound markdown.Bound, details []markdown.Detail) (markdown.Choice, error) {
	if err := a.Print.Result("%s", trimEnd(markdown.Confirmation(d, markdown.Proposal{Name: ref.Name, Bound: bound, Details: details}))); err != nil {
		return 0, err
	}
	t := a.terminal()
	if t == nil {
		return 0, &exitError{Code: codeHeld, What: ref.Name + " was never activated, and there is no terminal to ask on", Next: "loopd activate " + ref.Name + " --yes (or --wait)"}
	}
	for {
		text, ok := t.Ask(context.Background(), "Which one (1 to 5)?", nil)
		if !ok {
			return 0, &exitError{Code: codeHeld, What: "not confirmed", Next: "loopd activate " + ref.Name}
		}
		if choice, known := markdown.ParseChoice(text); known {
			return choice, nil
		}
	}
}

// ignoreRuntime asks about .gitignore before either runtime file exists.
func (a *app) ignoreRuntime(ref journal.Ref, way string) error {
	path := filepath.Join(a.Root, ".gitignore")
	src, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return &exitError{Code: codeUsage, What: "cannot read .gitignore", Why: err}
	}
	added := markdown.AddIgnores(src)
	if string(added) == string(src) || way == "leave" {
		return nil
	}
	if way == "" {
		t := a.terminal()
		if t == nil {
			return &exitError{Code: codeHeld, What: "the loop would create " + a.show(filepath.Join(ref.Dir, markdown.StateFile)) + " and " + markdown.RecordFile + " beside it, which usually should not be committed, and .gitignore does not name them",
				Next: "loopd activate " + ref.Name + " --yes --gitignore add (or leave)"}
		}
		answer, ok := t.Ask(context.Background(), "This loop will create runtime files: "+strings.Join(markdown.IgnoreLines(), " and ")+". These usually should not be committed. Add them to .gitignore?", []string{"add", "leave"})
		if !ok {
			return &exitError{Code: codeHeld, What: "not confirmed", Next: "loopd activate " + ref.Name}
		}
		if answer != "add" {
			return nil
		}
	}
	if err := (disk.Disk{}).Replace("gitignore", path, added); err != nil {
		return &exitError{Code: codeFault, What: "cannot write .gitignore", Why: err}
	}
	return nil
}

// plantMarkdown appends the activation entry and then sets the state: evidence before state.
func (a *app) plantMarkdown(d markdown.Definition, ref journal.Ref, choice markdown.Choice, bound markdown.Bound, details []markdown.Detail) error {
	now := time.Now()
	read := func(name string) ([]byte, error) {
		src, err := os.ReadFile(filepath.Join(ref.Dir, name))
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		return src, err
	}
	record, err := read(markdown.RecordFile)
	if err != nil {
		return &exitError{Code: codeUsage, What: "cannot read the record", Why: err}
	}
	state, err := read(markdown.StateFile)
	if err != nil {
		return &exitError{Code: codeUsage, What: "cannot read the state", Why: err}
	}
	status := markdown.Running
	if choice == markdown.ActivateAndWait {
		status = markdown.Waiting
	}
	entry := markdown.Activation(markdown.Activated{Loop: ref.Name, At: now, By: "a person", Confirmation: choice.String() + " Activation bound: " + bound.String(), Summary: d.Purpose, Details: details})
	fields := []markdown.Field{
		{Name: markdown.FieldStatus, Value: string(status)}, {Name: markdown.FieldLoop, Value: ref.Name}, {Name: markdown.FieldBound, Value: bound.String()},
		{Name: markdown.FieldProgress, Value: bound.Progress(0)}, {Name: markdown.FieldUpdated, Value: now.Format(time.RFC3339)},
	}
	if state == nil {
		state = markdown.NewState(d.Track, append(fields, markdown.Field{Name: markdown.FieldCount, Value: "0"})...)
	} else if _, findings := markdown.ReadState(a.show(filepath.Join(ref.Dir, markdown.StateFile)), state); hasDefect(findings) != "" {
		return &exitError{Code: codeHeld, What: hasDefect(findings), Next: "mend the file, or move it away"}
	} else {
		state = markdown.SetFields(state, fields...)
	}
	for _, w := range []journal.Write{
		{Label: "journal", Path: filepath.Join(ref.Dir, markdown.RecordFile), Kind: journal.WriteAppend, Data: markdown.Append(record, entry)},
		{Label: "state", Path: filepath.Join(ref.Dir, markdown.StateFile), Kind: journal.WriteReplace, Data: state},
	} {
		if err := (disk.Disk{}).Do(w); err != nil {
			return &exitError{Code: codeFault, What: "cannot write the loop's runtime files", Where: a.show(w.Path), Why: err}
		}
	}
	return nil
}

// hasDefect gives the first finding that is no warning, "" for none.
func hasDefect(findings []journal.Finding) string {
	for _, f := range findings {
		if !f.Warning {
			return f.String()
		}
	}
	return ""
}
