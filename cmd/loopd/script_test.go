package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/tidwall/gjson"
)

// TestMain lets the scripts run this test binary as loopd.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"loopd": main})
}

// TestScripts runs testdata/script: what a person types, what they see, and what is on the disk afterwards. Each script
// has a home, a git identity and a PATH of its own; agent CLIs in it are shell scripts in $WORK/bin.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "script"),
		Setup: func(env *testscript.Env) error {
			home := filepath.Join(env.WorkDir, "home")
			for _, dir := range []string{home, filepath.Join(env.WorkDir, "bin")} {
				if err := os.MkdirAll(dir, 0o755); err != nil {
					return err
				}
			}
			// For scripts that need a PATH with nothing on it that they did not put there.
			self, err := exec.LookPath("loopd")
			if err != nil {
				return err
			}
			env.Setenv("LOOPD_BIN", filepath.Dir(self))
			env.Setenv("HOME", home)
			env.Setenv("PATH", filepath.Join(env.WorkDir, "bin")+string(os.PathListSeparator)+env.Getenv("PATH"))
			for name, value := range map[string]string{
				"XDG_CONFIG_HOME": filepath.Join(home, ".config"), "XDG_STATE_HOME": filepath.Join(home, ".state"), "NO_COLOR": "1", "LC_ALL": "C",
				"GORACE":              "atexit_sleep_ms=0", // a race-built loopd would wait a second at each exit
				"GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_NAME": "tester", "GIT_AUTHOR_EMAIL": "tester@example.invalid",
				"GIT_COMMITTER_NAME": "tester", "GIT_COMMITTER_EMAIL": "tester@example.invalid",
			} {
				env.Setenv(name, value)
			}
			return nil
		},
		Condition: func(cond string) (bool, error) {
			if cond != "root" {
				return false, fmt.Errorf("unknown condition %q", cond)
			}
			return os.Geteuid() == 0, nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"code":  wantCode,
			"files": wantFiles,
			"json":  wantJSON,
			"shape": wantShape(t),
		},
	})
}

// wantJSON is "json FILE PATH VALUE": the value at the gjson path, as text.
func wantJSON(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 3 {
		ts.Fatalf("usage: json FILE PATH VALUE")
	}
	if got := gjson.Get(ts.ReadFile(args[0]), args[1]).String(); (got == args[2]) == neg {
		ts.Fatalf("%s in %s is %q, want %q", args[1], args[0], got, args[2])
	}
}

// wantCode is "code N loopd ARGS…": loopd must end with exactly that code.
func wantCode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code N COMMAND ARGS…")
	}
	line := append([]string{"-c", `"$@"; got=$?; test $got = ` + args[0] + ` || { echo "exit $got, want ` + args[0] + `" >&2; exit 99; }`, "sh"}, args[1:]...)
	ts.Check(ts.Exec("sh", line...))
}

// wantFiles is "files DIR NAME…": the folder holds exactly these names.
func wantFiles(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: files DIR NAME…")
	}
	entries, err := os.ReadDir(ts.MkAbs(args[0]))
	ts.Check(err)
	want := map[string]bool{}
	for _, name := range args[1:] {
		want[name] = true
	}
	for _, e := range entries {
		if !want[e.Name()] {
			ts.Fatalf("%s holds %s", args[0], e.Name())
		}
		delete(want, e.Name())
	}
	for name := range want {
		ts.Fatalf("%s lacks %s", args[0], name)
	}
}
