// Package harnesstest is the suite that every harness passes. It holds checks of what the Harness interface promises, on
// real outputs of the CLI; what each output means in detail is tested beside the adapter.
package harnesstest

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"loopd/harness"
)

// Sample is one whole output of the CLI that ends in a good answer.
type Sample struct {
	Name   string
	Stdout []byte
	Text   string // the final message in it
}

// Traits say where a harness may differ.
type Traits struct {
	// AnyText: whatever is printed is the answer. Such a CLI marks neither its answer nor the end of it, so garbage cannot
	// be told from an answer and a bad exit spoils it.
	AnyText bool
	// OneDocument: the answer is one JSON document, not one on a line, so other output around it spoils it.
	OneDocument bool
	// ExitDecides: there is no terminal event, so a bad exit spoils an answer. Its text is kept.
	ExitDecides bool
}

var end = time.Date(2026, 11, 30, 4, 43, 14, 0, time.UTC)

// Run checks a harness against the promises of the interface. Each sample MUST be a good answer.
func Run(t *testing.T, h harness.Harness, traits Traits, samples ...Sample) {
	if len(samples) == 0 {
		t.Fatal("no samples")
	}
	t.Run("invocation", func(t *testing.T) { invocation(t, h) })
	t.Run("identity", func(t *testing.T) { identity(t, h) })
	for _, s := range samples {
		t.Run(s.Name, func(t *testing.T) {
			good(t, h, s)
			exits(t, h, traits, s)
			framing(t, h, s)
			if !traits.AnyText && !traits.OneDocument {
				surrounded(t, h, s)
			}
			if !traits.AnyText {
				garbage(t, h, s)
			}
		})
	}
}

func fold(t *testing.T, h harness.Harness, stdout []byte, exit harness.Exit) harness.Reply {
	t.Helper()
	exit.End = end
	reply, err := harness.Read(h, bytes.NewReader(stdout), exit)
	if err != nil {
		t.Fatal(err)
	}
	if reply.Stop == "" {
		t.Error("no stop reason")
	}
	if (reply.Stop == harness.Complete) != (reply.Cause == "") {
		t.Errorf("stop %q with cause %q", reply.Stop, reply.Cause)
	}
	if strings.ContainsAny(reply.Cause, "\n\r") || strings.Contains(reply.Cause, "%!") {
		t.Errorf("cause is not one sentence: %q", reply.Cause)
	}
	if reply.Stop == harness.Complete && (!reply.HasText || strings.TrimSpace(reply.Text) == "") {
		t.Error("complete without a final message")
	}
	if (reply.Stop == harness.Limited) != (reply.Limit != nil) {
		t.Errorf("stop %q with limit %+v", reply.Stop, reply.Limit)
	}
	return reply
}

// invocation: pure, the prompt on stdin or in a file and never in argv, and something to start.
func invocation(t *testing.T, h harness.Harness) {
	const prompt = "- [ ] a PROMPT-MARK that begins like a flag\nand has two lines"
	for _, ro := range []bool{false, true} {
		req := harness.Request{Prompt: prompt, ReadOnly: ro, Dir: "/work/tree", MaxTurns: 9, MaxCost: 0.5, ScratchDir: "/scratch"}
		inv, err := h.Invoke(req)
		if err != nil {
			t.Errorf("read-only %v: %v", ro, err)
			continue
		}
		again, err := h.Invoke(req)
		if d := cmp.Diff(inv, again); d != "" || err != nil {
			t.Errorf("the same request, another invocation: %s %v", d, err)
		}
		if len(inv.Argv) == 0 || inv.Argv[0] == "" {
			t.Error("nothing to start")
		}
		if strings.Contains(strings.Join(inv.Argv, "\x00"), "PROMPT-MARK") {
			t.Error("the prompt is in argv")
		}
		given := bytes.Equal(inv.Stdin, []byte(prompt))
		for path, data := range inv.Files {
			given = given || bytes.Equal(data, []byte(prompt))
			if !strings.HasPrefix(path, "/scratch/") {
				t.Errorf("file %s is outside the scratch folder", path)
			}
		}
		if !given {
			t.Error("the prompt is given nowhere, byte for byte")
		}
		if inv.StopSignal != "TERM" && inv.StopSignal != "INT" {
			t.Errorf("stop signal %q", inv.StopSignal)
		}
		inv.Argv[0] = "changed"
		for name := range inv.Set {
			inv.Set[name] = "changed"
		}
		if third, _ := h.Invoke(req); cmp.Diff(again, third) != "" {
			t.Error("an invocation shares memory with the harness")
		}
	}
}

