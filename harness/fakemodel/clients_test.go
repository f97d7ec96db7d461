package fakemodel_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"loopd/harness"
	"loopd/harness/fakemodel"
)

// TestRealCLIs has two conversations with each real CLI that scripts/clis installed. It tells a change of the CLIs from a
// change of loopd.
func TestRealCLIs(t *testing.T) {
	set, err := harness.Named(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range set.All() {
		t.Run(h.Name(), func(t *testing.T) {
			bin := os.Getenv("LOOPD_E2E_" + strings.ToUpper(h.Name()))
			if bin == "" {
				t.Skipf("SKIPPED: no real %s; scripts/e2e --harness %[1]s runs this test with it", h.Name())
			}
			worksWithTools(t, set, h, bin)
			onlySpeaks(t, set, h, bin)
		})
	}
}

// worksWithTools is a shell call, a file, a last word.
func worksWithTools(t *testing.T, set harness.Set, h harness.Harness, bin string) {
	s := start(t, fakemodel.Steps(fakemodel.Shell("echo from the shell"), fakemodel.Write("made.txt", "it's made\n"), fakemodel.Say("THE END")))
	dir := converse(t, s, set, h, bin)
	if got, err := os.ReadFile(filepath.Join(dir, "made.txt")); string(got) != "it's made\n" {
		t.Errorf("made.txt: %q, %v", got, err)
	}
	all := turns(s)
	if len(all) < 3 {
		t.Fatalf("%d turns", len(all))
	}
	last := all[2]
	if last.Turn != 2 || last.Dir != dir || !strings.Contains(last.Prompt, prompt) || len(last.Results) != 2 || !strings.Contains(last.Results[0], "from the shell") {
		t.Errorf("last request: turn %d in %q, prompt %q, results %q", last.Turn, last.Dir, last.Prompt, last.Results)
	}
}

// onlySpeaks is one answer: what the CLI asks beside it is no turn. Qwen's memory comes only after an answer without a
// tool call.
func onlySpeaks(t *testing.T, set harness.Set, h harness.Harness, bin string) {
	s := start(t, fakemodel.Steps(fakemodel.Say("THE END")))
	converse(t, s, set, h, bin)
	if all := turns(s); len(all) != 1 {
		t.Errorf("%d turns, want 1; the last one offers %v and says %q", len(all), all[len(all)-1].Tools, all[len(all)-1].Prompt)
	}
}

const prompt = "- [ ] a prompt that looks like a flag"

// converse runs the CLI on prompt until THE END and returns the folder that it worked in.
func converse(t *testing.T, s *fakemodel.Server, set harness.Set, h harness.Harness, bin string) string {
	t.Helper()
	dir, home, scratch := t.TempDir(), t.TempDir(), t.TempDir()
	client := s.Client(h.Name())
	for name, text := range client.Files {
		file := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	inv, err := h.Invoke(harness.Request{Prompt: prompt, Model: client.Model, Dir: dir, ScratchDir: scratch})
	if err != nil {
		t.Fatal(err)
	}
	for path, data := range inv.Files {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ctx, stop := context.WithTimeout(t.Context(), 5*time.Minute)
	defer stop()
	cmd := exec.CommandContext(ctx, bin, inv.Argv[1:]...)
	cmd.WaitDelay = 10 * time.Second // a launcher that is ended leaves an agent behind that holds the pipe
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(string(inv.Stdin))
	env := append(client.Env, "PATH="+filepath.Dir(bin)+":"+os.Getenv("PATH"), "HOME="+home)
	cmd.Env = harness.Environ(env, h, set.All(), inv, nil)
	out, err := cmd.Output()
	if os.Getenv("FAKEMODEL_SHOW") != "" {
		for _, r := range s.Requests() {
			t.Logf("%s %s turn %d aux %v tools %v dir %q prompt %.300q results %.200q\n%.6000s", r.API, r.Path, r.Turn, r.Aux, r.Tools, r.Dir, r.Prompt, r.Results, r.Body)
		}
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	reply, err := harness.Read(h, strings.NewReader(string(out)), harness.Exit{})
	if err != nil || reply.Text != "THE END" {
		t.Errorf("final text %q, %v, %s in\n%s", reply.Text, err, reply.Cause, out)
	}
	return dir
}

// turns are the requests that the script was asked about.
func turns(s *fakemodel.Server) []fakemodel.Request {
	return slices.DeleteFunc(s.Requests(), func(r fakemodel.Request) bool { return r.N == 0 || r.Aux })
}
