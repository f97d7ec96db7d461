package markdown

import (
	"bytes"
	"cmp"
	"strconv"
	"strings"
	"time"

	"loopd/journal"
)

// recordTitle heads a record, activationHeading an activation entry.
const (
	recordTitle       = "# Loop Record"
	activationHeading = "## Activation"
)

// NewRecord gives a new record.md: the template of the protocol's text, up to its first entry. The activation section that
// the template ends with is the shape of the entry that Activation gives; a record never holds it empty.
func NewRecord() []byte {
	return []byte(recordTitle + `

This file is append-only.

Use the record shape defined by this loop's ` + "`LOOP.md`" + `.

Each entry should be concise and should include only what the next iteration
needs to understand what happened, what changed, and whether the loop should
continue, pause, stop, or wait.

The activation section uses the standard shape below. Iteration entries should
use the loop-specific shape defined in ` + "`LOOP.md`" + `.
`)
}

// Activated is what an activation entry says.
type Activated struct {
	Loop         string
	At           time.Time
	By           string
	Confirmation string // what was confirmed, such as the choice and the bound
	Summary      string
	Details      []Detail // Required Activation Details with their values
}

// Activation renders an activation entry. Details stand below Confirmation, one a line.
func Activation(a Activated) []byte {
	var b strings.Builder
	b.WriteString(activationHeading + "\n\n")
	at := ""
	if !a.At.IsZero() {
		at = a.At.Format(time.RFC3339)
	}
	put(&b, "Loop", a.Loop)
	put(&b, "Activated at", at)
	put(&b, "Activated by", a.By)
	put(&b, "Confirmation", a.Confirmation)
	for _, d := range a.Details {
		b.WriteString("  - " + oneLine(d.Name) + ": " + oneLine(d.Value) + "\n")
	}
	put(&b, "Initial summary", a.Summary)
	return []byte(b.String())
}

// Iteration renders the entry of an iteration: what the agent dictated in the shape of LOOP.md, below a heading of loopd's
// own, so that entries can be told apart whatever their shape. See dictated for what becomes of the agent's text.
func Iteration(n int, at time.Time, by, text string) []byte {
	return headed("Iteration "+strconv.Itoa(n), at, by, dictated(text)+"\n")
}

// Skipped is a tick that did nothing: it says why all the same.
type Skipped struct {
	At         time.Time
	By         string
	Considered string // why this iteration was considered: the trigger
	Acted      string // whether action was taken; "" is no
	Why        string // why no action was taken: the condition and its evidence
	Changed    string // what changed; "" is nothing
	Next       string // whether the loop waits, pauses, stops, is complete or continues later
	Question   string // what a person has to decide, "" where nothing
}

// NoAction renders the entry of a tick that did nothing.
func NoAction(s Skipped) []byte {
	var b strings.Builder
	put(&b, "Considered because", s.Considered)
	put(&b, "Action taken", cmp.Or(strings.TrimSpace(s.Acted), "no"))
	put(&b, "Why not", s.Why)
	put(&b, "Changed", cmp.Or(strings.TrimSpace(s.Changed), "nothing"))
	put(&b, "Next", s.Next)
	if s.Question != "" {
		put(&b, "Question", s.Question)
	}
	return headed("No action", s.At, s.By, b.String())
}

// Act is what a person, or a policy, did to a loop between iterations.
type Act string

// The acts that have an entry.
const (
	Pause  Act = "Pause"
	Resume Act = "Resume"
	Stop   Act = "Stop"
)

// Decided is an act and what led to it.
type Decided struct {
	Act      Act
	At       time.Time
	By       string
	Why      string
	Question string // that was pending, "" where none
	Decision string // the answer to it, or what was decided
	Status   journal.Status
}

// Decision renders the entry of a pause, a resume or a stop: the question and the decision stand in it where there were
// any.
func Decision(d Decided) []byte {
	var b strings.Builder
	if d.Why != "" {
		put(&b, "Why", d.Why)
	}
	if d.Question != "" {
		put(&b, "Question", d.Question)
	}
	if d.Decision != "" {
		put(&b, "Decision", d.Decision)
	}
	put(&b, "Next", string(d.Status))
	return headed(string(d.Act), d.At, d.By, b.String())
}

// Append gives the bytes to add at the end of record.md for one more entry; nothing that stands there changes. Where the
// record is empty the template comes first. The line ends are the record's own.
func Append(record, entry []byte) []byte {
	var out []byte
	if len(bytes.TrimSpace(bytes.TrimPrefix(record, []byte(bom)))) == 0 {
		out = NewRecord()
	} else if !bytes.HasSuffix(record, []byte("\n")) {
		out = []byte("\n")
	}
	out = append(append(out, '\n'), bytes.TrimRight(entry, "\n")...)
	out = append(out, '\n')
	if i := bytes.IndexByte(record, '\n'); i > 0 && record[i-1] == '\r' {
		out = bytes.ReplaceAll(out, []byte("\n"), []byte("\r\n"))
	}
	return out
}

func headed(title string, at time.Time, by, body string) []byte {
	heading := "## " + title
	if !at.IsZero() {
		heading += " · " + at.Format(time.RFC3339)
	}
	if by = oneLine(by); by != "" {
		heading += " · " + by
	}
	return []byte(heading + "\n\n" + body)
}

// put writes "Key: value" on one line, or the key alone.
func put(b *strings.Builder, key, value string) {
	b.WriteString(strings.TrimRight(key+": "+oneLine(value), " ") + "\n")
}

// oneLine makes a value one safe line.
func oneLine(s string) string { return journal.OneLine(s, valueMax) }
