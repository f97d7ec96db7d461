package journal

import "time"

// Status is where a loop stands between iterations.
type Status string

// The statuses of the native format.
const (
	Designed Status = "designed" // never run
	Active   Status = "active"
	Paused   Status = "paused"  // by the operator
	Stalled  Status = "stalled" // no movement, needs a human
	Blocked  Status = "blocked" // waits on a decision
	Done     Status = "done"
	Retired  Status = "retired" // by the operator
)

// State is the small machine-readable memory of a loop.
type State struct {
	// Raw is the file as it was read; a dialect that edits in place needs it. nil where there was none.
	Raw []byte `json:"-"`

	Name      string
	Archetype string
	Status    Status
	Iteration int
	Ratchet   RatchetState
	Promotion PromotionState
	Budget    BudgetState
	LastRun   time.Time // zero: never
	LastAgent string
	Created   string // a date
	Notes     string

	Private Private
}

// RatchetState mirrors the ratchet for readers of the file.
type RatchetState struct {
	Metric     string
	Direction  string
	Value      *float64
	Best       *float64
	StallCount int
	Threshold  int
}

// PromotionState holds the mode that is in force and what has been earned.
type PromotionState struct {
	Mode     Mode
	Clean    int
	Required int
	Scope    []string
}

// BudgetState mirrors the charter's budget for readers of the file.
type BudgetState struct {
	MaxIterations int
	MaxMinutes    float64
	Cadence       string
}

// Private is everything that loopd adds to a state file, in one object of its own.
type Private struct {
	Format int `json:"format,omitempty"`
	// Idle counts iterations without eligible work, in a row.
	Idle int `json:"idle,omitempty"`
	// Flags are those of the iteration, as they were given to the skill (driver).
	Flags []string `json:"flags,omitempty"`
	// CarryAdd and CarryDrop are the flags that the last outcome carries to the next wake (driver).
	CarryAdd  []string `json:"carry_add,omitempty"`
	CarryDrop []string `json:"carry_drop,omitempty"`
	// NotBefore is the earliest next start, WakeWhy the rule that chose it.
	NotBefore time.Time `json:"not_before,omitzero"`
	WakeWhy   string    `json:"wake_why,omitempty"`
	// Limited marks NotBefore as the reset of a usage limit: --once waits for it too.
	Limited bool `json:"limited,omitempty"`
	// Resting holds, by harness, when one that was limited or unavailable is tried again.
	Resting map[string]time.Time `json:"resting,omitempty"`
	// LimitedRow and UnavailableRow count such outcomes in a row.
	LimitedRow     int `json:"limited_row,omitempty"`
	UnavailableRow int `json:"unavailable_row,omitempty"`
	// Deaths counts launches that died uncounted in a row.
	Deaths int   `json:"deaths,omitempty"`
	Spent  Spent `json:"spent,omitzero"`
	// Escalated is the harness that got the current stall; forgotten when the ratchet moves.
	Escalated    string `json:"escalated,omitempty"`
	Hypothesis   string `json:"hypothesis,omitempty"`
	HypothesisBy string `json:"hypothesis_by,omitempty"`
	// Failure is the last failed iteration, nil after a good one.
	Failure *Failure `json:"failure,omitempty"`
	Refusal *Refusal `json:"refusal,omitempty"`
	// Parked lists what was put back and not yet applied or dropped.
	Parked []Parked `json:"parked,omitempty"`
	// Findings are the checker's; the next unit.
	Findings string `json:"findings,omitempty"`
	// Proposed is the action for which the agent asked a permission, Approval a person's leave for it (contract).
	Proposed string    `json:"proposed,omitempty"`
	Approval *Approval `json:"approval,omitempty"`
	// Unmet is what was seen when the goal was not reached, as a signature: the same again is no movement (contract).
	Unmet string `json:"unmet,omitempty"`
	// Before is how many iterations the runs before this one made; Ended says that the last run is over (contract).
	Before int  `json:"before,omitempty"`
	Ended  bool `json:"ended,omitempty"`
	// Question is what the loop waits for, Fix what a person types to end the wait ("" for an answer), Answer the operator's
	// reply for the next brief.
	Question string `json:"question,omitempty"`
	Fix      string `json:"fix,omitempty"`
	Answer   string `json:"answer,omitempty"`
	// Drift asks the next brief for a smaller unit.
	Drift bool `json:"drift,omitempty"`
	// Approved is the widest mode that a person allowed, with who and when.
	Approved   Mode      `json:"approved,omitempty"`
	ApprovedBy string    `json:"approved_by,omitempty"`
	ApprovedAt time.Time `json:"approved_at,omitzero"`
	// Notices wait for their channels: one failed, is quiet, or has had its messages of the day.
	Notices []Notice `json:"notices,omitempty"`
	// Told counts the messages of a day, by channel; Rolled is the day up to which the daily notice was told.
	Told   map[string]Told `json:"told,omitempty"`
	Rolled string          `json:"rolled,omitempty"`
	// Harness counts outcomes by harness name.
	Harness map[string]Tally `json:"harness,omitempty"`
}

