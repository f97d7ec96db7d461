package harness_test

import (
	"os"
	"path/filepath"
	"testing"

	"loopd/harness"
	"loopd/harness/harnesstest"
)

func answers(t *testing.T, cli string, names ...string) []harnesstest.Sample {
	t.Helper()
	var out []harnesstest.Sample
	for _, name := range names {
		out = append(out, harnesstest.Sample{Name: name, Stdout: readSample(t, cli, name).stdout, Text: "DONE-FINAL-TEXT"})
	}
	return out
}

func TestConformance(t *testing.T) {
	argv := []string{"mycli", "{model}"}
	t.Run("claude", func(t *testing.T) {
		harnesstest.Run(t, named(t, "claude"), harnesstest.Traits{}, answers(t, "claude", "ok-stream", "write-stream", "write-restricted")...)
	})
	t.Run("codex", func(t *testing.T) {
		harnesstest.Run(t, named(t, "codex"), harnesstest.Traits{}, answers(t, "codex", "ok-json", "write-stream")...)
	})
	t.Run("tuned", func(t *testing.T) {
		set := known(t, map[string]harness.Command{"claude": {Argv: []string{"/opt/claude", "--x"}, Env: map[string]string{"A": "1"}}})
		claude, err := set.Lookup("claude")
		if err != nil {
			t.Fatal(err)
		}
		harnesstest.Run(t, claude, harnesstest.Traits{}, answers(t, "claude", "ok-stream")...)
	})
	t.Run("text", func(t *testing.T) {
		harnesstest.Run(t, command(t, harness.Command{Argv: argv, ReadonlyArgv: argv, Env: map[string]string{"A": "1"}}), harnesstest.Traits{AnyText: true},
			harnesstest.Sample{Name: "text", Stdout: []byte("one\ntwo\n"), Text: "one\ntwo"})
	})
	t.Run("json", func(t *testing.T) {
		harnesstest.Run(t, command(t, harness.Command{Argv: argv, ReadonlyArgv: argv, Output: "json", Path: "result"}), harnesstest.Traits{OneDocument: true, ExitDecides: true},
			answers(t, "claude", "ok-json")...)
	})
	t.Run("jsonl", func(t *testing.T) {
		file := []string{"mycli", "{prompt_file}"}
		harnesstest.Run(t, command(t, harness.Command{Argv: file, ReadonlyArgv: file, Prompt: "file", Output: "jsonl", Path: "result"}), harnesstest.Traits{ExitDecides: true},
			answers(t, "claude", "ok-stream")...)
	})
}

func corpus(f *testing.F, cli string) [][]byte {
	f.Helper()
	paths, err := filepath.Glob(filepath.Join("testdata", cli, "*.stdout"))
	if err != nil || len(paths) == 0 {
		f.Fatal("no corpus", err)
	}
	var out [][]byte
	for _, p := range paths {
		data, err := os.ReadFile(p)
		if err != nil {
			f.Fatal(err)
		}
		out = append(out, data)
	}
	return out
}

func fuzzed(f *testing.F, name string, c harness.Command) harness.Harness {
	f.Helper()
	config := map[string]harness.Command{}
	if len(c.Argv) > 0 {
		config[name] = c
	}
	set, err := harness.Named(config)
	if err != nil {
		f.Fatal(err)
	}
	h, err := set.Lookup(name)
	if err != nil {
		f.Fatal(err)
	}
	return h
}

func FuzzClaude(f *testing.F) {
	harnesstest.Fuzz(f, fuzzed(f, "claude", harness.Command{}), corpus(f, "claude")...)
}

func FuzzCodex(f *testing.F) {
	harnesstest.Fuzz(f, fuzzed(f, "codex", harness.Command{}), corpus(f, "codex")...)
}

func FuzzGemini(f *testing.F) {
	harnesstest.Fuzz(f, fuzzed(f, "gemini", harness.Command{}), corpus(f, "gemini")...)
}

func FuzzOpencode(f *testing.F) {
	harnesstest.Fuzz(f, fuzzed(f, "opencode", harness.Command{}), corpus(f, "opencode")...)
}

func FuzzPi(f *testing.F) {
	harnesstest.Fuzz(f, fuzzed(f, "pi", harness.Command{}), corpus(f, "pi")...)
}

func FuzzQwen(f *testing.F) {
	harnesstest.Fuzz(f, fuzzed(f, "qwen", harness.Command{}), corpus(f, "qwen")...)
}

func FuzzCopilot(f *testing.F) {
	harnesstest.Fuzz(f, fuzzed(f, "copilot", harness.Command{}), corpus(f, "copilot")...)
}

func FuzzText(f *testing.F) {
	harnesstest.Fuzz(f, fuzzed(f, "mine", harness.Command{Argv: []string{"c"}}), corpus(f, "codex")...)
}

func FuzzJSON(f *testing.F) {
	harnesstest.Fuzz(f, fuzzed(f, "mine", harness.Command{Argv: []string{"c"}, Output: "json", Path: "result"}), corpus(f, "claude")...)
}

func FuzzJSONL(f *testing.F) {
	harnesstest.Fuzz(f, fuzzed(f, "mine", harness.Command{Argv: []string{"c"}, Output: "jsonl", Path: "item.text"}), corpus(f, "codex")...)
}
