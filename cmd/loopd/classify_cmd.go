package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"loopd/harness"
)

// classifyJSON is the shape of `classify --json`.
type classifyJSON struct {
	Schema  int       `json:"schema"` // of this shape
	Harness string    `json:"harness"`
	Stop    string    `json:"stop"`
	Rule    string    `json:"rule"`
	Status  string    `json:"status,omitempty"`
	Cause   string    `json:"cause,omitempty"`
	Limit   string    `json:"limit,omitempty"`
	Reset   time.Time `json:"reset,omitzero"`
	Turns   int       `json:"turns"`
	Tools   int       `json:"tool_calls"`
	Input   int64     `json:"input_tokens"`
	Output  int64     `json:"output_tokens"`
	Cached  int64     `json:"cached_tokens"`
	Cost    *float64  `json:"cost_usd"` // null where the CLI does not say
	Flags   []string  `json:"flags,omitempty"`
	Denied  []string  `json:"denied,omitempty"`
	HasText bool      `json:"has_text"`
	Text    string    `json:"text"`
}

// Run shows what loopd would make of an output: stop reason, limit and reset time, final text. Nothing is started.
func (c *classifyCmd) Run(a *app) error {
	known, err := a.harnesses()
	if err != nil {
		return err
	}
	h, err := known.Lookup(c.Harness)
	if err != nil {
		return usagef("loopd harness list", "%v", err)
	}
	out, err := a.open(c.File)
	if err != nil {
		return err
	}
	defer out.Close()
	exit := harness.Exit{Code: c.Exit, End: time.Now()}
	if c.Stderr != "" {
		if exit.Stderr, err = os.ReadFile(a.abs(c.Stderr)); err != nil {
			return usagef("", "read stderr: %v", err)
		}
	}
	reply, err := harness.Read(h, out, exit)
	if err != nil {
		return fmt.Errorf("read output: %w", err)
	}
	r := shapeOf(h, reply)
	if c.JSON {
		return a.Print.JSON(r)
	}
	return a.Print.Result("%s", r.table())
}

// shapeOf is a reply in the shape of `classify --json`.
func shapeOf(h harness.Harness, reply harness.Reply) classifyJSON {
	r := classifyJSON{Schema: 1, Harness: h.Name(), Stop: string(reply.Stop), Rule: ruleOf(reply), Status: reply.Status, Cause: reply.Cause, Turns: reply.Turns, Tools: reply.ToolCalls,
		Input: reply.Usage.Input, Output: reply.Usage.Output, Cached: reply.Usage.CacheRead, Flags: reply.Flags, Denied: reply.Denied, HasText: reply.HasText, Text: reply.Text}
	if reply.CostKnown {
		r.Cost = &reply.Cost
	}
	if reply.Limit != nil {
		r.Limit = reply.Limit.Kind
		if reply.Limit.Known {
			r.Reset = reply.Limit.Reset
		}
	}
	return r
}

// ruleOf says what decided on the stop reason.
func ruleOf(r harness.Reply) string {
	switch {
	case r.Rule != "":
		return r.Rule
	case r.Stop == harness.Complete:
		return "a good end with a final message"
	default:
		return "how its output ended, and the exit code"
	}
}

// open opens a file of the command line, or stdin for "-".
func (a *app) open(name string) (io.ReadCloser, error) {
	if name == "-" {
		return io.NopCloser(a.Stdin), nil
	}
	path := a.abs(name)
	if isFolder(path) == nil {
		return nil, usagef("", "%s is a folder, not an output", name)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, usagef("", "read output: %v", err)
	}
	return f, nil
}

func (r classifyJSON) table() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(w, "%s\t%s\n", name, value)
		}
	}
	line("harness", r.Harness)
	line("stop", r.Stop)
	line("rule", r.Rule)
	line("status", r.Status)
	line("cause", r.Cause)
	line("limit", r.Limit)
	if !r.Reset.IsZero() {
		line("reset", r.Reset.Local().Format(time.RFC3339))
	} else if r.Limit != "" {
		line("reset", "unknown: back off 15 min, doubling")
	}
	line("usage", fmt.Sprintf("%s, %s, %d in, %d out, %d cached", many(r.Turns, "turn"), many(r.Tools, "tool call"), r.Input, r.Output, r.Cached))
	if r.Cost != nil {
		line("cost", fmt.Sprintf("$%.4f", *r.Cost))
	} else {
		line("cost", "not reported")
	}
	line("flags", strings.Join(r.Flags, "; "))
	line("denied", strings.Join(r.Denied, "; "))
	if r.HasText {
		line("text", r.Text)
	} else {
		line("text", "(no final message)")
	}
	_ = w.Flush()
	return trimEnd(b.String())
}
