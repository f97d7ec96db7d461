package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/tidwall/gjson"

	"loopd/journal"
	"loopd/journal/contract"
	"loopd/journal/disk"
)

// replayJSON is the shape of `replay --json`.
type replayJSON struct {
	Schema   int               `json:"schema"`
	Loop     string            `json:"loop"`
	Receipts int               `json:"receipts"`
	Runs     int               `json:"runs"`
	Same     bool              `json:"same"`
	Differs  []string          `json:"differs"` // fields of the state, with what stands there and what the receipts give
	Findings []journal.Finding `json:"findings"`
	Restored bool              `json:"restored"`
}

// Run folds the receipts of a contract and compares what they give with its state. Where they differ a person is needed:
// exit 13.
func (c *replayCmd) Run(a *app) error {
	ref, err := a.find(c.Name, contract.Loops{}.Name())
	if err != nil {
		return err
	}
	receipts, state, err := contract.Files(ref)
	if err != nil {
		return &exitError{Code: codeUsage, What: "cannot read the contract", Where: a.show(ref.File), Why: err, Next: "loopd check " + c.Name}
	}
	all, findings, err := contract.ReadReceipts(receipts)
	if err != nil {
		return &exitError{Code: codeUsage, What: "cannot read the receipts", Why: err, Next: "make them readable"}
	}
	if len(all) == 0 {
		return usagef("loopd run --contract "+a.show(ref.File), "%s has no receipts yet", c.Name)
	}
	want, err := contract.Render(contract.Fold(all))
	if err != nil {
		return err
	}
	have, err := os.ReadFile(state)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return &exitError{Code: codeUsage, What: "cannot read the state", Why: err, Next: "make it readable"}
	}
	out := replayJSON{Schema: 1, Loop: c.Name, Receipts: len(all), Differs: differs(have, want), Findings: append([]journal.Finding{}, findings...)}
	for _, r := range all {
		if r.Kind == contract.KindTrigger {
			out.Runs++
		}
	}
	for i := range out.Findings {
		out.Findings[i].File = a.show(out.Findings[i].File)
	}
	out.Same = len(out.Differs) == 0 && len(findings) == 0
	if c.Restore && len(findings) == 0 && len(out.Differs) > 0 {
		if err := (disk.Disk{}).Replace("state", state, want); err != nil {
			return &exitError{Code: codeFault, What: "cannot write the state", Why: err, Next: repair(err)}
		}
		out.Restored = true
	}
	if err := c.print(a, out, state); err != nil {
		return err
	}
	if !out.Same && !out.Restored {
		return endWith(codeHeld)
	}
	return nil
}

func (c *replayCmd) print(a *app, out replayJSON, state string) error {
	if c.JSON {
		return a.Print.JSON(out)
	}
	for _, f := range out.Findings {
		if err := a.Print.Result("%s %s", a.Print.markFail(), a.hide(f.String())); err != nil {
			return err
		}
	}
	for _, d := range out.Differs {
		if err := a.Print.Result("%s %s: %s", a.Print.markFail(), a.show(state), a.hide(d)); err != nil {
			return err
		}
	}
	counted := many(out.Receipts, "receipt") + ", " + many(out.Runs, "run")
	switch {
	case out.Restored:
		return a.Print.Result("%s: the state was written anew from them", counted)
	case out.Same:
		return a.Print.Result("%s: they give exactly the state in %s", counted, a.show(state))
	}
	a.Print.Warn("next: loopd replay " + c.Name + " --restore writes the state that the receipts give")
	return a.Print.Result("%s: they do not give the state in %s", counted, a.show(state))
}

// differs lists the top fields in which two states differ, byte order mark and layout aside.
func differs(have, want []byte) []string {
	have = bytes.TrimPrefix(have, []byte("\ufeff"))
	if len(have) == 0 {
		return []string{"the file is missing or empty"}
	}
	if !json.Valid(have) {
		return []string{"the file is no JSON"}
	}
	var out []string
	is := gjson.ParseBytes(have)
	gjson.ParseBytes(want).ForEach(func(key, value gjson.Result) bool {
		if got := is.Get(gjson.Escape(key.String())); plainJSON(got.Raw) != plainJSON(value.Raw) {
			out = append(out, key.String()+" is "+journal.OneLine(got.Raw, 200)+", the receipts give "+journal.OneLine(value.Raw, 200))
		}
		return true
	})
	return out
}

// plainJSON is JSON without layout, its keys in one order.
func plainJSON(raw string) string {
	var v any
	if json.Unmarshal([]byte(raw), &v) != nil {
		return raw
	}
	b, _ := json.Marshal(v)
	return string(b)
}

// receipts gives those of a contract as text, the last n of them.
func (c *logCmd) receipts(a *app, ref journal.Ref) error {
	path, _, err := contract.Files(ref)
	if err != nil {
		return &exitError{Code: codeUsage, What: "cannot read the contract", Where: a.show(ref.File), Why: err, Next: "loopd check " + ref.Name}
	}
	all, _, err := contract.ReadReceipts(path)
	if err != nil {
		return &exitError{Code: codeUsage, What: "cannot read the receipts", Where: a.show(filepath.Dir(path)), Why: err, Next: "make them readable"}
	}
	shown := all[:0:0]
	for _, r := range all {
		if r.Kind != contract.KindOperator || r.Status != "" {
			shown = append(shown, r)
		}
	}
	for _, r := range shown[max(0, len(shown)-c.Entries):] {
		if c.JSON {
			err = a.Print.JSON(r)
		} else {
			err = a.Print.Result("%s", trimEnd(r.Text()))
		}
		if err != nil {
			return err
		}
	}
	if len(shown) == 0 {
		a.Print.Notice(ref.Name + ": it has no receipts yet")
	}
	return nil
}
