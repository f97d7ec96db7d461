package markdown

import (
	"strconv"
	"strings"
)

// Choice is one of the five answers to a confirmation, by the number that it has there.
type Choice int

// The choices of the protocol's text.
const (
	ActivateAndRun  Choice = 1 + iota // run within the activation bound
	ActivateAndWait                   // create the runtime files, set Status: waiting, run nothing
	DefineOnly                        // create or update LOOP.md, no runtime files
	Revise                            // back to the definition, no runtime files
	Cancel
)

// Choices lists them in their order.
func Choices() []Choice {
	return []Choice{ActivateAndRun, ActivateAndWait, DefineOnly, Revise, Cancel}
}

// String gives the words that the confirmation offers.
func (c Choice) String() string {
	switch c {
	case ActivateAndRun:
		return "Activate and run according to this activation bound."
	case ActivateAndWait:
		return "Activate but wait."
	case DefineOnly:
		return "Create / update LOOP.md only."
	case Revise:
		return "Revise the loop definition."
	case Cancel:
		return "Cancel."
	}
	return ""
}

// ParseChoice reads an answer: the number, or the words as a whole. ok is false for anything else, "yes" too: the protocol
// wants to know what was chosen.
func ParseChoice(answer string) (c Choice, ok bool) {
	s := strings.TrimSuffix(strings.TrimSpace(answer), ".")
	for _, c := range Choices() {
		if s == strconv.Itoa(int(c)) || strings.EqualFold(s, strings.TrimSuffix(c.String(), ".")) {
			return c, true
		}
	}
	return 0, false
}
