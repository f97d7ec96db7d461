package journal

import "time"

// Entry is one iteration in the journal.
type Entry struct {
	N     int
	Time  time.Time
	Agent string
	Unit  string // dictated by the agent, as is Did and Next
	Did   string
	// Verify holds one line a check, from loopd's own observation: command → actual result ✅ or ❌.
	Verify []string
	// Ratchet is "old → new" from loopd's own readings, "" for a loop without a ratchet.
	Ratchet string
	// Steer quotes the operator's steering, "" where there was none.
	Steer string
	Next  string
	Flags []string
	// Text is the entry as the agent dictated it, for a dialect whose loops have a shape of their own.
	Text string
	// NoAction: the iteration was considered and not made; Reason says why, StopTrue and ContinueTrue what held.
	NoAction               bool
	StopTrue, ContinueTrue []string
	// Outcome is what loopd made of the iteration, Reason what it saw or was told of whether the objective is met.
	Outcome Outcome
	Reason  string
	// Account is what a contract's agent dictated; the rest is for its receipt: Class, the stop reason of the model, the
	// changed files, the ref that holds what was put back, the commit that the tree goes back to, the number of outputs, and
	// what the iteration took.
	Account       Account
	Class         Class
	Stop          string
	Changed       []string
	Parked        string
	RecoveryPoint string
	Outputs       int
	Took          Spent
	// Raw is the entry as read, heading included.
	Raw string
	// Failed is true where an entry that was read carries ❌.
	Failed bool
}

// Outcome is what loopd made of an iteration.
type Outcome string

// The outcomes.
const (
	Shipped     Outcome = "shipped"
	Filed       Outcome = "filed"
	Rejected    Outcome = "rejected"
	Idle        Outcome = "idle"
	Heartbeat   Outcome = "heartbeat" // exactly the OK token, nothing changed
	NoChange    Outcome = "no change"
	Failed      Outcome = "failed"
	Held        Outcome = "blocked" // a question or a contract violation: a person is needed
	Finished    Outcome = "done"
	Limited     Outcome = "limited"
	Unavailable Outcome = "unavailable"
	Interrupted Outcome = "interrupted"
)

// Counts reports whether the outcome is an iteration: it has an entry and moves the counters.
func (o Outcome) Counts() bool {
	return o != Limited && o != Unavailable && o != Interrupted
}

// ReportStatus is the agent's own word for what it did.
type ReportStatus string

// The six words of an outcome line.
const (
	ReportShipped    ReportStatus = "shipped"
	ReportFiled      ReportStatus = "filed"
	ReportRejected   ReportStatus = "rejected"
	ReportEmpty      ReportStatus = "empty"
	ReportGateKilled ReportStatus = "gate_killed"
	ReportBlocked    ReportStatus = "blocked"
)

// Report is what the agent says; never evidence.
type Report struct {
	// Status is "" where the message has no single valid outcome line; Violation then says what was found instead.
	Status    ReportStatus
	Violation string
	Detail    string
	Unit      string
	Did       string
	Next      string
	Flags     []string
	Sign      string
	Split     []string
	CarryAdd  []string
	CarryDrop []string
	// Text is the record entry that it dictates, verbatim (markdown).
	Text string
	// Met is the agent's own word that the objective is met, Reason why. It counts where a loop has nothing that decides.
	Met    bool
	Reason string
	// Account and Class are what a contract's agent dictates, Class where it names one of the failure protocol's.
	Account Account
	Class   Class
	// OK is true where the whole message is the OK token.
	OK bool
	// Question is the sentence in which the message refuses to act or asks for a permission or an answer, "" otherwise.
	Question string
}
