package journal

import (
	"regexp"
	"slices"
	"strings"
)

// Keyed is the form of an answer that consists of keys, each on a line of its own with a value behind a colon.
type Keyed struct {
	// Keys in the order in which the brief asks for them, in capitals.
	Keys []string
	// Decides is the key that must not be taken from a quote: the verdict, or the status.
	Decides string
	// Begins are the keys without which a block is no answer of its own.
	Begins []string
	// Words are the keys whose value is a single word: a blank line ends it.
	Words []string
	// Open is the key whose value goes on to the end of the message, "" for none.
	Open string
}

// Said is one key of an answer and the lines of its value.
type Said struct {
	Key   string
	lines []string
	// Fenced marks a deciding key inside the code fence of a value: what the agent shows, not what it says.
	Fenced bool
}

func (s Said) empty() bool {
	return !slices.ContainsFunc(s.lines, func(l string) bool { return strings.TrimSpace(l) != "" })
}

// Text is the value on one line.
func (s Said) Text() string { return strings.TrimSpace(strings.Join(s.lines, " ")) }

// Lines are the lines of the value.
func (s Said) Lines() []string { return s.lines }

// Read reads an agent's final message; brief is the prompt that it answered. It gives the block that counts; quoted says
// that a deciding key was found that only repeats the brief. It never guesses:
//
//   - A key is in capitals and begins its line, after a list marker, heading marks and emphasis, and a colon follows it. Keys
//     come in any order. A value goes on to the next key; see readRuns for where it ends else.
//   - A line with a key that stands in the brief too is a quote, and so is a line of a value that does; quotes ("> ") are no
//     answer. The brief must therefore hold no line that could be a true answer.
//   - Where there are several blocks the last one counts. Lines behind a block that bring none of the keys that begin one
//     belong to it: they are no new answer.
func (k Keyed) Read(text, brief string) (block []Said, quoted bool) {
	f := keyedForm{Keyed: k, head: keyHead(k.Keys)}
	runs, quoted := f.readRuns(text, brief)
	return f.lastBlock(runs), quoted
}

// keyedForm is a form with what reading it needs.
type keyedForm struct {
	Keyed
	head *regexp.Regexp
}

// word reports whether the key's value is a single word.
func (f keyedForm) word(s *Said) bool { return slices.Contains(f.Words, s.Key) }

// keyHead is what may stand in front of a key, the key, and its colon: list marker, heading marks, emphasis.
func keyHead(keys []string) *regexp.Regexp {
	return regexp.MustCompile("^[ \t]*(?:(?:[-*+•]|#{1,6}|[0-9]{1,2}[.)])[ \t]+)?([*_`]{0,3})(" + strings.Join(keys, "|") + ")([*_`]{0,3})[ \t]*:")
}

// cut reads a line that begins with a key.
func (f keyedForm) cut(l string) (key, value string, ok bool) {
	if !strings.Contains(l, ":") {
		return "", "", false
	}
	m := f.head.FindStringSubmatch(l)
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
func (f keyedForm) quotes(brief string) map[string]bool {
	out := map[string]bool{}
	for _, l := range splitLines(brief) {
		if key, value, ok := f.cut(l); ok {
			out[key+":"+BareWord(value)] = true
		} else if t := strings.TrimSpace(l); t != "" {
			out[t] = true
		}
	}
	return out
}

// run is a sequence of keys that belong together.
type run []Said

func (r run) has(key string) bool {
	return slices.ContainsFunc(r, func(s Said) bool { return s.Key == key && !s.Fenced })
}

// continues reports whether a key that prose parts from the run still belongs to it: the text in between was then a further
// paragraph of a value. It does where it comes later in the order of the brief than all before it.
func (f keyedForm) continues(r run, key string) bool {
	for _, s := range r {
		if slices.Index(f.Keys, s.Key) >= slices.Index(f.Keys, key) {
			return false
		}
	}
	return true
}

// lastBlock gives the answer that counts: the last run, together with those before it as long as it has none of the keys
// that begin one.
func (f keyedForm) lastBlock(runs []run) []Said {
	from := len(runs)
	for from > 0 {
		from--
		if slices.ContainsFunc(f.Begins, runs[from].has) {
			break
		}
	}
	return slices.Concat(runs[from:]...)
}

// BareWord takes emphasis and one closing mark off a word. "~" is no emphasis: what is struck through is not said.
func BareWord(text string) string {
	bare := func(s string) string {
		return strings.TrimFunc(s, func(r rune) bool { return strings.ContainsRune("*_` \t\u00a0", r) })
	}
	s := bare(text)
	if n := len(s); n > 0 && (s[n-1] == '.' || s[n-1] == '!') {
		s = bare(s[:n-1])
	}
	return s
}
