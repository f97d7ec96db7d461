package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"loopd/journal"
)

// doneWhenIsMechanical (D2): the reader saw to it that every condition is a command or a state of a file; here the
// commands are run.
func doneWhenIsMechanical(p *patient) ([]journal.Finding, error) {
	const section = "Done-when"
	var out []journal.Finding
	conditions := p.Loop.Charter.DoneWhen
	held := 0
	for _, c := range conditions {
		ok := false
		if c.File != nil {
			ok = p.fileHolds(*c.File)
		}
		if c.Check != nil {
			f, met, err := p.tryCheck(section, *c.Check)
			if err != nil {
				return nil, err
			}
			out = append(out, deref(f)...)
			ok = met
		}
		if ok {
			held++
		}
	}
	if held > 0 && held == len(conditions) && !p.defective(section, 0) {
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

// tryCheck runs a command of the charter. The finding is nil where it runs, or where
// the line has a defect anyway; met says whether its expectation is met now.
func (p *patient) tryCheck(section string, k journal.Check) (f *journal.Finding, met bool, err error) {
	if p.defective(section, k.Line) {
		return nil, false, nil
	}
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
	for _, k := range p.Loop.Charter.Verification {
		f, met, err := p.tryCheck(section, k)
		switch {
		case err != nil:
			return nil, err
		case f != nil:
			out = append(out, *f)
		case !met && !p.defective(section, k.Line) && p.Loop.Charter.Archetype != journal.RedGreen:
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
	case p.defective(section, 0):
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
