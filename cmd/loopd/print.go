package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/lmittmann/tint"
	"golang.org/x/term"
)

// printer is the only place that knows the terminal, colours and the two streams: results go to stdout, clean enough to
// parse; everything else goes to stderr. Its methods may be called from several goroutines.
type printer struct {
	out     io.Writer
	err     *liveWriter
	log     *slog.Logger
	verbose bool
	person  bool // somebody sees stderr
	color   bool
	mu      sync.Mutex // of out
}

// newPrinter makes the printer of a command. A colour is used only on a terminal.
func newPrinter(world surroundings, g globals) *printer {
	person := isTerminal(world.Stderr)
	able := person && lookup(world.Env, "TERM") != "dumb"
	p := &printer{
		out: world.Stdout, err: &liveWriter{to: world.Stderr, terminal: able && !g.Quiet}, verbose: g.Verbose,
		person: person, color: able && !g.NoColor,
	}
	level := logLevel(g)
	if g.LogFormat == "json" {
		p.log = slog.New(slog.NewJSONHandler(p.err, &slog.HandlerOptions{Level: level}))
		return p
	}
	p.log = slog.New(tint.NewTextHandler(p.err, &tint.Options{Level: level, TimeFormat: time.TimeOnly, NoColor: !p.color}))
	return p
}

// logLevel: what --log-level says, else -q means warnings and -v debugging.
func logLevel(g globals) slog.Level {
	switch {
	case g.LogLevel == "debug":
		return slog.LevelDebug
	case g.LogLevel == "info":
		return slog.LevelInfo
	case g.LogLevel == "warn":
		return slog.LevelWarn
	case g.LogLevel == "error":
		return slog.LevelError
	case g.Quiet:
		return slog.LevelWarn
	case g.Verbose:
		return slog.LevelDebug
	}
	return slog.LevelInfo
}

// Result writes one line of the result to stdout.
func (p *printer) Result(format string, args ...any) error {
	return p.write([]byte(fmt.Sprintf(format, args...) + "\n"))
}

// Table writes rows as columns to stdout.
func (p *printer) Table(rows [][]string) error {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		fmt.Fprintln(w, strings.Join(row, "\t"))
	}
	_ = w.Flush() // into memory
	return p.write([]byte(b.String()))
}

// JSON writes one object as one line to stdout.
func (p *printer) JSON(v any) error {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("encode result: %w", err)
	}
	return p.write([]byte(b.String()))
}

func (p *printer) write(b []byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.err.clear()
	if _, err := p.out.Write(b); err != nil {
		return fmt.Errorf("write to stdout: %w", err)
	}
	return nil
}

// Notice tells a person something on stderr; -q leaves it out.
func (p *printer) Notice(message string, pairs ...any) { p.log.Info(message, pairs...) }

// Warn tells a person something that they should look at.
func (p *printer) Warn(message string, pairs ...any) { p.log.Warn(message, pairs...) }

// Detail is shown with -v only.
func (p *printer) Detail(message string, pairs ...any) { p.log.Debug(message, pairs...) }

// Live shows a line at the bottom of the terminal in place of the last one; "" takes it away. Elsewhere it does nothing.
func (p *printer) Live(line string) { p.err.live(line) }

// Terminal says whether a person sees stderr.
func (p *printer) Terminal() bool { return p.person }

// fail prints an error and returns its exit code: what, where, why, and the next command. -v adds the chain of causes.
func (p *printer) fail(err error) int {
	e := asExit(err)
	if e.Quiet {
		return e.Code
	}
	var b strings.Builder
	for i, line := range strings.Split(strings.TrimRight(e.Error(), "\n"), "\n") {
		if i == 0 {
			line = p.paint(red, programName+":") + " " + line
		} else {
			line = "  " + line
		}
		b.WriteString(line + "\n")
	}
	if p.verbose {
		for cause := errors.Unwrap(err); cause != nil; cause = errors.Unwrap(cause) {
			fmt.Fprintf(&b, "  cause: %v\n", cause)
		}
	}
	if e.Next != "" {
		b.WriteString("  next: " + e.Next + "\n")
	}
	_, _ = io.WriteString(p.err, b.String()) // nobody is left to tell
	return e.Code
}

// The colours that are used, as ANSI numbers.
const (
	red    = "31"
	green  = "32"
	yellow = "33"
)

func (p *printer) markGood() string    { return p.paint(green, "ok") }
func (p *printer) markFail() string    { return p.paint(red, "FAIL") }
func (p *printer) markWarning() string { return p.paint(yellow, "warning") }

func (p *printer) paint(colour, text string) string {
	if !p.color {
		return text
	}
	return "\x1b[" + colour + "m" + text + "\x1b[0m"
}

// liveWriter is stderr with a line at its bottom that is replaced in place.
type liveWriter struct {
	mu       sync.Mutex
	to       io.Writer
	terminal bool
	shown    string
}

// eraseLine goes to the start of the line and empties it.
const eraseLine = "\r\x1b[2K"

// Write puts text above the live line.
func (w *liveWriter) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.shown != "" {
		_, _ = io.WriteString(w.to, eraseLine)
	}
	n, err := w.to.Write(b)
	if w.shown != "" {
		_, _ = io.WriteString(w.to, w.shown)
	}
	return n, err
}

func (w *liveWriter) live(line string) {
	if !w.terminal {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	// A line that wraps could not be replaced.
	if f, ok := w.to.(*os.File); ok {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil {
			line = string([]rune(line)[:min(len([]rune(line)), max(0, width-1))])
		}
	}
	if line == w.shown {
		return
	}
	_, _ = io.WriteString(w.to, eraseLine+line)
	w.shown = line
}

// clear takes the live line away, so that a result line does not stand behind it.
func (w *liveWriter) clear() { w.live("") }

func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// quoted is a word in quotes, control characters made visible.
func quoted(s string) string { return strconv.Quote(s) }
