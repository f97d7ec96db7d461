package contract

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"loopd/journal"
)

// stateSchema is the number of the state's shape.
const stateSchema = 1

// State is the content of the State path: what the seed asks for ("State Contract"), and in one object what loopd needs.
// It is nothing but the fold of the receipts.
type State struct {
	Schema          int               `json:"schema"`
	Receipts        int               `json:"receipts"` // how many it is the fold of
	Contract        string            `json:"contract"`
	ContractVersion string            `json:"contract_version"` // digest of the file
	RunID           string            `json:"run_id"`
	Status          journal.Class     `json:"status"`
	Attempt         int               `json:"attempt"` // of this run
	Budget          Spending          `json:"budget"`
	Trigger         TriggerReceipt    `json:"trigger"`
	Hypothesis      string            `json:"hypothesis"`
	Action          string            `json:"action"`
	Termination     string            `json:"termination"` // stop reason of the model, as loopd read it
	Evidence        []string          `json:"evidence"`    // what loopd saw
	Unknowns        []journal.Unknown `json:"unknowns"`
	LastError       string            `json:"last_error"`
	NextAction      NextAction        `json:"next_action"`
	Diff            []string          `json:"diff"`
	Parked          string            `json:"parked,omitempty"` // ref of what was put back
	Metric          string            `json:"metric"`           // before → after
	Guardrails      []string          `json:"guardrails"`
	Permissions     Permissions       `json:"permissions"`
	Outputs         int               `json:"output_count"` // of this run
	NoOp            string            `json:"no_op_receipt,omitempty"`
	WorkClock       Clock             `json:"work_clock"`
	RecoveryPoint   string            `json:"recovery_point"`
	Engine          Engine            `json:"loopd"`
}

// Spending is what a run has used.
type Spending struct {
	Iterations int `json:"iterations"`
	journal.Spent
}

// TriggerReceipt says what started a run. It is no evidence that the run did anything.
type TriggerReceipt struct {
	At   time.Time `json:"at,omitzero"`
	By   string    `json:"by"`
	Text string    `json:"text"` // the contract's words
}

// Permissions are what a run may do and what it asked for.
type Permissions struct {
	Boundary string            `json:"boundary"`
	Proposed string            `json:"proposed,omitempty"`
	Approved *journal.Approval `json:"approved,omitempty"`
}

// Clock is the time that a run took.
type Clock struct {
	Began time.Time `json:"began,omitzero"`
	Last  time.Time `json:"last,omitzero"`
}

// Engine is the part of loopd.
type Engine struct {
	Status    journal.Status  `json:"status"`
	Iteration int             `json:"iteration"`
	LastRun   time.Time       `json:"last_run,omitzero"`
	LastAgent string          `json:"last_agent,omitempty"`
	Value     *float64        `json:"value,omitempty"`
	Best      *float64        `json:"best,omitempty"`
	Stall     int             `json:"stall,omitempty"`
	Clean     int             `json:"clean,omitempty"`
	Private   journal.Private `json:"private"`
}

func engineOf(s journal.State) Engine {
	return Engine{Status: s.Status, Iteration: s.Iteration, LastRun: s.LastRun, LastAgent: s.LastAgent, Value: s.Ratchet.Value, Best: s.Ratchet.Best,
		Stall: s.Ratchet.StallCount, Clean: s.Promotion.Clean, Private: s.Private}
}

func (e Engine) state(l journal.Loop) journal.State {
	s := journal.State{Name: l.Name, Status: e.Status, Iteration: e.Iteration, LastRun: e.LastRun, LastAgent: e.LastAgent, Private: e.Private}
	s.Ratchet = journal.RatchetState{Metric: l.Charter.Ratchet.Metric, Direction: string(l.Charter.Ratchet.Direction), Value: e.Value, Best: e.Best, StallCount: e.Stall, Threshold: l.Charter.Escalation.Stalled}
	s.Promotion = journal.PromotionState{Mode: journal.ProposeOnly, Clean: e.Clean, Required: l.Charter.Promotion.Required}
	return s
}

// digest is the version of a contract.
func digest(src []byte) string {
	sum := sha256.Sum256(src)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// readState reads the file in the State path. There is none yet with ok false; what is no state of a contract is a
// finding: another tool's file is never overwritten.
func readState(path, shown string) (s State, ok bool, f *journal.Finding, err error) {
	raw, err := readFile(path, stateMost)
	if errors.Is(err, fs.ErrNotExist) {
		return s, false, nil, nil
	}
	if err != nil {
		return s, false, nil, fmt.Errorf("read state: %w", err)
	}
	bad := func(read string) *journal.Finding {
		return &journal.Finding{File: shown, Line: 1, Field: statePath, Read: read, Want: "the state that loopd writes there", Fix: "take the file away, or give another State path: the receipts give the state again"}
	}
	if len(raw) > stateMost {
		return s, true, bad("more than 8 MiB"), nil
	}
	dec := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(raw, []byte(bom))))
	if err := dec.Decode(&s); err != nil {
		return State{}, true, bad(journal.OneLine(err.Error(), 200)), nil
	}
	if s.Schema != stateSchema || s.Engine.Status == "" {
		return State{}, true, bad("a JSON object without loopd's schema"), nil
	}
	return s, true, nil, nil
}

// loadMemory reads what the runs of a contract left. The state is the one in the file with the receipts that are newer: a
// file that is gone comes back whole.
func loadMemory(l *journal.Loop, c Contract) error {
	receipts := filepath.Join(l.Root, filepath.FromSlash(c.ArtifactsPath), receiptsFile)
	recent, entries, tail, err := lastIterations(receipts)
	if err != nil {
		return err
	}
	l.Recent, l.Entries = recent, entries
	s, ok, finding, err := readState(filepath.Join(l.Root, filepath.FromSlash(c.StatePath)), c.StatePath)
	if err != nil {
		return err
	}
	if finding != nil {
		l.Findings = append(l.Findings, *finding)
		l.State = Engine{Status: journal.Active}.state(*l)
		return nil
	}
	if !ok && len(tail) > 0 && tail[0].N > 1 {
		if tail, _, err = ReadReceipts(receipts); err != nil {
			return err
		}
	}
	if n := len(tail); n > 0 {
		l.Receipt = tail[n-1].Text()
	}
	for _, r := range tail { // what a crash kept from the state
		if r.N == s.Receipts+1 {
			s, ok = s.After(r), true
		}
	}
	if !ok {
		l.State = Engine{Status: journal.Active}.state(*l)
		return nil
	}
	l.HasState = true
	l.State = s.Engine.state(*l)
	if l.State.Raw, err = json.Marshal(s); err != nil {
		return fmt.Errorf("keep state: %w", err)
	}
	return nil
}
