package driver

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"loopd/journal"
	"loopd/journal/native"
)

// Driver is the dialect of skills. Home is the person's home folder, where skills are looked for too; "" for nowhere.
type Driver struct{ Home string }

var _ journal.Dialect = Driver{}

// Name is "driver".
func (Driver) Name() string { return "driver" }

// Find lists the skills as loops; their memory is .loop/<skill> below root.
func (d Driver) Find(root string) ([]journal.Ref, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return nil, fmt.Errorf("find skills: %w", err)
	}
	var out []journal.Ref
	for _, s := range Skills(root, d.Home) {
		if !s.Hidden {
			out = append(out, journal.Ref{Name: s.Name, Dialect: d.Name(), Root: root, Dir: filepath.Join(root, ".loop", s.Name), File: s.File})
		}
	}
	return out, nil
}

// Load reads the skill and the loop's memory.
func (d Driver) Load(ref journal.Ref) (journal.Loop, error) {
	l := journal.Loop{Name: ref.Name, Dialect: d.Name(), Root: ref.Root, Dir: ref.Dir}
	src, err := os.ReadFile(ref.File)
	if err != nil {
		return l, fmt.Errorf("read skill %s: %w", ref.Name, err)
	}
	l.Charter = journal.Charter{
		File: ref.File, Source: src, Goal: description(ref.File), Unit: "one run of /" + ref.Name, Unmanaged: true, TakesFlags: true,
		Escalation: journal.Escalation{Stalled: 3}, Budget: journal.Budget{Cadence: journal.Cadence{Kind: journal.Auto, Text: "auto"}},
		Promotion: journal.Promotion{Mode: journal.ProposeOnly},
	}
	_, body := frontMatter(src)
	switch {
	case len(src) > skillMax:
		l.Findings = append(l.Findings, journal.Finding{File: ref.File, Line: 1, Field: skillFile, Read: fmt.Sprintf("%d bytes", len(src)), Want: fmt.Sprintf("at most %d", skillMax)})
	case !utf8.Valid(src) || strings.ContainsRune(string(src), 0):
		l.Findings = append(l.Findings, journal.Finding{File: ref.File, Line: 1, Field: skillFile, Read: "bytes that are no text", Want: "Markdown in UTF-8", Fix: "save the file as UTF-8"})
	case strings.TrimSpace(string(body)) == "":
		l.Findings = append(l.Findings, journal.Finding{File: ref.File, Line: 1, Field: skillFile, Read: "nothing", Want: "what one iteration does"})
	}
	if err := native.Memory(&l); err != nil {
		return l, err
	}
	if !l.HasState {
		l.State.Status = journal.Active // nothing has to be confirmed: the skill is the person's own
	}
	return l, nil
}

// Brief is the skill's invocation. Claude Code knows skills by their name; any other CLI gets the text.
func (Driver) Brief(l journal.Loop, b journal.Brief) string {
	call := invocation(l.Name, b.Flags)
	var out strings.Builder
	if b.Harness == "claude" {
		out.WriteString(call + "\n")
	} else {
		_, body := frontMatter(l.Charter.Source)
		fmt.Fprintf(&out, "You were called with `%s`. What to do stands below: do one iteration of it and nothing else.\n\n%s\n\n", call, strings.TrimSpace(string(body)))
		fmt.Fprintf(&out, "End your last message with exactly one line, with one of these words and a detail of your own:\nLOOP-OUTCOME: <%s> — <one-line detail>\n", strings.Join(words(), " | "))
	}
	if b.Answer != "" {
		fmt.Fprintf(&out, "\nThe operator's answer to the question of the last iteration: %s\n", b.Answer)
	}
	if l.Steer != "" {
		fmt.Fprintf(&out, "\nThe operator adds for this iteration:\n%s\n", strings.TrimSpace(l.Steer))
	}
	return out.String()
}

func words() []string {
	var out []string
	for _, s := range journal.ReportStatuses() {
		out = append(out, string(s))
	}
	return out
}

// Parse reads the outcome line.
func (Driver) Parse(_ journal.Loop, text, brief string) journal.Report {
	return journal.ParseReport(text, brief, "")
}

// Record renders what is left in the loop's memory.
func (Driver) Record(l journal.Loop, r journal.Record) ([]journal.Write, error) {
	return native.Native{}.Record(l, r)
}