func identity(t *testing.T, h harness.Harness) {
	if h.Name() == "" || strings.ContainsAny(h.Name(), " \t\n/") {
		t.Errorf("name %q", h.Name())
	}
	if h.CacheTTL() <= 0 {
		t.Errorf("cache TTL %s", h.CacheTTL())
	}
	if h.Vendor() != "" && len(h.Keys()) == 0 {
		t.Error("a vendor without keys")
	}
}

func good(t *testing.T, h harness.Harness, s Sample) {
	got := fold(t, h, s.Stdout, harness.Exit{})
	if got.Stop != harness.Complete || got.Text != s.Text || len(got.Flags) != 0 {
		t.Fatalf("the sample itself: stop %q, text %q, flags %q, cause %s", got.Stop, got.Text, got.Flags, got.Cause)
	}
	// Two folds do not know each other.
	a, b := h.Fold(), h.Fold()
	lines := harness.NewLines(func(line []byte) { a.Line(line) })
	lines.Write(s.Stdout)
	lines.Close()
	if other := b.Reply(harness.Exit{End: end}); other.Stop == harness.Complete {
		t.Error("a fold that saw nothing has the other's answer")
	}
	if mine := a.Reply(harness.Exit{End: end}); mine.Text != s.Text {
		t.Errorf("text %q after another fold", mine.Text)
	}
	// The bytes of a line are the caller's again: a fold that kept them would now have other text.
	c := h.Fold()
	lines = harness.NewLines(func(line []byte) {
		own := bytes.Clone(line)
		said := c.Line(own).Text()
		before := strings.Clone(said)
		for i := range own {
			own[i] = 'x'
		}
		if said != before {
			t.Errorf("the text of an event is a part of the line: %q became %q", before, said)
		}
		if len(said) > 200 || strings.ContainsAny(said, "\n\r\x1b") {
			t.Errorf("not a short line for a person: %q", said)
		}
	})
	lines.Write(s.Stdout)
	lines.Close()
	if d := cmp.Diff(got, c.Reply(harness.Exit{End: end})); d != "" {
		t.Errorf("the fold keeps the caller's bytes: %s", d)
	}
}

// exits: a bad end beside a good answer is a flag (decision 16).
func exits(t *testing.T, h harness.Harness, traits Traits, s Sample) {
	for _, exit := range []harness.Exit{{Code: 1}, {Code: -1, Signal: "KILL"}, {Code: -1, Signal: "TERM", Stopped: "lingered"}, {Code: -1, Signal: "TERM", Stopped: "wall"}} {
		got := fold(t, h, s.Stdout, exit)
		if got.Text != s.Text {
			t.Errorf("%+v: text %q", exit, got.Text)
		}
		switch {
		case traits.ExitDecides || traits.AnyText:
			if got.Stop == harness.Complete {
				t.Errorf("%+v: complete", exit)
			}
		case got.Stop != harness.Complete || len(got.Flags) != 1:
			t.Errorf("%+v: stop %q, flags %q", exit, got.Stop, got.Flags)
		}
	}
	for _, code := range []int{126, 127} {
		if got := fold(t, h, nil, harness.Exit{Code: code}); got.Stop != harness.Misused {
			t.Errorf("exit %d without output: %q", code, got.Stop)
		}
	}
}

// framing: line ends, a byte order mark and a missing last newline change nothing.
func framing(t *testing.T, h harness.Harness, s Sample) {
	for name, stdout := range map[string][]byte{
		"BOM":              append([]byte("\xef\xbb\xbf"), s.Stdout...),
		"CRLF":             bytes.ReplaceAll(s.Stdout, []byte("\n"), []byte("\r\n")),
		"no final newline": bytes.TrimRight(s.Stdout, "\n"),
	} {
		if got := fold(t, h, stdout, harness.Exit{}); got.Stop != harness.Complete || got.Text != s.Text {
			t.Errorf("%s: stop %q, text %q", name, got.Stop, got.Text)
		}
	}
}

