package journal

import "time"

// Class is how an iteration or a run of a contract stands: the failure protocol of loop engineering, and what else a
// receipt can say (seeds/loop-engineering.txt, "Failure Protocol" and "Output Contract").
type Class string

// The classes.
const (
	Triggered         Class = "TRIGGERED" // something started a run; no iteration has shown yet that it did anything
	Running           Class = "RUNNING"   // an iteration was kept and the goal is not reached yet
	Complete          Class = "COMPLETE"
	NoOp              Class = "NO_OP" // there was no eligible work, and nothing was changed
	NeedsInput        Class = "NEEDS_INPUT"
	BlockedPermission Class = "BLOCKED_PERMISSION"
	VerifyFailed      Class = "VERIFY_FAILED"
	NoProgress        Class = "NO_PROGRESS"
	BudgetStop        Class = "BUDGET_STOP"
	Ended             Class = "STOPPED" // by a person
)

// Protocol is how the runs of a contract go and end. A loop without one has none of its rules.
type Protocol struct {
	// EachRun: every start is a run of its own with fresh counts (Automation); else a run goes on until it has ended.
	EachRun bool
	// Isolated: it may only work in a worktree of its own or in a sandbox (AutoResearch).
	Isolated bool
	// Checker: nothing is kept without a checker's PASS (maker-checker). CheckerDecides: no command says when the goal is
	// reached, the checker does.
	Checker, CheckerDecides bool
	// Workers: independent units are worked on in worktrees of their own and joined one by one (manager-workers).
	Workers bool
	// Gate are commands that the joined work must pass too.
	Gate []Check
	// Query shows whether there is eligible work; nil where NO_OP is no declared outcome. With words of its own it must meet
	// them for there to be none, else it must exit 0 and print nothing, 0 or [].
	Query *Check
	// Outputs is how many outputs an iteration without work may leave.
	Outputs int
	// Rollback are the commands that Recovery names.
	Rollback []string
	// ReviewLines and ReviewFiles bound what a whole run may give a person to read; 0 for no bound.
	ReviewLines, ReviewFiles int
	// WriteBack gets the final receipt, beside the receipts.
	WriteBack []Channel
	// Artifacts is the folder of artifacts and receipts, absolute.
	Artifacts string
}

// Unknown is something that a contract's agent does not know. Kind is one of the seed's four words, "" where it gave none.
type Unknown struct {
	Text string `json:"text"`
	Kind string `json:"kind,omitempty"`
}

// UnknownKinds are the words that an unknown is classified by.
func UnknownKinds() []string { return []string{"known", "probeable", "testable", "blocked"} }

// Account is what a contract's agent dictates beside its status; never evidence.
type Account struct {
	Hypothesis, Action, Evidence string
	Unknowns                     []Unknown
	// Diagnosis and Changed say, on a retry, why the attempt before failed and what is different now.
	Diagnosis, Changed string
	// Proposed is the action for which it asks a permission.
	Proposed string
}

// Approval is a person's leave for what an agent proposed. It holds for one iteration.
type Approval struct {
	What string    `json:"what"`
	By   string    `json:"by"`
	At   time.Time `json:"at"`
	// Rollback are the commands that were found to be there before it was given.
	Rollback []string `json:"rollback"`
}

// Trigger is what started a run.
type Trigger struct {
	Run string `json:"run_id"`
	By  string `json:"by"` // "a person" or "a scheduler"
}

// Final is how a run ended.
type Final struct {
	Class  Class
	Result string
	Code   int // the exit code
}
