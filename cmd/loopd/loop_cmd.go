package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"loopd/journal"
	"loopd/journal/disk"
	"loopd/journal/tracking"
	"loopd/supervisor"
	"loopd/supervisor/proc"
)

// mostQuestions is how often one iteration may ask before a person has to come back (spec/dialects.md "tracking").
const mostQuestions = 3

// Run repeats a task until its objective is met or the bound is reached, and prints the report.
func (c *loopCmd) Run(a *app) error {
	host := a.Host
	if host == nil {
		host = proc.NewHost()
		defer host.Close()
	}
	slug, err := c.document(a)
	if err != nil {
		return err
	}
	ref, err := a.find(slug, tracking.Tracking{}.Name())
	if err != nil {
		return err
	}
	answer := c.Answer
	for asked := 0; ; asked++ {
		if answer != "" {
			if err := a.answered(ref, answer); err != nil {
				return err
			}
			answer = ""
		}
		end, err := c.drive(a, ref, host)
		if err != nil {
			return err
		}
		d, question, err := readTracked(ref)
		if err != nil {
			return err
		}
		if question != "" && end.Code == codeHeld && asked < mostQuestions {
			if t := a.terminal(); t != nil {
				if text, ok := t.Ask(context.Background(), "the agent asks: "+question, nil); ok && strings.TrimSpace(text) != "" {
					answer = text
					continue
				}
			}
		}
		if question != "" {
			a.Print.Warn("it waits for an answer: " + question)
			a.Print.Warn("next: loopd loop --resume " + slug + " --answer TEXT")
			return endWith(end.Code)
		}
		if report := tracking.FinalReport(d); report != "" {
			if err := a.Print.Result("%s", trimEnd(report)); err != nil {
				return err
			}
			return endWith(end.Code)
		}
		a.Print.Warn(slug+": "+end.Why, "exit", end.Code)
		if end.Fix != "" {
			a.Print.Warn("next: " + end.Fix)
		}
		return endWith(end.Code)
	}
}

// drive runs the iterations back to back.
func (c *loopCmd) drive(a *app, ref journal.Ref, host *proc.Host) (supervisor.Ending, error) {
	run := a.runGrammar
	run.Name = ref.Name
	return run.drive(a, ref, host, func() {
		run.Drain, run.Once, run.IfDue, run.Max, run.Until = true, false, false, 0, ""
		run.Yes = run.Yes || c.Yes
		for to, from := range map[*string]string{&run.Harness: c.Harness, &run.Model: c.Model, &run.Judge: c.Judge} {
			if from != "" {
				*to = from
			}
		}
		if c.Timeout > 0 {
			run.Timeout = c.Timeout
		}
	})
}

// document writes the tracking document of a new loop, or opens that of --resume again; it gives the slug.
func (c *loopCmd) document(a *app) (string, error) {
	switch {
	case c.Resume != "" && (c.Task != "" || c.Until != "" || c.Check != ""):
		return "", usagef("loopd loop --resume "+c.Resume, "--resume keeps task, objective and check: only --max and --answer can stand beside it")
	case c.Resume != "":
		return c.Resume, c.reopen(a)
	case c.Task == "" || c.Until == "":
		return "", usagef(`loopd loop "TASK" --until "OBJECTIVE"`, "the task and --until are needed: what to repeat, and the condition that ends it")
	case c.Answer != "":
		return "", usagef("loopd loop --resume SLUG --answer TEXT", "--answer answers a question of a loop that is there: name it with --resume")
	}
	if err := a.sharedStore(); err != nil {
		return "", err
	}
	most := c.Max
	if most == 0 {
		most = 3
	}
	base := filepath.Join(a.Root, filepath.Dir(filepath.Dir(tracking.Path("x"))))
	slug := tracking.Free(tracking.Slug(c.Task), func(s string) bool { _, err := os.Lstat(filepath.Join(base, s)); return err == nil })
	d := tracking.Document{Slug: slug, Task: c.Task, Objective: c.Until, Check: c.Check, Max: most}
	if err := tracking.Valid(d); err != nil {
		return "", usagef("loopd loop --help", "%v", err)
	}
	path := filepath.Join(a.Root, tracking.Path(slug))
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err == nil {
		err = disk.Disk{}.Replace("journal", path, tracking.New(d))
	}
	if err != nil {
		return "", &exitError{Code: codeFault, What: "cannot write the tracking document", Where: a.show(path), Why: err, Next: "make the folder writable, or free some space"}
	}
	a.Print.Notice("tracking document: " + a.show(path))
	return slug, nil
}

