package main

import (
	"slices"
	"strings"
	"unicode"
)

// reservedNames have a meaning of their own beside the loops: the kill switch and the config in .loop, and what loopd
// keeps in the git directory.
var reservedNames = []string{"stop", "config.toml", "lease", "worktrees"}

// nameMax bounds a loop's name, in bytes: it becomes a folder, a branch and a ref.
const nameMax = 64

// badName says what is wrong with a loop's name, "" for a good one. The name is a folder in .loop, and the end of the
// branch loop/NAME and of the refs refs/loopd/NAME, so git's rules for refs hold too.
func badName(name string) string {
	switch {
	case name == "":
		return "it is empty"
	case strings.ContainsAny(name, `/\`):
		return "it has a slash: a name is one folder in .loop"
	case strings.Contains(name, ".."):
		return "it has \"..\""
	case len(name) > nameMax:
		return "it is longer than 64 bytes"
	case strings.HasSuffix(name, ".") || strings.HasSuffix(name, ".lock"):
		return "git takes no branch that ends like this"
	case slices.Contains(reservedNames, strings.ToLower(name)):
		return "the name is taken by loopd itself"
	}
	for i, r := range name {
		letter := unicode.IsLetter(r) || unicode.IsDigit(r)
		if !letter && (i == 0 || !strings.ContainsRune("-_.", r)) {
			return "letters, digits, \"-\", \"_\" and \".\" make a name, and a letter or digit begins it"
		}
	}
	return ""
}

// checkName is the error for a bad name, with one that would do.
func checkName(name string) error {
	why := badName(name)
	if why == "" {
		return nil
	}
	return &exitError{Code: codeUsage, What: "bad loop name " + quoted(name) + ": " + why, Next: "loopd status (lists the loops here)"}
}
