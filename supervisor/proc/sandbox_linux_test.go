package proc

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// sandboxHere skips where the machine has no such sandbox, and says why.
func sandboxHere(t *testing.T, k Kind) {
	t.Helper()
	for _, f := range Facilities(os.Environ()) {
		if f.Kind == k && f.Missing != "" {
			t.Skipf("%s: %s", k, f.Missing)
		}
	}
}

// Everything can be read, and only what was named can be written: by the leader, its children and what left its session.
func TestSandboxBoundsWrites(t *testing.T) {
	for _, k := range Kinds() {
		t.Run(string(k), func(t *testing.T) {
			sandboxHere(t, k)
			dir := t.TempDir()
			for _, d := range []string{"in/keep/tree", "out"} {
				if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			for _, f := range []string{"in/f", "in/keep/f", "out/f", "own"} {
				if err := os.WriteFile(filepath.Join(dir, f), []byte("before"), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			script := `for f in in/f in/new in/keep/f in/keep/tree/new out/f out/new own new; do (echo after >$f) 2>/dev/null; done
mv in/f in/keep/moved 2>/dev/null; mv in/keep/moved in/f 2>/dev/null
setsid sh -c 'echo after >out/late' 2>/dev/null
cat out/f; echo end >/dev/null; test "$0" = sh && echo arguments "$1" "$2"`
			h := NewHost()
			defer h.Close()
			var out bytes.Buffer
			res, err := h.Run(context.Background(), Spec{Argv: []string{"sh", "-c", script, "sh", "a b", "--"}, Dir: dir, Env: os.Environ(), Stdout: &out, Stderr: &out,
				Sandbox: Sandbox{Kind: k, Write: []string{filepath.Join(dir, "in"), filepath.Join(dir, "own"), filepath.Join(dir, "not there"), filepath.Join(dir, "in/keep/tree")}, Keep: []string{filepath.Join(dir, "in", "keep")}}})
			if err != nil || res.Exit != 0 {
				t.Fatalf("exit %d, %v: %s", res.Exit, err, out.String())
			}
			if !strings.Contains(out.String(), "before\n") && out.String() != "beforearguments a b --\n" {
				t.Errorf("it printed %q", out.String())
			}
			want := map[string]string{"in/f": "after", "in/new": "after", "own": "after", "in/keep/tree/new": "after", "out/f": "before", "out/new": "", "out/late": "", "new": ""}
			if k == Bubblewrap {
				want["in/keep/f"] = "before"
			}
			for f, text := range want {
				b, _ := os.ReadFile(filepath.Join(dir, f))
				if got := strings.TrimSpace(string(b)); got != text {
					t.Errorf("%s is %q, want %q", f, got, text)
				}
			}
		})
	}
}

// A sandboxed tree is ended like any other, and with Landlock it cannot end what is outside.
func TestSandboxedTreeIsSwept(t *testing.T) {
	for _, k := range Kinds() {
		t.Run(string(k), func(t *testing.T) {
			sandboxHere(t, k)
			h := NewHost()
			defer h.Close()
			var out bytes.Buffer
			script := fmt.Sprintf(`setsid sleep 1000 >/dev/null 2>&1 & kill -0 %d 2>/dev/null && echo reached; echo through`, os.Getpid())
			res, err := h.Run(context.Background(), Spec{Argv: []string{"sh", "-c", script}, Dir: t.TempDir(), Env: os.Environ(), Stdout: &out, Sandbox: Sandbox{Kind: k}})
			if err != nil || res.Exit != 0 || res.Swept != 1 || len(res.Alive) > 0 || !strings.Contains(out.String(), "through") {
				t.Errorf("exit %d, swept %d, alive %v, %v: %q", res.Exit, res.Swept, res.Alive, err, out.String())
			}
			if scoped := k == Landlock && strings.Contains(landlockHere().Fact, "no signals"); scoped && strings.Contains(out.String(), "reached") {
				t.Error("a signal got out of the sandbox")
			}
		})
	}
}

// What cannot be started in a sandbox is said as it is outside of one.
func TestSandboxOfNothing(t *testing.T) {
	for _, k := range Kinds() {
		t.Run(string(k), func(t *testing.T) {
			sandboxHere(t, k)
			h := NewHost()
			defer h.Close()
			var errs bytes.Buffer
			if _, err := h.Run(context.Background(), Spec{Argv: []string{"no-such-program"}, Env: os.Environ(), Sandbox: Sandbox{Kind: k}}); err == nil {
				t.Error("a program that is not there was started")
			}
			res, err := h.Run(context.Background(), Spec{Argv: []string{"/nowhere/program"}, Env: os.Environ(), Stderr: &errs, Sandbox: Sandbox{Kind: k}})
			if err != nil || res.Exit == 0 || !strings.Contains(errs.String(), "/nowhere/program") {
				t.Errorf("exit %d, %v: %q", res.Exit, err, errs.String())
			}
		})
	}
	h := NewHost()
	defer h.Close()
	if _, err := h.Run(context.Background(), Spec{Argv: []string{"true"}, Sandbox: Sandbox{Kind: "jail"}}); err == nil {
		t.Error("a sandbox that does not exist was entered")
	}
}
