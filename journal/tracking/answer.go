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

// form is the shape of an answer. The value of NEEDS_INPUT goes on to the end: the options of a question.
var form = journal.Keyed{
	Keys:    []string{statusKey, resultKey, evidenceKey, verdictKey, reasonKey, missingKey, inputKey},
	Decides: verdictKey,
	Begins:  []string{statusKey, resultKey},
	Words:   []string{statusKey, verdictKey},
	Open:    inputKey,
}

// ReadAnswer reads the agent's final message; brief is the prompt that it answered. See journal.Keyed for what is read of
// it. It never guesses:
//
//   - The block must have its own verdict.
//   - Met is exactly MET (see ReadVerdict), outside of what a value quotes in a code fence. Two verdicts in the block that
//     differ, anything else, and none at all are NotMet.
//   - STATUS: NEEDS_INPUT asks what RESULT says; a line NEEDS_INPUT: asks what stands behind it. It outweighs a verdict.
//
// All texts come back on one line and cut to size, so they can be written to the loop's files.
func ReadAnswer(text, brief string) Answer {
	block, quoted := form.Read(text, brief)
	a := Answer{Verdict: NotMet}
	var asks bool
	var question, remark string // behind NEEDS_INPUT as a key, and as a status
	for _, s := range block {
		if s.Fenced {
			continue
		}
		value := s.Text()
		switch s.Key {
		case statusKey:
			a.Status = journal.OneLine(journal.BareWord(value), statusRoom)
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
func verdictOf(block []journal.Said, quoted bool) (v Verdict, violation string) {
	own, first := "", true
	for _, s := range block {
		if s.Key != verdictKey {
			continue
		}
		text := s.Text()
		one, ok := ReadVerdict(text)
		switch {
		case s.Fenced && one == Met:
			continue
		case s.Fenced:
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
