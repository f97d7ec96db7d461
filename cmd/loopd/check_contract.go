package main

import (
	"io"
	"slices"
	"strings"

	"loopd/journal"
	"loopd/journal/contract"
)

// contractMost bounds, in bytes, what is read of a contract.
const contractMost = 4 << 20

// contractJSON is the shape of `check --contract --json`.
type contractJSON struct {
	Schema   int               `json:"schema"` // of this shape
	Contract string            `json:"contract"`
	Strict   bool              `json:"strict"`
	Status   string            `json:"status"` // READY, or NEEDS_INPUT of the seed's failure protocol
	OneShot  bool              `json:"one_shot"`
	Findings []journal.Finding `json:"findings"`
}

// oneShot are the fields without which work is no loop (the seed, "Admit only if": repeatable, a verifier, recoverable).
var oneShot = []string{"trigger", "verifier", "recovery"}

// checkContract validates a contract file: one line a finding, then the verdict. Exit 80 where it may not be run.
func (a *app) checkContract(file string, strict, asJSON bool) error {
	f, err := a.open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	src, err := io.ReadAll(io.LimitReader(f, contractMost+1))
	if err != nil {
		return &exitError{Code: codeUsage, What: "cannot read the contract", Where: file, Why: err, Next: "make it readable"}
	}
	if len(src) > contractMost {
		return &exitError{Code: codeUsage, What: "this is no contract: it is larger than 4 MiB", Where: file}
	}
	_, findings := contract.Read(file, src, strict)
	out := contractJSON{Schema: 1, Contract: file, Strict: strict, Status: "READY", Findings: append([]journal.Finding{}, findings...)}
	var fields []string
	for _, f := range findings {
		out.Status = "NEEDS_INPUT"
		if !slices.Contains(fields, f.Field) {
			fields = append(fields, f.Field)
		}
		out.OneShot = out.OneShot || slices.Contains(oneShot, f.Field) && f.Read == ""
	}
	if asJSON {
		err = a.Print.JSON(out)
	} else {
		err = a.printContract(out, fields)
	}
	if err == nil && out.Status != "READY" {
		return endWith(codeUsage)
	}
	return err
}

func (a *app) printContract(c contractJSON, fields []string) error {
	for _, f := range c.Findings {
		if err := a.Print.Result("%s %s", a.Print.markFail(), a.hide(f.String())); err != nil {
			return err
		}
	}
	if c.OneShot {
		if err := a.Print.Result("as it is this is one-shot work: what does not come again, has no verifier or no recovery is done once, not in a loop"); err != nil {
			return err
		}
	}
	if len(fields) == 0 {
		return a.Print.Result("Loop contract: PASS")
	}
	return a.Print.Result("Loop contract: NEEDS_INPUT — %s", strings.Join(fields, ", "))
}
