package contract

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"loopd/journal"
)

// Record renders one receipt and the state that follows from it. A note alone changes no state and leaves none.
func (Loops) Record(l journal.Loop, r journal.Record) ([]journal.Write, error) {
	if r.State == nil {
		return nil, nil
	}
	if d := l.Defects(); len(d) > 0 {
		return nil, fmt.Errorf("record loop %s: %s", l.Name, d[0])
	}
	var s State
	if l.State.Raw != nil {
		if err := json.Unmarshal(l.State.Raw, &s); err != nil {
			return nil, fmt.Errorf("record loop %s: %w", l.Name, err)
		}
	}
	receipt := receiptOf(l, s, r)
	line, err := encode(receipt, "")
	if err != nil {
		return nil, fmt.Errorf("render receipt of %s: %w", l.Name, err)
	}
	state, err := encode(s.After(receipt), "  ")
	if err != nil {
		return nil, fmt.Errorf("render state of %s: %w", l.Name, err)
	}
	label := "receipt"
	if r.Entry != nil {
		label = "journal"
	}
	out := []journal.Write{
		{Label: label, Path: filepath.Join(l.Charter.Protocol.Artifacts, receiptsFile), Kind: journal.WriteAppend, Data: line},
		{Label: "state", Path: l.Charter.Guarded[1], Kind: journal.WriteReplace, Data: state},
	}
	if r.UsedSteer != "" {
		out = append(out, journal.Write{Label: "steer", Path: filepath.Join(l.Dir, steerFile), Kind: journal.WriteRemove, Data: []byte(r.UsedSteer)})
	}
	return out, nil
}

// receiptOf says what happened.
func receiptOf(l journal.Loop, s State, r journal.Record) Receipt {
	out := Receipt{Schema: stateSchema, N: s.Receipts + 1, Kind: KindOperator, At: r.At, RunID: s.RunID, Status: r.Class, Engine: engineOf(*r.State)}
	switch e := r.Entry; {
	case e != nil:
		out.Kind, out.At, out.Status, out.Outcome = KindIteration, e.Time, e.Class, e.Outcome
		out.Attempt, out.Iteration, out.Agent = e.N-r.State.Private.Before, e.N, e.Agent
		a := e.Account
		out.Hypothesis, out.Action, out.Diagnosis, out.Changed, out.Claimed, out.Unknowns = a.Hypothesis, cmp.Or(a.Action, e.Unit), a.Diagnosis, a.Changed, a.Evidence, a.Unknowns
		out.Result, out.Guardrails, out.Metric, out.Flags = e.Did, e.Verify, cmp.Or(e.Ratchet, e.Reason), e.Flags
		out.Termination, out.Diff, out.Parked, out.RecoveryPoint, out.Outputs = e.Stop, e.Changed, e.Parked, e.RecoveryPoint, e.Outputs
		took := e.Took
		out.Took = &took
		if e.Class != journal.Running && e.Class != journal.Complete && e.Class != journal.NoOp {
			out.LastError = cmp.Or(strings.Join(e.Flags, "; "), string(e.Outcome))
		}
	case r.Trigger != nil:
		out.Kind, out.RunID, out.Status = KindTrigger, r.Trigger.Run, journal.Triggered
		out.Contract, out.ContractVersion, out.Boundary = shownPath(l), digest(l.Charter.Source), l.Charter.Guardrails
		out.Trigger = &TriggerReceipt{At: r.At, By: r.Trigger.By, Text: l.Charter.Start}
	case r.Final != nil:
		out.Kind, out.Status, out.Result, out.Exit = KindFinal, r.Final.Class, r.Final.Result, &r.Final.Code
		out.Guardrails, out.Metric, out.Unknowns, out.LastError = s.Guardrails, s.Metric, s.Unknowns, s.LastError
	case r.Note != "":
		out.Kind, out.Result = KindNote, journal.OneLine(r.Note, 1000)
		if r.Class != journal.NoOp && r.Class != journal.Complete {
			out.LastError = out.Result
		}
	default:
		out.Status = cmp.Or(r.Class, operatorClass(s, *r.State))
	}
	if out.NextAction = nextActions[out.Status]; out.Kind == KindFinal && out.Status == journal.VerifyFailed {
		out.NextAction = Recover // a run that stopped there retries nothing
	}
	return out
}

// operatorClass says how a loop stands after a person's act, "" where that changed nothing.
func operatorClass(before State, now journal.State) journal.Class {
	if before.Engine.Status == now.Status {
		return ""
	}
	switch now.Status {
	case journal.Paused, journal.Retired:
		return journal.Ended
	case journal.Active:
		return journal.Running
	case journal.Stalled:
		return journal.NoProgress
	}
	return ""
}

func shownPath(l journal.Loop) string {
	if rel, err := filepath.Rel(l.Root, l.Charter.File); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return l.Charter.File
}

// encode renders JSON with a line end, without the escapes that only HTML needs.
func encode(v any, indent string) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	err := enc.Encode(v)
	return b.Bytes(), err
}

// Text renders a receipt as a person reads it.
func (r Receipt) Text() string {
	var b strings.Builder
	head := string(r.Kind)
	if r.Kind == KindIteration {
		head = fmt.Sprintf("%d", r.Iteration)
	}
	fmt.Fprintf(&b, "## %s · %s", head, r.At.Format(time.RFC3339))
	if r.Agent != "" {
		b.WriteString(" · " + r.Agent)
	}
	b.WriteString("\n")
	line := func(key, value string) {
		if value != "" {
			fmt.Fprintf(&b, "- %s: %s\n", key, value)
		}
	}
	line("Status", string(r.Status))
	if r.Trigger != nil {
		line("Trigger", r.Trigger.By+" ("+r.Trigger.Text+")")
	}
	line("Hypothesis", r.Hypothesis)
	line("Action", r.Action)
	line("Diagnosis", r.Diagnosis)
	line("Changed", r.Changed)
	line("Result", r.Result)
	for _, e := range r.evidence() {
		line("Evidence", e)
	}
	for _, u := range r.Unknowns {
		line("Unknown", strings.TrimPrefix(u.Kind+": ", ": ")+u.Text)
	}
	line("Flags", strings.Join(r.Flags, " | "))
	line("Next action", string(r.NextAction))
	return b.String()
}
