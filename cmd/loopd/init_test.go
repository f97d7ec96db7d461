package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"loopd/journal"
	"loopd/journal/contract"
	"loopd/journal/driver"
	"loopd/journal/markdown"
	"loopd/journal/native"
)

// draftsOf are the drafts of every dialect and archetype.
func draftsOf(root string, a journal.Archetype, goal string) []draft {
	at := func(d journal.Dialect, parts ...string) journal.Ref {
		file := filepath.Join(append([]string{root}, parts...)...)
		return journal.Ref{Name: "x", Dialect: d.Name(), Root: root, Dir: filepath.Dir(file), File: file}
	}
	con := draft{ref: at(contract.Loops{}, "contracts", "x.md"), text: contract.Draft("x", a, goal)}
	con.ref.Dir = filepath.Join(root, ".loop", "x")
	dri := draft{ref: at(driver.Driver{}, ".claude", "skills", "x", "SKILL.md"), text: driver.Draft("x", goal)}
	dri.ref.Dir = filepath.Join(root, ".loop", "x")
	return []draft{
		{ref: at(native.Native{}, ".loop", "x", "LOOP.md"), text: native.Draft("x", a, goal), backlog: native.DraftBacklog(a)},
		{ref: at(markdown.Markdown{}, "loops", "x", "LOOP.md"), text: markdown.Draft("x", a, goal)},
		con, dri,
	}
}

// answers are what a person might say to each kind of question.
func answerTo(g gap) string {
	switch {
	case g.channel:
		return "mail -s loop ada"
	case g.command:
		return "test -e done"
	case strings.Contains(g.ask, "globs"):
		return "`src/**`"
	}
	return "plain words of mine"
}

// Each draft has no fault but what it leaves to a person, and none at all once every question is answered.
func TestDrafts(t *testing.T) {
	for _, archetype := range journal.Archetypes() {
		for _, d := range draftsOf(t.TempDir(), archetype, "") {
			t.Run(d.ref.Dialect+"/"+string(archetype), func(t *testing.T) {
				a := &app{surroundings: surroundings{Env: os.Environ()}, Root: d.ref.Root}
				faults, err := a.faults(d, d.text)
				if err != nil {
					t.Fatal(err)
				}
				for _, f := range faults {
					t.Errorf("the draft has a fault that is nobody's to fill in: %s", f)
				}
				text := string(d.text)
				questions := gaps(text)
				if len(questions) == 0 {
					t.Fatal("the draft asks nothing")
				}
				for _, g := range questions {
					answer, err := g.take(answerTo(g))
					if err != nil {
						t.Fatalf("%+v: %v", g, err)
					}
					text = g.fill(text, answer)
				}
				if strings.Contains(text, journal.OnlyYou) {
					t.Errorf("a mark is left:\n%s", text)
				}
				if faults, err = a.faults(d, []byte(text)); err != nil || len(faults) > 0 {
					t.Errorf("filled in: %v, %v\n%s", faults, err, text)
				}
			})
		}
	}
}

func TestAnswers(t *testing.T) {
	for _, c := range []struct {
		gap          gap
		answer, want string
		fails        string
	}{
		{gap{}, "  plain  ", "plain", ""},
		{gap{}, "a | b", "a | b", ""},
		{gap{}, "# heading", "# heading", ""},
		{gap{line: true}, "# heading", "", "heading"},
		{gap{line: true}, "<!-- hidden", "", "heading"},
		{gap{}, "two\rlines", "", "one line"},
		{gap{}, "nul\x00", "", "one line"},
		{gap{}, "esc\x1b[2J", "", "one line"},
		{gap{}, "sep\u2028arated", "", "one line"},
		{gap{}, "TODO(you): later", "", "still open"},
		{gap{command: true}, "`go test ./...`", "go test ./...", ""},
		{gap{command: true}, "echo `date`", "", "back-tick"},
		{gap{command: true}, "if true", "", "sh would not understand"},
		{gap{channel: true}, "ops", "ops", ""},
		{gap{channel: true}, "mail -s x ada", "`mail -s x ada`", ""},
		{gap{channel: true}, "file:/tmp/inbox", "file:/tmp/inbox", ""},
		{gap{channel: true}, "ntfy://ntfy.sh/x", "ntfy://ntfy.sh/x", ""},
		{gap{channel: true}, "say `x` loud", "", "a command"},
		{gap{command: true}, "", "", ""},
	} {
		got, err := c.gap.take(c.answer)
		if got != c.want || (err != nil) != (c.fails != "") || err != nil && !strings.Contains(err.Error(), c.fails) {
			t.Errorf("%q to %+v: %q, %v; want %q, %q", c.answer, c.gap, got, err, c.want, c.fails)
		}
	}
}

func TestLastFence(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "no fence": "", "```markdown\n# a\n```\n": "# a\n", "one\n```\na\n```\ntwo\n~~~\nb\n~~~": "b\n", "````markdown\n```sh\nx\n```\n````": "```sh\nx\n```\n",
		"```markdown\nnever closed": "", "```\r\na\r\n```\r\n": "a\n",
	} {
		if got := lastFence(text); got != want {
			t.Errorf("%q gives %q, want %q", text, got, want)
		}
	}
}

// What is a person's to say comes from the shape, whatever the agent wrote.
func TestWithPersons(t *testing.T) {
	shape := "## Goal\nTODO(you): x\n\n## Budget\n- Max iterations: 5\n\n## Promotion\n- Current mode: propose-only\n"
	theirs := "## Goal\nmine\n\n## Budget\n- Max iterations: 5000\n- Max cost: 900\n\n## Promotion\n- Current mode: write-full\n"
	if got := string(withPersons([]byte(theirs), []byte(shape))); got != "## Goal\nmine\n\n## Budget\n- Max iterations: 5\n\n## Promotion\n- Current mode: propose-only\n" {
		t.Errorf("got:\n%s", got)
	}
	contractOf := "- Objective: x\n- Max iterations: 9999\n- Owner: the agent\n"
	if got := string(withPersons([]byte(contractOf), []byte("- Owner: TODO(you): who\n- Max iterations: 10\n"))); got != "- Objective: x\n- Max iterations: 10\n- Owner: TODO(you): who\n" {
		t.Errorf("got:\n%s", got)
	}
}
