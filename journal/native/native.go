// Package native reads and writes loops of the native format: .loop/<name>/ with LOOP.md, state.json, journal.md, signs.md,
// backlog.md and STEER.md (spec/loop.md).
//
// Here lives what these files mean and how their bytes are rendered. Nothing here writes, starts a process, asks the clock
// or decides what a loop may do.
package native

import (
	"fmt"
	"path/filepath"
	"strings"

	"loopd/journal"
)

// Native is the dialect of .loop/<name>/LOOP.md.
type Native struct{}

var _ journal.Dialect = Native{}

// Name is "native".
func (Native) Name() string { return "native" }

// The files of a loop.
const (
	folder      = ".loop"
	charterFile = "LOOP.md"
	stateFile   = "state.json"
	journalFile = "journal.md"
	signsFile   = "signs.md"
	backlogFile = "backlog.md"
	steerFile   = "STEER.md"
)

// Brief renders the prompt of one iteration.
func (Native) Brief(l journal.Loop, b journal.Brief) string { return renderBrief(l, b) }

// Parse reads the dictated lines of a final message.
func (Native) Parse(l journal.Loop, text, brief string) journal.Report {
	return journal.ParseReport(text, brief, l.Charter.Harness.OKToken)
}

// Load reads a loop's files. What is wrong in them becomes findings; an error means that a file is there and could not be
// read. A loop without state.json gets the state that a first run would begin with, counted from its journal.
func (Native) Load(ref journal.Ref) (journal.Loop, error) {
	l := journal.Loop{Name: ref.Name, Dialect: Native{}.Name(), Root: ref.Root, Dir: ref.Dir}
	in := reading{loop: &l}
	src, ok := in.read(ref.File, charterMax)
	if !ok && in.err == nil && len(l.Findings) == 0 {
		return l, fmt.Errorf("read charter of loop %s: %s is gone", ref.Name, ref.File)
	}
	if ok {
		var findings []journal.Finding
		l.Charter, findings = readCharter(ref.File, src, ref.Root)
		l.Findings = append(l.Findings, findings...)
	}
	return l, in.memory(len(l.Defects()) > 0)
}

// Memory reads what the loop's folder holds beside a charter into l: state, last entries, signs, backlog, steering. It is
// for dialects that keep the same memory; l has its name, folders and charter.
func Memory(l *journal.Loop) error {
	in := reading{loop: l}
	return in.memory(len(l.Defects()) > 0)
}

func (in *reading) memory(charterBad bool) error {
	l := in.loop
	if raw, ok := in.read(filepath.Join(l.Dir, stateFile), stateMax); ok {
		l.HasState = true
		var findings []journal.Finding
		l.State, findings = readState(in.shown(stateFile), raw)
		l.Findings = append(l.Findings, findings...)
		if !stateBroken(*l) {
			l.Findings = append(l.Findings, mirrors(*l, charterBad)...)
		}
	}
	in.recent()
	if !l.HasState {
		l.State = freshState(l.Charter, l.Name, l.Entries)
	}
	if text, ok := in.read(filepath.Join(l.Dir, signsFile), textMax); ok {
		l.Signs = string(text)
		in.countSigns()
	}
	if text, ok := in.read(filepath.Join(l.Dir, backlogFile), textMax); ok {
		l.BacklogText = string(text)
		l.Backlog = journal.ParseBacklog(l.BacklogText)
	}
	if text, ok := in.read(filepath.Join(l.Dir, steerFile), steerMax); ok && strings.TrimSpace(strings.TrimPrefix(string(text), bom)) != "" {
		l.Steer = string(text)
	}
	if in.err != nil {
		return fmt.Errorf("read loop %s: %w", l.Name, in.err)
	}
	return nil
}

// stateBroken says whether the state file has a defect: then it must not be overwritten.
func stateBroken(l journal.Loop) bool {
	for _, f := range l.Defects() {
		if filepath.Base(f.File) == stateFile {
			return true
		}
	}
	return false
}

// Gitignore is the content of .loop/.gitignore: what is local to one checkout. LOOP.md, signs.md, backlog.md and
// config.toml are meant to be committed. The patterns are anchored: a file of that name elsewhere in the tree is none of
// loopd's business.
func Gitignore() []byte {
	return []byte(`# What is local to this checkout. LOOP.md, signs.md, backlog.md and config.toml are meant to be committed.
/STOP
/lease
/*/STOP
/*/lease
/*/STEER.md
/*/state.json
/*/journal.md
# What a replacement of a file leaves behind if it is killed half-way.
/*/.STEER.md[0-9]*
/*/.state.json[0-9]*
/*/.signs.md[0-9]*
/*/.backlog.md[0-9]*
`)
}
