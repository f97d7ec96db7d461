package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"loopd/harness"
	"loopd/journal"
	"loopd/journal/disk"
	"loopd/journal/markdown"
	"loopd/supervisor"
	"loopd/supervisor/proc"
)

// draftMost bounds a draft, in bytes.
const draftMost = 64 << 10

// draftWall is how long the agent may take for one draft.
const draftWall = 15 * time.Minute

// persons are the parts of a charter that are a person's to say: how much it may cost, who is told, what it may do. They are
// never taken from an agent. Sections by their heading, fields by their key.
var persons = []string{
	"Escalation", "Budget", "Promotion", "Guardrails", // native
	"Run Policy", "Ask Human When", // markdown
	"Owner", "Max iterations", "Time limit", "Review budget", "Permission boundary", "Recovery", "Artifacts path", "State path", // contract
	"name", // a skill's
}

// drafted lets an agent draft the charter from the goal in words: one read-only exec in the repository, and one more with the
// findings where the draft does not pass. What still does not pass stays beside, for the person to read.
func (c *initCmd) drafted(a *app, d draft) ([]byte, error) {
	if c.Harness == "" {
		return nil, usagef("loopd harness list", "--from needs the agent that drafts: --harness H")
	}
	conf, err := a.loadConfig()
	if err != nil {
		return nil, err
	}
	known, err := conf.harnesses()
	if err != nil {
		return nil, &exitError{Code: codeUsage, What: err.Error(), Next: "loopd config"}
	}
	h, err := known.Lookup(c.Harness)
	if err != nil {
		return nil, &exitError{Code: codeUsage, What: err.Error(), Next: "loopd harness list"}
	}
	host := a.Host
	if host == nil {
		host = proc.NewHost()
		defer host.Close()
	}
	ctx, stop := a.interrupted(host)
	defer stop()
	prompt := draftPrompt(c.From, string(d.text), "")
	var text []byte
	var left []journal.Finding
	for try := 1; try <= 2; try++ {
		a.Print.Notice(fmt.Sprintf("%s drafts %s, read-only", c.Harness, a.show(d.ref.File)))
		if text, err = ask(ctx, a, h, known.All(), host, prompt); err != nil {
			return nil, err
		}
		text = withPersons(text, d.text)
		if left, err = a.faults(d, text); err != nil {
			return nil, err
		}
		if len(left) == 0 {
			return text, nil
		}
		var b strings.Builder
		for _, f := range left {
			b.WriteString("- " + f.String() + "\n")
		}
		prompt = draftPrompt(c.From, string(d.text), "\nYour last draft was:\n\n```markdown\n"+string(text)+"\n```\n\nIt did not pass, because of:\n"+b.String())
	}
	beside := filepath.Join(a.Root, loopFolder, "."+c.Name+".draft.md")
	if err := os.MkdirAll(filepath.Dir(beside), 0o755); err != nil {
		return nil, &exitError{Code: codeFault, What: "cannot keep the draft", Why: err, Next: repair(err)}
	}
	if err := (disk.Disk{}).Replace("draft", beside, text); err != nil {
		return nil, &exitError{Code: codeFault, What: "cannot keep the draft", Why: err, Next: repair(err)}
	}
	for _, f := range left {
		a.Print.Warn(a.hide(f.String()))
	}
	return nil, &exitError{Code: codeHeld, What: "the draft does not pass after two tries; no charter was written", Where: a.show(beside), Next: "mend it by hand and put it to " + a.show(d.ref.File) + ", or loopd init " + c.Name + " without --from"}
}

// ask runs the agent read-only in the repository and gives the draft in its final message.
func ask(ctx context.Context, a *app, h harness.Harness, known []harness.Harness, host *proc.Host, prompt string) ([]byte, error) {
	got, err := supervisor.Try(ctx, supervisor.Trial{Harness: h, Known: known, Host: host, Env: a.Env, Prompt: prompt, ReadOnly: true, Dir: a.Root, Wall: draftWall, Idle: draftWall / 3})
	if err != nil {
		return nil, orInterrupted(ctx, exitOf(err))
	}
	switch {
	case got.NotStarted != "":
		return nil, &exitError{Code: codeUnavailable, What: got.NotStarted, Next: "loopd harness test " + h.Name()}
	case !got.Reply.HasText || got.Reply.Stop != harness.Complete:
		return nil, &exitError{Code: codeUnavailable, What: fmt.Sprintf("%s gave no draft (%s)", h.Name(), firstOf(got.Reply.Cause, string(got.Reply.Stop))), Next: "loopd harness test " + h.Name()}
	}
	text := lastFence(got.Reply.Text)
	if text == "" || len(text) > draftMost || !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
		return nil, &exitError{Code: codeHeld, What: fmt.Sprintf("%s answered without one charter in a code fence", h.Name()), Next: "try again, or loopd init without --from"}
	}
	return []byte(strings.TrimSpace(text) + "\n"), nil
}

