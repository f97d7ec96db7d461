package markdown

import (
	"slices"
	"strings"

	"loopd/journal"
)

// Answer is an agent's final message: the entry that it dictates, and what it says of the loop. All of it is the agent's
// word, never evidence.
type Answer struct {
	// Entry is the record entry in the shape of LOOP.md, as dictated: Iteration makes it safe. "" where there is none.
	Entry string
	// Status is one of the five, "" where the message does not say exactly one.
	Status journal.Status
	// Within is true where the message says exactly "Direction: within"; all else is outside of the direction.
	Within bool
	// Next is the next action on one line, "" where the message names none.
	Next string
	// Report is what an outcome line says, if there is one. None is needed: then it is empty, but for a question.
	Report journal.Report
	// Faults say what is missing or unclear, none for a good answer.
	Faults []string
}

// nextMax is how long the next action may be, in characters.
const nextMax = 500

// ReadAnswer reads an agent's final message; brief is the prompt that it answered. The message ends with three lines,
// "Status: …", "Direction: within|outside" and "Next: …"; the entry is everything before them. It never guesses:
//
//   - The last Status or Direction line counts, with those beside it; blank lines between them do not matter, nor does what
//     an agent says behind them. Next is looked for below these first, so that an entry may have one of its own.
//   - Lines that still are the prompt's template ("<…>", "within|outside") say nothing, and three lines that stand in the
//     prompt just so are a quotation.
//   - A status is one of the five words, a direction one of two, alone on the line; emphasis, back-ticks and a full stop do
//     not count. Two that differ are none.
//   - An outcome line with the bullets below it is taken out, wherever it stands.
func ReadAnswer(text, brief string) Answer {
	lines := strings.Split(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(strings.TrimPrefix(text, bom)), "\n")
	a := Answer{Report: journal.ParseReport(text, brief, "")}
	lines, reported := withoutOutcome(lines)
	if !reported {
		a.Report.Violation = "" // no outcome line is no fault here
	}
	end := findEnding(lines, brief)
	a.Entry = entryOf(lines[:end.from])
	a.Next = journal.OneLine(end.next, nextMax)
	a.Status = oneOf(end.status, Statuses())
	a.Within = oneOf(end.direction, []string{"within", "outside"}) == "within"
	a.faults(end)
	return a
}

func (a *Answer) faults(end ending) {
	add := func(what string, got []string, want string) {
		switch len(got) {
		case 0:
			a.Faults = append(a.Faults, "the message has no "+what+" line, want "+want)
		default:
			a.Faults = append(a.Faults, "the message says "+what+" "+journal.OneLine(strings.Join(got, " and "), 80)+", want "+want)
		}
	}
	if a.Entry == "" {
		a.Faults = append(a.Faults, "the message has no record entry")
	}
	if a.Status == "" {
		add("Status:", end.status, "exactly one of running, waiting, paused, completed, stopped")
	}
	if oneOf(end.direction, []string{"within", "outside"}) == "" {
		add("Direction:", end.direction, "within or outside")
	}
	if a.Next == "" {
		a.Faults = append(a.Faults, "the message has no Next: line")
	}
}

// oneOf gives the word that all values are, "" where they are none or differ.
func oneOf[S ~string](values []string, words []S) S {
	var out S
	for _, v := range values {
		v = strings.ToLower(strings.TrimSuffix(strings.Trim(v, " \t*_`"), "."))
		if !slices.Contains(words, S(v)) || out != "" && out != S(v) {
			return ""
		}
		out = S(v)
	}
	return out
}

// entryOf joins an entry's lines. A code block around the whole of it is the agent's way to show it, and one that the
// trailing lines opened or closed is theirs.
func entryOf(lines []string) string {
	lines = withoutBlanks(lines)
	var fences []int
	for i, l := range lines {
		if isFence(strings.TrimSpace(l)) {
			fences = append(fences, i)
		}
	}
	n, end := len(fences), len(lines)-1
	switch {
	case n == 2 && fences[0] == 0 && fences[1] == end:
		lines = lines[1:end]
	case n%2 == 1 && fences[n-1] == end:
		lines = lines[:end]
	case n%2 == 1 && fences[0] == 0:
		lines = lines[1:]
	}
	return strings.Join(withoutBlanks(lines), "\n")
}

func withoutBlanks(lines []string) []string {
	for len(lines) > 0 && strings.TrimSpace(lines[len(lines)-1]) == "" {
		lines = lines[:len(lines)-1]
	}
	for len(lines) > 0 && strings.TrimSpace(lines[0]) == "" {
		lines = lines[1:]
	}
	return lines
}
