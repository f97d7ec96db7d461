package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"

	"loopd/journal"
	"loopd/journal/contract"
	"loopd/journal/disk"
)

// contract is the loop of --contract FILE. It is checked as strictly as check does it, and any finding ends it: nothing
// starts and no byte is written. The first run gives it its name and folder.
func (c *runCmd) contract(a *app) (journal.Ref, error) {
	f, err := a.open(c.Contract)
	if err != nil {
		return journal.Ref{}, err
	}
	src, err := io.ReadAll(io.LimitReader(f, contractMost+1))
	f.Close()
	if err != nil {
		return journal.Ref{}, &exitError{Code: codeUsage, What: "cannot read the contract", Where: c.Contract, Why: err, Next: "make it readable"}
	}
	if _, findings := contract.Read(c.Contract, src, true); len(findings) > 0 || len(src) > contractMost {
		return journal.Ref{}, a.checkContract(c.Contract, true, c.JSON)
	}
	ref, err := contract.RefOf(a.Root, a.abs(c.Contract))
	if err != nil {
		return ref, usagef("mv "+c.Contract+" NAME.md", "%v", err)
	}
	pointer := contract.Pointer(ref)
	there, err := os.ReadFile(pointer.Path)
	switch {
	case err == nil && string(there) == string(pointer.Data):
		return ref, nil
	case err == nil:
		return ref, usagef("mv "+c.Contract+" OTHER-NAME.md", "%s is the loop of another contract, %s", ref.Name, strings.TrimSpace(string(there)))
	}
	if _, err := os.Lstat(filepath.Join(ref.Dir, "LOOP.md")); err == nil {
		return ref, usagef("mv "+c.Contract+" OTHER-NAME.md", "%s is the name of a native loop already", ref.Name)
	}
	if c.DryRun {
		return ref, nil
	}
	if _, err := a.plant(ref, nil, nil); err != nil {
		return ref, err
	}
	if err := (disk.Disk{}).Do(pointer); err != nil {
		return ref, &exitError{Code: codeFault, What: "cannot name the contract", Where: a.show(ref.Dir), Why: err, Next: repair(err)}
	}
	a.Print.Notice("the contract's loop is named " + ref.Name + ": loopd status " + ref.Name + ", loopd log " + ref.Name)
	return ref, nil
}
