// Package contract reads loop contracts: files with the 22 fields of loop engineering (seeds/loop-engineering.txt,
// spec/dialects.md "contract"). It turns bytes into data and findings. It opens no file, starts nothing and decides
// nothing about a run.
package contract

import (
	"time"

	"loopd/journal"
)

// Contract is what a person wrote, as data. A field that cannot be read has its zero value, and then there is a finding.
// Texts are on one line, with the items of a nested list behind each other.
type Contract struct {
	Objective    string
	Mode         Mode
	Trigger      string
	Scope        string
	ScopeGlobs   []string // back-ticked in Scope; none: the diff is not bounded
	ScopeExcepts []string // back-ticked behind "not", "except" and the like: not in Scope
	NonGoals     string
	Owner        string
	Inputs       string
	// ArtifactsPath and StatePath are the paths alone, without back-ticks, remarks and full stops, as written otherwise.
	ArtifactsPath string
	StatePath     string
	WorkClock     string

	SuccessMetric   string
	MetricChecks    []journal.Check // the commands back-ticked in Success metric, each with what is expected of it
	Evidence        string
	Verifier        string
	VerifierChecks  []journal.Check
	Topology        Topology
	StopCondition   string
	WriteBack       string
	WriteBackTo     []journal.Channel // the commands and files that are back-ticked in it; read with strict only
	Boundary        string            // the field "permission boundary"
	Recovery        string
	RecoveryChecks  []journal.Check
	IntegrationGate string // the clause that names it, "" where none does
	GateChecks      []journal.Check

	// The caps hold for the whole run. What the contract gives for each iteration only is in the second field, and the
	// first one is that many times MaxIterations.
	MaxIterations    int
	TimeLimit        time.Duration
	TimePerIteration time.Duration // 0: not given
	Budget           []Amount      // at least one; all of them hold
	BudgetEach       []Amount
	ReviewBudget     Review
	ReviewEach       Review

	// Others are keys of the contract block that are none of the 22, such as an output policy or a NO_OP query, in their
	// order.
	Others []Other
	// Lines says on which line of the file each field stands, by its name as in Fields.
	Lines map[string]int
}

// Mode is what makes the loop go on.
type Mode string

// The modes of the seed.
const (
	Goal         Mode = "goal"
	Loop         Mode = "loop"
	Automation   Mode = "automation"
	AutoResearch Mode = "autoresearch"
)

// Topology is who works and who judges.
type Topology string

// The topologies of the seed.
const (
	SingleAgent    Topology = "single-agent"
	MakerChecker   Topology = "maker-checker"
	ManagerWorkers Topology = "manager-workers"
)

// Amount is a number of something that a budget limits. N is above 0 and finite.
type Amount struct {
	N    float64
	Unit Unit
}

// Unit is what a budget counts.
type Unit string

// The units of Budget. Credits are a vendor's: they are read, but only the vendor can count them.
const (
	ToolCalls  Unit = "tool calls"
	ModelCalls Unit = "model calls"
	Tokens     Unit = "tokens"
	USD        Unit = "USD"
	Credits    Unit = "credits"
)

// Review is how much a person is ready to read. Zero means: not given.
type Review struct {
	Lines int // changed lines
	Files int
}

// Other is a key that is none of the 22 fields.
type Other struct {
	Name   string // as written
	Text   string
	Checks []journal.Check
	Line   int
}
