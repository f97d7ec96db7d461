package native

import (
	"path/filepath"
	"strings"

	"loopd/journal"
)

// command is a back-ticked command of a bullet, with the words on both sides of it.
type command struct {
	code  string
	words string // the expectation
	// problem says why the bullet cannot be read as one command, "" for a good one.
	problem string
}

// readCommand takes "`command` → expected" apart; a label before it ("Tests: …") and a missing arrow are allowed. Words
// before a span make it a quotation: in "no `TODO` is left" nothing is meant to be run.
func readCommand(text string) command {
	before, code, after, ok := codeSpan(text)
	before = strings.TrimSpace(strings.Trim(strings.TrimSpace(before), "*_"))
	for _, box := range []string{"[ ]", "[x]"} {
		before = strings.TrimSpace(strings.TrimPrefix(before, box))
	}
	switch {
	case !ok:
		return command{problem: "put the command into back-ticks"}
	case before != "" && !strings.HasSuffix(before, ":") && !strings.HasSuffix(before, ":**"):
		return command{problem: "begin with the command: words before it are tested by nothing"}
	}
	c := command{code: strings.TrimSpace(code), words: strings.TrimSpace(after)}
	if between, want, ok := cutArrow(c.words); ok {
		c.words = want
		if between = strings.Trim(between, " *_"); between != "" && !(strings.HasPrefix(between, "(") && strings.HasSuffix(between, ")")) {
			c.problem = "nothing may stand between the command and the arrow"
		}
	}
	if e := journal.ParseExpectation(c.words); strings.Contains(e.Rest, "`") {
		c.problem = "one command each: give the second one a bullet of its own"
	}
	return c
}

// verification reads the commands with what is expected of them. None at all is a defect (decision 8).
func (r *charterReader) verification(s *section) {
	for _, b := range s.bullets {
		if unsaid(b.text) || b.value == "" && len(b.parts) > 0 {
			continue // told once already; a heading of nested bullets
		}
		c := readCommand(b.text)
		if c.problem != "" {
			r.defect("D3", "Verification", b.at, b.text, "- `command` → what is expected", c.problem)
			continue
		}
		if k, ok := r.check("D3", "Verification", c, b.at); ok {
			r.charter.Verification = append(r.charter.Verification, k)
		}
	}
	if len(r.charter.Verification) == 0 && !r.hasDefect("Verification") && !r.hasUnsaid(s) {
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

// hasUnsaid reports whether a section is not filled in yet: placeholders tells it.
func (r *charterReader) hasUnsaid(s *section) bool {
	for _, b := range append(append([]bullet(nil), s.bullets...), s.texts...) {
		if unsaid(b.value) {
			return true
		}
	}
	return false
}

// check makes a check of a command and the words behind it.
func (r *charterReader) check(rule, field string, c command, at int) (journal.Check, bool) {
	line, _ := position(r.text, at)
	want := journal.ParseExpectation(c.words)
	if want.Fault != "" {
		r.defect(rule, field, at, want.Text, want.Fault, "see the expectations in the README")
		return journal.Check{}, false
	}
	if want.Untested() {
		r.warn(rule, field, at, want.Rest, "words that are tested: exits N, contains \"text\", matches /re/, = N", "nothing tests these words")
	}
	return journal.Check{Command: c.code, Want: want, Line: line}, true
}

func (r *charterReader) ratchet(s *section) {
	k := &r.charter.Ratchet
	k.Line, _ = position(r.text, s.at)
	metric, ok := s.find("Metric")
	if !ok || metric.value == "" {
		r.defect("D4", "Ratchet Metric", s.at, "", "a bullet - Metric: what is counted, or none", "")
		return
	}
	k.Metric = metric.value
	if b, ok := s.find("On regression"); ok {
		k.OnRegression = b.value
	}
	if first := firstWord(metric.value); first == "none" {
		k.Metric = first
		if r.charter.Archetype == journal.EvaluateOptimize {
			r.defect("D4", "Ratchet Metric", metric.at, metric.value, "the score: evaluate-optimize keeps a change only if it improved", "")
		}
		return
	}
	direction, _ := s.find("Direction")
	switch word := firstWord(direction.value); {
	case word == string(journal.Decreasing), word == string(journal.Increasing):
		k.Direction = journal.Direction(word)
	case !unsaid(direction.value):
		r.defect("D4", "Ratchet Direction", orAt(direction.at, s.at), direction.value, "decreasing or increasing", "")
	}
	via, ok := s.find("Read via")
	switch {
	case !ok || via.value == "":
		r.defect("D4", "Ratchet Read via", s.at, "", "a back-ticked command, or a file", "its last non-empty line must hold exactly one number")
	case !unsaid(via.value):
		r.readVia(via)
	}
}

func (r *charterReader) readVia(via bullet) {
	k := &r.charter.Ratchet
	const want = "a back-ticked command, or a file"
	_, code, after, ok := codeSpan(via.value)
	if _, _, _, again := codeSpan(after); ok && again {
		r.defect("D4", "Ratchet Read via", via.at, via.value, "one command", "two readings are no reading: join them in one command")
		return
	}
	if ok {
		if path, isFile := strings.CutPrefix(code, "file:"); !isFile {
			k.Command = strings.TrimSpace(code)
		} else {
			k.File = strings.TrimSpace(path)
		}
	} else {
		k.File = strings.TrimPrefix(strings.TrimSpace(note().ReplaceAllString(via.value, "")), "file:")
	}
	switch {
	case strings.ContainsAny(k.File, " \t") && !ok:
		r.defect("D4", "Ratchet Read via", via.at, via.value, want, "put the command into back-ticks")
		k.File = ""
	case k.File != "" && !filepath.IsLocal(k.File):
		r.defect("D4", "Ratchet Read via", via.at, via.value, "a file inside the working tree, by its relative path", "")
		k.File = ""
	case k.File == "" && k.Command == "":
		r.defect("D4", "Ratchet Read via", via.at, via.value, want, "")
	}
}

// firstWord is the first word of a value, in lower case and without emphasis.
func firstWord(s string) string {
	word, _, _ := strings.Cut(strings.TrimSpace(s), " ")
	return strings.ToLower(strings.Trim(word, "`*_.,;:()"))
}

func orAt(at, other int) int {
	if at > 0 {
		return at
	}
	return other
}
