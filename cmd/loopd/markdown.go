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
	_, missing := d.Fill(nil)
	for _, f := range missing {
		open = append(open, f.String())
	}
	if len(open) > 0 {
		return d, &exitError{Code: codeHeld, What: strings.Join(open, "\n"), Next: "say it in " + a.show(ref.File) + ", then: loopd activate " + ref.Name}
	}
	return d, nil
}

// markdownReady stops a run of a loop that nobody has activated: the confirmation is shown, and asked for on a terminal.
func (c *runCmd) markdownReady(a *app, ref journal.Ref) error {
	d, err := a.definition(ref)
	if err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(ref.Dir, markdown.StateFile)); !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	choice, err := a.confirm(d, ref)
	if err != nil {
		return err
	}
	if choice != markdown.ActivateAndRun && choice != markdown.ActivateAndWait {
		return &exitError{Code: codeHeld, What: "not activated: " + choice.String()}
	}
	if err := a.ignoreRuntime(ref, ""); err != nil {
		return err
	}
	if err := a.plantMarkdown(d, ref, choice); err != nil {
		return err
	}
	if choice == markdown.ActivateAndWait {
		return &exitError{Code: codeRefused, What: ref.Name + " is active and waits", Next: "loopd run " + ref.Name}
	}
	return nil
}

// bound sets how many iterations this run may make: the activation's bound.
func (c *runCmd) bound(ref journal.Ref) {
	if ref.Dialect != "markdown" || c.Max > 0 {
		return
	}
	src, err := os.ReadFile(filepath.Join(ref.Dir, markdown.StateFile))
	if err != nil {
		return // the load says what is wrong
	}
	s, _ := markdown.ReadState(markdown.StateFile, src)
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
		c.Until, c.Drain = b.Check.Command, true
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
	var choice markdown.Choice
	switch {
	case c.Yes:
		choice = markdown.ActivateAndRun
	case c.Wait:
		choice = markdown.ActivateAndWait
	default:
		if choice, err = a.confirm(d, ref); err != nil {
			return err
		}
	}
	if choice != markdown.ActivateAndRun && choice != markdown.ActivateAndWait {
		return a.Print.Result("%s: nothing was created: %s", ref.Name, choice)
	}
	if err := a.ignoreRuntime(ref, c.Gitignore); err != nil {
		return err
	}
	if err := a.plantMarkdown(d, ref, choice); err != nil {
		return err
	}
	if err := a.Print.Result("%s: activated, %s", ref.Name, d.Policy.Default); err != nil {
		return err
	}
	a.Print.Notice("next: loopd run " + ref.Name)
	return nil
}

// confirm shows the protocol's confirmation and asks for one of its five choices; without a terminal nobody can answer.
func (a *app) confirm(d markdown.Definition, ref journal.Ref) (markdown.Choice, error) {
	if err := a.Print.Result("%s", trimEnd(markdown.Confirmation(d, markdown.Proposal{Name: ref.Name, Bound: d.Policy.Default, Details: d.Details}))); err != nil {
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
func (a *app) plantMarkdown(d markdown.Definition, ref journal.Ref, choice markdown.Choice) error {
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
	bound := d.Policy.Default
	entry := markdown.Activation(markdown.Activated{Loop: ref.Name, At: now, By: "a person", Confirmation: choice.String() + " Activation bound: " + bound.String(), Summary: d.Purpose, Details: d.Details})
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
