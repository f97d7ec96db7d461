package contract

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"loopd/journal"
)

// Kind says what a receipt is of.
type Kind string

// The kinds of receipts. Every change of the state has one.
const (
	KindTrigger   Kind = "trigger"
	KindIteration Kind = "iteration"
	KindNote      Kind = "note"     // what the gate refused, or what was recovered
	KindOperator  Kind = "operator" // a person's act, or loopd's own bookkeeping
	KindFinal     Kind = "final"
)

// Receipt is one line of receipts.jsonl. The lines are only ever added to, and give the state.
type Receipt struct {
	Schema          int               `json:"schema"`
	N               int               `json:"n"` // 1, 2, 3 … over all runs
	Kind            Kind              `json:"kind"`
	At              time.Time         `json:"at,omitzero"`
	RunID           string            `json:"run_id"`
	Status          journal.Class     `json:"status"`
	Contract        string            `json:"contract,omitempty"`
	ContractVersion string            `json:"contract_version,omitempty"`
	Trigger         *TriggerReceipt   `json:"trigger,omitempty"`
	Boundary        string            `json:"boundary,omitempty"`
	Attempt         int               `json:"attempt,omitempty"`
	Iteration       int               `json:"iteration,omitempty"`
	Agent           string            `json:"agent,omitempty"`
	Outcome         journal.Outcome   `json:"outcome,omitempty"`
	Hypothesis      string            `json:"hypothesis,omitempty"`
	Action          string            `json:"action,omitempty"`
	Diagnosis       string            `json:"diagnosis,omitempty"`
	Changed         string            `json:"changed,omitempty"`
	Result          string            `json:"result,omitempty"`
	Guardrails      []string          `json:"guardrails,omitempty"` // loopd's evidence, as is Metric
	Claimed         string            `json:"claimed,omitempty"`    // the agent's
	Unknowns        []journal.Unknown `json:"unknowns,omitempty"`
	Termination     string            `json:"termination,omitempty"`
	Diff            []string          `json:"diff,omitempty"`
	Parked          string            `json:"parked,omitempty"`
	Metric          string            `json:"metric,omitempty"`
	Outputs         int               `json:"output_count,omitempty"`
	LastError       string            `json:"last_error,omitempty"`
	NextAction      NextAction        `json:"next_action,omitempty"`
	Flags           []string          `json:"flags,omitempty"`
	Took            *journal.Spent    `json:"took,omitempty"`
	RecoveryPoint   string            `json:"recovery_point,omitempty"`
	Exit            *int              `json:"exit,omitempty"` // of the run
	Engine          Engine            `json:"loopd"`
}

// NextAction is what follows from a status (the seed, "Output Contract").
type NextAction string

// The next actions.
const (
	Stop     NextAction = "stop"
	Retry    NextAction = "retry"
	Approval NextAction = "approval"
	Recover  NextAction = "recovery"
	Handoff  NextAction = "handoff"
)

// nextActions says what follows from each status.
var nextActions = map[journal.Class]NextAction{
	journal.Triggered: Recover, // no iteration has shown that it ran: look at what should have
	journal.Running:   Retry, journal.Complete: Stop, journal.NoOp: Stop, journal.NeedsInput: Handoff, journal.BlockedPermission: Approval,
	journal.VerifyFailed: Retry, journal.NoProgress: Handoff, journal.BudgetStop: Stop, journal.Ended: Handoff,
}

// After is the state after a receipt.
func (s State) After(r Receipt) State {
	s.Schema, s.Receipts, s.Engine = stateSchema, r.N, r.Engine
	if r.Status != "" {
		s.Status, s.NextAction = r.Status, r.NextAction
	}
	switch r.Kind {
	case KindTrigger:
		s = State{Schema: stateSchema, Receipts: r.N, Contract: r.Contract, ContractVersion: r.ContractVersion, RunID: r.RunID, Status: r.Status, NextAction: r.NextAction, Trigger: *r.Trigger,
			Hypothesis: s.Hypothesis, Unknowns: s.Unknowns, LastError: s.LastError, Permissions: s.Permissions, WorkClock: Clock{Began: r.At}, Engine: r.Engine}
		s.Permissions.Boundary = r.Boundary
	case KindIteration:
		s.Hypothesis, s.Action, s.Termination, s.Unknowns = r.Hypothesis, r.Action, r.Termination, r.Unknowns
		s.LastError, s.Diff, s.Parked, s.Metric, s.Guardrails = r.LastError, r.Diff, r.Parked, r.Metric, r.Guardrails
		s.Evidence = r.evidence()
		s.RecoveryPoint, s.NoOp = r.RecoveryPoint, ""
		s.Outputs += r.Outputs
		if r.Status == journal.NoOp {
			s.NoOp = r.Result
		}
	case KindNote, KindFinal:
		s.LastError = r.LastError
		if r.Status == journal.NoOp {
			s.NoOp = r.Result
		}
	}
	for _, list := range []*[]string{&s.Evidence, &s.Guardrails, &s.Diff} {
		if *list == nil {
			*list = []string{}
		}
	}
	if s.Unknowns == nil {
		s.Unknowns = []journal.Unknown{}
	}
	s.Permissions.Proposed, s.Permissions.Approved = r.Engine.Private.Proposed, r.Engine.Private.Approval
	s.Attempt = r.Engine.Iteration - r.Engine.Private.Before
	s.Budget = Spending{Iterations: s.Attempt, Spent: r.Engine.Private.Spent}
	if !r.At.IsZero() {
		s.WorkClock.Last = r.At
	}
	return s
}

