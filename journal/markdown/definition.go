package markdown

import "loopd/journal"

// Definition is what LOOP.md says. Texts are as written, comments left out.
type Definition struct {
	File   string // as given to Read
	Source []byte // the file as it is

	// Name is the title without "Loop" at its end; the folder's name is the loop's name all the same.
	Name      string
	UseFor    string
	Purpose   string
	Details   []Detail
	Direction string
	Trigger   string
	// External is true where the trigger is something outside of the loop: a time, an event, a person, a runner (see
	// IsExternal). A loop that reached its bound then waits, else it has stopped.
	External bool
	Pattern  string
	Policy   Policy

	ContinueWhen []Condition
	StopWhen     []Condition
	AskWhen      []Condition
	Allowed      []Line

	// Track holds what State To Track names beyond the template's fields, TrackText the section.
	Track     []Track
	TrackText string
	// Record is the shape that every entry has, RecordLines its parts, for a list.
	Record      string
	RecordLines []Line

	// Verification and Ratchet are loopd's own sections, "" where the file has none: then git is the agent's business.
	Verification string
	Ratchet      string
}

// Line is one thing that a section lists.
type Line struct {
	Text string // on one line
	Line int    // in the file, 1-based
}

// Read reads LOOP.md. file is its name as a person knows it. Nothing in src makes it fail: what is missing, misspelt,
// doubled or unclear is a finding.
//
// A finding that is no warning means that the loop must not be activated: the protocol wants the goal, the trigger or the
// continue condition, the stop condition, the allowed actions, when to ask, the state and the record to be clear first. Of
// Required Activation Details a file may leave the values to the activation: that is a warning here, and a defect of Fill.
func Read(file string, src []byte) (Definition, []journal.Finding) {
	r := &reader{file: file, doc: parseOutline(src), byName: map[string]*section{}}
	r.def = Definition{File: file, Source: src, Policy: Policy{Default: Count(1)}}
	if !r.isText(src) {
		return r.def, r.findings
	}
	r.outline()
	if !r.isDefinition() {
		return r.def, r.findings
	}
	r.title()
	d := &r.def
	d.UseFor = r.text(useFor)
	d.Purpose = r.text(purpose)
	d.Direction = r.text(direction)
	d.Trigger = r.text(trigger)
	d.External = IsExternal(d.Trigger)
	d.Pattern = r.text(pattern)
	d.Details = r.details()
	d.Policy = r.policy()
	d.ContinueWhen = r.conditions(continueWhen)
	d.StopWhen = r.conditions(stopWhen)
	d.AskWhen = r.conditions(askWhen)
	d.Allowed = r.lines(r.filled(allowed))
	d.TrackText, d.Track = r.text(stateToTrack), r.track()
	d.Record, d.RecordLines = r.text(recordEach), r.lines(r.items(recordEach))
	d.Verification, d.Ratchet = r.text(verification), r.text(ratchet)
	r.required()
	return r.def, r.findings
}
