package supervisor

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"loopd/harness"
	"loopd/journal"
	"loopd/journal/all"
	"loopd/journal/disk"
	"loopd/supervisor/proc"
)

// box is a real git repository with one native loop and a scripted agent, for tests of whole runs.
type box struct {
	t    testing.TB
	root string
	env  []string
	name string

	mu     sync.Mutex
	events []Event
}

// charterText is the charter of the tests' loop; each %s can be changed.
const charterText = `# Loop: k

## Goal
No TODO line is left in work.txt.

## Done-when
` + "`grep -c TODO work.txt` exits 1" + `

## Archetype
ratchet-climb

## Iteration contract
- Unit: one TODO line
- Start: pick the first TODO.
- End: unit verified and recorded.
- Never: start a second unit.

## Verification
- ` + "`sh check.sh`" + ` → exits 0

## Ratchet
- Metric: TODO lines
- Direction: decreasing
- Read via: ` + "`grep -c TODO work.txt || true`" + `
- On regression: revert.

## Guardrails
- No push.
- Protected: check.sh

## Escalation
- Stalled: 3 iterations without movement → ` + "`cat >> ../inbox.txt`" + `
- Blocked on a decision: stop.

## Budget
- Max iterations: 20
- Max wall-clock per iteration: 1
- Cadence: on-demand

## Promotion
- Current mode: propose-only
- Write access requires: 3 consecutive clean cycles
- Write scope when promoted: work.txt
`

// newBox makes the repository: work.txt with five TODO lines, check.sh that is green while broken.txt is absent.
func newBox(t testing.TB, change func(charter string) string) *box {
	t.Helper()
	dir := t.TempDir()
	b := &box{t: t, root: filepath.Join(dir, "repo"), name: "k"}
	b.env = append(os.Environ(), "HOME="+dir, "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "PATH="+filepath.Join(dir, "bin")+":"+os.Getenv("PATH"))
	for _, d := range []string{b.root, filepath.Join(b.root, ".loop", "k"), filepath.Join(dir, "bin")} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	b.write("work.txt", "TODO one\nTODO two\nTODO three\nTODO four\nTODO five\n")
	b.write("check.sh", "test ! -e broken.txt\n")
	b.write(".gitignore", "*.cache\n")
	text := charterText
	if change != nil {
		text = change(text)
	}
	b.write(".loop/k/LOOP.md", text)
	b.git("init", "-q", "-b", "main")
	b.git("config", "user.name", "tester")
	b.git("config", "user.email", "tester@example.invalid")
	b.git("add", "-A")
	b.git("commit", "-qm", "start")
	return b
}

func (b *box) write(name, text string) {
	b.t.Helper()
	if err := os.WriteFile(filepath.Join(b.root, name), []byte(text), 0o644); err != nil {
		b.t.Fatal(err)
	}
}

func (b *box) read(name string) string {
	b.t.Helper()
	data, err := os.ReadFile(filepath.Join(b.root, name))
	if err != nil {
		b.t.Fatal(err)
	}
	return string(data)
}

// git runs git as the person would, and gives what it printed.
func (b *box) git(args ...string) string {
	b.t.Helper()
	c := exec.Command("git", args...)
	c.Dir, c.Env = b.root, b.env
	out, err := c.CombinedOutput()
	if err != nil {
		b.t.Fatalf("git %s: %v: %s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// agent makes an executable that answers as an agent: the body is its work, its stdout the final message.
func (b *box) agent(name, body string) {
	b.t.Helper()
	path := filepath.Join(filepath.Dir(b.root), "bin", name)
	if err := os.WriteFile(path, []byte("#!/bin/sh\ncat > ../"+name+".prompt\n"+body), 0o755); err != nil {
		b.t.Fatal(err)
	}
}

// supervisor ties the box's loop to a host.
func (b *box) supervisor(host *proc.Host, o Options) *Supervisor {
	b.t.Helper()
	s, err := boxSupervisor(b.root, b.env, host, o)
	if err != nil {
		b.t.Fatal(err)
	}
	s.Emit = func(e Event) {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.events = append(b.events, e)
	}
	return s
}

// boxSupervisor is also what a re-executed test process calls.
func boxSupervisor(root string, env []string, host *proc.Host, o Options) (*Supervisor, error) {
	known, err := harness.Named(map[string]harness.Command{
		"maker":  {Name: "maker", Argv: []string{"maker"}, ReadonlyArgv: []string{"maker", "--read-only"}},
		"writer": {Name: "writer", Argv: []string{"writer"}},
		"second": {Name: "second", Argv: []string{"second"}, ReadonlyArgv: []string{"second", "--read-only"}},
	})
	if err != nil {
		return nil, err
	}
	ref, err := all.Find(root, "k", "")
	if err != nil {
		return nil, err
	}
	find := func(name string) (journal.Dialect, bool) {
		for _, d := range all.All() {
			if d.Name() == name {
				return d, true
			}
		}
		return nil, false
	}
	d, _ := find(ref.Dialect)
	if o.Maker == "" {
		o.Maker = "maker"
	}
	if o.KeepTranscripts == 0 {
		o.KeepTranscripts = 50
	}
	return &Supervisor{Ref: ref, Dialect: d, Dialects: find, Lookup: known.Lookup, Known: known.All(), Host: host, Disk: disk.Disk{}, Env: env,
		StateHome: filepath.Join(filepath.Dir(root), "state"), Options: o, Emit: func(Event) {}}, nil
}

// run runs the loop in this process.
func (b *box) run(o Options) (Ending, error) {
	b.t.Helper()
	host := proc.NewHost()
	defer host.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	return b.supervisor(host, o).Run(ctx)
}

// want runs one iteration and checks how it ended.
func (b *box) want(o Options, code int) Ending {
	b.t.Helper()
	o.Once = true
	end, err := b.run(o)
	if err != nil {
		b.t.Fatal(err)
	}
	if end.Code != code {
		b.t.Fatalf("ended with %d (%s), want %d\njournal:\n%s", end.Code, end.Why, code, b.read(".loop/k/journal.md"))
	}
	return end
}

func (b *box) state() journal.State {
	b.t.Helper()
	d := all.All()[0]
	ref, err := all.Find(b.root, "k", "")
	if err != nil {
		b.t.Fatal(err)
	}
	l, err := d.Load(ref)
	if err != nil {
		b.t.Fatal(err)
	}
	return l.State
}

func (b *box) clean() {
	b.t.Helper()
	if s := b.git("status", "--porcelain", "--", ".", ":(exclude).loop"); s != "" {
		b.t.Fatalf("the tree is not clean:\n%s", s)
	}
}

// ships is an agent that removes one TODO line and says so.
const ships = `u=$(head -n1 work.txt); sed -i 1d work.txt
printf 'LOOP-OUTCOME: shipped — removed one\n- Unit: %s\n- Did: removed it\n- Next: the next one\n' "$u"
`

func entriesOf(text string) int {
	n := 0
	for i := 1; strings.Contains(text, fmt.Sprintf("\n## %d · ", i)) || strings.HasPrefix(text, fmt.Sprintf("## %d · ", i)); i++ {
		n = i
	}
	return n
}
