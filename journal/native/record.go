package native

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"loopd/journal"
)

// itemRoom is how long a new backlog item may be, in characters.
const itemRoom = 300

// noteRoom is how long a note may be, in characters.
const noteRoom = 700

// Record renders what an iteration, a refusal or an operator's act leaves: journal, state, signs, backlog, steering, in
// this order. All bytes are rendered before any is written, from what Load read: a later Record needs a new Load. It fails
// where a state would overwrite a file that has a defect.
func (Native) Record(l journal.Loop, r journal.Record) ([]journal.Write, error) {
	var out []journal.Write
	add := func(label, file string, kind journal.WriteKind, data []byte) {
		out = append(out, journal.Write{Label: label, Path: filepath.Join(l.Dir, file), Kind: kind, Data: data})
	}
	if text := journalText(l, r); text != "" {
		add("journal", journalFile, journal.WriteAppend, []byte(text))
	}
	if r.State != nil {
		data, err := stateBytes(l, r)
		if err != nil {
			return nil, fmt.Errorf("record loop %s: %w", l.Name, err)
		}
		if data != nil {
			add("state", stateFile, journal.WriteReplace, data)
		}
	}
	if len(r.Signs) > 0 {
		text, err := signLines(l, r.Signs)
		if err != nil {
			return nil, fmt.Errorf("record loop %s: %w", l.Name, err)
		}
		add("signs", signsFile, journal.WriteAppend, []byte(text))
	}
	if len(r.Strike) > 0 || len(r.Add) > 0 {
		text, err := backlogText(l, r)
		if err != nil {
			return nil, fmt.Errorf("record loop %s: %w", l.Name, err)
		}
		if text != l.BacklogText {
			add("backlog", backlogFile, journal.WriteReplace, []byte(text))
		}
	}
	if r.UsedSteer != "" {
		add("steer", steerFile, journal.WriteRemove, []byte(r.UsedSteer))
	}
	return out, nil
}

func journalText(l journal.Loop, r journal.Record) string {
	newline := "\n"
	if n := len(l.Recent); n > 0 && strings.Contains(l.Recent[n-1].Raw, "\r\n") {
		newline = "\r\n"
	}
	text := ""
	if r.Entry != nil {
		text = renderEntry(*r.Entry, newline)
	}
	if note := journal.OneLine(r.Note, noteRoom); note != "" {
		text += "> " + note + newline + newline
	}
	return text
}

// stateBytes gives the new state file, nil where nothing in it changes.
func stateBytes(l journal.Loop, r journal.Record) ([]byte, error) {
	s := *r.State
	if stateBroken(l) {
		return nil, fmt.Errorf("%s has a defect and is not overwritten", filepath.Join(l.Dir, stateFile))
	}
	if !l.HasState {
		if s.Name == "" {
			s.Name = l.Name
		}
		if s.Created == "" && r.Entry != nil {
			s.Created = r.Entry.Time.Format(time.DateOnly)
		}
		data, err := renderState(s)
		if err != nil {
			return nil, fmt.Errorf("render state: %w", err)
		}
		return data, nil
	}
	data, err := EditState(l.State.Raw, l.State, s)
	if err != nil {
		return nil, err
	}
	if string(data) == string(l.State.Raw) {
		return nil, nil
	}
	return data, nil
}

func signLines(l journal.Loop, lines []string) (string, error) {
	newline := "\n"
	if strings.Contains(l.Signs, "\r\n") {
		newline = "\r\n"
	}
	text := ""
	for _, s := range lines {
		if strings.ContainsAny(s, "\r\n") || strings.TrimSpace(s) == "" {
			return "", fmt.Errorf("sign %q is not one line", s)
		}
		text += s + newline
	}
	return text, nil
}

func backlogText(l journal.Loop, r journal.Record) (string, error) {
	var lines []int
	for _, i := range r.Strike {
		if i < 0 || i >= len(l.Backlog) {
			return "", fmt.Errorf("strike backlog item %d of %d", i+1, len(l.Backlog))
		}
		lines = append(lines, l.Backlog[i].Line)
	}
	var units []string
	for _, u := range r.Add {
		units = append(units, journal.OneLine(u, itemRoom))
	}
	return journal.AddToBacklog(journal.StrikeBacklog(l.BacklogText, lines), units), nil
}
