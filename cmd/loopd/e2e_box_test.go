package main_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"loopd/harness/fakemodel"
)

// box is one loop in a real repository with a home of its own, one real agent CLI, and a model server.
type box struct {
	t                *testing.T
	cli, loopd, repo string
	env              []string
	mark             string // in the environment of everything that the box starts
	model            *fakemodel.Server
	script           atomic.Pointer[fakemodel.Script]
}

const e2eCharter = `# Loop: k

## Goal
No TODO line is left in work.txt.

## Done-when
backlog.md has no unchecked items AND ` + "`grep -c TODO work.txt`" + ` exits 1

## Archetype
backlog-drain

## Iteration contract
- Unit: one TODO line
- Start: read the state and the last 3 entries; pick the first TODO.
- End: unit verified and recorded.
- Never: start a second unit.

## Verification
- ` + "`sh check.sh`" + ` → exits 0

## Ratchet
- Metric: TODO lines
- Direction: decreasing
- Read via: ` + "`grep -c TODO work.txt || true`" + `
- On regression: revert the change.

## Guardrails
- No push.
- Protected: check.sh

## Escalation
- Stalled: 3 iterations → ` + "`cat >> ../inbox.txt`" + `
- Blocked on a decision: stop and escalate.

## Budget
- Max iterations: 20
- Max wall-clock per iteration: 2
- Cadence: on-demand

## Promotion
- Current mode: propose-only
- Write access requires: 3 consecutive clean cycles reviewed by the owner
- Write scope when promoted: work.txt
`

