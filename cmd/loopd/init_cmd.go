package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"loopd/journal"
	"loopd/journal/all"
	"loopd/journal/contract"
	"loopd/journal/disk"
	"loopd/journal/driver"
	"loopd/journal/markdown"
	"loopd/journal/native"
	"loopd/journal/tracking"
)

// loopFiles may stand in a loop's folder before its charter is written: what an operator can prepare by hand.
var loopFiles = []string{"STOP", "STEER.md", "backlog.md", "signs.md"}

// draft is a charter that is about to be written.
type draft struct {
	ref     journal.Ref
	text    []byte
	backlog []byte // native; nil for none
}

// Run writes the charter of a new loop and what goes with it. Nothing that is there is overwritten, and where anything is
// in the way nothing is written.
func (c *initCmd) Run(a *app) error {
	d, err := c.draft(a)
	if err != nil {
		return err
	}
	switch {
	case c.Interview && c.From != "":
		return usagef("loopd init --help", "--interview asks you, --from asks an agent: choose one")
	case c.Harness != "" && c.From == "":
		return usagef("loopd init --help", "--harness names the agent that drafts with --from TEXT")
	case c.From != "":
		if d.text, err = c.drafted(a, d); err != nil {
			return err
		}
	case c.Interview:
		if d.text, d.backlog, err = c.interview(a, d); err != nil {
			return err
		}
	}
	written, err := a.plantDraft(d)
	if err != nil {
		return err
	}
	for _, path := range written {
		if err := a.Print.Result("wrote %s", a.show(path)); err != nil {
			return err
		}
	}
	return a.sayWhatIsLeft(d.ref, c.checkWith(a, d.ref))
}

// checkWith is the command that checks the charter.
func (c *initCmd) checkWith(a *app, ref journal.Ref) string {
	if c.Dialect == (contract.Loops{}).Name() {
		return "loopd check --contract " + a.show(ref.File) + " --strict"
	}
	return "loopd check " + ref.Name
}

// draft makes the charter of the convention that was asked for, in memory, and looks whether its place is free.
func (c *initCmd) draft(a *app) (draft, error) {
	if err := checkName(c.Name); err != nil {
		return draft{}, err
	}
	if strings.ContainsFunc(c.Goal, unicode.IsControl) {
		return draft{}, usagef("loopd init --help", "the goal is one sentence on one line")
	}
	archetype, err := c.archetype()
	if err != nil {
		return draft{}, err
	}
	d := draft{ref: journal.Ref{Name: c.Name, Dialect: c.Dialect, Root: a.Root, Dir: filepath.Join(a.Root, loopFolder, c.Name)}}
	switch c.Dialect {
	case native.Native{}.Name():
		d.ref.File = filepath.Join(d.ref.Dir, "LOOP.md")
		d.text, d.backlog = native.Draft(c.Name, archetype, c.Goal), native.DraftBacklog(archetype)
		return d, a.free(d.ref.Dir)
	case markdown.Markdown{}.Name():
		d.ref.Dir = filepath.Join(a.Root, "loops", c.Name)
		d.ref.File = filepath.Join(d.ref.Dir, markdown.DefinitionFile)
		d.text = markdown.Draft(c.Name, archetype, c.Goal)
		if other := markdown.Misnamed(a.Root, c.Name); other != "" {
			return d, &exitError{Code: codeHeld, What: "a file of nearly that name is there: a definition is exactly " + markdown.DefinitionFile + "; nothing was written or renamed", Where: a.show(other),
				Next: "mv it to " + markdown.DefinitionFile + ", or choose another name"}
		}
	case driver.Driver{}.Name():
		d.ref.File = driver.DraftPath(a.Root, c.Name)
		d.text = driver.Draft(c.Name, c.Goal)
	case contract.Loops{}.Name():
		d.ref.File = filepath.Join(a.Root, "contracts", c.Name+".md")
		d.text = contract.Draft(c.Name, archetype, c.Goal)
	case tracking.Tracking{}.Name():
		return d, usagef(fmt.Sprintf("loopd loop %q --until OBJECTIVE", cmp.Or(c.Goal, "TASK")), "a tracking document is written by its first run")
	default:
		var known []string
		for _, k := range all.All() {
			known = append(known, k.Name())
		}
		return d, usagef("loopd init --help", "unknown dialect %s%s; known: %s", quoted(c.Dialect), suggest(c.Dialect, known), strings.Join(known, ", "))
	}
	return d, a.freeFile(d.ref)
}

// archetype finds the archetype; a native loop must name one, other conventions know none of their own.
func (c *initCmd) archetype() (journal.Archetype, error) {
	if c.Archetype == "" && c.Dialect != (native.Native{}).Name() {
		if c.Dialect == (contract.Loops{}).Name() {
			return journal.RatchetClimb, nil
		}
		return journal.BacklogDrain, nil
	}
	return archetypeNamed(c.Archetype)
}