// Notice is a message to a human that waits for its channel.
type Notice struct {
	To    string    `json:"to"` // the channel, see Channel.String
	Event string    `json:"event"`
	Title string    `json:"title"`
	Body  string    `json:"body"`
	At    time.Time `json:"at"`
	Next  time.Time `json:"next"` // it is tried again then
	Tries int       `json:"tries,omitempty"`
	Why   string    `json:"why,omitempty"` // the last try failed
}

// Told counts the messages that a channel had on a local day.
type Told struct {
	Day string `json:"day"` // 2006-01-02
	N   int    `json:"n"`
}

// Add counts one more.
func (t Told) Add(now time.Time) Told {
	if day := now.Format(time.DateOnly); t.Day != day {
		t = Told{Day: day}
	}
	t.N++
	return t
}

// Spent adds up what a loop has used.
type Spent struct {
	Cost      float64 `json:"cost,omitempty"`   // USD
	Untold    int     `json:"untold,omitempty"` // execs whose cost nobody told
	Tokens    int64   `json:"tokens,omitempty"`
	ToolCalls int64   `json:"tool_calls,omitempty"`
	// ModelCalls, ReviewLines and ReviewFiles are counted for contracts.
	ModelCalls  int64   `json:"model_calls,omitempty"`
	ReviewLines int     `json:"review_lines,omitempty"`
	ReviewFiles int     `json:"review_files,omitempty"`
	Seconds     float64 `json:"seconds,omitempty"`
}

// Failure remembers a failed iteration for the brief and the stall rules.
type Failure struct {
	Iteration int    `json:"iteration"`
	Signature string `json:"signature"` // normalised output, numbers and paths masked
	Unit      string `json:"unit,omitempty"`
	Approach  string `json:"approach,omitempty"`
	Output    string `json:"output,omitempty"` // what loopd observed, cut to size
	Row       int    `json:"row"`              // how often the same signature or unit failed in a row
	// Check and Paths name the cause for a sign that loopd writes itself; NeedSign is true until one is written.
	Check    string   `json:"check,omitempty"`
	Paths    []string `json:"paths,omitempty"`
	NeedSign bool     `json:"need_sign,omitempty"`
	// Approaches are the ones that the next brief forbids.
	Approaches []string `json:"approaches,omitempty"`
}

// Refusal counts the same refusal in a row, so that it is written once.
type Refusal struct {
	Reason string `json:"reason"`
	Count  int    `json:"count"`
}

// Parked is a change that was put back and kept under a ref.
type Parked struct {
	N    int       `json:"n"`
	Ref  string    `json:"ref"`
	Why  string    `json:"why"`
	Unit string    `json:"unit,omitempty"`
	At   time.Time `json:"at"`
}

// Tally counts what became of a harness's iterations.
type Tally struct {
	Good   int `json:"good,omitempty"`
	Failed int `json:"failed,omitempty"`
	// Away is how often it was limited or unavailable when it should have worked.
	Away int `json:"away,omitempty"`
	// Unblocked is how often the ratchet moved again after its word on a stall.
	Unblocked int `json:"unblocked,omitempty"`
}