// newBox makes the repository; login holds the variables of the CLI's credential.
func newBox(t *testing.T, cli agentCLI, loopd string, login ...string) *box {
	t.Helper()
	dir := t.TempDir()
	b := &box{t: t, cli: cli.name, loopd: loopd, repo: filepath.Join(dir, "repo"), mark: "LOOPD_E2E_BOX=" + dir}
	b.answer(finishUnit)
	model, err := fakemodel.Start(context.Background(), func(r fakemodel.Request) fakemodel.Step { return (*b.script.Load())(r) })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(model.Close)
	b.model = model

	client := model.Client(cli.name)
	files := map[string]string{
		"repo/work.txt":             "TODO one\nTODO two\nTODO three\n",
		"repo/check.sh":             "test ! -e broken.txt\n",
		"repo/.loop/k/LOOP.md":      e2eCharter,
		"repo/.loop/k/backlog.md":   "- [ ] TODO one\n- [ ] TODO two\n- [ ] TODO three\n",
		"home/.gitconfig":           "[user]\n\tname = tester\n\temail = tester@example.invalid\n",
		"home/.config/loopd/.empty": "",
	}
	for name, text := range client.Files {
		files["home/"+name] = text
	}
	if cli.name == "codex" { // as a person trusts a repository: then what it plants counts
		files["home/.codex/config.toml"] += fmt.Sprintf("\n[projects.%q]\ntrust_level = \"trusted\"\n", b.repo)
	}
	for name, text := range files {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	bin := filepath.Join(dir, "bin")
	if err := os.Mkdir(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(cli.bin, filepath.Join(bin, cli.name)); err != nil {
		t.Fatal(err)
	}
	// Beside the CLI lies what it needs to run, such as a node of its own.
	b.env = append(client.Env, "PATH="+bin+":"+filepath.Dir(cli.bin)+":"+os.Getenv("PATH"), "HOME="+filepath.Join(dir, "home"),
		"GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C.UTF-8", "NO_COLOR=1", b.mark)
	if client.Model != "" {
		b.env = append(b.env, "LOOPD_MODEL="+client.Model)
	}
	if len(login) > 0 {
		b.env = slices.DeleteFunc(b.env, func(v string) bool { return strings.HasPrefix(v, "ANTHROPIC_API_KEY=") })
		b.env = append(b.env, login...)
	}
	b.git("init", "-q", "-b", "main")
	b.git("add", "-A")
	b.git("commit", "-qm", "start")
	return b
}

// answer makes the model follow script from now on.
func (b *box) answer(script fakemodel.Script) { b.script.Store(&script) }

// finishUnit is the model at its best: it does the first TODO with the shell tool and then reports what it did.
func finishUnit(r fakemodel.Request) fakemodel.Step {
	if r.Turn == 0 {
		return fakemodel.Shell(`head -n1 work.txt; sed -i.bak 1d work.txt; rm work.txt.bak`)
	}
	unit := "unknown"
	for _, result := range r.Results {
		if i := strings.Index(result, "TODO "); i >= 0 {
			unit, _, _ = strings.Cut(result[i:], "\n")
		}
	}
	return fakemodel.Say("I removed it.\n\nLOOP-OUTCOME: shipped — removed " + unit + "\n- Unit: " + unit + "\n- Did: deleted the first line of work.txt\n- Next: the next TODO\n- Flags: none\n")
}

// ended is how a run of loopd ended.
type ended struct {
	code        int
	out, stderr string
}

// start starts loopd; the returned function waits for its end.
func (b *box) start(args ...string) (*os.Process, func() ended) {
	b.t.Helper()
	// Far above what any scenario takes: only a hang gets here.
	ctx, cancel := context.WithTimeout(context.Background(), 6*time.Minute)
	cmd := exec.CommandContext(ctx, b.loopd, args...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = b.repo, b.env, 5*time.Second
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	if err := cmd.Start(); err != nil {
		b.t.Fatal(err)
	}
	return cmd.Process, func() ended {
		defer cancel()
		err := cmd.Wait()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			b.t.Errorf("loopd %s: %v", strings.Join(args, " "), err)
		}
		return ended{cmd.ProcessState.ExitCode(), out.String(), stderr.String()}
	}
}

// run runs loopd and wants an exit code, nothing alive afterwards, and a clean working tree.
func (b *box) run(code int, args ...string) ended {
	b.t.Helper()
	_, wait := b.start(args...)
	return b.check(code, wait())
}

func (b *box) check(code int, e ended) ended {
	b.t.Helper()
	if alive := b.alive(); len(alive) > 0 {
		b.t.Errorf("alive after loopd has ended: %s", strings.Join(alive, "; "))
	}
	if e.code != code {
		b.t.Fatalf("exit code %d, want %d\nstdout:\n%s\nstderr:\n%s", e.code, code, e.out, e.stderr)
	}
	if s := b.git("status", "--porcelain", "--", ".", ":(exclude).loop"); s != "" {
		b.t.Errorf("the working tree is not clean:\n%s", s)
	}
	return e
}

// alive lists the processes that carry the box's mark.
func (b *box) alive() []string {
	var out []string
	dirs, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		b.t.Fatal(err)
	}
	for _, dir := range dirs {
		environ, err := os.ReadFile(filepath.Join(dir, "environ"))
		if err == nil && slices.Contains(strings.Split(string(environ), "\x00"), b.mark) {
			cmdline, _ := os.ReadFile(filepath.Join(dir, "cmdline"))
			out = append(out, filepath.Base(dir)+" "+strings.ReplaceAll(string(cmdline), "\x00", " "))
		}
	}
	return out
}

func (b *box) git(args ...string) string {
	b.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = b.repo, append(slices.Clone(b.env), "GIT_OPTIONAL_LOCKS=0")
	out, err := cmd.CombinedOutput()
	if err != nil {
		b.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// read returns a file of the loop, "" where it is not there.
func (b *box) read(name string) string {
	text, err := os.ReadFile(filepath.Join(b.repo, ".loop", "k", name))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		b.t.Fatal(err)
	}
	return string(text)
}

func (b *box) state(path string) string { return gjson.Get(b.read("state.json"), path).String() }

func (b *box) work() string {
	text, err := os.ReadFile(filepath.Join(b.repo, "work.txt"))
	if err != nil {
		b.t.Fatal(err)
	}
	return string(text)
}

// entries counts the iterations in the journal.
func (b *box) entries() int {
	n := 0
	for line := range strings.Lines(b.read("journal.md")) {
		if strings.HasPrefix(line, "## ") {
			n++
		}
	}
	return n
}

// doorbell is a named pipe that a command of the agent writes to.
func (b *box) doorbell() (path string, wait func()) {
	b.t.Helper()
	path = filepath.Join(filepath.Dir(b.repo), "doorbell")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		b.t.Fatal(err)
	}
	// Open for both, so that neither side waits for the other.
	f, err := os.OpenFile(path, os.O_RDWR|syscall.O_NONBLOCK, 0)
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { f.Close() })
	return path, func() { // it may be called by the model server's goroutines: no Fatal
		err := f.SetReadDeadline(time.Now().Add(time.Minute))
		if err == nil {
			_, err = f.Read(make([]byte, 16))
		}
		if err != nil {
			b.t.Errorf("wait for the agent's command: %v", err)
		}
	}
}
