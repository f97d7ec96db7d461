package tracking

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"loopd/journal"
)

// The keys of an answer. NEEDS_INPUT is a status, and a key where the question stands behind it.
const (
	statusKey   = "STATUS"
	resultKey   = "RESULT"
	evidenceKey = "EVIDENCE"
	verdictKey  = "VERDICT"
	reasonKey   = "REASON"
	missingKey  = "MISSING"
	inputKey    = "NEEDS_INPUT"
)

// The room of an answer's texts, in characters.
const (
	statusRoom   = 60
	evidenceRoom = 2000
)

// Answer is what the loop agent says in its final message; never evidence.
type Answer struct {
	Status   string // its own word, "" where it gave none
	Result   string
	Evidence string
	Verdict  Verdict // NotMet unless the message says MET and nothing against it
	Reason   string
	Missing  string // "" where nothing is
	// Question is what the agent needs to know, "" where it asks nothing. With a question there is no verdict.
	Question string
	// Violation says what stood there in place of a readable verdict; "" where there was one, and with a question.
	Violation string
}

// ReadAnswer reads the agent's final message; brief is the prompt that it answered. It never guesses:
//
//   - A key is in capitals and begins its line, after a list marker, heading marks and emphasis, and a colon follows it. Keys
//     come in any order. A value goes on to the next key; see readRuns for where it ends else.
//   - A line with a key that stands in the brief too is a quote, and so is a line of a value that does; quotes ("> ") are no
//     answer. The brief must therefore hold no line that could be a true answer, such as "VERDICT: MET" alone.
//   - Where there are several blocks the last one counts, and it must have its own verdict. Lines behind a block that bring
//     neither STATUS nor RESULT belong to it: they are no new answer.
//   - Met is exactly MET (see ReadVerdict), outside of what a value quotes in a code fence. Two verdicts in the block that
//     differ, anything else, and none at all are NotMet.
//   - STATUS: NEEDS_INPUT asks what RESULT says; a line NEEDS_INPUT: asks what stands behind it. It outweighs a verdict.
//
// All texts come back on one line and cut to size, so they can be written to the loop's files.
func ReadAnswer(text, brief string) Answer {
	runs, quoted := readRuns(text, brief)
	block := lastBlock(runs)
	a := Answer{Verdict: NotMet}
	var asks bool
	var question, remark string // behind NEEDS_INPUT as a key, and as a status
	for _, s := range block {
		if s.fenced {
			continue
		}
		value := s.text()
		switch s.key {
		case statusKey:
			a.Status = journal.OneLine(bareWord(value), statusRoom)
			if tail, ok := needsInput(value); ok {
				remark, asks = journal.OneLine(tail, cellRoom), true
			}
		case inputKey:
			if question = missing(value); question != "" || value == "" {
				asks = true
			}
		case resultKey:
			a.Result = journal.OneLine(value, cellRoom)
		case evidenceKey:
			a.Evidence = journal.OneLine(value, evidenceRoom)
		case reasonKey:
			a.Reason = journal.OneLine(value, cellRoom)
		case missingKey:
			a.Missing = missing(value)
		}
	}
	if asks {
		a.Status = inputKey
		if strings.Contains(remark, "?") {
			question = firstText(question, remark)
		}
		a.Question = firstText(question, a.Result, remark, a.Reason, a.Missing, "the agent needs input and does not say what")
		return a
	}
	a.Verdict, a.Violation = verdictOf(block, quoted)
	if strings.TrimSpace(text) == "" {
		a.Violation = "the final message is empty, it has no VERDICT line"
	}
	return a
}

// verdictOf weighs the verdicts of a block. One inside a value's code fence is a quote: it counts against MET only.
func verdictOf(block []said, quoted bool) (v Verdict, violation string) {
	own, first := "", true
	for _, s := range block {
		if s.key != verdictKey {
			continue
		}
		text := s.text()
		one, ok := ReadVerdict(text)
		switch {
		case s.fenced && one == Met:
			continue
		case s.fenced:
			return NotMet, fmt.Sprintf("a VERDICT line in a code fence says %q", journal.OneLine(text, 80))
		case !ok && journal.OneLine(text, 80) == "":
			return NotMet, "the VERDICT line is empty"
		case !ok:
			return NotMet, fmt.Sprintf("the VERDICT line says %q, want MET or NOT_MET", journal.OneLine(text, 80))
		case !first && own != string(one):
			return NotMet, "two VERDICT lines contradict each other: MET and NOT_MET"
		}
		own, first = string(one), false
	}
	switch {
	case !first:
		return Verdict(own), ""
	case quoted:
		return NotMet, "the only VERDICT lines are quoted from the brief"
	}
	return NotMet, "the final message has no VERDICT line"
}

// needsInput reads a status that asks, with or without the question on its line.
func needsInput(value string) (question string, ok bool) {
	s, ok := strings.CutPrefix(strings.TrimLeft(value, emphasis+" \t"), inputKey)
	if next := strings.TrimLeft(s, "_"); ok && next != "" {
		r, _ := utf8.DecodeRuneInString(next)
		ok = !unicode.IsLetter(r) && !unicode.IsDigit(r) // else a longer word
	}
	if !ok {
		return "", false
	}
	return strings.TrimRight(strings.TrimLeft(s, emphasis+" \t:.—–-"), emphasis+" \t"), true
}

// missing reads what is missing; words for nothing are "".
func missing(value string) string {
	switch strings.ToLower(strings.Trim(value, emphasis+" \t().—–-")) {
	case "", "no", "none", "nothing", "n/a":
		return ""
	}
	return journal.OneLine(value, cellRoom)
}

func firstText(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}
