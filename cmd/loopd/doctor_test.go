package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"loopd/harness"
	"loopd/journal"
	"loopd/supervisor"
)

// healthy is a loop that passes: each case of a test breaks one thing of it.
func healthy(t *testing.T) *patient {
	t.Helper()
	root := t.TempDir()
	dir := filepath.Join(root, ".loop", "k")
	bin := filepath.Join(root, "bin")
	for _, d := range []string{dir, bin} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(bin, "claude"), []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	set, err := harness.Named(map[string]harness.Command{"mycli": {Argv: []string{"claude"}}})
	if err != nil {
		t.Fatal(err)
	}
	p := &patient{
		Loop: journal.Loop{Name: "k", Root: root, Dir: dir, Charter: journal.Charter{
			File: filepath.Join(dir, "LOOP.md"), Source: []byte("# Loop: k\n\n## Promotion\n- Current mode: propose-only\n"), Archetype: journal.RatchetClimb,
			DoneWhen:     []journal.Condition{{Check: &journal.Check{Command: "goal", Want: journal.ParseExpectation("exits 0"), Line: 3}, Line: 3}},
			Verification: []journal.Check{{Command: "green", Want: journal.ParseExpectation("passes"), Line: 12}},
			Ratchet:      journal.Ratchet{Metric: "TODOs", Direction: journal.Decreasing, Command: "count", Line: 16},
			Guardrails:   "- No push.\n",
			Escalation:   journal.Escalation{Stalled: 3, Channels: []journal.Channel{{Command: "green"}}},
			Budget:       journal.Budget{MaxIterations: 5, PerIteration: 1, Cadence: journal.Cadence{Kind: journal.OnDemand}},
			Promotion:    journal.Promotion{Mode: journal.ProposeOnly, Required: 3},
		}},
		Settings:  []Setting{{"harness", "claude", "default"}},
		Harnesses: set, Env: []string{"PATH=" + bin},
		Show: func(path string) string { rel, _ := filepath.Rel(root, path); return rel },
	}
	p.Shell = func(line string) (seen, error) { return shellTable(line), nil }
	return p
}

// shellTable answers for command lines: what is not in it succeeds and prints nothing.
func shellTable(line string) seen {
	switch line {
	case "goal", "red":
		return seen{Exit: 1, Stderr: []byte("1 failed\n")}
	case "missing", "command -v 'nosuch'":
		return seen{Exit: 127, Missing: true, Stderr: []byte("sh: missing: not found\n")}
	case "hangs":
		return seen{Hung: true}
	case "count":
		return seen{Stdout: []byte("5\n")}
	case "words":
		return seen{Stdout: []byte("five\n")}
	}
	if strings.HasPrefix(line, "git check-ignore") {
		return seen{Exit: 1}
	}
	return seen{}
}

