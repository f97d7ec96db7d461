package supervisor

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"loopd/journal/markdown"
	"loopd/journal/tracking"
)

// convention is another dialect's loop k in a box, with an oracle that reads its files and git alone.
type convention struct {
	name   string
	files  map[string]string // below the root
	answer string            // of the agent, with %s for the unit
	// recorded gives the numbers of the recorded iterations in their order, and the number that the state says.
	recorded func(b *box) (entries []int, state int)
	managed  bool
}

var numbers = regexp.MustCompile(`\d+`)

// numbersIn collects the first number behind each occurrence of a mark at the start of a line.
func numbersIn(text, mark string) (out []int) {
	for l := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(l, mark); ok {
			n, _ := strconv.Atoi(numbers.FindString(rest))
			out = append(out, n)
		}
	}
	return out
}

func (b *box) readIfThere(name string) string {
	text, err := os.ReadFile(filepath.Join(b.root, name))
	if err != nil {
		return ""
	}
	return string(text)
}

var conventions = []convention{
	{
		name: "contract", managed: true,
		files: map[string]string{".loop/k/contract": "k.md\n", "k.md": `# Loop Contract
- Objective: no TODO is left
- Mode: Goal
- Trigger: Manual start.
- Scope: ` + "`work.txt`" + `
- Non-goals: other files
- Owner: ada
- Inputs: work.txt
- Artifacts path: .agent/k
- State path: .agent/k.json
- Work clock: .agent/clock.md
- Success metric: ` + "`grep -c TODO work.txt || true`" + ` = 0
- Evidence: fresh output
- Verifier: ` + "`sh check.sh`" + ` exits 0
- Topology: single-agent
- Max iterations: 20
- Time limit: 60 minutes
- Budget: 900 tool calls
- Review budget: 400 changed lines, 60 files
- Stop condition: the metric holds or a cap fires
- Write-back: the receipts
- Permission boundary: local writes only; no push, no deploy
- Recovery: put the tree back
`},
		answer: "STATUS: CONTINUE\nRESULT: %s is gone\nACTION: removed %s\nDIAGNOSIS: d\nCHANGED: c\n",
		recorded: func(b *box) (entries []int, state int) {
			for l := range strings.Lines(b.readIfThere(".agent/k/receipts.jsonl")) {
				var r struct {
					Kind      string
					Iteration int
				}
				if json.Unmarshal([]byte(l), &r) == nil && r.Kind == "iteration" {
					entries = append(entries, r.Iteration)
				}
			}
			var s struct {
				Loopd struct{ Iteration int }
			}
			_ = json.Unmarshal([]byte(b.readIfThere(".agent/k.json")), &s)
			return entries, s.Loopd.Iteration
		},
	},
	{
		name:   "markdown",
		files:  map[string]string{"loops/k/LOOP.md": "# K Loop\n\n## Purpose\nRemove TODO lines.\n\n## Direction\nwork.txt only.\n\n## Trigger\nA manual tick.\n\n## Run Policy\nIteration unit: one TODO line\nDefault activation bound: up to 5 items\n\n## Stop When\n- none is left: `grep -c TODO work.txt` → exits 1\n\n## Allowed Actions\n- edit work.txt\n\n## Ask Human When\n- none\n\n## State To Track\n- focus\n\n## Record Each Iteration\nWhat, result, next.\n"},
		answer: "What: %s\nResult: %s is gone\n\nStatus: running\nDirection: within\nNext: the next\n",
		recorded: func(b *box) ([]int, int) {
			state := numbersIn(b.readIfThere("loops/k/state.md"), "Iteration count: ")
			return numbersIn(b.readIfThere("loops/k/record.md"), "## Iteration "), append(state, 0)[0]
		},
	},
	{
		name:   "tracking",
		answer: "STATUS: OK\nRESULT: %s is gone, %s\nEVIDENCE: wc\nVERDICT: NOT_MET\nREASON: more\nMISSING: (none)\n",
		recorded: func(b *box) ([]int, int) {
			rows := numbersIn(b.readIfThere(".codevoyant/loops/k/loop.md"), "| ")
			var out []int
			for _, n := range rows {
				if n > 0 {
					out = append(out, n)
				}
			}
			return out, len(out)
		},
	},
	{
		name:   "driver",
		files:  map[string]string{".claude/skills/k/SKILL.md": "---\nname: k\ndescription: x\n---\nRemove one TODO line.\n", ".loop/k/.keep": ""},
		answer: "LOOP-OUTCOME: shipped — %s, %s\n",
		recorded: func(b *box) ([]int, int) {
			var s struct{ Iteration int }
			_ = json.Unmarshal([]byte(b.readIfThere(".loop/k/state.json")), &s)
			return numbersIn(b.readIfThere(".loop/k/journal.md"), "## "), s.Iteration
		},
	},
}

