// Command loopd supervises agent CLIs that work through a repeated job, one fresh iteration after the other.
//
// Here live the grammar of the command line, the exit codes, the terminal and the wiring: the only place that knows the
// concrete harnesses and dialects. How an iteration goes is not here; that is package supervisor.
package main

import "os"

func main() {
	os.Exit(run(os.Args[1:], surroundings{
		Env: os.Environ(), Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
	}))
}