// Fold gives the state that the receipts lead to ("State replay recovers the next decision losslessly").
func Fold(receipts []Receipt) State {
	var s State
	for _, r := range receipts {
		s = s.After(r)
	}
	return s
}

// receiptMost bounds one line, in bytes.
const receiptMost = 4 << 20

// ReadReceipts reads a whole file of receipts. A last line that a crash tore is left out; any other line that is no
// receipt is a finding. A file that is not there has none.
func ReadReceipts(path string) ([]Receipt, []journal.Finding, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("read receipts: %w", err)
	}
	defer f.Close()
	var out []Receipt
	var findings []journal.Finding
	lines := bufio.NewReaderSize(f, 64<<10)
	for n := 1; ; n++ {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return out, findings, nil
		}
		if err != nil {
			return out, findings, fmt.Errorf("read receipts: %w", err)
		}
		r, bad := readReceipt(line)
		if bad != "" {
			findings = append(findings, journal.Finding{File: path, Line: n, Field: receiptsFile, Read: bad, Want: "one receipt a line, as loopd wrote it", Fix: "put the line back from git or a backup"})
			continue
		}
		out = append(out, r)
	}
}

func readReceipt(line []byte) (r Receipt, bad string) {
	line = bytes.TrimSpace(line)
	switch {
	case len(line) > receiptMost:
		return r, "a line of more than 4 MiB"
	case len(line) == 0:
		return r, "an empty line"
	}
	if err := json.Unmarshal(line, &r); err != nil {
		return r, journal.OneLine(err.Error(), 200)
	}
	if r.Schema != stateSchema || r.N < 1 || r.Kind == "" || r.Kind == KindTrigger && r.Trigger == nil {
		return r, "a JSON object that is no receipt"
	}
	return r, ""
}

// tailMost is how much of the receipts' end a load looks at.
const tailMost = 256 << 10

// lastIterations gives the last three iterations as entries, the number of the newest one, and the receipts of the file's
// end, of which alone it reads.
func lastIterations(path string) (recent []journal.Entry, newest int, tail []Receipt, err error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, nil, nil
	}
	if err != nil {
		return nil, 0, nil, fmt.Errorf("read receipts: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, 0, nil, fmt.Errorf("read receipts: %w", err)
	}
	from := max(0, info.Size()-tailMost)
	text, err := io.ReadAll(io.NewSectionReader(f, from, info.Size()-from))
	if err != nil {
		return nil, 0, nil, fmt.Errorf("read receipts: %w", err)
	}
	lines := bytes.SplitAfter(text, []byte("\n"))
	if from > 0 {
		lines = lines[1:]
	}
	for _, line := range lines {
		if r, bad := readReceipt(line); bad == "" && bytes.HasSuffix(line, []byte("\n")) {
			newest, tail = max(newest, r.Engine.Iteration), append(tail, r)
			if r.Kind == KindIteration {
				recent = append(recent, r.Entry())
			}
		}
	}
	return recent[max(0, len(recent)-3):], newest, tail, nil
}

// evidence is what loopd saw: the guardrails, and the metric.
func (r Receipt) evidence() []string {
	out := append([]string{}, r.Guardrails...)
	if r.Metric != "" {
		out = append(out, "metric: "+r.Metric)
	}
	return out
}

// Entry is an iteration's receipt as a person reads it.
func (r Receipt) Entry() journal.Entry {
	e := journal.Entry{N: r.Iteration, Time: r.At, Agent: r.Agent, Unit: r.Action, Did: r.Result, Verify: r.evidence(), Ratchet: r.Metric, Flags: r.Flags,
		Next: string(r.NextAction), Class: r.Status, Outcome: r.Outcome, Failed: r.Outcome == journal.Failed}
	e.Raw = r.Text()
	return e
}
