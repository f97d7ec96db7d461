package markdown

import "strings"

// required finds what must be clear before a loop may be activated.
func (r *reader) required() {
	d := &r.def
	// A condition that could not be read was told already.
	told := map[string]bool{purpose: d.Purpose != "", trigger: d.Trigger != "", continueWhen: len(d.ContinueWhen) > 0, stopWhen: len(d.StopWhen) > 0,
		allowed: len(d.Allowed) > 0, stateToTrack: d.TrackText != "", recordEach: d.Record != "", direction: d.Direction != "", useFor: d.UseFor != ""}
	told[askWhen] = len(d.AskWhen) > 0 || r.saysNone(askWhen)
	for _, f := range r.findings {
		told[f.Field] = told[f.Field] || !f.Warning
	}
	for _, s := range []struct{ name, fix string }{
		{purpose, "say what this loop is trying to keep doing"},
		{stopWhen, "say when the loop is to stop: it must not run without an end"},
		{allowed, "say what the agent may do during one iteration"},
		{askWhen, "say when a person is to be asked, or none"},
		{stateToTrack, "name what state.md must keep between iterations"},
		{recordEach, "give the smallest shape of an entry that the next iteration needs"},
	} {
		if !told[s.name] {
			r.unclear(s.name, s.fix, false)
		}
	}
	// One of the two is enough to know when an iteration may start.
	switch {
	case !told[trigger] && !told[continueWhen]:
		r.unclear(trigger, "say what starts an iteration, or in ## Continue When what allows another one", false)
	case !told[trigger]:
		r.unclear(trigger, "say what starts the next iteration", true)
	case !told[continueWhen]:
		r.unclear(continueWhen, "say what allows another iteration: the trigger alone decides otherwise", true)
	}
	for _, s := range []struct{ name, fix string }{{useFor, "say what workflow it is for"}, {direction, "say what the loop must stay focused on: nobody can check it otherwise"}} {
		if !told[s.name] {
			r.unclear(s.name, s.fix, true)
		}
	}
}

// unclear notes a section that is missing or says nothing.
func (r *reader) unclear(name, fix string, warning bool) {
	add := r.defect
	if warning {
		add = r.warn
	}
	s := r.byName[name]
	if s == nil {
		add(name, len(r.doc.src), "", "a section ## "+name, fix)
		return
	}
	add(name, s.at, strings.Join(strings.Fields(r.doc.body(s)), " "), "your own words below ## "+name, fix)
}

// saysNone reports whether a section says that it has nothing to list.
func (r *reader) saysNone(name string) bool {
	for _, it := range r.items(name) {
		if none(it.text) || never(it.text) {
			return true
		}
	}
	return false
}
