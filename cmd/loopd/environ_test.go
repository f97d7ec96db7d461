package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"
)

// parse runs kong over argv in an environment.
func parse(t *testing.T, env []string, argv ...string) (*cli, *kong.Context, error) {
	t.Helper()
	grammar := &cli{}
	parser, _, err := newParser(grammar, surroundings{Env: env, Stdout: &bytes.Buffer{}, Stderr: &bytes.Buffer{}})
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := parser.Parse(argv)
	return grammar, parsed, err
}

func TestEveryFlagHasAVariable(t *testing.T) {
	seen := map[string]string{}
	for _, node := range append(grammarOf(t).Leaves(false), grammarOf(t).Node) {
		for _, flag := range node.Flags {
			name := variable(flag.Name)
			if strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_") != "" {
				t.Errorf("--%s has the variable %s", flag.Name, name)
			}
			if name == "LOOPD_RUN" {
				t.Errorf("--%s has the variable that marks what a run starts", flag.Name)
			}
			seen[name] = flag.Name
		}
	}
	if len(seen) < 30 {
		t.Errorf("only %d flags were found", len(seen))
	}
}

func TestEnvironment(t *testing.T) {
	g, _, err := parse(t, []string{"LOOPD_MAX=3", "LOOPD_ONCE=true", "LOOPD_TIMEOUT=90s", "LOOPD_DRAIN=", "LOOPD_LOG_LEVEL=warn"}, "run", "k", "--max", "5")
	if err != nil {
		t.Fatal(err)
	}
	if g.Run.Max != 5 || !g.Run.Once || g.Run.Timeout != 90*time.Second || g.Run.Drain || g.LogLevel != "warn" {
		t.Errorf("%+v %+v", g.Run, g.globals)
	}
	g, _, err = parse(t, []string{"NO_COLOR=1"}, "version")
	if err != nil || !g.NoColor {
		t.Errorf("NO_COLOR: %v %v", g.NoColor, err)
	}
	_, _, err = parse(t, []string{"LOOPD_TIMEOUT=soon"}, "run", "k")
	if err == nil || !strings.Contains(err.Error(), "LOOPD_TIMEOUT") || asExit(err).Code != codeUsage {
		t.Errorf("a bad variable: %v", err)
	}
}

func TestLookup(t *testing.T) {
	env := []string{"A=1", "AB=2", "A=3=4"}
	for name, want := range map[string]string{"A": "3=4", "AB": "2", "B": ""} {
		if got := lookup(env, name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}
