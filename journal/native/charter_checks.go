package native

import (
	"regexp"
	"strings"

	"loopd/journal"
)

// verification reads the commands with what is expected of them. None at all is a defect (decision 8).
func (r *charterReader) verification(s *section) {
	for _, b := range s.bullets {
		text := b.value
		if b.key != "" {
			text = b.key + ": " + b.value
		}
		_, code, after, ok := codeSpan(text)
		if !ok {
			r.defect("D3", "Verification", b.at, text, "- `command` → what is expected", "put the command into back-ticks")
			continue
		}
		if k, ok := r.check("Verification", code, after, b.at); ok {
			r.charter.Verification = append(r.charter.Verification, k)
		}
	}
	if len(r.charter.Verification) == 0 && !r.hasDefect("Verification") {
		r.defect("D3", "Verification", s.at, "", "at least one bullet - `command` → exits 0", "name a command that tells good work from bad")
	}
}

func (r *charterReader) hasDefect(field string) bool {
	for _, f := range r.findings {
		if !f.Warning && f.Field == field {
			return true
		}
	}
	return false
}

// check makes a check of a command and the words behind it.
func (r *charterReader) check(field, code, after string, at int) (journal.Check, bool) {
	line, _ := position(string(r.doc.src), at)
	want := journal.ParseExpectation(afterArrow(after))
	if want.Fault != "" {
		r.defect("D3", field, at, want.Text, want.Fault, "see the expectations in the README")
		return journal.Check{}, false
	}
	if want.Untested() {
		r.warn("D3", field, at, want.Rest, "words that are tested: exits N, contains \"text\", matches /re/, = N", "exit status 0 is all that is looked at")
	}
	return journal.Check{Command: strings.TrimSpace(code), Want: want, Line: line}, true
}

// fileState is a countable state of a file, with or without back-ticks around the name.
var fileState = regexp.MustCompile("^`?([^`\\s]+)`?\\s+(has no unchecked items|has no open items|exists|does not exist|is absent|is empty)\\.?$")

var fileStates = map[string]journal.FileStateKind{
	"has no unchecked items": journal.NoUnchecked, "has no open items": journal.NoUnchecked, "exists": journal.Exists,
	"does not exist": journal.Absent, "is absent": journal.Absent, "is empty": journal.Empty,
}

// doneWhen reads a predicate that a machine can check: commands with what is expected, and states of files, joined by
// AND, or one a bullet.
func (r *charterReader) doneWhen(s *section) {
	for _, b := range append(append([]bullet(nil), s.texts...), s.bullets...) {
		text := b.value
		if b.key != "" {
			text = b.key + ": " + b.value
		}
		for _, part := range splitAnd(text) {
			r.condition(part, b.at)
		}
	}
	if len(r.charter.DoneWhen) == 0 && !r.hasDefect("Done-when") {
		r.defect("D2", "Done-when", s.at, "", "`command` exits N, or FILE has no unchecked items", "say how a machine sees that the goal is reached")
	}
}

func (r *charterReader) condition(part string, at int) {
	line, _ := position(string(r.doc.src), at)
	if m := fileState.FindStringSubmatch(part); m != nil {
		r.charter.DoneWhen = append(r.charter.DoneWhen, journal.Condition{File: &journal.FileState{Path: m[1], Want: fileStates[m[2]]}, Text: part, Line: line})
		return
	}
	_, code, after, ok := codeSpan(part)
	if !ok {
		if !strings.Contains(part, onlyYou) { // that is told once already
			r.defect("D2", "Done-when", at, part, "`command` exits N, or FILE has no unchecked items", "prose cannot be checked by a machine: name a command")
		}
		return
	}
	if k, ok := r.check("Done-when", code, after, at); ok {
		r.charter.DoneWhen = append(r.charter.DoneWhen, journal.Condition{Check: &k, Text: part, Line: line})
	}
}

// splitAnd splits at AND outside of back-ticks.
func splitAnd(text string) []string {
	var out []string
	open := false
	from := 0
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '`':
			open = !open
		case !open && strings.HasPrefix(text[i:], " AND "):
			out = append(out, strings.TrimSpace(text[from:i]))
			from = i + len(" AND ")
		}
	}
	if last := strings.TrimSpace(text[from:]); last != "" {
		out = append(out, last)
	}
	return out
}

func (r *charterReader) ratchet(s *section) {
	k := &r.charter.Ratchet
	k.Line, _ = position(string(r.doc.src), s.at)
	metric, ok := s.find("Metric")
	if !ok || metric.value == "" {
		r.defect("D4", "Ratchet Metric", s.at, "", "a bullet - Metric: what is counted, or none", "")
		return
	}
	k.Metric = metric.value
	if b, ok := s.find("On regression"); ok {
		k.OnRegression = b.value
	}
	if strings.EqualFold(strings.Trim(metric.value, " .`"), "none") {
		k.Metric = "none"
		return
	}
	direction, _ := s.find("Direction")
	switch word := firstWord(direction.value); word {
	case string(journal.Decreasing), string(journal.Increasing):
		k.Direction = journal.Direction(word)
	default:
		r.defect("D4", "Ratchet Direction", orAt(direction.at, s.at), direction.value, "decreasing or increasing", "")
	}
	via, ok := s.find("Read via")
	if !ok || via.value == "" {
		r.defect("D4", "Ratchet Read via", s.at, "", "a back-ticked command, or a file", "its last non-empty line must hold exactly one number")
		return
	}
	if _, code, _, ok := codeSpan(via.value); ok {
		k.Command = strings.TrimSpace(code)
		return
	}
	if strings.ContainsAny(strings.TrimSpace(via.value), " \t") {
		r.defect("D4", "Ratchet Read via", via.at, via.value, "a back-ticked command, or a file", "put the command into back-ticks")
		return
	}
	k.File = strings.TrimSpace(via.value)
}

// firstWord is the first word of a value, in lower case and without emphasis.
func firstWord(s string) string {
	word, _, _ := strings.Cut(strings.TrimSpace(s), " ")
	return strings.ToLower(strings.Trim(word, "`*.,;:()"))
}

func orAt(at, other int) int {
	if at > 0 {
		return at
	}
	return other
}
