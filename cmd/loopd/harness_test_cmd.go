package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"loopd/harness"
	"loopd/supervisor"
	"loopd/supervisor/proc"
)

// harnessTestJSON is the shape of `harness test --json`.
type harnessTestJSON struct {
	Schema     int               `json:"schema"` // of this shape
	Harness    string            `json:"harness"`
	Program    string            `json:"program,omitempty"`
	Version    string            `json:"version,omitempty"`
	Missing    string            `json:"missing,omitempty"`
	Credential string            `json:"credential"`
	Argv       []string          `json:"argv"`
	Sets       map[string]string `json:"sets,omitempty"`
	TakesAway  []string          `json:"takes_away,omitempty"`
	Run        *trialJSON        `json:"run,omitempty"`
}

// trialJSON is what a run of one turn came to.
type trialJSON struct {
	classifyJSON
	Exit    int      `json:"exit"`
	Seconds float64  `json:"seconds"`
	Swept   int      `json:"swept"`
	Files   []string `json:"files,omitempty"` // left in its folder
}

// Run shows how a harness would be started, to the letter, and then starts it for one turn in an empty folder.
func (c *harnessTestCmd) Run(a *app) error {
	set, err := a.harnesses()
	if err != nil {
		return err
	}
	h, err := set.Lookup(c.Name)
	if err != nil {
		return usagef("loopd harness list", "%v", err)
	}
	host := a.Host
	if host == nil {
		host = proc.NewHost()
		defer host.Close()
	}
	ctx, stop := a.interrupted(host)
	defer stop()
	p := a.look(ctx, host, h, set.All(), harness.Request{Model: c.Model, ReadOnly: c.ReadOnly})
	out := c.shape(a, p)
	if !c.JSON {
		if err := a.Print.Table(c.rows(a, p)); err != nil {
			return err
		}
	}
	if p.Credential.Warning != "" {
		a.Print.Warn(p.Credential.Warning)
	}
	a.noteRoot()
	var verdict error
	switch {
	case p.Missing != "":
		verdict = &exitError{Code: codeUnavailable, What: h.Name() + ": " + p.Missing, Next: "install it, or name its program: [harness." + h.Name() + "] argv in config.toml"}
	case !c.NoRun:
		if out.Run, verdict, err = c.try(ctx, a, host, h, set.All()); err != nil {
			return orInterrupted(ctx, err)
		}
	}
	switch {
	case c.JSON:
		err = a.Print.JSON(out)
	case out.Run != nil:
		err = a.Print.Result("\n%s", out.Run.table())
	}
	if err != nil {
		return err
	}
	return verdict
}

// try asks for one turn. verdict is the exit of a harness that does not answer.
func (c *harnessTestCmd) try(ctx context.Context, a *app, host *proc.Host, h harness.Harness, known []harness.Harness) (out *trialJSON, verdict, err error) {
	trial := supervisor.Trial{
		Harness: h, Known: known, Host: host, Env: a.Env, Prompt: supervisor.TrialPrompt, Model: c.Model, ReadOnly: c.ReadOnly, Wall: c.Timeout, Idle: c.IdleTimeout,
	}
	if a.Verbose {
		trial.Told = func(text string) { a.Print.Notice(text) }
	}
	a.Print.Notice("asking " + h.Name() + " for one word, in an empty folder")
	got, err := supervisor.Try(ctx, trial)
	if err != nil {
		return nil, nil, err
	}
	if ctx.Err() != nil {
		return nil, nil, ctx.Err()
	}
	if got.NotStarted != "" {
		return nil, &exitError{Code: codeUnavailable, What: h.Name() + ": " + got.NotStarted}, nil
	}
	if got.Stderr != "" && got.Reply.Stop != harness.Complete {
		a.Print.Notice("it said on stderr:\n" + trimEnd(got.Stderr))
	}
	got.Reply.Cause = strings.TrimSuffix(got.Reply.Cause, "; "+harness.SeeTranscript) // there is none of a trial
	out = &trialJSON{classifyJSON: shapeOf(h, got.Reply), Exit: got.Exit, Seconds: got.Took.Seconds(), Swept: got.Swept, Files: got.Files}
	switch got.Reply.Stop {
	case harness.Complete:
		return out, nil, nil
	case harness.Limited:
		return out, &exitError{Code: codeLimited, What: got.Reply.Cause}, nil
	}
	return out, &exitError{Code: codeUnavailable, What: got.Reply.Cause}, nil
}

func (c *harnessTestCmd) shape(a *app, p presence) harnessTestJSON {
	out := harnessTestJSON{
		Schema: 1, Harness: p.Harness.Name(), Program: p.Program, Version: p.Version, Missing: p.Missing, Credential: credential(p.Credential),
		TakesAway: taken(a.Env, p.Environ), Sets: map[string]string{},
	}
	for _, word := range p.Invocation.Argv {
		out.Argv = append(out.Argv, a.hide(word))
	}
	for name, value := range p.Invocation.Set {
		out.Sets[name] = a.hide(hideVariable(name, value))
	}
	return out
}

func (c *harnessTestCmd) rows(a *app, p presence) [][]string {
	h := p.Harness
	rows := [][]string{
		{"harness", h.Name()},
		{"program", orDash(p.Program) + " " + p.Version},
		{"credential", credential(p.Credential)},
		{"argv", asTyped(p.Invocation.Argv)},
	}
	if !c.ReadOnly {
		if inv, err := h.Invoke(harness.Request{Model: c.Model, ReadOnly: true, Dir: a.Root, ScratchDir: scratchWord}); err != nil {
			rows = append(rows, []string{"read-only", "not possible: " + err.Error()})
		} else {
			rows = append(rows, []string{"read-only", asTyped(inv.Argv)})
		}
	}
	rows = append(rows, []string{"prompt", promptWay(p.Invocation)})
	for _, name := range slices.Sorted(maps.Keys(p.Invocation.Set)) {
		rows = append(rows, []string{"sets", name + "=" + hideVariable(name, p.Invocation.Set[name])})
	}
	if gone := taken(a.Env, p.Environ); len(gone) > 0 {
		rows = append(rows, []string{"takes away", strings.Join(gone, " ")})
	}
	rows = append(rows,
		[]string{"stop", fmt.Sprintf("SIG%s, then KILL after %s", p.Invocation.StopSignal, proc.DefaultGrace)},
		[]string{"cache", h.CacheTTL().String()})
	for i := range rows {
		rows[i][1] = a.hide(strings.TrimSpace(rows[i][1]))
	}
	return rows
}

func (t trialJSON) table() string {
	text := t.classifyJSON.table() + fmt.Sprintf("\ntook     %s, exit %d", time.Duration(t.Seconds*float64(time.Second)).Round(time.Millisecond), t.Exit)
	if t.Swept > 0 {
		text += fmt.Sprintf(", %s left behind and ended", many(t.Swept, "process"))
	}
	if len(t.Files) > 0 {
		text += "\nleft     " + strings.Join(t.Files, " ") + " in its folder"
	}
	return text
}
