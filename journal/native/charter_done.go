package native

import (
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"loopd/journal"
)

// fileState is a countable state of a file, with or without back-ticks around the name; without them the name needs a dot
// or a slash, or every sentence would be one.
var fileState = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("^(?:(?:the )?file )?(?:`([^`\\s]+)`|([^`\\s]*[./][^`\\s]*))\\s+" +
		"(has no unchecked items|has no unchecked boxes|has no open items|exists|does not exist|is absent|is gone|is empty)\\.?$")
})

var fileStates = map[string]journal.FileStateKind{
	"has no unchecked items": journal.NoUnchecked, "has no unchecked boxes": journal.NoUnchecked, "has no open items": journal.NoUnchecked,
	"exists": journal.Exists, "does not exist": journal.Absent, "is absent": journal.Absent, "is gone": journal.Absent, "is empty": journal.Empty,
}

// doneWhen reads a predicate that a machine can check: commands with what is expected, and states of files, joined by
// AND, or one a bullet. "never" stands for a loop that only an operator ends. What cannot be read is a defect and never
// left out: a loop would be done too early.
func (r *charterReader) doneWhen(s *section) {
	for _, b := range s.texts {
		// "All of these hold:" before a list is no condition.
		if strings.HasSuffix(b.text, ":") && len(s.bullets) > 0 && !strings.Contains(b.text, "`") {
			continue
		}
		r.conditions(b)
	}
	for _, b := range s.bullets {
		if b.value != "" || len(b.parts) == 0 {
			r.conditions(b)
		}
	}
	if len(s.texts)+len(s.bullets) == 0 {
		r.defect("D2", "Done-when", s.at, "", "`command` exits N, or FILE has no unchecked items", "say how a machine sees that the goal is reached")
	}
}

func (r *charterReader) conditions(b bullet) {
	if unsaid(b.text) || firstWord(strings.ReplaceAll(b.text, ";", " ")) == "never" {
		return
	}
	for _, part := range splitAnd(b.text) {
		r.condition(part, b.at)
	}
}

func (r *charterReader) condition(part string, at int) {
	line, _ := position(r.text, at)
	const want = "`command` exits N, or FILE has no unchecked items"
	if m := fileState().FindStringSubmatch(part); m != nil {
		path := m[1] + m[2]
		if !filepath.IsLocal(path) {
			r.defect("D2", "Done-when", at, part, "a file inside the working tree or the loop's folder, by its relative path", "")
			return
		}
		r.charter.DoneWhen = append(r.charter.DoneWhen, journal.Condition{File: &journal.FileState{Path: path, Want: fileStates[m[3]]}, Text: part, Line: line})
		return
	}
	c := readCommand(part)
	switch _, _, _, code := codeSpan(part); {
	case strings.Contains(outsideCode(part), " OR "):
		c.problem = "OR is not understood: write one command that tells"
	case !code:
		c.problem = "prose cannot be checked by a machine: name a command"
	}
	if c.problem != "" {
		r.defect("D2", "Done-when", at, part, want, c.problem)
		return
	}
	if rest := journal.ParseExpectation(c.words).Rest; joins(rest) {
		r.defect("D2", "Done-when", at, rest, want, "a condition that nothing checks: write one that a machine can, joined by AND")
		return
	}
	if k, ok := r.check("D2", "Done-when", c, at); ok {
		r.charter.DoneWhen = append(r.charter.DoneWhen, journal.Condition{Check: &k, Text: part, Line: line})
	}
}

// joins reports whether words behind an expectation go on with another condition.
func joins(rest string) bool {
	switch firstWord(rest) {
	case "and", "or", "but", "unless", "&&", "||":
		return true
	}
	return false
}

// splitAnd splits at AND outside of code; at "and" and commas only where another condition follows.
func splitAnd(text string) []string {
	plain := outsideCode(text)
	var out []string
	from := 0
	cut := func(at, size int) {
		if part := strings.TrimSpace(text[from:at]); part != "" {
			out = append(out, part)
		}
		from = at + size
	}
	for i := range plain {
		switch {
		case i < from:
		case strings.HasPrefix(plain[i:], " AND "):
			cut(i, len(" AND "))
		case strings.HasPrefix(plain[i:], "AND ") && strings.TrimSpace(plain[from:i]) == "":
			from = i + len("AND ") // a bullet that goes on from the one before
		default:
			for _, sep := range []string{" and ", ", and ", ", ", "; "} {
				if strings.HasPrefix(plain[i:], sep) && isCondition(text[i+len(sep):]) {
					cut(i, len(sep))
					break
				}
			}
		}
	}
	cut(len(text), 0)
	if n := len(out) - 1; n >= 0 { // the bullet before one that begins with AND may end with it
		out[n] = strings.TrimSpace(strings.TrimSuffix(out[n], " AND"))
	}
	return out
}

// isCondition reports whether a text begins like a condition: with a command, or with a file and its state.
func isCondition(text string) bool {
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, "`") {
		return true
	}
	for _, sep := range []string{" AND ", " and ", ", ", "; "} {
		text, _, _ = strings.Cut(text, sep)
	}
	return fileState().MatchString(text)
}
