package journal

import "time"

// The kinds of notes: what happened to a loop and is no iteration.
const (
	NoteRefused   = "refused"   // the gate said no
	NoteDone      = "done"      // Done-when was found true at the gate
	NoteRecovered = "recovered" // a dead iteration was put back or rolled forward
)

// noteMax is how long the words of a note may be, in characters.
const noteMax = 600

// Note renders one line for the journal, as Record.Note takes it: "<kind> · <RFC 3339 time> · <text>". kind is one of the
// constants or another single word, such as an operator's verb. text is cut to one line.
func Note(kind string, at time.Time, text string) string {
	return kind + " · " + at.Format(time.RFC3339) + " · " + OneLine(text, noteMax)
}

// Wider reports whether m allows more than other. A word that is no mode allows nothing.
func (m Mode) Wider(other Mode) bool { return m.width() > other.width() }

func (m Mode) width() int {
	switch m {
	case ProposeOnly:
		return 1
	case WriteScoped:
		return 2
	case WriteFull:
		return 3
	}
	return 0
}
