// Package journal says what the files of a loop contain, as plain data, and what a dialect must be able to do with them.
//
// Here live the charter, the state, the entry, the report, the outcome and the Dialect interface. A dialect (native and
// its siblings, one package each) turns files into this data and this data into bytes; it decides nothing: no gate, no
// verification, no pacing. Nothing here starts a process, runs git or talks to an agent.
package journal

import "time"

// Loop is everything that one load reads of a loop, before anything is decided.
type Loop struct {
	Name    string // the name that a person typed
	Dialect string // name of the dialect that read it
	Root    string // absolute path of the folder that the loop's work is done in
	Dir     string // absolute path of the folder that holds the loop's own files

	Charter Charter
	State   State
	// HasState is false where the loop has no state file yet (never run).
	HasState bool
	// Recent holds the last entries of the journal, oldest first, at most three.
	Recent []Entry
	// Entries is the number of the newest entry in the journal, 0 where there is none.
	Entries int
	// History is the history file as it is, for a dialect that adds to it with its line ends.
	History []byte
	// Signs is the text of the rules that failures earned, verbatim.
	Signs string
	// Backlog holds the units in their order, done ones included.
	Backlog []Item
	// BacklogText is the backlog's file, verbatim: Record edits it by line.
	BacklogText string
	// Confirmed is what a person confirmed when the loop was activated, "" where its convention keeps no such entry (markdown).
	Confirmed string
	// Receipt is the last receipt of a contract's run as a person reads it, "" where there is none.
	Receipt string
	// Steer is the operator's steering for the next iteration, the file verbatim; "" where there is none, or only blanks.
	Steer string
	// Findings are the defects and warnings met while reading. A loop with a defect must not be run.
	Findings []Finding
}

// Defects returns the findings that forbid a run.
func (l Loop) Defects() []Finding {
	var out []Finding
	for _, f := range l.Findings {
		if !f.Warning {
			out = append(out, f)
		}
	}
	return out
}

// Item is one unit of a backlog.
type Item struct {
	Text string // without the check box and the strike-through
	Done bool
	Line int // 1-based
}

// Ref names a loop that a dialect found, without reading it whole.
type Ref struct {
	Name    string
	Dialect string
	Root    string // absolute
	Dir     string // absolute
	File    string // absolute path of the file that defines it
}

// Dialect is one on-disk convention. An implementation MUST be stateless, MUST NOT write, start processes or ask the
// clock, and MUST report bad input as a Finding with a position, never as a panic or a silent default.
type Dialect interface {
	// Name is the word that --dialect takes.
	Name() string
	// Find lists the loops of this dialect under root, sorted by name. A folder that cannot be read is an error.
	Find(root string) ([]Ref, error)
	// Load reads a loop. Bad content becomes findings; an error means that a file could not be read at all.
	Load(ref Ref) (Loop, error)
	// Brief renders the prompt of one iteration.
	Brief(l Loop, b Brief) string
	// Parse reads the agent's final message. brief is the prompt that it answered: lines quoted from it do not count.
	Parse(l Loop, text, brief string) Report
	// Record renders what an iteration leaves in the loop's files, in the order in which it must reach the disk:
	// evidence before state. It writes nothing.
	Record(l Loop, r Record) ([]Write, error)
}

// Brief is what the prompt of one iteration says beside the loop's own files. All of it was decided by the supervisor.
type Brief struct {
	Iteration int
	Mode      Mode
	// Harness is the name of the agent CLI that gets the prompt.
	Harness string
	// Flags are those of a skill (driver).
	Flags []string
	// Forbidden names approaches that failed and must not be taken again, newest last.
	Forbidden []string
	// LastFailure is what loopd observed when the previous iteration failed, "" otherwise: output to diagnose.
	LastFailure string
	// FailedIteration is the number of the entry that LastFailure belongs to.
	FailedIteration int
	// Hypothesis is the second vendor's answer to a stall, HypothesisBy its author.
	Hypothesis, HypothesisBy string
	// Findings are what the checker asked for; they are the unit.
	Findings string
	// Retry: the attempt before failed, and a contract asks for a diagnosis. Approval is a person's leave for one action.
	Retry    bool
	Approval *Approval
	// Answer is the operator's answer to a question, "" where there is none.
	Answer string
	// Smaller asks for a smaller unit: the last iteration drifted over 80 % of its limit.
	Smaller bool
	// Checks lists the commands that loopd runs afterwards, as written.
	Checks []string
	// Limit is the wall clock of this iteration.
	Limit time.Duration
}

// Record is what an iteration (or a refusal, or an operator's act) leaves behind.
type Record struct {
	// Entry is the new journal entry, nil where the event is no iteration.
	Entry *Entry
	// Note is one line for the journal in place of an entry, without the leading "> " and the line end; "" for none.
	Note string
	// State is the new state; nil leaves the file alone.
	State *State
	// At is the time of the record.
	At time.Time
	// Class is how the loop stands after what is no iteration; "" leaves that as it is (contract).
	Class Class
	// Trigger begins a run, Final ends it (contract).
	Trigger *Trigger
	Final   *Final
	// Strike lists backlog items that were verified, by their index in Loop.Backlog.
	Strike []int
	// Add lists new backlog items.
	Add []string
	// Signs lists new rules, each a whole line without line end.
	Signs []string
	// UsedSteer is the steering text that the entry quotes; the file goes only if it still says this.
	UsedSteer string
}

// WriteKind says how a Write reaches the disk.
type WriteKind string

// The kinds of writes.
const (
	WriteAppend  WriteKind = "append"  // Data is added at the end, the file synced
	WriteReplace WriteKind = "replace" // the file becomes Data, atomically
	WriteRemove  WriteKind = "remove"  // the file goes, if it still holds Data
)

// Write is one change of one file, rendered and not yet done.
type Write struct {
	Label string    `json:"label"` // what a person and a fault test call it: "journal", "state", "signs", "backlog", "steer"
	Path  string    `json:"path"`  // absolute
	Kind  WriteKind `json:"kind"`
	Data  []byte    `json:"data"`
}