// surrounded: noise on lines of its own does not hide the answer.
func surrounded(t *testing.T, h harness.Harness, s Sample) {
	noise := "warning: something\n\x00\xff\xfe\n{\"type\":\n{}\n[]\nnull\n{\"type\":42}\n{\"type\":\"never heard of\"}\n"
	for name, stdout := range map[string]string{
		"before": noise + string(s.Stdout), "after": string(s.Stdout) + noise,
		"between":   strings.ReplaceAll(string(s.Stdout), "\n", "\n"+noise),
		"oversized": strings.Repeat("{", harness.MaxLine+1) + "\n" + string(s.Stdout),
	} {
		if got := fold(t, h, []byte(stdout), harness.Exit{}); got.Stop != harness.Complete || got.Text != s.Text {
			t.Errorf("noise %s: stop %q, text %q", name, got.Stop, got.Text)
		}
	}
}

// garbage: nothing that is not the whole answer is taken for one.
func garbage(t *testing.T, h harness.Harness, s Sample) {
	trimmed := bytes.TrimRight(s.Stdout, "\n")
	last := bytes.LastIndexByte(trimmed, '\n') + 1
	terminal := string(trimmed[last:])
	quoted, _ := json.Marshal(string(s.Stdout)) // a string always encodes
	cases := map[string]string{
		"empty": "", "newlines": "\n\n\n", "prose": s.Text + "\n", "no JSON": "DONE\nall good, exit 0\n",
		"interleaved":      string(trimmed[:last]) + terminal[:len(terminal)/2] + terminal + terminal[len(terminal)/2:] + "\n",
		"glued":            string(trimmed[:last]) + terminal + terminal + "\n",
		"array":            "[" + strings.ReplaceAll(string(trimmed), "\n", ",") + "]\n",
		"nested":           `{"type":"user","message":` + string(quoted) + "}\n",
		"inside an object": `{"type":"user","event":` + terminal + "}\n",
		"oversized answer": string(trimmed[:last]) + terminal[:len(terminal)-1] + strings.Repeat(" ", harness.MaxLine) + "}\n",
		"empty object":     "{}\n", "brackets": strings.Repeat("{\"type\":", 10000) + "\n",
	}
	for name, stdout := range cases {
		if got := fold(t, h, []byte(stdout), harness.Exit{}); got.Stop == harness.Complete {
			t.Errorf("%s is taken for an answer: %q", name, got.Text)
		}
	}
	// Cut off anywhere inside its last line, an output is no answer. Every byte of a long line would take long.
	step := max(1, len(terminal)/200)
	for cut := last; cut < len(trimmed)-1; cut += step {
		if got := fold(t, h, trimmed[:cut], harness.Exit{}); got.Stop == harness.Complete {
			t.Errorf("cut off at byte %d of %d it is taken for an answer: …%s", cut, len(trimmed), tail(trimmed[:cut]))
		}
	}
}

func tail(b []byte) []byte { return b[max(0, len(b)-60):] }

// Fuzz checks that no output makes the fold panic, and that an answer is never made of nothing. Run it from a fuzz target
// of the adapter's package, with the samples as corpus.
func Fuzz(f *testing.F, h harness.Harness, corpus ...[]byte) {
	for _, c := range corpus {
		f.Add(c, 0, "")
		f.Add(c[:len(c)/2], 1, "idle")
	}
	f.Fuzz(func(t *testing.T, stdout []byte, code int, stopped string) {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		fold := h.Fold()
		lines := harness.NewLines(func(line []byte) { _ = fold.Line(line).Text() })
		lines.Write(stdout)
		lines.Close()
		got := fold.Reply(harness.Exit{Code: code, Stopped: stopped, Stderr: stdout, End: end})
		if ctx.Err() != nil {
			t.Error("took more than 10 s")
		}
		if got.Stop == harness.Complete && (!got.HasText || strings.TrimSpace(got.Text) == "") {
			t.Errorf("complete without text: %+v", got)
		}
		if got.Stop == "" || (got.Stop == harness.Limited) != (got.Limit != nil) || (got.Stop == harness.Complete) != (got.Cause == "") {
			t.Errorf("%+v", got)
		}
	})
}
