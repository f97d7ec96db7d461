package main

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"loopd/supervisor"
)

func TestExitCodesAreThoseOfTheSupervisor(t *testing.T) {
	for _, c := range []struct{ mine, its int }{
		{codeOK, supervisor.CodeOK}, {codeFault, supervisor.CodeFault}, {codeRefused, supervisor.CodeRefused}, {codeBusy, supervisor.CodeBusy},
		{codeDone, supervisor.CodeDone}, {codeHeld, supervisor.CodeHeld}, {codeFailed, supervisor.CodeFailed},
		{codeUnavailable, supervisor.CodeUnavailable}, {codeLimited, supervisor.CodeLimited}, {codeBudget, supervisor.CodeBudget},
		{codeUsage, supervisor.CodeUsage}, {codeHangup, supervisor.CodeHangup}, {codeInterrupt, supervisor.CodeInterrupt},
		{codeTerminated, supervisor.CodeTerminated},
	} {
		if c.mine != c.its {
			t.Errorf("cmd has %d where the supervisor has %d", c.mine, c.its)
		}
		if !slices.ContainsFunc(exitCodes, func(row exitCode) bool { return row.Code == c.its && row.Meaning != "" }) {
			t.Errorf("code %d is not in the table", c.its)
		}
	}
	if !slices.IsSortedFunc(exitCodes, func(a, b exitCode) int { return a.Code - b.Code }) {
		t.Error("the table is not in order")
	}
}

func TestAsExit(t *testing.T) {
	_, _, err := newParser(&cli{}, surroundings{})
	if err != nil {
		t.Fatal(err)
	}
	parser, _, _ := newParser(&cli{}, surroundings{})
	_, usage := parser.Parse([]string{"run", "--nonsense"})
	for _, c := range []struct {
		name string
		err  error
		code int
		text string
		next string
	}{
		{"a fault", errors.New("disk full"), codeFault, "disk full", ""},
		{"one of ours", fmt.Errorf("act: %w", usagef("loopd status", "unknown loop %q", "x")), codeUsage, `unknown loop "x"`, "loopd status"},
		{"kong's", usage, codeUsage, "unknown flag --nonsense", "loopd run --help"},
		{"what, where, why", &exitError{Code: codeHeld, What: "cannot read", Where: "a.md:3", Why: errors.New("denied")}, codeHeld, "a.md:3: cannot read: denied", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := asExit(c.err)
			if e.ExitCode() != c.code || e.Error() != c.text || e.Next != c.next {
				t.Errorf("%d %q %q, want %d %q %q", e.Code, e.Error(), e.Next, c.code, c.text, c.next)
			}
		})
	}
}
