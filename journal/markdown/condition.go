package markdown

import (
	"strings"

	"loopd/journal"
)

// Condition is one condition of Continue When, Stop When or Ask Human When. With a Check it is mechanical: it holds when
// the command's result is the expected one. Without, it is prose, and somebody has to judge it.
type Condition struct {
	Text  string // as written, on one line
	Check *journal.Check
	Line  int // in the file, 1-based
}

// conditions reads a section's bullets, and what else it says: a condition that is no bullet still is one.
func (r *reader) conditions(name string) []Condition {
	var out []Condition
	all := r.filled(name)
	for i, it := range all {
		// That nothing ever allows another iteration is a condition; that nothing stops the loop or asks is none.
		if introduces(all, i) || name != continueWhen && (none(it.text) || never(it.text)) {
			continue
		}
		c := Condition{Text: it.text, Line: r.lineOf(it.at)}
		cmd := readCommand(it.text)
		switch {
		case cmd.code == "" && cmd.note == "":
		case it.kind == row || it.kind == code || it.nested:
			r.warn(name, it.at, it.text, conditionForm, "it is judged as prose: a command counts in a bullet of its own")
		case cmd.note != "":
			r.warn(name, it.at, it.text, conditionForm, "it is judged as prose: "+cmd.note)
		case cmd.want.Fault != "":
			r.defect(name, it.at, it.text, conditionForm, cmd.want.Fault)
			continue
		case isPlaceholder(cmd.code):
			r.defect(name, it.at, it.text, conditionForm, "only a person can say this: fill it in")
			continue
		default:
			c.Check = &journal.Check{Command: cmd.code, Want: cmd.want, Line: c.Line}
		}
		out = append(out, c)
	}
	return out
}

const conditionForm = "`command` → what is expected"

// command is a back-ticked command with what is expected of it.
type command struct {
	code string
	want journal.Expectation
	// note says why a text that looks like a command was not taken for one.
	note string
}

// readCommand finds the command in "words: `command` → expected". The arrow may be missing where nothing but a label
// stands before the command. Anything else is prose, and a note says so where a command seems to be meant: half of a
// condition that a machine reads is another condition.
func readCommand(text string) command {
	spans := spansOf(text)
	before, after, arrow := cutArrow(text, spans)
	at := -1 // the span that is the command
	for i, s := range spans {
		label := isLabel(text[:s.from])
		switch {
		case arrow && s.to <= len(before) && isNote(before[s.to:]):
			at = i
		case !arrow && label:
			at = i
		}
	}
	if at < 0 {
		if !arrow && len(spans) == 1 && expected(text[spans[0].to:]) {
			return command{note: "put → before what is expected"}
		}
		return command{}
	}
	s := spans[at]
	if !arrow {
		after = text[s.to:]
	}
	cmd := command{code: s.code, want: journal.ParseExpectation(after)}
	nothing := strings.Trim(after, " .*`_") == ""
	switch {
	case s.code == "", nothing && !arrow && s.from > 0:
		return command{}
	case nothing:
		cmd = command{note: "it does not say what is expected, such as → exits 0"}
	case cmd.want.Fault != "":
	case !arrow && strings.Trim(after, " \t.;,*") == cmd.want.Rest:
		return command{} // "`main` is green again": a name, no command
	case cmd.want.Rest != "":
		cmd = command{note: "nothing tests the words " + journal.OneLine(cmd.want.Rest, 60)}
	case at > 0 && !isLabel(text[:s.from]):
		cmd = command{note: "one command a bullet"}
	}
	return cmd
}

// isLabel reports whether a command may follow these words without an arrow: none, or a label.
func isLabel(words string) bool {
	words = strings.TrimSpace(strings.Trim(strings.TrimSpace(words), "*_"))
	return words == "" || strings.HasSuffix(words, ":") || strings.HasSuffix(words, "：")
}

// isNote reports whether these words may stand between a command and its arrow.
func isNote(words string) bool {
	words = strings.Trim(words, " \t*_:")
	return words == "" || strings.HasPrefix(words, "(") && strings.HasSuffix(words, ")")
}

// expected reports whether words are an expectation from their first to their last.
func expected(words string) bool {
	return strings.Trim(words, " .*`_") != "" && journal.ParseExpectation(words).Rest == ""
}
