package markdown

import (
	"fmt"
	"strings"

	"loopd/journal"
)

// BoundKind says what ends an activation. Stop When and Ask Human When end it before that in every case.
type BoundKind string

// The kinds of bounds of the protocol's text. BoundCondition is any other condition in prose ("until delivery accepted"):
// somebody has to judge it.
const (
	BoundCount     BoundKind = "count"
	BoundQueue     BoundKind = "queue"
	BoundCheck     BoundKind = "check"
	BoundCondition BoundKind = "condition"
	BoundGate      BoundKind = "gate"
)

// Bound is how far one activation runs.
type Bound struct {
	Kind BoundKind
	// N is the number of units of BoundCount, or of gates of BoundGate, where 0 means until the loop is blocked or a
	// person has to decide. A BoundCount with N 0 stands in a list of allowed bounds only: any number.
	N int
	// Check is the command of BoundCheck, nil where the words name none: then the loop's own verification is meant.
	Check *journal.Check
	Text  string // as written, "" for one that nobody wrote
}

// Count is the bound of n iterations.
func Count(n int) Bound { return Bound{Kind: BoundCount, N: n} }

// UntilQueueEmpty is the bound of --until-queue-empty.
func UntilQueueEmpty() Bound { return Bound{Kind: BoundQueue} }

// UntilCheck is the bound of --until-check: the command exits 0.
func UntilCheck(command string) Bound {
	return Bound{Kind: BoundCheck, Check: &journal.Check{Command: strings.TrimSpace(command), Want: journal.Expectation{Kind: journal.ExitStatus}}}
}

// OneGate is the bound of --gate.
func OneGate() Bound { return Bound{Kind: BoundGate, N: 1} }

// String gives the bound in words that ParseBound reads again: as written, where somebody wrote it.
func (b Bound) String() string {
	switch {
	case b.Text != "":
		return b.Text
	case b.Kind == BoundCount && b.N == 1:
		return "one iteration"
	case b.Kind == BoundCount:
		return fmt.Sprintf("up to %d iterations", b.N)
	case b.Kind == BoundQueue:
		return "until queue empty"
	case b.Kind == BoundCheck && b.Check != nil:
		return "until " + ticked(b.Check.Command) + " passes"
	case b.Kind == BoundCheck:
		return "until check passes"
	case b.Kind == BoundGate && b.N == 0:
		return "until blocked"
	case b.Kind == BoundGate && b.N == 1:
		return "one gate"
	case b.Kind == BoundGate:
		return fmt.Sprintf("%d gates", b.N)
	}
	return ""
}

// ticked puts a command into back-ticks, as many as it needs.
func ticked(command string) string {
	most, run := 0, 0
	for _, c := range command {
		if c != '`' {
			run = 0
			continue
		}
		run++
		most = max(most, run)
	}
	if most == 0 {
		return "`" + command + "`"
	}
	fence := strings.Repeat("`", most+1)
	return fence + " " + command + " " + fence
}

// Progress says how much of the bound is used, for state.md: done iterations since the activation.
func (b Bound) Progress(done int) string {
	if b.Kind == BoundCount && b.N > 0 {
		return fmt.Sprintf("%d of %d", done, b.N)
	}
	if done == 1 {
		return "1 iteration"
	}
	return fmt.Sprintf("%d iterations", done)
}

// ReadProgress reads what Progress wrote, or another's "2/5": the number that it begins with. ok is false where it begins
// with none.
func ReadProgress(text string) (done int, ok bool) {
	s := strings.TrimSpace(text)
	digits := s[:len(s)-len(strings.TrimLeft(s, "0123456789"))]
	if digits == "" || len(digits) > 9 {
		return 0, false
	}
	for _, d := range digits {
		done = 10*done + int(d-'0')
	}
	return done, true
}

// permits reports whether an allowed bound covers another one: the same kind and no more of it. Units are not compared:
// whatever they are called, one is one iteration.
func (b Bound) permits(o Bound) bool {
	if b.Kind != o.Kind {
		return false
	}
	switch b.Kind {
	case BoundCount:
		return b.N == 0 || o.N > 0 && o.N <= b.N
	case BoundGate:
		return b.N == 0 || o.N > 0 && o.N <= b.N
	case BoundCheck:
		return b.Check == nil || o.Check != nil && b.Check.Command == o.Check.Command
	case BoundCondition:
		return plainWords(b.Text) == plainWords(o.Text)
	}
	return true
}
