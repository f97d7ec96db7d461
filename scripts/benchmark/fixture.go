package main

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// fixture is a repository with one loop, k, and a folder of personas that is first on PATH.
type fixture struct {
	b    *bench
	dir  string // events, home, personas
	repo string
	env  []string
}

// charter describes a fixture's LOOP.md.
type charter struct {
	check   string // verification command
	cadence string
	extra   string // more text among the guardrails
}

func (c charter) text() string {
	check, cadence := cmp.Or(c.check, "true"), cmp.Or(c.cadence, "on-demand")
	return strings.ReplaceAll(`# Loop: k

## Goal
Count n.txt down.

## Done-when
done.txt exists

## Archetype
ratchet-climb

## Iteration contract
- Unit: one step
- Start: read n.txt.
- End: verified and recorded.
- Never: two steps.

## Verification
- '`+check+`' → exits 0

## Ratchet
- Metric: steps left
- Direction: decreasing
- Read via: n.txt
- On regression: revert.

## Guardrails
- No push.
`+c.extra+`
## Escalation
- Stalled: 3 iterations → 'cat >/dev/null'
- Blocked on a decision: stop.

## Budget
- Max iterations: 1000000
- Max wall-clock per iteration: 10
- Cadence: `+cadence+`

## Promotion
- Current mode: propose-only
- Write access requires: 3 consecutive clean cycles
- Write scope when promoted: n.txt
`, "'", "`")
}

// newFixture makes a repository on branch main with n.txt and the loop. files more are committed where files > 0.
func (b *bench) newFixture(c charter, files int) (*fixture, error) {
	dir, err := os.MkdirTemp(b.dir, "fixture.")
	if err != nil {
		return nil, err
	}
	f := &fixture{b: b, dir: dir, repo: filepath.Join(dir, "repo")}
	bin := filepath.Join(dir, "bin")
	f.env = []string{
		"PATH=" + bin + ":" + os.Getenv("PATH"), "HOME=" + filepath.Join(dir, "home"), "LC_ALL=C.UTF-8",
		"GIT_CONFIG_NOSYSTEM=1", "NO_COLOR=1", "IS_SANDBOX=1", "ANTHROPIC_API_KEY=sk-ant-not-a-key", envDir + "=" + dir,
	}
	// Without gc.auto = 0 the commit of many files starts a git gc in the background, which disturbs what is measured.
	for name, content := range map[string]string{
		"repo/n.txt": "1000000\n", "repo/.loop/k/LOOP.md": c.text(), "repo/.loop/k/backlog.md": "",
		"repo/.gitignore": ".loop/k/state.json\n.loop/k/journal.md\n", "home/.gitconfig": "[user]\nname = b\nemail = b@example.invalid\n[gc]\nauto = 0\n",
	} {
		if err := f.write(name, content); err != nil {
			return nil, err
		}
	}
	for i := range files {
		if err := f.write(fmt.Sprintf("repo/src/%03d/%05d.txt", i/200, i), fmt.Sprintln(i)); err != nil {
			return nil, err
		}
	}
	if err := os.Mkdir(bin, 0o755); err != nil {
		return nil, err
	}
	for _, name := range []string{"claude", "bench-check", "bench-gjson", "bench-stubborn", "bench-hold"} {
		if err := os.Symlink(b.self, filepath.Join(bin, name)); err != nil {
			return nil, err
		}
	}
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "-A"}, {"commit", "-qm", "start"}} {
		if out, err := f.command("git", args...).CombinedOutput(); err != nil {
			return nil, fmt.Errorf("git %s: %w: %s", args[0], err, out)
		}
	}
	return f, nil
}

func (f *fixture) write(name, content string) error {
	file := filepath.Join(f.dir, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, []byte(content), 0o644)
}

