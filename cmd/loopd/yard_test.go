package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// yard is a repository with a loop k over work.txt, beside a home and an agent of its own: the real loopd runs in it, and
// what came of it is read from git and the files alone.
type yard struct {
	t         testing.TB
	dir, repo string
	env       []string
}

const yardCharter = `# Loop: k

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
- ` + "`sh check.sh`" + ` → exits 0

## Ratchet
- Metric: TODO lines
- Direction: decreasing
- Read via: ` + "`grep -c TODO work.txt || true`" + `
- On regression: revert

## Guardrails
- No push.
- Protected: check.sh

## Escalation
- Stalled: 1000 iterations without ratchet movement → ` + "`cat >>../told`" + `
- Blocked on a decision: stop and escalate.

## Budget
- Max iterations: 100000
- Max wall-clock per iteration: 1
- Cadence: on-demand

## Promotion
- Current mode: propose-only
- Write access requires: 3 consecutive clean cycles
- Write scope when promoted: work.txt
`

// honest removes one TODO line and says so.
const honest = `u=$(head -n1 work.txt); sed -i 1d work.txt
printf 'LOOP-OUTCOME: shipped — removed one\n- Unit: %s\n- Did: removed it\n- Next: the next one\n' "$u"
`

// newYard makes one; todo is how many lines there are to remove.
func newYard(t testing.TB, todo int) *yard {
	t.Helper()
	return newYardIn(t, t.TempDir(), todo)
}

func newYardIn(t testing.TB, dir string, todo int) *yard {
	t.Helper()
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	y := &yard{t: t, dir: dir, repo: filepath.Join(dir, "repo")}
	y.env = append(os.Environ(), "HOME="+filepath.Join(dir, "home"), "XDG_CONFIG_HOME="+filepath.Join(dir, "home/.config"), "XDG_STATE_HOME="+filepath.Join(dir, "home/.state"),
		"GIT_CONFIG_NOSYSTEM=1", "NO_COLOR=1", "LC_ALL=C", "GORACE=atexit_sleep_ms=0", "PATH="+filepath.Join(dir, "bin")+":"+os.Getenv("PATH"), "YARD="+dir)
	work := ""
	for i := range todo {
		work += "TODO " + strconv.Itoa(i+1) + "\n"
	}
	for name, text := range map[string]string{
		"repo/work.txt": work, "repo/check.sh": "test ! -e broken.txt\n", "repo/src/a.txt": "a\n", "repo/.gitignore": "*.cache\n",
		"repo/.loop/k/LOOP.md": yardCharter, "repo/.loop/other/LOOP.md": strings.Replace(yardCharter, "Loop: k", "Loop: other", 1),
		"repo/.loop/config.toml": "protected = [\"release\"]\n", "repo/.loop/.gitignore": "state.json\njournal.md\nSTOP\nSTEER.md\n",
		"outside/precious.txt": "precious\n", "outside/src/a.txt": "outside\n",
		"home/.config/loopd/config.toml": "[harness.maker]\nargv = [\"maker\"]\n",
	} {
		y.write(name, text)
	}
	y.agent(honest)
	y.git("init", "-q", "-b", "main")
	for _, set := range [][2]string{{"user.name", "tester"}, {"user.email", "tester@example.invalid"}} {
		y.git("config", set[0], set[1])
	}
	y.git("add", "-A")
	y.git("commit", "-qm", "first")
	y.git("commit", "-q", "--allow-empty", "-m", "second")
	y.git("branch", "keep")
	return y
}

func (y *yard) path(name string) string { return filepath.Join(y.dir, name) }

func (y *yard) write(name, text string) {
	y.t.Helper()
	path := y.path(name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
		y.t.Fatal(err)
	}
}

// read gives a file, "" where it is not there.
func (y *yard) read(name string) string {
	b, err := os.ReadFile(y.path(name))
	if err != nil && !errors.Is(err, os.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
		y.t.Error(err)
	}
	return string(b)
}

// agent makes body, a shell script, the agent.
func (y *yard) agent(body string) {
	y.t.Helper()
	y.write("bin/maker.new", "#!/bin/sh\ncat >/dev/null\n"+body)
	if err := errors.Join(os.Chmod(y.path("bin/maker.new"), 0o755), os.Rename(y.path("bin/maker.new"), y.path("bin/maker"))); err != nil {
		y.t.Fatal(err)
	}
}

// command is a command in the repository that ends with the test.
func (y *yard) command(name string, args ...string) (*exec.Cmd, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	c := exec.CommandContext(ctx, name, args...)
	c.Dir, c.Env = y.repo, y.env
	return c, cancel
}

func (y *yard) git(args ...string) string {
	y.t.Helper()
	c, cancel := y.command("git", args...)
	defer cancel()
	out, err := c.CombinedOutput()
	if err != nil {
		y.t.Fatalf("git %s: %v: %s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// loopd gives all that it printed and its exit code, -1 where it was killed.
func (y *yard) loopd(args ...string) (string, int) {
	y.t.Helper()
	c, cancel := y.command("loopd", args...)
	defer cancel()
	out, err := c.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		y.t.Fatal(err)
	}
	return string(out), c.ProcessState.ExitCode()
}

// tree gives all files below a folder of the yard, with their contents, links and kinds.
func (y *yard) tree(name string, skip ...string) string {
	y.t.Helper()
	var out []string
	root := y.path(name)
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(root, path)
		for _, s := range skip {
			if rel == s {
				if d.IsDir() {
					return filepath.SkipDir
				}
				return nil
			}
		}
		switch {
		case d.IsDir():
		case d.Type().IsRegular():
			b, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			info, err := d.Info()
			if err != nil {
				return err
			}
			out = append(out, rel+" "+info.Mode().String()+" "+strconv.Quote(string(b)))
		default:
			to, _ := os.Readlink(path)
			out = append(out, rel+" "+d.Type().String()+" "+to)
		}
		return nil
	})
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		y.t.Error(err)
	}
	sort.Strings(out)
	return strings.Join(out, "\n")
}

// alive gives those processes that agents noted in the file pids and that still run.
func (y *yard) alive() []string {
	var out []string
	for _, word := range strings.Fields(y.read("pids")) {
		if pid, err := strconv.Atoi(word); err != nil || syscall.Kill(pid, 0) != nil {
			continue
		}
		if stat, err := os.ReadFile("/proc/" + word + "/stat"); err == nil && strings.Contains(string(stat), ") Z ") {
			continue // dead, and its new parent has not looked yet
		}
		out = append(out, word)
	}
	return out
}
