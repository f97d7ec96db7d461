package supervisor

import (
	"context"
	"time"

	"loopd/harness"
	"loopd/journal"
	"loopd/journal/disk"
	"loopd/supervisor/proc"
)

// Supervisor is one loop with everything that running it needs. It is built once by the program; none of its fields
// changes while it runs.
type Supervisor struct {
	Ref     journal.Ref
	Dialect journal.Dialect
	Options Options

	// Dialects finds a dialect by name: a dead iteration in this tree may belong to another loop.
	Dialects func(name string) (journal.Dialect, bool)
	// Lookup finds a harness by name; its error suggests near names.
	Lookup func(name string) (harness.Harness, error)
	// Known lists all harnesses: an agent gets its own vendor's keys and not the others'.
	Known []harness.Harness
	// Prices by model, for harnesses that report tokens only.
	Prices map[string]Price
	// Channels are the notification channels of config.toml, by name.
	Channels map[string]Channel
	// Own are the paths of other loops outside of their folders, absolute (contracts). Untracked ones are no debris.
	Own []string
	// Protected are branch globs beside the built-in ones.
	Protected []string
	// StateHome is where loops outside git keep what is private to loopd ($XDG_STATE_HOME/loopd).
	StateHome string

	Host *proc.Host
	Disk disk.Disk
	Env  []string // the caller's environment
	// Send delivers to a notification URL.
	Send func(ctx context.Context, url, title, body string) error
	// Terminal asks the operator; nil where nobody watches.
	Terminal Terminal
	// Emit receives what happens, for the live line and the log; never nil.
	Emit func(Event)
	// Watched: somebody looks at EventAgent events; without it they are not made.
	Watched bool
	// Fault is asked before every labelled operation (git, exec, lease; the disk has its own of the same shape). An error
	// from it takes the operation's place. nil but in tests.
	Fault func(op, label string) error
	// Version is written where a reader may ask who wrote a file.
	Version string
}

// Options are the settings of one run, resolved over flag, environment, charter and config.
type Options struct {
	Once, IfDue, PrintWake, Now, Drain, DryRun, Yes bool
	Worktree, NoGit, Baseline                       bool
	Operate                                         bool          // an operator's command: a loop outside of git is looked at and steered too
	Max                                             int           // iterations of this run, 0 for no bound
	For                                             time.Duration // of this run, 0 for no bound
	Until                                           string        // a command; exit 0 ends the run
	Timeout                                         time.Duration // of one iteration; over the charter's
	Idle                                            time.Duration // no output for so long ends the agent; 0 is the default
	Grace                                           time.Duration // between the stop signal and KILL
	MaxCost                                         float64       // USD of this loop
	Maker, Checker, EscalateTo, Model               string
	Flags                                           []string // of an iteration skill; with GivenFlags they replace those in the state
	GivenFlags                                      bool
	IdleCount                                       int      // replaces the one in the state, 0 for none
	Fallback                                        []string // harnesses that take over on a limit, in order
	Workers                                         int      // of a contract with workers: at most so many at once
	Protect                                         bool     // git is loopd's in loops that leave it to the agent
	Judge                                           string   // what weighs conditions in prose, or whether the objective is met
	Sandbox                                         string   // what bounds the agent's writes; over the charter's
	KeepTranscripts                                 int
	KeepBytes                                       int64
}

// Price of a model in USD per million tokens.
type Price struct {
	Input, Output, Cached float64
	AsOf                  string // a date
}

// Terminal is where a person answers.
type Terminal interface {
	// Ask puts a question with its choices and returns the chosen one, or the text that was typed where choices are
	// empty; ok is false where no answer came (end of input, time limit).
	Ask(ctx context.Context, question string, choices []string) (answer string, ok bool)
	// Tell shows a message that a person must see.
	Tell(message string)
}

// EventKind names what happened.
type EventKind string

// The events of a run.
const (
	EventNotice  EventKind = "notice"  // something a person should know
	EventWarning EventKind = "warning" // something a person should look at
	EventStep    EventKind = "step"    // an iteration entered a step
	EventAgent   EventKind = "agent"   // the agent did something
	EventEnd     EventKind = "end"     // an iteration ended; Result is set
	EventSleep   EventKind = "sleep"   // the loop waits until Wake
)

// Event is one thing that happened, for whoever watches.
type Event struct {
	Kind      EventKind
	At        time.Time
	Iteration int
	Step      string
	Text      string
	Limit     time.Duration // of the step, 0 for none
	Wake      time.Time
	Result    *Result
}

// Result is one iteration, as the result line on stdout says it.
type Result struct {
	Loop      string          `json:"loop"`
	Iteration int             `json:"iteration"`
	Counted   bool            `json:"counted"`
	Outcome   journal.Outcome `json:"outcome"`
	Unit      string          `json:"unit"`
	Next      string          `json:"next,omitempty"`
	Ratchet   string          `json:"ratchet,omitempty"` // "5→4"
	PutBack   bool            `json:"put_back"`
	Parked    string          `json:"parked,omitempty"` // ref
	Commit    string          `json:"commit,omitempty"`
	Flags     []string        `json:"flags"`
	Agent     string          `json:"agent"`
	Model     string          `json:"model,omitempty"`
	Cost      float64         `json:"cost_usd"`
	CostKnown bool            `json:"cost_known"`
	Tokens    int64           `json:"tokens"`
	Seconds   float64         `json:"seconds"`
	OKToken   string          `json:"-"` // set for a heartbeat: the line is this token alone
	Code      int             `json:"code"`
	Wake      time.Time       `json:"wake,omitzero"`
	Why       string          `json:"why,omitempty"`
}

// Ending says how a run ended.
type Ending struct {
	Code int
	// Why is one sentence; Fix what to type next, "" for nothing.
	Why, Fix string
	// Iterations that were counted in this run.
	Iterations int
	// Text is the plan of --dry-run.
	Text string
	// Branch, Base and Commits tell where the work lies.
	Branch, Base string
	Commits      int
	Wake         time.Time
	// Flags and Idle are those of the next wake of a skill.
	Flags []string
	Idle  int
}

// defaults of spec/iteration.md ("Limits where nothing is said") and decision 11.
const (
	defaultWall    = 60 * time.Minute
	defaultIdle    = 20 * time.Minute
	checkLimit     = 10 * time.Minute
	channelLimit   = 30 * time.Second
	setupLimit     = 10 * time.Minute
	lingerAfterEnd = 10 * time.Second
	driftShare     = 0.8
)
