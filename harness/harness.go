// Package harness knows the agent CLIs: how each is started and what its output means.
//
// A harness is two pure functions. Invoke turns a Request into an Invocation, which is plain data: argv, environment
// edits, standard input, files. A Fold turns the bytes that the CLI printed into a Reply: the final text, the stop
// reason, usage and cost. Each CLI has one file with both directions in it; named.go is the only list of them.
//
// Nothing here starts a process, reads a file, looks at the clock or at the environment of loopd: who calls passes these
// in. What the final text says is not looked at either: that is the dialect's part.
package harness

import (
	"strings"
	"time"
)

// Harness is an agent CLI and how to talk to it. An implementation MUST be a value without state: the same Request gives
// the same Invocation, and folds of two runs do not know each other. It MUST NOT put the prompt or a secret into argv.
type Harness interface {
	// Name is the word that a person types, and the NAME of `[harness.NAME]`.
	Name() string
	// Vendor is who serves the model: "anthropic", "openai"; "" where it is not known. A stall is handed to another one.
	Vendor() string
	// Keys are the environment variables that hold this vendor's credentials. An agent of another vendor does not get
	// them (decision 15). An entry may end in *.
	Keys() []string
	// Credentials are the ways in which this CLI logs in, in the order in which it prefers them itself.
	Credentials() []CredentialRule
	// Caps says which limits the CLI keeps by itself and what it reports. loopd counts the rest, or refuses the charter.
	Caps() Caps
	// CacheTTL is how long the vendor's prompt cache lives; 300 s where that is not known.
	CacheTTL() time.Duration
	// Invoke says how to start the CLI for the request. An error means that the request cannot be met as configured: it
	// names the key to set, and nothing was started.
	Invoke(Request) (Invocation, error)
	// Fold returns a fresh reader for the output of one exec.
	Fold() Fold
}

// DefaultCacheTTL is the life of a prompt cache where the vendor does not say.
const DefaultCacheTTL = 300 * time.Second

// Caps says what a CLI does about limits by itself (decision 16).
type Caps struct {
	Turns        bool   // it ends a run at Request.MaxTurns
	Cost         bool   // it ends a run at Request.MaxCost
	ReportsCost  bool   // Reply.Cost is filled without a price table
	ReportsUsage bool   // Reply.Usage is filled
	Events       bool   // its stdout is a stream of events: what it prints on stderr is no sign of life
	CountsTurns  bool   // Event.Turns grows while it runs, so that loopd can end it at Request.MaxTurns
	RootNeeds    string // a variable without which it refuses to start as root with every permission, "" for none
}

// Request is what one exec shall do.
type Request struct {
	Prompt   string
	Model    string // "" is the CLI's own default
	ReadOnly bool   // checker, judge, second vendor: no tool that can change anything
	Dir      string // absolute, the working folder
	MaxTurns int    // 0: no limit
	MaxCost  float64
	// ScratchDir is an absolute folder outside the working tree for the files that the invocation names.
	ScratchDir string
}

// Invocation is how to start the CLI, as data. The program is found on PATH by the caller.
type Invocation struct {
	Argv []string
	// Set and Unset edit the environment that Environ makes; Unset first. A name in Unset may end in *.
	Set   map[string]string
	Unset []string
	// Stdin is written and then closed: codex, opencode and pi wait for ever on an input that stays open.
	Stdin []byte
	// Files are written before the start, mode 0600, by absolute path.
	Files map[string][]byte
	// Report is an absolute path below Request.ScratchDir where the CLI leaves what it does not print, "" for none. It is
	// read after the end, into Exit.Report.
	Report string
	// Own are the CLI's own files and folders, which it writes to: login, settings, sessions. "~" and $NAME are the
	// environment's. A sandbox leaves them writable, and makes those that end in a slash: a CLI that may not make its own
	// folder does not start.
	Own []string
	// StopSignal is what the group gets first when loopd ends it: "TERM" or "INT". KILL follows after the grace.
	StopSignal string
	// TTYStderr gives the CLI a terminal on stderr only. stdout stays a pipe, so that the final text stays clean.
	TTYStderr bool
}

// Fold reads the output of one exec, line by line, in memory that does not grow with the output.
type Fold interface {
	// Line takes one line of stdout without its line end. The bytes belong to the caller again when Line returns.
	Line(line []byte) Event
	// Reply says what came of it, after the process has ended. It may be called once.
	Reply(Exit) Reply
}

// Event is what one line of output means while the agent still runs.
type Event struct {
	// Live says that the agent moves: a message, a tool, a retry that will end. It restarts the idle limit. A line that
	// only says "still waiting for the network" is not live: codex prints those for ever.
	Live bool
	// Terminal says that the answer is complete and only the end of the process is to come (10 s, decision 31).
	Terminal bool
	// Turns is the number of model turns seen so far, 0 where the CLI keeps that limit by itself.
	Turns int

	line     []byte
	describe func(line []byte) string
}

// noteMax bounds, in bytes, what Text returns.
const noteMax = 100

// Text is a short line for a person who watches: the tool's name and what it works on, or the start of a message. ""
// where the line says nothing of interest. It is made only when it is asked for, from the line itself, so it MUST be
// called before the next line is read: a flood of two million lines is not described to anybody.
func (e Event) Text() string {
	if e.describe == nil {
		return ""
	}
	return strings.Clone(clip(e.describe(e.line), noteMax)) // not a part of the line any more
}

// Exit is how the process ended.
type Exit struct {
	Code   int    // -1 where a signal ended it
	Signal string // "TERM", "KILL", …; "" where it exited by itself
	// Stopped is what loopd did: "" nothing, "wall", "idle" or "turns" a limit, "interrupted" the operator, "killed" at once,
	// "lingered" ended after the answer was complete.
	Stopped string
	// Stderr is the tail of what it printed there.
	Stderr []byte
	// Report is what the CLI left at Invocation.Report, nil where it left nothing. It is believed for counts alone, never
	// for how the run ended: the agent can write there.
	Report []byte
	// Dropped says that a line of stdout was too long to be read.
	Dropped bool
	// End is when it ended. Its location is the local one: reset times without a zone are read in it.
	End time.Time
}
