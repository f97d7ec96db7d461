package markdown

import (
	"fmt"
	"slices"
	"strings"

	"loopd/journal"
)

// Policy is the Run Policy.
type Policy struct {
	// Written is false where LOOP.md has no Run Policy, or one that says nothing: then one iteration is all that an
	// activation runs.
	Written bool
	Unit    string // what counts as one iteration
	Default Bound  // one iteration where silent
	// Allowed are the bounds that the loop permits; none where silent: then any.
	Allowed       []Bound
	AutoContinue  string
	StopAfterEach string
}

// StopsAfterEach reports whether an activation ends after each unit, though its bound leaves more: Stop-after-each says
// something other than no, or Auto-continue says no.
func (p Policy) StopsAfterEach() bool {
	no := func(s string) bool { return none(s) || never(s) || strings.EqualFold(plainWords(s), "no") }
	return p.StopAfterEach != "" && !no(p.StopAfterEach) || p.AutoContinue != "" && no(p.AutoContinue)
}

// Allows says why an activation must not run with this bound, nil where it may.
func (p Policy) Allows(b Bound) error {
	switch {
	case b.Kind == "" || b.Kind == BoundCount && b.N < 1:
		return fmt.Errorf("every activation needs a bound, want %s", boundForms)
	case !p.Written && !Count(1).permits(b):
		return fmt.Errorf("the bound %q is not allowed: LOOP.md has no Run Policy, so at most one iteration is run", b)
	case !p.Written || len(p.Allowed) == 0 || slices.ContainsFunc(p.Allowed, func(a Bound) bool { return a.permits(b) }):
		return nil
	}
	var all []string
	for _, a := range p.Allowed {
		all = append(all, a.String())
	}
	return fmt.Errorf("the bound %q is not allowed, LOOP.md allows: %s", b, strings.Join(all, "; "))
}

// The keys of a Run Policy.
const (
	unitKey    = "Iteration unit"
	defaultKey = "Default activation bound"
	allowedKey = "Allowed activation bounds"
	autoKey    = "Auto-continue"
	eachKey    = "Stop-after-each"
)

var policyKeys = []string{unitKey, defaultKey, allowedKey, autoKey, eachKey}

// setting is one key of a section and the lines of its value.
type setting struct {
	key   string
	lines []string
	ats   []int // of the lines
	at    int   // of the key
}

// text is the value on one line.
func (e setting) text() string {
	s := strings.Join(e.lines, " ")
	if unsaid(s) {
		return ""
	}
	return s
}

// policy reads the Run Policy: keys with their values on the same line, on indented lines or as bullets below it.
func (r *reader) policy() Policy {
	p := Policy{Default: Count(1)}
	s := r.byName[runPolicy]
	if s == nil {
		return p
	}
	got := map[string]setting{}
	for _, e := range r.settings(s) {
		if _, twice := got[e.key]; twice {
			r.defect(runPolicy+" "+e.key, e.at, e.key, "the key once", "two values cannot both hold: take one out")
			continue
		}
		got[e.key] = e
	}
	p.Unit, p.AutoContinue, p.StopAfterEach = got[unitKey].text(), got[autoKey].text(), got[eachKey].text()
	if p.Unit == "" {
		r.warn(runPolicy+" "+unitKey, s.at, "", unitKey+": what counts as one iteration", "")
	}
	p.Allowed = r.allowedBounds(got[allowedKey])
	p.Written = p.Unit != "" || len(p.Allowed) > 0 || got[defaultKey].text() != ""
	r.defaultBound(&p, got[defaultKey], s.at)
	return p
}

func (r *reader) defaultBound(p *Policy, e setting, at int) {
	const field = runPolicy + " " + defaultKey
	text := e.text()
	if text == "" {
		r.warn(field, at, "", defaultKey+": "+boundForms, "one iteration is run where it is silent")
		return
	}
	b, err := ParseBound(text)
	if err != nil {
		r.defect(field, e.at, text, boundForms, "an activation never runs without a bound")
		return
	}
	p.Default = b
	if err := p.Allows(b); err != nil {
		r.defect(field, e.at, text, "one of the allowed activation bounds", "add it to "+allowedKey+", or change it")
	}
}

// allowedBounds reads the list of allowed bounds, one a bullet or separated by commas, slashes or "or".
func (r *reader) allowedBounds(e setting) []Bound {
	var out []Bound
	for i, l := range e.lines {
		if unsaid(l) {
			continue
		}
		for _, part := range boundList(l) {
			b, err := parseBound(part)
			if err != nil {
				r.warn(runPolicy+" "+allowedKey, e.ats[i], part, boundForms, "these words allow nothing")
				b = Bound{Kind: BoundCondition, Text: journal.OneLine(part, 300)}
			}
			out = append(out, b)
		}
	}
	return out
}

// boundList splits a line that lists bounds; a line that is one bound stays whole.
func boundList(l string) []string {
	if _, err := parseBound(l); err == nil || strings.Contains(l, "`") {
		return []string{l}
	}
	l = strings.NewReplacer(" / ", ",", ";", ",", ", or ", ",", " or ", ",", ", and ", ",").Replace(l)
	var out []string
	for part := range strings.SplitSeq(l, ",") {
		if part = strings.TrimSpace(part); part != "" {
			out = append(out, part)
		}
	}
	return out
}
