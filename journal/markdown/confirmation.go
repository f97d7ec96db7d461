package markdown

import (
	"strconv"
	"strings"
)

// Proposal is what a confirmation says beside the definition.
type Proposal struct {
	Name    string // of the loop
	Drafted bool   // the definition is new
	Bound   Bound  // of this activation
	// Details are Required Activation Details with their values.
	Details []Detail
	// First says what the first iteration would do, one thing a line; the iteration unit where it is empty.
	First []string
}

// Confirmation renders what a person is asked before an activation, in the exact shape of the protocol's text. Every field
// is there; one that LOOP.md is silent on says so.
func Confirmation(d Definition, p Proposal) string {
	var b strings.Builder
	found := "found"
	if p.Drafted {
		found = "drafted"
	}
	b.WriteString("I " + found + " this loop:\n\n")
	value := func(key, text string) { b.WriteString(key + ":\n  " + said(text) + "\n") }
	list := func(key string, texts []string) {
		b.WriteString(key + ":\n")
		if len(texts) == 0 {
			texts = []string{""}
		}
		for _, t := range texts {
			b.WriteString("  - " + said(t) + "\n")
		}
	}
	value("Loop", p.Name)
	value("Purpose", d.Purpose)
	value("Trigger", d.Trigger)
	list("It will continue when", conditionTexts(d.ContinueWhen))
	list("It will stop when", conditionTexts(d.StopWhen))
	list("It may do", lineTexts(d.Allowed))
	list("It must ask you when", conditionTexts(d.AskWhen))
	b.WriteString("Run policy:\n  Iteration unit: " + said(d.Policy.Unit) + "\n  Default activation bound: " + said(d.Policy.Default.String()) + "\n")
	value("This activation will run", p.Bound.String())
	value("Activation bound", actual(p.Bound))
	value("Stop overrides", overrides(d))
	list("It will track in state.md", tracked(d))
	list("It will append to record.md", lineTexts(d.RecordLines))
	list("First iteration, if activated", first(d, p))
	b.WriteString("\nPlease choose:\n")
	for _, c := range Choices() {
		b.WriteString(strconv.Itoa(int(c)) + ". " + c.String() + "\n")
	}
	return b.String()
}

// said is a text on one line, or the word for none.
func said(text string) string {
	if s := oneLine(text); s != "" {
		return s
	}
	return "not stated"
}

// actual says what the bound comes to, whatever words it has.
func actual(b Bound) string {
	const overridden = "; it ends earlier when a stop or ask condition is true"
	switch {
	case b.Kind == BoundCount && b.N == 1:
		return "at most 1 iteration"
	case b.Kind == BoundCount:
		return "at most " + strconv.Itoa(b.N) + " iterations" + overridden
	}
	return b.String() + overridden
}

func overrides(d Definition) string {
	parts := []string{"Stop When: " + said(strings.Join(conditionTexts(d.StopWhen), "; ")), "Ask Human When: " + said(strings.Join(conditionTexts(d.AskWhen), "; "))}
	return strings.Join(parts, " / ") + " — both beat the run policy"
}

func conditionTexts(all []Condition) []string {
	var out []string
	for _, c := range all {
		out = append(out, c.Text)
	}
	return out
}

func lineTexts(all []Line) []string {
	var out []string
	for _, l := range all {
		out = append(out, l.Text)
	}
	return out
}

// tracked lists the fields of state.md: the template's in one line, the loop's own one by one.
func tracked(d Definition) []string {
	out := []string{strings.ToLower(strings.Join(StateFields(), ", "))}
	for _, t := range d.Track {
		out = append(out, t.Text)
	}
	if len(d.Track) == 0 && d.TrackText != "" {
		out = append(out, d.TrackText)
	}
	return out
}

func first(d Definition, p Proposal) []string {
	var out []string
	for _, x := range p.Details {
		out = append(out, x.Name+": "+x.Value)
	}
	if len(p.First) > 0 {
		return append(out, p.First...)
	}
	return append(out, "check the stop, ask and continue conditions; then "+said(d.Policy.Unit))
}