// command is a program in the fixture's repository and environment.
func (f *fixture) command(name string, args ...string) *exec.Cmd {
	path := name
	if p, err := exec.LookPath(name); err == nil {
		path = p
	}
	if persona := filepath.Join(f.dir, "bin", name); fileExists(persona) {
		path = persona
	}
	cmd := exec.CommandContext(f.b.ctx, path, args...)
	cmd.Args[0] = name
	cmd.Dir, cmd.Env, cmd.WaitDelay = f.repo, slices.Clone(f.env), 5*time.Second
	return cmd
}

func fileExists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// loop prepares loopd run k with the flags, and what the agent does.
func (f *fixture) loop(act string, size int, flags ...string) *exec.Cmd {
	cmd := f.command(f.b.loopd, append([]string{"run", "k", "--harness", "claude"}, flags...)...)
	cmd.Env = append(cmd.Env, envAct+"="+act, envSize+"="+strconv.Itoa(size))
	return cmd
}

// finish runs a command to its end; a wrong exit code is an error that says what the command said.
func finish(cmd *exec.Cmd, codes ...int) error {
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return err
	}
	if code := cmd.ProcessState.ExitCode(); !slices.Contains(codes, code) {
		said := strings.TrimSpace(stderr.String())
		if len(said) > 600 {
			said = said[len(said)-600:]
		}
		return fmt.Errorf("%s %s ended with %d: %s", filepath.Base(cmd.Path), strings.Join(cmd.Args[1:], " "), code, said)
	}
	return nil
}

// event is one line of the fixture's log.
type event struct {
	kind string
	at   time.Time
	pid  int
}

// events reads the log in order of time and empties it.
func (f *fixture) events() ([]event, error) {
	file := filepath.Join(f.dir, "events")
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var out []event
	for lines := bufio.NewScanner(bytes.NewReader(raw)); lines.Scan(); {
		var e event
		var ns int64
		if _, err := fmt.Sscanf(lines.Text(), "%s %d %d", &e.kind, &ns, &e.pid); err != nil {
			return nil, fmt.Errorf("read event %q: %w", lines.Text(), err)
		}
		e.at = time.Unix(0, ns)
		out = append(out, e)
	}
	slices.SortStableFunc(out, func(a, b event) int { return a.at.Compare(b.at) })
	return out, os.Remove(file)
}

// between lists, in milliseconds, the times from each event of one kind to the next of another.
func between(events []event, from, to string) []float64 {
	var out []float64
	var began time.Time
	for _, e := range events {
		switch {
		case e.kind == to && !began.IsZero():
			out = append(out, ms(e.at.Sub(began)))
			began = time.Time{}
		case e.kind == from:
			began = e.at
		}
	}
	return out
}

// await waits until an event of the kind is there, at most a minute.
func (f *fixture) await(kind string) error {
	for range 30_000 {
		raw, _ := os.ReadFile(filepath.Join(f.dir, "events"))
		if bytes.Contains(raw, []byte(kind+" ")) {
			return nil
		}
		select {
		case <-f.b.ctx.Done():
			return f.b.ctx.Err()
		case <-time.After(2 * time.Millisecond):
		}
	}
	return fmt.Errorf("no event %s within a minute", kind)
}

// pids are the processes that the agent noted.
func (f *fixture) pids() ([]int, error) {
	raw, err := os.ReadFile(filepath.Join(f.dir, "pids"))
	if err != nil {
		return nil, err
	}
	var out []int
	for word := range strings.FieldsSeq(string(raw)) {
		pid, err := strconv.Atoi(word)
		if err != nil {
			return nil, err
		}
		out = append(out, pid)
	}
	return out, nil
}

// allDead waits until none of the processes lives and returns when that was seen, to a millisecond.
func allDead(pids []int, limit time.Duration) (time.Time, error) {
	for end := time.Now().Add(limit); time.Now().Before(end); time.Sleep(time.Millisecond / 2) {
		if !slices.ContainsFunc(pids, living) {
			return time.Now(), nil
		}
	}
	for _, pid := range pids { // what this run started must not outlive it
		if living(pid) {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
	return time.Time{}, fmt.Errorf("processes alive after %s", limit)
}