func firstOf(texts ...string) string {
	i := slices.IndexFunc(texts, func(s string) bool { return s != "" })
	if i < 0 {
		return ""
	}
	return texts[i]
}

// draftPrompt asks for a charter in the shape of the draft.
func draftPrompt(goal, shape, more string) string {
	return `You draft the charter of a supervised loop for this repository. You may read everything here and change nothing.

What the person wants, in their words:
` + goal + `

The charter must have exactly the sections and keys of the shape below. Replace each ` + journal.OnlyYou + ` by what you found in the
repository: real commands in back-ticks that run here, real paths. Where you cannot know, leave the mark. What stands about
budget, escalation, promotion, permissions and bounds is the person's: leave it as it is.

` + "```markdown\n" + shape + "```\n" + more + `
Answer with the whole charter in one code fence that begins with ` + "```markdown" + ` and nothing after it.
`
}

// lastFence is the text of the last code fence of a message, "" where there is none.
func lastFence(message string) string {
	last, mark := "", ""
	var b strings.Builder
	for line := range strings.Lines(strings.ReplaceAll(message, "\r\n", "\n")) {
		switch {
		case mark == "" && journal.FenceMark(line) != "":
			mark = journal.FenceMark(line)
			b.Reset()
		case mark != "" && journal.ClosesFence(strings.TrimRight(line, "\n"), mark):
			last, mark = b.String(), ""
		case mark != "":
			b.WriteString(line)
		}
	}
	return last
}

// withPersons puts the person's parts of the shape over the agent's.
func withPersons(text, shape []byte) []byte {
	out := string(text)
	for _, name := range persons {
		if mine, ok := part(string(shape), name); ok {
			if theirs, ok := part(out, name); ok {
				out = strings.Replace(out, theirs, mine, 1)
			}
		}
	}
	return []byte(out)
}

// part is a section with its heading, or the line of a key.
func part(text, name string) (string, bool) {
	var b strings.Builder
	in := false
	for line := range strings.Lines(text) {
		trimmed := strings.TrimSpace(line)
		head, isHead := strings.CutPrefix(trimmed, "## ")
		switch {
		case in && isHead:
			return b.String(), true
		case isHead && strings.EqualFold(strings.TrimSpace(head), name):
			in = true
			b.WriteString(line)
		case in:
			b.WriteString(line)
		default:
			if key, _, ok := strings.Cut(strings.TrimLeft(trimmed, "- "), ":"); ok && key == name {
				return line, true
			}
		}
	}
	return b.String(), in
}

// faults finds what is wrong with a draft beside what is left to a person: read in a folder of its own, where the charter
// would lie.
func (a *app) faults(d draft, text []byte) ([]journal.Finding, error) {
	tmp, err := os.MkdirTemp("", "loopd-draft-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(tmp)
	ref := d.ref
	move := func(p string) string {
		rel, err := filepath.Rel(a.Root, p)
		if err != nil {
			return filepath.Join(tmp, filepath.Base(p))
		}
		return filepath.Join(tmp, rel)
	}
	ref.Root, ref.Dir, ref.File = tmp, move(ref.Dir), move(ref.File)
	if err := os.MkdirAll(filepath.Dir(ref.File), 0o755); err != nil {
		return nil, err
	}
	if err := os.WriteFile(ref.File, text, 0o600); err != nil {
		return nil, err
	}
	found, err := a.left(ref)
	if err != nil {
		return nil, err
	}
	lines := strings.Split(string(text), "\n")
	found = slices.DeleteFunc(found, func(f journal.Finding) bool {
		return f.Field == "backlog" || strings.Contains(f.Read, journal.OnlyYou) || f.Line >= 1 && f.Line <= len(lines) && strings.Contains(lines[f.Line-1], journal.OnlyYou) ||
			section(lines, f.Line, func(l string) bool { return strings.Contains(l, journal.OnlyYou) })
	})
	for i := range found {
		found[i].File = filepath.Base(found[i].File)
	}
	if base := filepath.Base(ref.File); base == markdown.DefinitionFile && len(strings.TrimSpace(string(text))) == 0 {
		found = append(found, journal.Finding{File: base, Line: 1, Field: base, Read: "nothing", Want: "a definition"})
	}
	return found, nil
}

// section says whether a line below the heading at n satisfies a condition: what a heading's finding is about.
func section(lines []string, n int, is func(string) bool) bool {
	if n < 1 || n > len(lines) || !strings.HasPrefix(lines[n-1], "## ") {
		return false
	}
	for _, l := range lines[n:] {
		if strings.HasPrefix(l, "## ") {
			return false
		}
		if is(l) {
			return true
		}
	}
	return false
}
