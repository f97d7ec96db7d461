package tracking

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"loopd/journal"
)

// The fields, as the text spells them.
const (
	taskField      = "Task"
	objectiveField = "Objective"
	checkField     = "Check"
	maxField       = "Max iterations"
	statusField    = "Status"
)

func fieldNames() []string {
	return []string{taskField, objectiveField, checkField, maxField, statusField}
}

// field is one bullet with a key.
type field struct {
	name  string // one of fieldNames, or the key as written
	known bool
	depth int // of the bullet
	line  int // index
	value string
	at    int      // offset of value, which is written without a gap there
	more  []string // further lines of the value of a known one
	next  int      // index of the line behind the bullet's own
}

// fieldHead is "- **Key:**" up to the colon: blanks, opening emphasis, key, closing emphasis.
var fieldHead = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("^([ \t]*)[-*+][ \t]+([*_]{0,3})([A-Za-z][A-Za-z ]{0,40}?)[ \t]*([*_]{0,3})[ \t]*:")
})

// readField reads "- **Task:** x", "* Task: x", "- **Task: x**" and the like.
func readField(l line) (field, bool) {
	if t := strings.TrimLeft(l.text, " \t"); t == "" || strings.IndexByte("-*+", t[0]) < 0 {
		return field{}, false
	}
	m := fieldHead().FindStringSubmatch(l.text)
	if m == nil {
		return field{}, false
	}
	at := len(m[0])
	rest := l.text[at:]
	if open, closed := m[2], m[4]; open != "" && closed == "" {
		if strings.HasPrefix(rest, open) {
			rest, at = rest[len(open):], at+len(open)
		} else {
			rest = strings.TrimSuffix(strings.TrimRight(rest, " \t"), open)
		}
	}
	f := field{name: strings.Join(strings.Fields(m[3]), " "), depth: journal.Indent(l.text)}
	f.value = strings.TrimSpace(rest)
	f.at = l.at + at + strings.Index(rest, f.value)
	switch i := slices.IndexFunc(fieldNames(), func(n string) bool { return strings.EqualFold(n, f.name) }); {
	case i >= 0:
		f.name, f.known = fieldNames()[i], true
	case strings.EqualFold(f.name, "max"):
		f.name, f.known = maxField, true
	}
	return f, true
}

// word gives the value without emphasis, and its offset: what an edit replaces.
func (f field) word() (string, int) {
	w := strings.Trim(f.value, emphasis+" \t")
	return w, f.at + strings.Index(f.value, w)
}

// text is the value with its further lines.
func (f field) text() string { return strings.Join(append([]string{f.value}, f.more...), " ") }

// readFields collects the bullets with a key among these lines. A bullet that stands deeper than the first known one is
// part of the value above it, and so are the lines of its paragraph and indented ones behind a blank line.
func readFields(lines []line) []field {
	var out []field
	depth := -1
	for i := 0; i < len(lines); i++ {
		f, ok := readField(lines[i])
		if !ok || lines[i].hidden || depth >= 0 && f.depth > depth+1 {
			continue
		}
		if f.known && depth < 0 {
			depth = f.depth
		}
		f.line, f.next = i, i+1
		gap := false
		for j := i + 1; f.known && j < len(lines); j++ {
			t := strings.TrimSpace(lines[j].text)
			if t == "" {
				gap = true
				continue
			}
			deeper := journal.Indent(lines[j].text) > f.depth+1
			if lines[j].hidden || gap && !deeper || !deeper && startsBlock(t) {
				break
			}
			f.more = append(f.more, t)
		}
		out = append(out, f)
	}
	return out
}

// startsBlock reports whether a trimmed line ends the paragraph above it.
func startsBlock(t string) bool {
	if t[0] == '#' || t[0] == '|' || t[0] == '>' || strings.HasPrefix(t, "---") || strings.HasPrefix(t, "***") {
		return true
	}
	return len(t) > 1 && strings.IndexByte("-*+", t[0]) >= 0 && (t[1] == ' ' || t[1] == '\t')
}
