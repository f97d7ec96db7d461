// Command loopd supervises agent CLIs that work through a repeated job, one fresh iteration after the other.
//
// Here live the grammar of the command line, the exit codes, the terminal and the wiring: the only place that knows the
// concrete harnesses and dialects. How an iteration goes is not here; that is package supervisor.
package main

import (
	"os"
	"slices"

	"loopd/supervisor/proc"
)

func main() {
	argv := os.Args[1:]
	if !guarded(argv) {
		os.Exit(start(argv, nil))
	}
	// The guard comes before everything else, so that it stays small and starts nothing twice.
	os.Exit(proc.Supervise(func(host *proc.Host) int { return start(argv, host) }))
}

func start(argv []string, host *proc.Host) int {
	return run(argv, surroundings{Env: os.Environ(), Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Host: host})
}

// guarded says whether a command line may start agents. One that only looks like it is guarded for nothing, no more.
func guarded(argv []string) bool { return slices.Contains(argv, "run") }
