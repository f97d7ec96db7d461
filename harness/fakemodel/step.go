package fakemodel

import "time"

// Script decides the next turn of the model. It is called once a request, from several goroutines at once.
type Script func(Request) Step

// Step is one turn of the model. The zero Step is an empty answer.
type Step struct {
	// Text is what the model says; it stands before the tool call, if there is one.
	Text string
	// Shell is a command line for the shell tool that the CLI offers, "" for no call.
	Shell string
	// Write is a file for the CLI's tool that writes files, nil for no call. Shell and Write exclude each other.
	Write *File
	// Stop is why the model stopped, StopNatural where the content decides.
	Stop Stop
	// Fault answers with an HTTP error in the vendor's own shape in place of a turn; nil for none.
	Fault *Fault
	// Delivery says how the answer reaches the CLI.
	Delivery Delivery
	// Delay is waited before the first byte.
	Delay time.Duration
	// Usage in tokens; the zero value stands for 100 in and 10 out.
	Usage Usage
}

// File is what a Write step puts on disk. A relative path is taken from the working directory that the CLI tells the
// model.
type File struct{ Path, Content string }

// Usage counts the tokens of one turn.
type Usage struct{ In, Cached, Out int }

// Stop is why the model stopped.
type Stop string

// The stop reasons that a script can ask for.
const (
	StopNatural   Stop = ""           // end of turn, or a tool call where there is one
	StopRefusal   Stop = "refusal"    // the model refuses: no content
	StopMaxTokens Stop = "max_tokens" // cut off by the output limit
)

// Delivery is how an answer reaches the CLI.
type Delivery int

// The ways of delivery.
const (
	Whole Delivery = iota // all of it
	Stall                 // the beginning, then silence until the CLI or the server goes away
	Drop                  // the beginning, then the connection is cut
	Hang                  // not one byte until the CLI or the server goes away
)

// Say is a turn of text only.
func Say(text string) Step { return Step{Text: text} }

// Shell is a turn that runs a command line.
func Shell(command string) Step { return Step{Shell: command} }

// Write is a turn that writes a file.
func Write(path, content string) Step { return Step{Write: &File{path, content}} }

// Steps is the script that answers turn i with steps[i] and every later one with the last; without steps every answer is
// empty. A retry of a turn gets the same step again.
func Steps(steps ...Step) Script {
	return func(r Request) Step {
		if len(steps) == 0 {
			return Step{}
		}
		return steps[min(r.Turn, len(steps)-1)]
	}
}

// First answers the first n requests of every turn of a conversation with fault, later ones as then does.
func First(n int, fault Step, then Script) Script {
	return func(r Request) Step {
		if r.Attempt <= n {
			return fault
		}
		return then(r)
	}
}

// Calls answers the server's first n requests with fault, later ones as then does: a vendor that recovers.
func Calls(n int, fault Step, then Script) Script {
	return func(r Request) Step {
		if r.N <= n {
			return fault
		}
		return then(r)
	}
}
