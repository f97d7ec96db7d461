package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/alecthomas/kong"
)

// The exit codes of spec/cli.md, and 129 of decision 25. exitCodes says what each means.
const (
	codeOK          = 0
	codeFault       = 1
	codeRefused     = 10
	codeBusy        = 11
	codeDone        = 12
	codeHeld        = 13
	codeFailed      = 14
	codeUnavailable = 15
	codeLimited     = 16
	codeBudget      = 17
	codeUsage       = 80
	codeHangup      = 129
	codeInterrupt   = 130
	codeTerminated  = 143
)

// exitCode is one row of the table.
type exitCode struct {
	Code    int
	Meaning string
}

// exitCodes is the one table of exit codes: the help, the README and the tests read it from here.
var exitCodes = []exitCode{
	{codeOK, "ran and recorded; or the loop became done; or nothing to report"},
	{codeFault, "a fault of loopd or of its surroundings (disk, git); nothing was recorded as done"},
	{codeRefused, "the gate refused: STOP, paused, retired, not due"},
	{codeBusy, "another loopd holds this working tree"},
	{codeDone, "the loop was already done"},
	{codeHeld, "held: a person is needed (question, blocked, stalled, debris, not confirmed)"},
	{codeFailed, "the last iteration failed and was put back"},
	{codeUnavailable, "the harness is not usable: not found, not logged in, unavailable"},
	{codeLimited, "usage limit reached and --once: the reset time is printed"},
	{codeBudget, "a budget is used up before the goal"},
	{codeUsage, "wrong usage, unknown loop, a charter or config with defects; nothing was written"},
	{codeHangup, "interrupted by SIGHUP; the tree was put back"},
	{codeInterrupt, "interrupted by SIGINT; the tree was put back"},
	{codeTerminated, "interrupted by SIGTERM; the tree was put back"},
}

// exitHelp renders the table for the main help.
func exitHelp() string {
	var b strings.Builder
	b.WriteString("Exit codes:\n")
	for _, row := range exitCodes {
		fmt.Fprintf(&b, "  %3d  %s\n", row.Code, row.Meaning)
	}
	return b.String()
}

// exitError is an error that says all that a person needs: what, where, why, and the next command to type.
type exitError struct {
	Code  int
	What  string
	Where string // file:line, or a folder; "" where it has no place
	Why   error  // the cause; nil for none
	Next  string // what to type or to do next; "" for nothing
	// Quiet is for an end that is no error and was told already: only the code counts.
	Quiet bool
}

func (e *exitError) Error() string {
	s := e.What
	if e.Where != "" {
		s = e.Where + ": " + s
	}
	if e.Why != nil {
		s += ": " + e.Why.Error()
	}
	return s
}

// Unwrap gives the cause.
func (e *exitError) Unwrap() error { return e.Why }

// ExitCode is the code to end with; kong's ExitCoder.
func (e *exitError) ExitCode() int { return e.Code }

// usagef is wrong usage: exit 80, with the next command.
func usagef(next, format string, args ...any) error {
	return &exitError{Code: codeUsage, What: fmt.Sprintf(format, args...), Next: next}
}

// endWith ends with a code and prints nothing: what there was to say was said.
func endWith(code int) error {
	if code == codeOK {
		return nil
	}
	return &exitError{Code: code, Quiet: true}
}

// asExit makes any error one with a code. What carries no code is a fault of loopd or its surroundings: 1.
func asExit(err error) *exitError {
	var e *exitError
	if errors.As(err, &e) {
		return e
	}
	var parse *kong.ParseError
	if errors.As(err, &parse) {
		return &exitError{Code: codeUsage, What: parse.Error(), Next: helpCommand(parse.Context)}
	}
	var coder kong.ExitCoder
	if errors.As(err, &coder) {
		return &exitError{Code: coder.ExitCode(), What: err.Error()}
	}
	return &exitError{Code: codeFault, What: err.Error()}
}

// helpCommand is the help of the command that was tried.
func helpCommand(ctx *kong.Context) string {
	if ctx != nil && ctx.Selected() != nil {
		return ctx.Selected().FullPath() + " --help"
	}
	return programName + " --help"
}
