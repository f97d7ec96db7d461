package tracking

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// said is one key of an answer and the lines of its value.
type said struct {
	key   string
	lines []string
	// fenced marks a verdict inside the code fence of a value: what the agent shows, not what it says.
	fenced bool
}

func (s said) empty() bool {
	return !slices.ContainsFunc(s.lines, func(l string) bool { return !blank(l) })
}

func (s said) text() string { return strings.TrimSpace(strings.Join(s.lines, " ")) }

// word reports whether the key's value is a single word, which a blank line ends.
func (s said) word() bool { return s.key == statusKey || s.key == verdictKey }

// answerKeys are the keys in the order in which the brief asks for them.
func answerKeys() []string {
	return []string{statusKey, resultKey, evidenceKey, verdictKey, reasonKey, missingKey, inputKey}
}

// keyHead is what may stand in front of a key, the key, and its colon: list marker, heading marks, emphasis.
var keyHead = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("^[ \t]*(?:(?:[-*+•]|#{1,6}|[0-9]{1,2}[.)])[ \t]+)?([*_`]{0,3})(" + strings.Join(answerKeys(), "|") + ")([*_`]{0,3})[ \t]*:")
})

// cutAnswer reads a line that begins with a key.
func cutAnswer(l string) (key, value string, ok bool) {
	if !strings.Contains(l, ":") {
		return "", "", false
	}
	m := keyHead().FindStringSubmatch(l)
	if m == nil {
		return "", "", false
	}
	value = l[len(m[0]):]
	if open := m[1]; open != "" && m[3] == "" {
		// The other half stands behind the colon or at the end of the line.
		if cut, ok := strings.CutPrefix(value, open); ok {
			value = cut
		} else {
			value = strings.TrimSuffix(strings.TrimRight(value, " \t"), open)
		}
	}
	return m[2], strings.TrimSpace(value), true
}

// quotes are the lines of a brief, as they are looked up when a message repeats them.
func quotes(brief string) map[string]bool {
	out := map[string]bool{}
	for _, l := range splitLines(brief) {
		if key, value, ok := cutAnswer(l.text); ok {
			out[key+":"+bareWord(value)] = true
		} else if t := strings.TrimSpace(l.text); t != "" {
			out[t] = true
		}
	}
	return out
}

// run is a sequence of keys that belong together.
type run []said

func (r run) has(key string) bool {
	return slices.ContainsFunc(r, func(s said) bool { return s.key == key && !s.fenced })
}

// continues reports whether a key that prose parts from the run still belongs to it: the text in between was then a further
// paragraph of a value. It does where it comes later in the order of the brief than all before it.
func (r run) continues(key string) bool {
	for _, s := range r {
		if slices.Index(answerKeys(), s.key) >= slices.Index(answerKeys(), key) {
			return false
		}
	}
	return true
}

// lastBlock gives the answer that counts: the last run, together with those before it as long as it has neither STATUS nor
// RESULT.
func lastBlock(runs []run) []said {
	from := len(runs)
	for from > 0 {
		from--
		if runs[from].has(statusKey) || runs[from].has(resultKey) {
			break
		}
	}
	return slices.Concat(runs[from:]...)
}
