package harness

import "time"

// StopReason is why an agent stopped.
type StopReason string

// The stop reasons. Complete is the only one with an answer to rely on, and it always comes with a final message.
const (
	Complete   StopReason = "complete"   // a good terminal event with a final message
	Refused    StopReason = "refused"    // the model or its safety filter declined
	Truncated  StopReason = "truncated"  // out of output tokens or of context
	TurnLimit  StopReason = "turn limit" // the CLI's own cap
	CostLimit  StopReason = "cost limit" // the CLI's own cap
	Limited    StopReason = "limited"    // usage limit, rate limit, quota, credit
	Login      StopReason = "login"      // no key, a wrong key, not logged in (401, 403)
	Overloaded StopReason = "overloaded" // the vendor or the network (5xx, 529), after the CLI's own retries
	Misused    StopReason = "misused"    // it cannot start like this: bad flag, unknown model, root, not executable
	// Interrupted: ended by the operator, or by a signal that made the CLI end the turn in good order.
	Interrupted StopReason = "interrupted"
	Stalled     StopReason = "stalled" // ended by loopd at the idle or the wall-clock limit
	Crashed     StopReason = "crashed" // ended badly, for no reason that could be told
	// None: ended in good order without a final message. An empty answer is none too (codex and claude exit 0 on it).
	None StopReason = "none"
)

// Reply is what one exec came to.
type Reply struct {
	// Text is the agent's final message. HasText is false where there was none: text that the agent said on the way is
	// not a final message. With Truncated, TurnLimit and CostLimit it is what there was of the message when it was cut.
	Text    string
	HasText bool

	Stop StopReason
	// Rule says what decided on Stop where it was an error that the CLI told: a wording, an HTTP status, a word in a field
	// of its own. "" where the end of the output or the exit code did.
	Rule string
	// Status is the CLI's own word for how it ended, for the journal: "success", "error_max_turns", "api_error 429".
	Status  string
	Session string // the CLI's name for the session, "" where it gave none

	Turns     int // model turns
	ToolCalls int
	Usage     Usage
	Cost      float64 // USD; 0 and not CostKnown where the CLI does not say
	CostKnown bool

	// Limit is set with Limited, nil otherwise.
	Limit *Limit
	// Cause is one sentence for a person: what happened and what to do next. "" with Complete.
	Cause string
	// Denied are tool calls that the CLI refused to make, in its order.
	Denied []string
	// Flags are what was odd about a run whose answer counts all the same (decision 16): a bad exit, a lost line.
	Flags []string
}

// Usage counts tokens. Input is without those that came from the cache, so that every token is in one field only.
type Usage struct {
	Input, Output, CacheRead, CacheWrite int64
}

// Limit says which limit was met.
type Limit struct {
	// Reset is the first instant at which it makes sense to try again, where Known.
	Reset time.Time
	Known bool
	// Kind is the CLI's own word ("five_hour", "seven_day"), or "rate", "usage", "quota", "credit". Waiting alone does
	// not end the last two: a person has to pay.
	Kind string
}

// flags tells of an end that does not fit a complete answer.
func (e Exit) flags() []string {
	var out []string
	switch {
	case e.Stopped == "lingered":
		out = append(out, "lingered")
	case e.Stopped != "":
		out = append(out, "answered, then ended by loopd ("+e.Stopped+")")
	case e.Signal != "":
		out = append(out, "answered, then ended by SIG"+e.Signal)
	case e.Code != 0:
		out = append(out, "answered, then exit "+itoa(e.Code))
	}
	if e.Dropped {
		out = append(out, "a line of output was too long to be read")
	}
	return out
}
