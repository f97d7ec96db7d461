// Command loopd supervises agent CLIs that work through a repeated job, one fresh iteration after the other.
//
// Here live the grammar of the command line, the exit codes, the terminal and the wiring: the only place that knows the
// concrete harnesses and dialects. How an iteration goes is not here; that is package supervisor.
package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"

	"loopd/supervisor/proc"
)

func main() {
	argv := os.Args[1:]
	if len(argv) > 0 && argv[0] == proc.SandboxArg {
		fmt.Fprintln(os.Stderr, "loopd:", proc.EnterSandbox(argv[1:]))
		os.Exit(126) // as a shell does with what cannot be started
	}
	if !guarded(argv) {
		os.Exit(start(argv, nil))
	}
	// The guard comes before everything else, so that it stays small and starts nothing twice.
	code := proc.Supervise(func(host *proc.Host) int { return start(argv, host) })
	if code == 128+int(syscall.SIGKILL) {
		fmt.Fprintln(os.Stderr, "loopd: its working process was killed; nothing that it started is alive\n  next: start again: the iteration is put back first")
	}
	os.Exit(code)
}

func start(argv []string, host *proc.Host) int {
	return run(argv, surroundings{Env: os.Environ(), Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Host: host})
}

// guarded says whether a command line may start agents. One that only looks like it is guarded for nothing, no more.
func guarded(argv []string) bool {
	from := slices.ContainsFunc(argv, func(s string) bool { return s == "--from" || strings.HasPrefix(s, "--from=") })
	return from || slices.Contains(argv, "run") || slices.Contains(argv, "test") || slices.Contains(argv, "loop")
}