func TestDoctor(t *testing.T) {
	charter := func(p *patient) *journal.Charter { return &p.Loop.Charter }
	command := func(line string) *journal.Check {
		return &journal.Check{Command: line, Want: journal.ParseExpectation(""), Line: 12}
	}
	for _, c := range []struct {
		name     string
		breaks   func(t *testing.T, p *patient)
		failed   string // rules, joined by blanks
		warnings string
		says     string
	}{
		{"healthy", func(*testing.T, *patient) {}, "", "", ""},
		{"a defect of the charter", func(_ *testing.T, p *patient) {
			p.Loop.Findings = []journal.Finding{{File: ".loop/k/LOOP.md", Line: 7, Field: "Goal", Want: "a section"}}
		}, "D1", "", ".loop/k/LOOP.md:7: Goal"},
		{"a warning of the dialect, under its own rule", func(_ *testing.T, p *patient) {
			p.Loop.Findings = []journal.Finding{{Rule: "D3", File: ".loop/k/LOOP.md", Line: 12, Field: "Verification", Want: "fewer words", Warning: true}}
		}, "", "D3", ""},
		{"what a draft leaves to a person", func(_ *testing.T, p *patient) {
			p.Loop.Findings = []journal.Finding{{File: ".loop/k/LOOP.md", Line: 12, Field: "Verification", Read: "TODO(you)"}, {File: ".loop/k/LOOP.md", Line: 15, Field: "Ratchet Read via"}}
			charter(p).Verification[0].Command, charter(p).Ratchet.Command = "missing", "words" // not tried: that would say it twice
			p.Loop.Backlog = []journal.Item{{Text: "TODO(you): the first unit", Line: 2}}
		}, "D3 D4 D5", "", "backlog.md:2"},
		{"a defect of state.json", func(_ *testing.T, p *patient) {
			p.Loop.Findings = []journal.Finding{{File: ".loop/k/state.json", Line: 2, Field: "status"}}
		}, "files", "", "state.json:2"},
		{"Done-when by a missing command", func(_ *testing.T, p *patient) {
			charter(p).DoneWhen = []journal.Condition{{Check: command("missing")}}
		}, "D2", "", "not found"},
		{"done already", func(_ *testing.T, p *patient) {
			charter(p).DoneWhen = []journal.Condition{{Check: command("green"), Line: 4}}
		}, "", "D2", "the first run would end at once"},
		{"Done-when by a file that is there", func(t *testing.T, p *patient) {
			charter(p).DoneWhen = []journal.Condition{{File: &journal.FileState{Path: "bin/claude", Want: journal.Exists}, Line: 4}}
		}, "", "D2", "the first run would end at once"},
		{"a section with a defect is not missed twice", func(_ *testing.T, p *patient) {
			charter(p).Verification = nil
			p.Loop.Findings = []journal.Finding{{Rule: "D1", File: ".loop/k/LOOP.md", Field: "Verification", Want: "a section"}}
		}, "D1", "", ""},
		{"a missing command", func(_ *testing.T, p *patient) { charter(p).Verification[0].Command = "missing" }, "D3", "", "LOOP.md:12: Verification: read \"missing\""},
		{"a hanging command", func(_ *testing.T, p *patient) { charter(p).Verification[0].Command = "hangs" }, "D3", "", "ends within 10m"},
		{"a command that is no shell", func(_ *testing.T, p *patient) { charter(p).Verification[0].Command = "if x; then" }, "D3", "", "that sh understands"},
		{"a red check", func(_ *testing.T, p *patient) { charter(p).Verification[0].Command = "red" }, "", "D3", "--baseline"},
		{"a red check of a red-green loop", func(_ *testing.T, p *patient) {
			charter(p).Verification[0].Command, charter(p).Archetype = "red", journal.RedGreen
		}, "", "", ""},
		{"no ratchet to climb on", func(_ *testing.T, p *patient) { charter(p).Ratchet = journal.Ratchet{} }, "D4", "", "Metric:"},
		{"a ratchet that is no number", func(_ *testing.T, p *patient) { charter(p).Ratchet.Command = "words" }, "D4", "", "exactly one number"},
		{"a ratchet that exits 1", func(_ *testing.T, p *patient) { charter(p).Ratchet.Command = "red" }, "D4", "", "|| true"},
		{"a ratchet file that is not there", func(_ *testing.T, p *patient) {
			charter(p).Ratchet.Command, charter(p).Ratchet.File = "", "score.txt"
		}, "D4", "", "score.txt"},
		{"an empty backlog", func(_ *testing.T, p *patient) { charter(p).Archetype = journal.BacklogDrain }, "D5", "", "at least one open unit"},
		{"a drained backlog", func(_ *testing.T, p *patient) {
			charter(p).Archetype, p.Loop.Backlog = journal.BacklogDrain, []journal.Item{{Text: "x", Done: true, Line: 1}}
		}, "", "D5", ""},
		{"a unit without end", func(_ *testing.T, p *patient) {
			p.Loop.Backlog = []journal.Item{{Text: "x", Line: 1}, {Text: "Rewrite the whole parser", Line: 2}}
		}, "", "D5", "backlog.md:2"},
		{"a unit as long as a project", func(_ *testing.T, p *patient) {
			p.Loop.Backlog = []journal.Item{{Text: strings.Repeat("word ", 60), Line: 3}}
		}, "", "D5", "240 characters"},
		{"house rules that are not inherited", func(_ *testing.T, p *patient) {
			p.House = []houseFile{{"CLAUDE.md", "# Rules\nBe kind.\n- Never edit generated files under api/.\n```\ndo not read this\n```\n"}}
		}, "D6", "", "CLAUDE.md:3: Guardrails"},
		{"house rules by name", func(_ *testing.T, p *patient) {
			p.House = []houseFile{{"docs/AGENTS.md", "- Never edit generated files.\n"}}
			charter(p).Guardrails = "- Everything in AGENTS.md holds.\n"
		}, "", "", ""},
		{"house rules in other words", func(_ *testing.T, p *patient) {
			p.House = []houseFile{{"CLAUDE.md", "- Never edit generated files under api/.\n"}}
			charter(p).Guardrails = "- Generated files (under api/) are never an edit of ours.\n"
		}, "", "", ""},
		{"no channel", func(_ *testing.T, p *patient) { charter(p).Escalation.Channels = nil }, "D7", "", "a channel to a human"},
		{"a channel by a missing command", func(_ *testing.T, p *patient) {
			charter(p).Escalation.Channels = []journal.Channel{{Command: "nosuch | green"}}
		}, "D7", "", "nosuch: no such command"},
		{"a channel that is not in config.toml", func(_ *testing.T, p *patient) {
			charter(p).Escalation.Channels = []journal.Channel{{Name: "ops"}}
		}, "D7", "", "[channel.ops]"},
		{"a channel of config.toml", func(_ *testing.T, p *patient) {
			charter(p).Escalation.Channels = []journal.Channel{{Name: "ops"}}
			p.Config.Channels = map[string]supervisor.Channel{"ops": {To: journal.Channel{URL: "ntfy://ntfy.example/x"}}}
		}, "", "", ""},
		{"a channel that is no URL", func(_ *testing.T, p *patient) {
			charter(p).Escalation.Channels = []journal.Channel{{URL: "slack:"}}
		}, "D7", "", "a notification URL"},
		{"a file that would be debris", func(_ *testing.T, p *patient) {
			charter(p).Escalation.Channels = []journal.Channel{{File: "inbox.txt"}}
		}, "D7", "", ".gitignore"},
		{"a file in a folder that is not there", func(_ *testing.T, p *patient) {
			charter(p).Escalation.Channels = []journal.Channel{{File: "nowhere/inbox.txt"}}
		}, "D7", "", "a folder that exists"},
		{"write-full from the start", func(_ *testing.T, p *patient) { charter(p).Promotion.Mode = journal.WriteFull }, "D8", "", "LOOP.md:3: Promotion: read \"write-full\""},
		{"one line, one finding", func(_ *testing.T, p *patient) {
			charter(p).Promotion.Mode = journal.WriteFull
			p.Loop.Findings = []journal.Finding{{Rule: "D8", File: ".loop/k/LOOP.md", Line: 3, Field: "Promotion Current mode", Warning: true}}
		}, "D8", "", ""},
		{"write-scoped as approved", func(_ *testing.T, p *patient) {
			charter(p).Promotion.Mode, p.Loop.State.Private.Approved = journal.WriteScoped, journal.WriteScoped
		}, "", "", ""},
		{"wider in state.json than approved", func(_ *testing.T, p *patient) {
			p.Loop.HasState, p.Loop.State.Promotion.Mode = true, journal.WriteScoped
		}, "D8", "", "loopd demote k"},
		{"a cost that nobody counts", func(_ *testing.T, p *patient) {
			p.Settings = []Setting{{"harness", "mycli", "LOOP.md"}, {"model", "m", "LOOP.md"}, {"max-cost", "5", "LOOP.md"}}
		}, "D9", "", `[price."m"]`},
		{"a cost with a price", func(_ *testing.T, p *patient) {
			p.Settings = []Setting{{"harness", "mycli", "LOOP.md"}, {"model", "m", "LOOP.md"}, {"max-cost", "5", "LOOP.md"}}
			p.Config.Prices = map[string]price{"m": {Input: 1}}
		}, "", "", ""},
		{"a defect of config.toml", func(_ *testing.T, p *patient) {
			p.ConfigFindings = []journal.Finding{{File: ".loop/config.toml", Line: 1, Field: "x"}}
		}, "config", "", "config.toml:1"},
		{"an unknown harness", func(_ *testing.T, p *patient) { p.Settings[0].Value = "clude" }, "harness", "", `did you mean "claude"?`},
		{"a harness that is not here", func(_ *testing.T, p *patient) { p.Settings[0].Value = "codex" }, "harness", "", "codex is not on PATH"},
		{"no harness at all", func(_ *testing.T, p *patient) { p.Settings[0].Value = "" }, "harness", "", "an agent CLI"},
		{"a checker that may write", func(_ *testing.T, p *patient) {
			p.Settings = append(p.Settings, Setting{"checker", "mycli", "LOOP.md"})
		}, "harness", "", "readonly_argv"},
		{"a stronger model of the same vendor", func(_ *testing.T, p *patient) {
			p.Settings = append(p.Settings, Setting{"escalate", "claude:opus", "LOOP.md"})
		}, "", "", ""},
		{"no repository", func(_ *testing.T, p *patient) {
			p.Shell = func(line string) (seen, error) {
				if strings.HasPrefix(line, "git rev-parse --is-inside") {
					return seen{Exit: 128}, nil
				}
				return shellTable(line), nil
			}
		}, "git", "", "--no-git"},
		{"outside git on purpose", func(_ *testing.T, p *patient) {
			p.Settings = append(p.Settings, Setting{"no-git", "true", "--no-git"})
		}, "", "git", "not reverted"},
		{"no identity", func(_ *testing.T, p *patient) {
			p.Shell = func(line string) (seen, error) {
				if strings.Contains(line, "GIT_COMMITTER_IDENT") {
					return seen{Exit: 128}, nil
				}
				return shellTable(line), nil
			}
		}, "git", "", "user.email"},
		{"several", func(_ *testing.T, p *patient) {
			charter(p).Verification[0].Command, charter(p).Escalation.Channels = "missing", nil
		}, "D3 D7", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := healthy(t)
			c.breaks(t, p)
			d, err := examine(p)
			if err != nil {
				t.Fatal(err)
			}
			var warned, lines []string
			for _, f := range d.Findings {
				lines = append(lines, f.Rule+" "+f.String())
				if f.Warning && !slices.Contains(warned, f.Rule) {
					warned = append(warned, f.Rule)
				}
			}
			if got := strings.Join(d.Failed, " "); got != c.failed {
				t.Errorf("failed %q, want %q: %s", got, c.failed, lines)
			}
			if got := strings.Join(warned, " "); got != c.warnings {
				t.Errorf("warned of %q, want %q: %s", got, c.warnings, lines)
			}
			if !strings.Contains(strings.Join(lines, "\n"), c.says) {
				t.Errorf("%q does not say %q", lines, c.says)
			}
			want := "Loop doctor: PASS"
			if c.failed != "" {
				want = "Loop doctor: FAIL — " + strings.ReplaceAll(c.failed, " ", ", ")
			}
			if got := d.verdictLine(); got != want {
				t.Errorf("verdict %q, want %q", got, want)
			}
		})
	}
}

func TestSectionOf(t *testing.T) {
	source := []byte("# Loop: k\n\n```\n## Budget\n```\n## Budget\r\n- a\n```\n## Not a heading\n```\n## Next\n- b\n")
	text, line := sectionOf(source, "Budget")
	if line != 6 || text != "- a\n```\n## Not a heading\n```\n" {
		t.Errorf("line %d, %q", line, text)
	}
	if _, line := sectionOf(source, "Nothing"); line != 0 {
		t.Errorf("line %d", line)
	}
}

func TestFirstProgram(t *testing.T) {
	for line, want := range map[string]string{
		"cat >> inbox.txt": "cat", "mail -s x | tee y": "mail", "a && b": "a", "X=1 send": "send", "$SEND x": "", "(a; b)": "", "if x; then y; fi": "", "": "",
	} {
		if got := firstProgram(line); got != want {
			t.Errorf("%q begins with %q, want %q", line, got, want)
		}
	}
}
