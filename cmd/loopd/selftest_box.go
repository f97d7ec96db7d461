package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// selftestBox is a repository with a loop in which one case is tried.
type selftestBox struct {
	ctx  context.Context
	self string
	dir  string
	home string // the person's, which no case but the sandboxes' looks at
	env  []string
}

const selftestCharter = `# Loop: k

## Goal
No TODO line is left in work.txt.

## Done-when
` + "`grep -c TODO work.txt` exits 1" + `

## Archetype
ratchet-climb

## Iteration contract
- Unit: one TODO line
- Start: read the state.
- End: unit verified and recorded.
- Never: start a second unit.

## Verification
- ` + "`test ! -e broken.txt`" + ` → exits 0

## Ratchet
- Metric: TODO lines
- Direction: decreasing
- Read via: ` + "`grep -c TODO work.txt || true`" + `
- On regression: revert

## Guardrails
- No push.

## Escalation
- Stalled: 3 iterations without ratchet movement → append to inbox.txt via file:../inbox.txt
- Blocked on a decision: stop and escalate.

## Budget
- Max iterations: 20
- Max wall-clock per iteration: 1
- Cadence: on-demand

## Promotion
- Current mode: propose-only
- Write access requires: 3 consecutive clean cycles reviewed by the owner
- Write scope when promoted: work.txt
`

// selftestAgent does what $SELFTEST_DO says, then one unit.
const selftestAgent = `#!/bin/sh
cat >/dev/null
eval "$SELFTEST_DO"
u=$(head -n1 work.txt)
sed 1d work.txt >work.new && mv work.new work.txt
printf 'LOOP-OUTCOME: shipped - one\n- Unit: %s\n- Did: removed it\n- Next: the next one\n' "$u"
`

// try makes the box and runs the case.
func (b *selftestBox) try(k selftest) (string, error) {
	if err := b.make(); err != nil {
		return "", fmt.Errorf("make the repository: %w", err)
	}
	return k.run(b)
}

func (b *selftestBox) repo() string { return filepath.Join(b.dir, "repo") }

func (b *selftestBox) make() error {
	files := map[string]string{
		"repo/work.txt": "TODO one\nTODO two\nTODO three\n", "repo/.loop/k/LOOP.md": selftestCharter, "bin/scripted": selftestAgent,
		"home/.config/loopd/config.toml": "[harness.scripted]\nargv = [\"scripted\"]\n",
	}
	for name, text := range files {
		path := filepath.Join(b.dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			return err
		}
	}
	// Nothing of the person's is read or written.
	home := filepath.Join(b.dir, "home")
	b.env = append([]string{
		"PATH=" + filepath.Join(b.dir, "bin") + string(os.PathListSeparator) + lookup(b.env, "PATH"), "HOME=" + home, "XDG_CONFIG_HOME=" + filepath.Join(home, ".config"),
		"XDG_STATE_HOME=" + filepath.Join(home, ".state"), "TMPDIR=" + os.TempDir(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "NO_COLOR=1", "LC_ALL=C",
		"GIT_AUTHOR_NAME=selftest", "GIT_AUTHOR_EMAIL=selftest@example.invalid", "GIT_COMMITTER_NAME=selftest", "GIT_COMMITTER_EMAIL=selftest@example.invalid",
	}, "SELFTEST="+b.dir)
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "-A"}, {"commit", "-qm", "start"}} {
		if _, err := b.git(args...); err != nil {
			return err
		}
	}
	return nil
}

func (b *selftestBox) git(args ...string) (string, error) {
	cmd := exec.CommandContext(b.ctx, "git", args...)
	cmd.Dir, cmd.Env = b.repo(), b.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("git %s: %w: %s", args[0], err, bytes.TrimSpace(out))
	}
	return strings.TrimSpace(string(out)), nil
}

// start starts loopd in the box with an agent that does what do says.
func (b *selftestBox) start(do string, args ...string) (*exec.Cmd, *bytes.Buffer, error) {
	cmd := exec.CommandContext(b.ctx, b.self, args...)
	var out bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = b.repo(), append(append([]string{}, b.env...), "SELFTEST_DO="+do), &out, &out
	cmd.WaitDelay = 5 * time.Second
	return cmd, &out, cmd.Start()
}

// loopd runs loopd to its end, which must have the code; it gives what it printed.
func (b *selftestBox) loopd(code int, do string, args ...string) (string, error) {
	cmd, out, err := b.start(do, args...)
	if err != nil {
		return "", err
	}
	err = cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return out.String(), err
	}
	if got := cmd.ProcessState.ExitCode(); got != code {
		return out.String(), fmt.Errorf("loopd %s ended with %d, want %d: %s", strings.Join(args, " "), got, code, lastOf(out.String()))
	}
	return out.String(), nil
}

func lastOf(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}

// once runs one iteration.
func (b *selftestBox) once(code int, do string, flags ...string) (string, error) {
	return b.loopd(code, do, append([]string{"run", "k", "--once", "--now", "--harness", "scripted"}, flags...)...)
}

// await waits until a file is there, and reads the pid in it.
func (b *selftestBox) await(name string) (int, error) {
	for range 2000 {
		if text, err := os.ReadFile(filepath.Join(b.dir, name)); err == nil && bytes.HasSuffix(text, []byte("\n")) {
			return strconv.Atoi(strings.TrimSpace(string(text)))
		}
		if b.ctx.Err() != nil {
			return 0, b.ctx.Err()
		}
		time.Sleep(5 * time.Millisecond)
	}
	return 0, fmt.Errorf("%s did not come up within 10 s", name)
}

// gone waits until a process is no more, and says how long that took.
func (b *selftestBox) gone(pid int) (time.Duration, error) {
	begin := time.Now()
	for time.Since(begin) < 5*time.Second {
		if err := syscall.Kill(pid, 0); errors.Is(err, syscall.ESRCH) {
			return time.Since(begin), nil
		}
		time.Sleep(time.Millisecond)
	}
	return 0, fmt.Errorf("process %d is alive 5 s later", pid)
}

// is checks the tree: as many TODO lines, nothing else changed, as many entries.
func (b *selftestBox) is(todo, entries int) error {
	work, err := os.ReadFile(filepath.Join(b.repo(), "work.txt"))
	if err != nil {
		return err
	}
	if got := strings.Count(string(work), "TODO"); got != todo {
		return fmt.Errorf("work.txt has %d TODO lines, want %d", got, todo)
	}
	dirt, err := b.git("status", "--porcelain", "--", ".", ":(exclude).loop")
	if err != nil {
		return err
	}
	if dirt != "" {
		return fmt.Errorf("the tree is not clean: %s", dirt)
	}
	text, _ := os.ReadFile(filepath.Join(b.repo(), ".loop", "k", "journal.md"))
	if got := strings.Count("\n"+string(text), "\n## "); got != entries {
		return fmt.Errorf("the journal has %d entries, want %d", got, entries)
	}
	return nil
}