// freeFile says whether a definition may be written: nothing stands there, and no other loop has the name.
func (a *app) freeFile(ref journal.Ref) error {
	if _, err := os.Lstat(ref.File); !errors.Is(err, fs.ErrNotExist) {
		return &exitError{Code: codeUsage, What: "something is there already; nothing was changed", Where: a.show(ref.File), Next: "choose another name"}
	}
	if other, err := all.Find(a.Root, ref.Name, ""); err == nil {
		return &exitError{Code: codeUsage, What: "a " + other.Dialect + " loop has this name already; nothing was changed", Where: a.show(other.File), Next: "choose another name"}
	}
	// A link on the way could lead out of the tree.
	for dir := filepath.Dir(ref.File); dir != a.Root && len(dir) > len(a.Root); dir = filepath.Dir(dir) {
		if info, err := os.Lstat(dir); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return &exitError{Code: codeUsage, What: "a link stands where the loop's folder would; nothing was written", Where: a.show(dir), Next: "choose another name, or make it a folder"}
		}
	}
	return nil
}

// plantDraft writes a draft; a definition that came up meanwhile stays.
func (a *app) plantDraft(d draft) ([]string, error) {
	if d.ref.Dialect == (native.Native{}).Name() {
		return a.plant(d.ref, d.text, d.backlog)
	}
	err := os.MkdirAll(filepath.Dir(d.ref.File), 0o755)
	if err == nil {
		err = a.freeFile(d.ref)
	}
	var taken *exitError
	if errors.As(err, &taken) {
		return nil, err
	}
	if err == nil {
		err = (disk.Disk{}).Replace(filepath.Base(d.ref.File), d.ref.File, d.text)
	}
	if err != nil {
		return nil, &exitError{Code: codeUsage, What: "cannot write the loop; nothing was left behind", Where: a.show(d.ref.File), Why: err, Next: "make " + a.show(a.Root) + " writable"}
	}
	return []string{d.ref.File}, nil
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
	if name == "" {
		return "", usagef("loopd init NAME --archetype "+string(journal.BacklogDrain)+", or --interview, which asks you", "which kind of loop? --archetype is one of: %s", strings.Join(known, ", "))
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

// left finds what only a person can say in a loop's files, and whatever else would keep it from starting.
func (a *app) left(ref journal.Ref) ([]journal.Finding, error) {
	d, ok := dialect(ref.Dialect)
	if !ok {
		return nil, usagef("loopd version", "unknown dialect %q", ref.Dialect)
	}
	loop, err := d.Load(ref)
	if err != nil {
		return nil, err
	}
	left := loop.Defects()
	for i, f := range left {
		if !filepath.IsAbs(f.File) {
			left[i].File = filepath.Join(ref.Root, f.File)
		}
	}
	for _, item := range loop.Backlog {
		if strings.Contains(item.Text, journal.OnlyYou) {
			left = append(left, journal.Finding{File: filepath.Join(ref.Dir, "backlog.md"), Line: item.Line, Field: "backlog", Read: item.Text, Want: "your own words"})
		}
	}
	for _, c := range loop.Charter.Escalation.Channels {
		if c.File != "" && !filepath.IsAbs(c.File) {
			_, line := sectionOf(loop.Charter.Source, "Escalation")
			left = append(left, journal.Finding{File: ref.File, Line: line, Field: "Escalation", Read: "how you are reached; or let git ignore " + c.File})
		}
	}
	return append(left, marked(ref.File, loop.Charter.Source, left)...), nil
}

// marked are the marks that the dialect itself does not mind: prose that an agent would read.
func marked(file string, source []byte, told []journal.Finding) (out []journal.Finding) {
	n := 0
	for line := range strings.Lines(string(source)) {
		n++
		_, what, ok := strings.Cut(line, journal.OnlyYou+":")
		if ok && !slices.ContainsFunc(told, func(f journal.Finding) bool { return f.File == file && f.Line == n }) {
			out = append(out, journal.Finding{File: file, Line: n, Field: "yours to say", Read: strings.TrimSpace(what), Want: "your own words"})
		}
	}
	return out
}

// sayWhatIsLeft names, with file and line, what only a person can say, and the next command.
func (a *app) sayWhatIsLeft(ref journal.Ref, next string) error {
	left, err := a.left(ref)
	if err != nil {
		return err
	}
	for _, f := range left {
		if err := a.Print.Result("to fill in: %s:%d: %s: %s", a.show(f.File), f.Line, f.Field, f.Read); err != nil {
			return err
		}
	}
	if len(left) > 0 {
		next = "fill that in, then: " + next
	}
	return a.Print.Result("next: %s", next)
}
