// Package supervisor runs one iteration of a loop and the loop around it: load, recover, gate, brief, exec, parse, verify,
// check, ratchet, conclude, record, hand off, pace. It is the only package that knows two of the leaf nouns (harness,
// journal, signs), and the one in which evidence is observed and decisions are made.
//
// What is decided is decided by pure functions with their tables in the source (gate.go, conclude.go, advance.go,
// pace.go); iteration.go is the steps in order and nothing else. No process is started here but through proc, no git is
// run but through worktree, no file is written but through journal/disk. Nothing here prints or ends the program.
package supervisor
