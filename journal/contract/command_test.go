package contract

import (
	"strings"
	"testing"
)

// Commands in prose: what is one, and what is expected of it.
func TestCommands(t *testing.T) {
	for _, c := range []struct{ field, value, read string }{
		{metric, "`go test ./x` exits 0", "[go test ./x=0]"},
		{metric, "`go test ./x` exits 0.", "[go test ./x=0]"},
		{metric, "`go test ./x` → exits 1", "[go test ./x=1]"},
		{metric, "`go test ./x` -> passes", "[go test ./x=0]"},
		{metric, "`go test ./x`", "[go test ./x=0]"},
		{metric, "`go test ./x` is green on CI", "[go test ./x=0]"},
		{metric, "Tests: `go test ./x` must exit 2", "[go test ./x=2]"},
		{metric, "**Tests:** `go test ./x` exits 0", "[go test ./x=0]"},
		{metric, "`pnpm --filter billing test` and `pnpm --filter billing lint` both exit 0.", "[pnpm --filter billing test=0 | pnpm --filter billing lint=0]"},
		{metric, "`a` and `b` both exit 3.", "[a=3 | b=3]"},
		{metric, "`a`, `b` and `c` all exit 3", "[a=3 | b=3 | c=3]"},
		{metric, "`a` exits 1 and `b` exits 2", "[a=1 | b=2]"},
		{metric, "`a` exits 1; `b` exits 2, then stop", "[a=1 | b=2]"},
		{metric, "`wc -l < out` = 22", "[wc -l < out=22]"},
		{metric, "`cov` >= 80 % and `lint` passes", "[cov>=80 | lint=0]"},
		{metric, "`cov` prints \"a, b and c.\", `lint` passes", "[cov has a, b and c. | lint=0]"},
		{metric, "`cov` prints `ok`", "[cov has ok]"},
		{metric, "`cov` matches /a, .b/ on CI", "[cov has a, .b]"},
		{metric, "No `TODO` is left in `work.txt`", "[]"},
		{metric, "No `TODO` is left: `grep -c TODO work.txt` exits 1", "[grep -c TODO work.txt=1]"},
		{metric, "Run `make check` after every change", "[make check=0]"},
		{metric, "The command `make check` passes", "[make check=0]"},
		{metric, "The output of `make check` is clean", "[make check=0]"},
		{metric, "`` echo `date` `` exits 0", "[echo `date`=0]"},
		{metric, "\n  - `a` exits 0\n  - `b` exits 1", "[a=0 | b=1]"},
		{metric, "all of\n  ```sh\n  make a\n\n  make b\n  ```", "[make a=0 | make b=0]"},
		{metric, "\n```sh\nmake a\n```", "[make a=0]"},
		{metric, "Coverage rises", "[]"},
		{verifier, "`make check` on self-hosted CI", "[make check=0]"},
		{verifier, "CI with `make check`, and a person", "[make check=0]"},
		{recovery, "Restore with `git restore .`; report in `state.json`", "[git restore .=0]"},
		{recovery, "If `go test ./x` exits 1, run `git restore .`", "[git restore .=0]"},
		{recovery, "`git restore .` when `go test ./x` exits 1", "[git restore .=0]"},
		{recovery, "Delete `build/` and restore the checkpoint", "[]"},
		{recovery, "Put the tree back", "[]"},
		{recovery, "`git restore .`, but only if `go test ./x` exits 1", "[git restore .=0]"},
		{recovery, "`git restore .` after the `lint` exits 1", "[git restore .=0]"},
		{recovery, "Never run `git reset --hard`; run `git restore .`", "[git restore .=0]"},
		{recovery, "`git restore .`; do not use `git clean` or `git reset`", "[git restore .=0]"},
		{metric, "`a` and `b` exit 1, `c` and `d` exit 2", "[a=1 | b=1 | c=2 | d=2]"},
		{metric, "`a`. `b` exits 2", "[a=0 | b=2]"},
	} {
		t.Run(c.value, func(t *testing.T) {
			k := judged(t, with(t, c.field, c.value))
			got := commandsOf(k.MetricChecks)
			switch c.field {
			case verifier:
				got = commandsOf(k.VerifierChecks)
			case recovery:
				got = commandsOf(k.RecoveryChecks)
			}
			if got != c.read {
				t.Errorf("read %s, want %s", got, c.read)
			}
		})
	}
	for value, want := range map[string]string{
		"`a` exits 999":         "0 to 255",
		"`a` matches /(/":       "missing closing",
		"`a` exits non-zero":    "words that can be tested",
		"`a` fails":             "words that can be tested",
		"`a` must fail":         "words that can be tested",
		"`a` prints ok and `b`": "words that can be tested",
	} {
		judged(t, with(t, metric, value), "12 success metric: "+want)
	}
}

func TestScope(t *testing.T) {
	for _, c := range []struct{ value, globs, excepts, finding string }{
		{"parser/ and its tests.", "", "", ""},
		{"`parser/**` and `cmd/*.go`.", "parser/**|cmd/*.go", "", ""},
		{"Only `./parser/`", "parser/", "", ""},
		{"`packages/billing/**`, `packages/billing/package.json`, and directly related tests only.", "packages/billing/**|packages/billing/package.json", "", ""},
		{"`src/**`, not `src/gen/**` or `src/old/**`", "src/**", "src/gen/**|src/old/**", ""},
		{"`src/**` except `src/gen/**`; also `docs/`", "src/**|docs/", "src/gen/**", ""},
		{"Nothing but `src/**`", "src/**", "", ""},
		{"`src/**`, but not `src/gen/**`", "src/**", "src/gen/**", ""},
		{"Nothing outside `src/**`", "src/**", "", ""},
		{"No change outside `src/**` or `docs/**`; `gen/**` is outside.", "src/**|docs/**|gen/**", "", ""},
		{"\n  - `a/**`\n  - `b/**`", "a/**|b/**", "", ""},
		{"`../x`", "", "", "5 scope: working tree"},
		{"`~/x` and `a`", "a", "", "5 scope: working tree"},
		{"`!gen/**`", "", "", "5 scope: not `gen/**`"},
		{"`a[`", "", "", "5 scope: brackets"},
	} {
		t.Run(c.value, func(t *testing.T) {
			var want []string
			if c.finding != "" {
				want = []string{c.finding}
			}
			k := judged(t, with(t, scope, c.value), want...)
			if got := strings.Join(k.ScopeGlobs, "|") + " " + strings.Join(k.ScopeExcepts, "|"); got != c.globs+" "+c.excepts {
				t.Errorf("read %q", got)
			}
		})
	}
}

func TestPaths(t *testing.T) {
	for value, want := range map[string]string{
		".agent/state.json": ".agent/state.json", ".agent/state.json.": ".agent/state.json", "`.agent/state.json`.": ".agent/state.json", "**.agent/x**": ".agent/x", ".agent/state.json (JSON)": ".agent/state.json",
		"The file .agent/state.json, replaced whole.": ".agent/state.json", ".agent-state/artifacts/.": ".agent-state/artifacts/", "state dir": "state dir", "`my state/x.json`": "my state/x.json",
	} {
		if got := judged(t, with(t, "state path", value)).StatePath; got != want {
			t.Errorf("%q is %q, want %q", value, got, want)
		}
	}
}