// reopen raises the bound of a loop where --max asks for it.
func (c *loopCmd) reopen(a *app) error {
	ref, err := a.find(c.Resume, tracking.Tracking{}.Name())
	if err != nil {
		return err
	}
	src, err := os.ReadFile(ref.File)
	if err != nil {
		return &exitError{Code: codeUsage, What: "cannot read the tracking document", Where: a.show(ref.File), Why: err}
	}
	d, findings := tracking.Read(a.show(ref.File), src)
	for _, f := range findings {
		if !f.Warning {
			return &exitError{Code: codeUsage, What: f.String(), Next: "mend the document, then: loopd loop --resume " + c.Resume}
		}
	}
	if d.Status == tracking.Complete || c.Max == 0 {
		return nil // the gate says that it is done
	}
	if c.Max <= len(d.Rows) {
		return usagef(fmt.Sprintf("loopd loop --resume %s --max %d", c.Resume, len(d.Rows)+3), "--max %d is reached already: %d iterations are in the document", c.Max, len(d.Rows))
	}
	if src, err = tracking.SetMax(src, c.Max); err == nil {
		src, err = tracking.SetStatus(src, tracking.Running)
	}
	if err == nil {
		err = disk.Disk{}.Replace("journal", ref.File, src)
	}
	if err != nil {
		return &exitError{Code: codeFault, What: "cannot write the tracking document", Where: a.show(ref.File), Why: err}
	}
	return nil
}

// answered hands a person's answer to the loop.
func (a *app) answered(ref journal.Ref, answer string) error {
	s, done, err := a.operator(ref)
	if err != nil {
		return err
	}
	defer done()
	if _, err := s.SetStatus(context.Background(), journal.Active, answer); err != nil {
		return exitOf(err)
	}
	return nil
}

func readTracked(ref journal.Ref) (d tracking.Document, question string, err error) {
	l, err := tracking.Tracking{}.Load(ref)
	if err != nil {
		return d, "", &exitError{Code: codeFault, What: "cannot read the tracking document", Why: err}
	}
	d, _ = tracking.Read(ref.File, l.Charter.Source)
	d.Slug = ref.Name
	if l.State.Status == journal.Blocked {
		question = l.State.Private.Question
	}
	return d, question, nil
}

// sharedStore makes .codevoyant a link into the person's home, so that all worktrees of a repository share their loops; a
// folder or link that is there stays as it is.
func (a *app) sharedStore() error {
	link := filepath.Join(a.Root, ".codevoyant")
	home := lookup(a.Env, "HOME")
	if _, err := os.Lstat(link); !errors.Is(err, fs.ErrNotExist) || home == "" {
		return nil
	}
	store := filepath.Join(home, ".codevoyant", tracking.Slug(filepath.Base(mainRepository(a.Root))))
	err := os.MkdirAll(store, 0o755)
	if err == nil {
		err = os.Symlink(store, link)
	}
	if err != nil {
		return &exitError{Code: codeFault, What: "cannot make the store of tracking documents", Where: a.show(link), Why: err}
	}
	return a.ignore("/.codevoyant")
}

// mainRepository is the folder of the repository that a linked worktree belongs to; root itself for any other.
func mainRepository(root string) string {
	text, err := os.ReadFile(filepath.Join(root, ".git"))
	if err != nil {
		return root
	}
	dir, ok := strings.CutPrefix(strings.TrimSpace(string(text)), "gitdir: ")
	if at := strings.LastIndex(dir, "/.git/worktrees/"); ok && at > 0 {
		return dir[:at]
	}
	return root
}

// ignore adds one line to the root's .gitignore, once, with the file's own line ends.
func (a *app) ignore(line string) error {
	path := filepath.Join(a.Root, ".gitignore")
	src, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return &exitError{Code: codeFault, What: "cannot read .gitignore", Why: err}
	}
	end := "\n"
	if strings.Contains(string(src), "\r\n") {
		end = "\r\n"
	}
	for l := range strings.Lines(string(src)) {
		if strings.TrimSpace(l) == line {
			return nil
		}
	}
	text := string(src)
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += end
	}
	if err := (disk.Disk{}).Replace("gitignore", path, []byte(text+line+end)); err != nil {
		return &exitError{Code: codeFault, What: "cannot write .gitignore", Why: err}
	}
	return nil
}
