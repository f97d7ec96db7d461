package journal

import "time"

// Charter is what a person wrote about a loop. loopd and the agent never change it.
type Charter struct {
	File   string // absolute path
	Source []byte // the file as it is, for the brief

	Goal      string
	DoneWhen  []Condition // all must hold; joined by AND
	Archetype Archetype
	// ArchetypeNote is the rest of the Archetype line.
	ArchetypeNote string

	// Unmanaged leaves git to the agent: no look at the tree before, no put-back, no commit, no guard over the charter
	// (spec/dialects.md: tracking, driver, markdown without checks).
	Unmanaged bool

	// HoldOnEdit: an agent that edits the definition holds the loop, beside its being put back (markdown).
	HoldOnEdit bool
	// TakesFlags: the loop is a skill that is called with flags (driver).
	TakesFlags bool

	// StopWhen, AskWhen and ContinueWhen are the conditions of the markdown protocol, in the order in which they are weighed
	// before every iteration. One without a command is put to an agent.
	StopWhen, AskWhen, ContinueWhen []Condition

	// DoneAfter: Done-when is looked at after an iteration only, not before one (tracking).
	DoneAfter bool

	Unit, Start, End, Never string

	Verification []Check
	Ratchet      Ratchet
	// Guardrails is the section's text, handed to the agent whole.
	Guardrails string
	// Protected are globs that an iteration must not touch ("**" crosses folders).
	Protected []string

	// Scope are globs of all that an iteration may touch, none for no bound; Except are not in it.
	Scope, Except []string
	// Own are paths beside the loop's folder that belong to the loop: no debris, no part of a change. Guarded are those of
	// them that an agent must not touch. All are absolute.
	Own, Guarded []string
	// Protocol holds the rules of a contract's runs, nil for any other loop.
	Protocol *Protocol

	Escalation Escalation
	Budget     Budget
	Promotion  Promotion
	Harness    HarnessWish
}

// Archetype is the kind of a native loop.
type Archetype string

// The archetypes of the loop family.
const (
	BacklogDrain     Archetype = "backlog-drain"
	RatchetClimb     Archetype = "ratchet-climb"
	RedGreen         Archetype = "red-green"
	WatchAndReport   Archetype = "watch-and-report"
	EvaluateOptimize Archetype = "evaluate-optimize"
	Babysitter       Archetype = "babysitter"
	Pipeline         Archetype = "pipeline"
)

// Archetypes lists all of them, in the order of the documents.
func Archetypes() []Archetype {
	return []Archetype{BacklogDrain, RatchetClimb, RedGreen, WatchAndReport, EvaluateOptimize, Babysitter, Pipeline}
}

// Check is one verification command with what is expected of it.
type Check struct {
	Command string
	Want    Expectation
	Line    int // in the charter, 1-based
}

// Condition is one part of Done-when: a command with an expectation, or a countable state of a file.
type Condition struct {
	Check *Check
	File  *FileState
	Text  string // as written
	Line  int
}

// FileState is a state of a file that can be counted.
type FileState struct {
	Path string        // relative to the loop's folder where such a file is there, else to the working tree
	Want FileStateKind // what must hold
}

// FileStateKind says what must hold of a file.
type FileStateKind string

// The states of files that Done-when understands.
const (
	NoUnchecked FileStateKind = "has no unchecked items"
	Exists      FileStateKind = "exists"
	Absent      FileStateKind = "does not exist"
	Empty       FileStateKind = "is empty"
)

// Direction is the way in which a ratchet may move.
type Direction string

// The directions.
const (
	Decreasing Direction = "decreasing"
	Increasing Direction = "increasing"
)

// Ratchet is a number that may only move one way. Metric "" or "none" is a loop without one.
type Ratchet struct {
	Metric    string
	Direction Direction
	Command   string // read via this command, or
	File      string // via the last non-empty line of this file, relative to the working tree
	// OnRegression is text for the brief; the put-back is not optional.
	OnRegression string
	Line         int
}

// Present reports whether the loop has a ratchet.
func (r Ratchet) Present() bool { return r.Command != "" || r.File != "" }

// Channel is one way in which a message leaves the loop directory. Exactly one field is set.
type Channel struct {
	Command string // the message on its stdin
	File    string // absolute, or relative to the working tree; the message is appended
	URL     string // a notification URL
	Name    string // a name from config.toml
}

// Escalation says when and how a human is told.
type Escalation struct {
	Stalled  int // iterations without movement; 3 where silent
	Channels []Channel
	// Blocked is the text of the bullet for decisions.
	Blocked string
}

// Budget holds the limits of a charter. Zero means: not set.
type Budget struct {
	MaxIterations int
	PerIteration  time.Duration
	Total         time.Duration
	Cost          float64 // USD
	Tokens        int64
	ToolCalls     int64
	ModelCalls    int64
	ReviewLines   int // changed lines of one iteration
	ReviewFiles   int
	Cadence       Cadence
}

// CadenceKind is the shape of a cadence.
type CadenceKind string

// The kinds of cadences.
const (
	OnDemand CadenceKind = "on-demand" // one iteration, then stop
	Auto     CadenceKind = "auto"      // the pace table alone
	Every    CadenceKind = "every"     // a fixed time between starts
	Daily    CadenceKind = "daily"     // at a time of day, local
	Cron     CadenceKind = "cron"      // five fields
)

// Cadence says how often iterations start.
type Cadence struct {
	Kind   CadenceKind
	Every  time.Duration
	Hour   int // of Daily
	Minute int
	Spec   string // the five cron fields
	Text   string // as written
}

// Mode is what a loop may do with a verified change.
type Mode string

// The promotion modes, narrow to wide.
const (
	ProposeOnly Mode = "propose-only"
	WriteScoped Mode = "write-scoped"
	WriteFull   Mode = "write-full"
)

// Promotion holds what a charter says about write access.
type Promotion struct {
	Mode     Mode
	Required int // consecutive clean cycles; 3 where silent
	Scope    []string
}

// HarnessWish is the optional last section of a native charter.
type HarnessWish struct {
	Maker, Checker, EscalateTo, Model string
	// Setup is a command run once in a new worktree.
	Setup string
	// OKToken is the reply that means "nothing to report"; LOOP_OK where silent.
	OKToken string
	Sandbox string
	// Env names variables that the verification commands may see.
	Env []string
	// KeepOnNeedsWork keeps a change that the checker sent back in the tree's history (committed) instead of parking it.
	KeepOnNeedsWork bool
}
