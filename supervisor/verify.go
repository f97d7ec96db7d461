package supervisor

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"loopd/journal"
	"loopd/supervisor/proc"
)

// CheckResult is what loopd saw of one verification command.
type CheckResult struct {
	Command string
	OK      bool
	Got     string // the actual result, e.g. "exit 1"
	Exit    int
	Hung    bool // ended by its time limit
	Missing bool // the command does not exist or cannot be executed
	// Baseline says what became of it since before the iteration, where it was run then too.
	Baseline Baseline
	Took     time.Duration
	Swept    int    // processes that it left behind
	Tail     string // the last lines of its output
	stdout   []byte
	stderr   []byte
}

func (c CheckResult) misconfigured() bool { return c.Missing }

// Line is the evidence as the journal's Verify bullet says it.
func (c CheckResult) Line() string {
	mark := "✅"
	if !c.OK {
		mark = "❌"
	}
	s := fmt.Sprintf("`%s` → %s", c.Command, c.Got)
	if !c.OK && c.Tail != "" {
		s += " (" + lastLine(c.Tail) + ")"
	}
	if c.Baseline != NoBaseline && c.Baseline != Clean {
		s += " (" + string(c.Baseline) + ")"
	}
	return s + " " + mark
}

// outputKept is how much of a command's output is kept as evidence.
const outputKept = 64 << 10

// tail keeps the last bytes written to it.
type tail struct {
	max int
	buf []byte
}

func (t *tail) Write(p []byte) (int, error) {
	n := len(p)
	if len(p) > t.max {
		p = p[len(p)-t.max:]
	}
	if over := len(t.buf) + len(p) - t.max; over > 0 {
		t.buf = append(t.buf[:0], t.buf[over:]...)
	}
	t.buf = append(t.buf, p...)
	return n, nil
}

// command runs one command line with sh in dir, in an environment without secrets, and reports what was seen.
func (r *run) command(ctx context.Context, line, dir string, env []string, limit time.Duration) (CheckResult, error) {
	out, errs := &tail{max: outputKept}, &tail{max: outputKept}
	res, err := r.s.Host.Run(ctx, proc.Spec{Argv: []string{"sh", "-c", line}, Dir: dir, Env: env, Stdout: out, Stderr: errs, Wall: limit, Grace: time.Second, Marker: r.marker})
	if err != nil {
		return CheckResult{}, fmt.Errorf("run %q: %w", line, err)
	}
	c := CheckResult{Command: line, Exit: res.Exit, Took: res.Took, Swept: res.Swept, stdout: out.buf, stderr: errs.buf}
	c.Hung = res.Stopped == proc.AtWall || res.Stopped == proc.AtIdle
	c.Missing = !c.Hung && (res.Exit == 127 || res.Exit == 126)
	text := string(bytes.TrimRight(out.buf, "\n"))
	if e := strings.TrimSpace(string(errs.buf)); e != "" {
		text = strings.TrimSpace(text + "\n" + e)
	}
	c.Tail = r.redact.String(lastLines(text, 20))
	switch {
	case c.Hung:
		c.Got = fmt.Sprintf("no end within %s", limit)
	case res.Signal != 0:
		c.Got = "ended by " + res.Signal.String()
	default:
		c.Got = fmt.Sprintf("exit %d", res.Exit)
	}
	r.swept += res.Swept
	if cause := context.Cause(ctx); cause != nil {
		return c, cause
	}
	return c, nil
}

// check runs one verification command and judges it by its expectation.
func (r *run) check(ctx context.Context, k journal.Check, limit time.Duration) (CheckResult, error) {
	c, err := r.command(ctx, k.Command, r.work, r.checkEnv(), limit)
	if err != nil || c.Hung || c.Missing {
		if c.Missing {
			c.Got += ": no such command"
		}
		return c, err
	}
	ok, got := k.Want.Judge(c.Exit, c.stdout, []byte(c.Tail))
	c.OK = ok
	if got != "" {
		c.Got = r.redact.String(got)
	}
	return c, nil
}

// checks runs every verification command, in order, the failing ones too: a person wants to see all of them.
func (r *run) checks(ctx context.Context, list []journal.Check, limit time.Duration) ([]CheckResult, error) {
	var out []CheckResult
	for _, k := range list {
		c, err := r.check(ctx, k, limit)
		if err != nil {
			return out, err
		}
		out = append(out, c)
	}
	return out, nil
}

// goal is what was seen of a charter's Done-when.
type goal struct {
	met  bool
	seen string
	// unmet is the signature of the first condition that does not hold.
	unmet string
}

// doneWhen evaluates the charter's predicate: met if there are conditions and all hold.
func (r *run) doneWhen(ctx context.Context, l journal.Loop, limit time.Duration) (goal, error) {
	if len(l.Charter.DoneWhen) == 0 {
		return goal{}, nil
	}
	var seen []string
	for _, c := range l.Charter.DoneWhen {
		switch {
		case c.File != nil:
			ok, what, err := fileHolds(l, r.work, *c.File)
			if err != nil || !ok {
				return goal{seen: what, unmet: Signature(c.Text, what)}, err
			}
			seen = append(seen, what)
		case c.Check != nil:
			res, err := r.check(ctx, *c.Check, limit)
			if err != nil || !res.OK {
				return goal{seen: fmt.Sprintf("`%s` → %s", c.Check.Command, res.Got), unmet: Signature(c.Text, res.Got+"\n"+res.Tail)}, err
			}
			seen = append(seen, fmt.Sprintf("`%s` → %s", c.Check.Command, res.Got))
		default:
			return goal{seen: fmt.Sprintf("%q cannot be checked by a machine", c.Text)}, nil
		}
	}
	return goal{met: true, seen: strings.Join(seen, " AND ")}, nil
}

// fileHolds evaluates a state of a file. A file of the loop's folder wins over one of the working tree; the backlog is
// meant as it will be once this iteration's units are struck, so it is asked again after the record.
func fileHolds(l journal.Loop, work string, f journal.FileState) (bool, string, error) {
	path := filepath.Join(l.Dir, f.Path)
	if _, err := os.Lstat(path); err != nil {
		path = filepath.Join(work, f.Path)
	}
	b, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		return false, "", fmt.Errorf("read %s: %w", path, err)
	}
	if path == filepath.Join(l.Dir, "backlog.md") {
		b = asListed(b, l.Backlog)
	}
	ok, got := f.Holds(err == nil, b)
	return ok, f.Path + " " + got, nil
}

// asListed is a backlog's text as it will read once the items of the list are recorded: done ones struck, new ones added.
func asListed(text []byte, items []journal.Item) []byte {
	var struck []int
	var added []string
	for _, it := range items {
		switch {
		case it.Line == 0:
			added = append(added, it.Text)
		case it.Done:
			struck = append(struck, it.Line)
		}
	}
	return []byte(journal.AddToBacklog(journal.StrikeBacklog(string(text), struck), added))
}

func lastLine(s string) string { return strings.TrimSpace(lastLines(s, 1)) }

func lastLines(s string, n int) string {
	s = strings.TrimRight(s, "\n")
	at := len(s)
	for ; n > 0 && at >= 0; n-- {
		at = strings.LastIndexByte(s[:at], '\n')
	}
	return s[at+1:]
}