// newBoxOf is a box whose loop k is of another convention.
func newBoxOf(t *testing.T, c convention) *box {
	t.Helper()
	b := newBox(t, nil)
	if err := os.Remove(filepath.Join(b.root, ".loop/k/LOOP.md")); err != nil {
		t.Fatal(err)
	}
	for name, text := range c.files {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(b.root, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		b.write(name, text)
	}
	switch c.name {
	case "markdown":
		b.write("loops/k/state.md", string(markdown.NewState(nil, markdown.Field{Name: markdown.FieldStatus, Value: "running"}, markdown.Field{Name: markdown.FieldLoop, Value: "k"},
			markdown.Field{Name: markdown.FieldBound, Value: "up to 5 items"}, markdown.Field{Name: markdown.FieldProgress, Value: "0 of 5"}, markdown.Field{Name: markdown.FieldCount, Value: "0"})))
		b.write("loops/k/record.md", "# Loop Record\n\n")
	case "tracking":
		text := tracking.New(tracking.Document{Slug: "k", Task: "Remove a TODO", Objective: "none is left", Max: 9})
		if err := os.MkdirAll(filepath.Join(b.root, ".codevoyant/loops/k"), 0o755); err != nil {
			t.Fatal(err)
		}
		b.write(".codevoyant/loops/k/loop.md", string(text))
	}
	b.git("add", "-A")
	b.git("commit", "-qm", "another convention")
	answer := strings.ReplaceAll(strings.ReplaceAll(c.answer, "%s", "%s"), "\n", `\n`)
	b.agent("maker", "u=$(head -n1 work.txt); sed -i 1d work.txt\nprintf '"+answer+"' \"$u\" \"$u\"\n")
	return b
}

// whole: every recorded iteration stands once, in order, and the state says as many; where git is loopd's, what is recorded
// is committed and nothing else is in the tree.
func (c convention) whole(b *box, when string) {
	b.t.Helper()
	entries, state := c.recorded(b)
	for i, n := range entries {
		if n != i+1 {
			b.t.Errorf("%s: the iterations are numbered %v", when, entries)
			break
		}
	}
	if state != len(entries) || len(entries) < 1 || len(entries) > 2 {
		b.t.Errorf("%s: %d recorded iterations, the state says %d", when, len(entries), state)
	}
	left := strings.Count(b.read("work.txt"), "TODO")
	if !c.managed {
		if left > 5-len(entries) {
			b.t.Errorf("%s: %d iterations are recorded and %d of 5 lines are left", when, len(entries), left)
		}
		return
	}
	if commits := b.git("rev-list", "--count", "main..HEAD"); left != 5-len(entries) || commits != strconv.Itoa(len(entries)) {
		b.t.Errorf("%s: %d iterations, %s commits, %d lines left of 5", when, len(entries), commits, left)
	}
	if s := b.git("status", "--porcelain", "--", ".", ":(exclude).loop", ":(exclude).agent"); s != "" {
		b.t.Errorf("%s: the tree is not clean: %s", when, s)
	}
}

// kill -9 at the labelled operations of an iteration of every convention, and a failing disk at them.
func TestOtherConventionsSurvive(t *testing.T) {
	for _, c := range conventions {
		counting := newBoxOf(t, c)
		out, code := counting.child("0")
		if code != 0 {
			t.Fatalf("%s: the counting run ended with %d:\n%s", c.name, code, out)
		}
		operations := strings.Split(strings.TrimSpace(out), "\n")
		step := 3
		if testing.Short() {
			step = 9
		}
		for n := 1; n <= len(operations); n += step {
			at := strconv.Itoa(n)
			if n%2 == 0 { // the native loop's tests do both at every one
				at = fmt.Sprintf("%d:%d", n, int(syscall.ENOSPC))
			}
			t.Run(fmt.Sprintf("%s/%s %s", c.name, at, operations[n-1]), func(t *testing.T) {
				t.Parallel()
				b := newBoxOf(t, c)
				if out, code := b.child(at); code != -1 && !strings.Contains(at, ":") {
					t.Fatalf("was not killed: exit %d\n%s", code, out)
				}
				if out, code := b.child("-1"); code != 0 {
					t.Fatalf("the next start ended with %d:\n%s", code, out)
				}
				c.whole(b, "after the next start")
			})
		}
	}
}
