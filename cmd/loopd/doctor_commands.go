package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"loopd/journal"
)

// charterParses (D1) passes on what the dialect found in the charter.
func charterParses(p *patient) ([]journal.Finding, error) {
	return p.found(func(file string) bool { return file == filepath.Base(p.Loop.Charter.File) }), nil
}

// filesInOrder passes on what the dialect found elsewhere: state.json, journal, signs.
func filesInOrder(p *patient) ([]journal.Finding, error) {
	return p.found(func(file string) bool { return file != filepath.Base(p.Loop.Charter.File) }), nil
}

// found are the dialect's own findings on some of the loop's files.
func (p *patient) found(in func(file string) bool) []journal.Finding {
	var out []journal.Finding
	for _, f := range p.Loop.Findings {
		if !in(filepath.Base(f.File)) {
			continue
		}
		if !filepath.IsAbs(f.File) {
			f.File = filepath.Join(p.Loop.Root, f.File)
		}
		f.File = p.Show(f.File)
		out = append(out, f)
	}
	return out
}

// doneWhenIsMechanical (D2): every condition is one that a machine can check, and can check here.
func doneWhenIsMechanical(p *patient) ([]journal.Finding, error) {
	const section = "Done-when"
	var out []journal.Finding
	conditions := p.Loop.Charter.DoneWhen
	if len(conditions) == 0 && !p.defective(section) {
		out = append(out, p.at(0, section, "", "a predicate that a machine can check", "write a back-ticked command with what is expected of it"))
	}
	held := 0
	for _, c := range conditions {
		switch {
		case c.Check != nil:
			f, ok, err := p.tryCheck(section, *c.Check)
			if err != nil {
				return nil, err
			}
			if f != nil {
				out = append(out, *f)
			}
			if ok {
				held++
			}
		case c.File == nil && !p.defective(section):
			out = append(out, p.at(c.Line, section, c.Text, "a command in back-ticks or a countable state of a file", "write e.g. `make test` passes, or backlog.md has no unchecked items"))
		case c.File != nil && p.fileHolds(*c.File):
			held++
		}
	}
	if held > 0 && held == len(conditions) && len(out) == 0 {
		out = append(out, warning(p.at(conditions[0].Line, section, "", "a goal that is not reached yet", "it holds already: the first run would end at once")))
	}
	return out, nil
}

func (p *patient) fileHolds(f journal.FileState) bool {
	path := filepath.Join(p.Loop.Dir, f.Path)
	if _, err := os.Lstat(path); err != nil {
		path = filepath.Join(p.Loop.Root, f.Path)
	}
	b, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		return false
	}
	ok, _ := f.Holds(err == nil, b)
	return ok
}

// tryCheck runs a command of the charter. The finding is nil where it runs; met says whether its expectation is met now.
func (p *patient) tryCheck(section string, k journal.Check) (f *journal.Finding, met bool, err error) {
	if fault := shellFault(k.Command); fault != "" {
		bad := p.at(k.Line, section, k.Command, "a command line that sh understands", fault)
		return &bad, false, nil
	}
	got, err := p.Shell(k.Command)
	if err != nil {
		return nil, false, err
	}
	if f := p.cannotRun(section, k.Line, k.Command, got); f != nil {
		return f, false, nil
	}
	met, _ = k.Want.Judge(got.Exit, got.Stdout, got.Stderr)
	return nil, met, nil
}

// cannotRun is the finding for a command that does not exist or does not end, nil for any other.
func (p *patient) cannotRun(section string, line int, command string, got seen) *journal.Finding {
	var f journal.Finding
	switch {
	case got.Hung:
		f = p.at(line, section, command, "a command that ends within "+checkLimit.String(), "it did not end; make it faster or cut it down")
	case got.Missing:
		f = p.at(line, section, command, "a command that runs here", fmt.Sprintf("exit %d: %s; install it or mend the line", got.Exit, last(got.Stderr)))
	default:
		return nil
	}
	return &f
}

// verificationRuns (D3): each command exists and ends, here and now. One that is red is no defect of the charter: the
// loop may be there to mend it.
func verificationRuns(p *patient) ([]journal.Finding, error) {
	const section = "Verification"
	var out []journal.Finding
	if len(p.Loop.Charter.Verification) == 0 && !p.defective(section) {
		out = append(out, p.at(0, section, "", "at least one command", "write e.g. - `make test` → passes"))
	}
	for _, k := range p.Loop.Charter.Verification {
		f, met, err := p.tryCheck(section, k)
		switch {
		case err != nil:
			return nil, err
		case f != nil:
			out = append(out, *f)
		case !met && p.Loop.Charter.Archetype != journal.RedGreen:
			out = append(out, warning(p.at(k.Line, section, k.Command, "a check that is green before the first iteration", "it is red now: mend it first, or run with --baseline")))
		}
	}
	return out, nil
}

// ratchetReads (D4): the number can be read here and now.
func ratchetReads(p *patient) ([]journal.Finding, error) {
	const section = "Ratchet"
	r := p.Loop.Charter.Ratchet
	switch {
	case p.defective(section):
		return nil, nil
	case !r.Present() && p.Loop.Charter.Archetype == journal.RatchetClimb:
		return []journal.Finding{p.at(r.Line, section, r.Metric, "a number to climb on", "write Metric:, Direction: and Read via:")}, nil
	case !r.Present():
		return nil, nil
	}
	if r.File != "" {
		b, err := os.ReadFile(filepath.Join(p.Loop.Root, r.File))
		if err == nil {
			_, err = journal.ReadNumber(b)
		}
		if err != nil {
			return []journal.Finding{p.at(r.Line, section, r.File, "exactly one number on the last line of the file", err.Error())}, nil
		}
		return nil, nil
	}
	if fault := shellFault(r.Command); fault != "" {
		return []journal.Finding{p.at(r.Line, section, r.Command, "a command line that sh understands", fault)}, nil
	}
	got, err := p.Shell(r.Command)
	if err != nil {
		return nil, err
	}
	if f := p.cannotRun(section, r.Line, r.Command, got); f != nil {
		return deref(f), nil
	}
	const want = "exactly one number on the last line of its output, and exit 0"
	if got.Exit != 0 {
		return []journal.Finding{p.at(r.Line, section, r.Command, want, strings.TrimSpace(fmt.Sprintf("exit %d %s", got.Exit, last(got.Stderr)))+"; where that is a good reading, add || true")}, nil
	}
	if _, err := journal.ReadNumber(got.Stdout); err != nil {
		return []journal.Finding{p.at(r.Line, section, r.Command, want, err.Error())}, nil
	}
	return nil, nil
}

func deref(f *journal.Finding) []journal.Finding {
	if f == nil {
		return nil
	}
	return []journal.Finding{*f}
}

// shellFault says what is wrong with the syntax of a command line, "" for nothing.
func shellFault(line string) string {
	if _, err := syntax.NewParser(syntax.Variant(syntax.LangPOSIX)).Parse(strings.NewReader(line), ""); err != nil {
		return "column " + strings.TrimPrefix(err.Error(), "1:")
	}
	return ""
}

// last is the last line of an output.
func last(b []byte) string {
	text := strings.TrimSpace(string(b))
	return text[strings.LastIndexByte(text, '\n')+1:]
}
