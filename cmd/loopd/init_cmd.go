package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"loopd/journal"
	"loopd/journal/disk"
	"loopd/journal/native"
)

// loopFiles may stand in a loop's folder before its charter is written: what an operator can prepare by hand.
var loopFiles = []string{"STOP", "STEER.md", "backlog.md", "signs.md"}

// Run writes the charter of a new loop and what goes with it. Nothing that is there is overwritten, and where anything is
// in the way nothing is written.
func (c *initCmd) Run(a *app) error {
	archetype, err := archetypeNamed(c.Archetype)
	if err != nil {
		return err
	}
	if c.Dialect != (native.Native{}).Name() {
		return usagef("loopd init --help", "unknown dialect %s; known: native%s", quoted(c.Dialect), suggest(c.Dialect, []string{"native"}))
	}
	if err := checkName(c.Name); err != nil {
		return err
	}
	if strings.ContainsAny(c.Goal, "\r\n") {
		return usagef("loopd init --help", "the goal is one sentence on one line")
	}
	ref := journal.Ref{Name: c.Name, Dialect: c.Dialect, Root: a.Root, Dir: filepath.Join(a.Root, loopFolder, c.Name)}
	ref.File = filepath.Join(ref.Dir, "LOOP.md")
	if err := a.free(ref.Dir); err != nil {
		return err
	}
	written, err := a.plant(ref, native.Draft(c.Name, archetype, c.Goal), native.DraftBacklog(archetype))
	if err != nil {
		return err
	}
	for _, path := range written {
		if err := a.Print.Result("wrote %s", a.show(path)); err != nil {
			return err
		}
	}
	return a.sayWhatIsLeft(ref)
}

// archetypeNamed finds an archetype.
func archetypeNamed(name string) (journal.Archetype, error) {
	var known []string
	for _, k := range journal.Archetypes() {
		if string(k) == name {
			return k, nil
		}
		known = append(known, string(k))
	}
	return "", usagef("loopd init --help", "unknown archetype %s%s; known: %s", quoted(name), suggest(name, known), strings.Join(known, ", "))
}

// free says whether a loop may be made in a folder: it is not there, or holds only what an operator prepared.
func (a *app) free(dir string) error {
	refuse := func(what, next string) error {
		return &exitError{Code: codeUsage, What: what, Where: a.show(dir), Next: next}
	}
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if _, err := os.Lstat(dir); err == nil {
			return refuse("a broken link stands where the loop would", "take it away, or choose another name")
		}
		return nil
	case err != nil:
		return &exitError{Code: codeUsage, What: "cannot look into the loop's folder", Where: a.show(dir), Why: errors.Unwrap(err), Next: "choose another name"}
	}
	for _, e := range entries {
		switch {
		case e.Name() == "LOOP.md":
			return refuse("the loop is there already; nothing was changed", "loopd check "+filepath.Base(dir))
		case !slices.Contains(loopFiles, e.Name()):
			return refuse("the folder is not a loop's: it holds "+quoted(e.Name())+"; nothing was changed", "choose another name")
		}
	}
	return nil
}

// plant writes the files of a new loop and returns their paths. After an error nothing of it is left.
func (a *app) plant(ref journal.Ref, charter, backlog []byte) (written []string, err error) {
	base := filepath.Dir(ref.Dir)
	var made []string // folders, outermost first
	for _, dir := range []string{base, ref.Dir} {
		if err = os.Mkdir(dir, 0o755); err == nil {
			made = append(made, dir)
		} else if !errors.Is(err, fs.ErrExist) {
			break
		}
		err = nil
	}
	files := []struct {
		path string
		data []byte
	}{
		{filepath.Join(base, ".gitignore"), native.Gitignore()},
		{filepath.Join(ref.Dir, "backlog.md"), backlog},
		{ref.File, charter}, // last: with it the folder is a loop
	}
	for _, f := range files {
		if err != nil {
			break
		}
		if _, there := os.Lstat(f.path); there == nil || len(f.data) == 0 {
			continue
		}
		if err = (disk.Disk{}).Replace(filepath.Base(f.path), f.path, f.data); err == nil {
			written = append(written, f.path)
		}
	}
	if err == nil {
		return written, nil
	}
	for _, path := range written {
		_ = os.Remove(path)
	}
	for _, dir := range slices.Backward(made) {
		_ = os.Remove(dir)
	}
	return nil, &exitError{Code: codeUsage, What: "cannot write the loop; nothing was left behind", Where: a.show(ref.Dir), Why: err, Next: "make " + a.show(a.Root) + " writable"}
}

// sayWhatIsLeft names, with file and line, what only a person can say, and the next command.
func (a *app) sayWhatIsLeft(ref journal.Ref) error {
	loop, err := native.Native{}.Load(ref)
	if err != nil {
		return err
	}
	left := loop.Defects()
	for _, item := range loop.Backlog {
		if strings.Contains(item.Text, onlyYou) {
			left = append(left, journal.Finding{File: filepath.Join(loopFolder, ref.Name, "backlog.md"), Line: item.Line, Field: "backlog", Read: item.Text, Want: "your own words"})
		}
	}
	for _, c := range loop.Charter.Escalation.Channels {
		if c.File != "" && !filepath.IsAbs(c.File) {
			_, line := sectionOf(loop.Charter.Source, "Escalation")
			left = append(left, journal.Finding{File: filepath.Join(loopFolder, ref.Name, "LOOP.md"), Line: line, Field: "Escalation", Read: "how you are reached; or let git ignore " + c.File})
		}
	}
	for _, f := range left {
		place := fmt.Sprintf("%s:%d", a.show(filepath.Join(ref.Root, f.File)), f.Line)
		if err := a.Print.Result("to fill in: %s: %s: %s", place, f.Field, f.Read); err != nil {
			return err
		}
	}
	next := "loopd check " + ref.Name
	if len(left) > 0 {
		next = "fill that in, then: " + next
	}
	return a.Print.Result("next: %s", next)
}
