package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"
)

// promptPatience is how long a question waits for its answer; then the unattended rule holds (decision 25).
const promptPatience = 10 * time.Minute

// person is the operator at a terminal. What they type is read by one goroutine, which lives as long as the process: one
// a question would swallow the answer to the next.
type person struct {
	print *printer
	in    *os.File
	begin sync.Once
	lines chan string // closed at the end of input
}

// line waits for the next line that is typed; ok is false at the end of input and when ctx ends.
func (p *person) line(ctx context.Context) (text string, ok bool) {
	p.begin.Do(func() {
		p.lines = make(chan string)
		go func() {
			defer close(p.lines)
			for s := bufio.NewScanner(p.in); s.Scan(); {
				p.lines <- s.Text()
			}
		}()
	})
	select {
	case <-ctx.Done():
		return "", false
	case text, ok = <-p.lines:
		return text, ok
	}
}

// terminal gives the person who can answer, nil where stdin or stderr is no terminal.
func (a *app) terminal() *person {
	in, ok := a.Stdin.(*os.File)
	if !ok || !term.IsTerminal(int(in.Fd())) || !a.Print.Terminal() {
		return nil
	}
	if a.person == nil {
		a.person = &person{print: a.Print, in: in}
	}
	return a.person
}

// Ask puts a question; a choice is taken by its number or its first letters.
func (p *person) Ask(ctx context.Context, question string, choices []string) (string, bool) {
	p.print.Live("")
	text := question
	for i, c := range choices {
		text += fmt.Sprintf("\n  %d. %s", i+1, c)
	}
	fmt.Fprintln(p.print.err, text)
	ctx, cancel := context.WithTimeout(ctx, promptPatience)
	defer cancel()
	for {
		fmt.Fprint(p.print.err, "> ")
		got, ok := p.line(ctx)
		if !ok {
			return "", false
		}
		got = strings.TrimSpace(got)
		if len(choices) == 0 {
			return got, got != ""
		}
		if c, ok := choose(got, choices); ok {
			return c, true
		}
	}
}

func choose(got string, choices []string) (string, bool) {
	if n, err := strconv.Atoi(got); err == nil && n >= 1 && n <= len(choices) {
		return choices[n-1], true
	}
	for _, c := range choices {
		if got != "" && strings.HasPrefix(c, strings.ToLower(got)) {
			return c, true
		}
	}
	return "", false
}

// Tell shows what a person must see.
func (p *person) Tell(message string) { p.print.Warn(strings.TrimSpace(message)) }
