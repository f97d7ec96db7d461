package main

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"loopd/journal"
)

func TestResolve(t *testing.T) {
	lay := func(origin string, pairs ...string) layer {
		var l layer
		for i := 0; i < len(pairs); i += 2 {
			l.set(pairs[i], pairs[i+1], origin)
		}
		return l
	}
	got := resolve([]string{"a", "b", "c", "d", "e"},
		lay("flag", "a", "1"), lay("env", "a", "2", "b", "2"), layer{}, lay("file", "b", "3", "c", "", "d", "3"), lay("default", "c", "4", "d", "4"))
	want := []Setting{{"a", "1", "flag"}, {"b", "2", "env"}, {"c", "", "file"}, {"d", "3", "file"}, {"e", "", "default"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// settled parses argv and settles the run with a charter and the two config layers.
func settled(t *testing.T, env []string, charter journal.Charter, repository, user string, argv ...string) (*cli, map[string]Setting) {
	t.Helper()
	g, parsed, err := parse(t, env, argv...)
	if err != nil {
		t.Fatal(err)
	}
	a := &app{surroundings: surroundings{Env: env}, parsed: parsed, Root: t.TempDir()}
	var c config
	c.Origin = map[string]string{}
	flags := runFlags(parsed.Model)
	for _, from := range []struct {
		text, file string
		to         *layer
	}{{user, "user.toml", &c.User}, {repository, "repo.toml", &c.Repository}} {
		if findings := parseConfig([]byte(from.text), from.file, flags, &c, from.to); len(findings) > 0 {
			t.Fatal(findings)
		}
	}
	settings, err := a.settle(charter, c)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]Setting{}
	for _, s := range settings {
		out[s.Name] = s
	}
	return g, out
}

func TestPrecedence(t *testing.T) {
	charter := journal.Charter{}
	charter.Harness.Maker, charter.Harness.Model, charter.Budget.PerIteration, charter.Budget.Cost = "codex", "m-charter", 45*time.Minute, 2.5
	g, got := settled(t, []string{"LOOPD_MODEL=m-env", "LOOPD_MAX=7"}, charter,
		"[defaults]\nharness = \"claude\"\ntimeout = \"5m\"\nbaseline = true\ngrace = \"3s\"\n",
		"[defaults]\nbaseline = false\nidle-timeout = \"1m\"\nmax = 9\n",
		"run", "k", "--max", "2", "--worktree")
	for name, want := range map[string]Setting{
		"max":          {"max", "2", "--max"},
		"worktree":     {"worktree", "true", "--worktree"},
		"model":        {"model", "m-env", "LOOPD_MODEL"},
		"harness":      {"harness", "codex", "LOOP.md"},
		"timeout":      {"timeout", "45m", "LOOP.md"},
		"max-cost":     {"max-cost", "2.5", "LOOP.md"},
		"baseline":     {"baseline", "true", "repo.toml:4"},
		"grace":        {"grace", "3s", "repo.toml:5"},
		"idle-timeout": {"idle-timeout", "1m", "user.toml:3"},
		"once":         {"once", "", "default"},
	} {
		if diff := cmp.Diff(want, got[name]); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	r := g.Run
	if r.Max != 2 || !r.Worktree || r.Model != "m-env" || r.Harness != "codex" || r.Timeout != 45*time.Minute || r.MaxCost != 2.5 || !r.Baseline ||
		r.Grace != 3*time.Second || r.IdleTimeout != time.Minute || r.Once {
		t.Errorf("the fields do not hold what is in force: %+v", r)
	}
}

func TestAFlagTakesAConfiguredSwitchBack(t *testing.T) {
	g, got := settled(t, nil, journal.Charter{}, "[defaults]\nworktree = true\n", "", "run", "k", "--worktree=false")
	if g.Run.Worktree || got["worktree"].Origin != "--worktree" {
		t.Errorf("%v %+v", g.Run.Worktree, got["worktree"])
	}
}

func TestDefaultsOfARun(t *testing.T) {
	g, got := settled(t, nil, journal.Charter{}, "", "", "run", "k")
	if g.Run.Timeout != time.Hour || g.Run.IdleTimeout != 20*time.Minute || g.Run.Grace != 10*time.Second || got["timeout"].Value != "1h" {
		t.Errorf("%+v", g.Run)
	}
}

func TestNegativeSettings(t *testing.T) {
	for _, argv := range [][]string{{"--max=-1"}, {"--for=-1s"}, {"--max-cost=-0.5"}} {
		_, parsed, err := parse(t, nil, append([]string{"run", "k"}, argv...)...)
		if err != nil {
			t.Fatal(err)
		}
		a := &app{parsed: parsed, Root: t.TempDir()}
		if _, err := a.settle(journal.Charter{}, config{}); err == nil || asExit(err).Code != codeUsage {
			t.Errorf("%v: %v", argv, err)
		}
	}
}
