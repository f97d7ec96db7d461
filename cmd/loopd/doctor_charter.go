package main

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"

	"loopd/journal"
)

// unitMax is how long a unit may be, in characters, before it looks like several.
const unitMax = 240

// wide are words of units that no iteration ends.
var wide = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(everything|all (of )?(the )?(files|tests|modules|bugs|packages|code)|entire|whole|overhaul|rewrite the (app|application|project|system))\b`)
})

// unitsLookSized (D5): a backlog has open units, and none looks like a project. Looks are not proof, so those are
// warnings.
func unitsLookSized(p *patient) ([]journal.Finding, error) {
	file := p.Show(filepath.Join(p.Loop.Dir, "backlog.md"))
	open := 0
	var out []journal.Finding
	for _, item := range p.Loop.Backlog {
		if item.Done {
			continue
		}
		open++
		if strings.Contains(item.Text, journal.OnlyYou) {
			out = append(out, journal.Finding{File: file, Line: item.Line, Field: "backlog", Read: item.Text, Want: "your own words", Fix: "only a person can say this: fill it in"})
			continue
		}
		why := ""
		switch {
		case len([]rune(item.Text)) > unitMax:
			why = fmt.Sprintf("it has over %d characters", unitMax)
		case wide().MatchString(item.Text):
			why = fmt.Sprintf("%q has no end that one iteration reaches", wide().FindString(item.Text))
		case strings.Count(item.Text, " and ")+strings.Count(item.Text, ";") > 2:
			why = "it names several things"
		}
		if why != "" {
			out = append(out, journal.Finding{File: file, Line: item.Line, Field: "backlog", Read: item.Text, Want: "a unit of one iteration", Fix: why + ": split it", Warning: true})
		}
	}
	if p.Loop.Charter.Archetype == journal.BacklogDrain && open == 0 {
		f := journal.Finding{File: file, Field: "backlog", Want: "at least one open unit", Fix: "add lines like: - [ ] unit", Warning: len(p.Loop.Backlog) > 0}
		out = append(out, f)
	}
	return out, nil
}

// forbids marks a line of a rule file that an agent must not break.
var forbids = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(never|do not|don't|must not|mustn't|forbidden|not allowed|no (push|publish|deploy|force|network|new dependenc)\w*)\b`)
})

// word is what two wordings of a rule are compared by.
var word = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`[\p{L}\p{N}_./-]{4,}`)
})

// guardrailsInherited (D6): each prohibition of CLAUDE.md and AGENTS.md stands in Guardrails too, or the file is named
// there. An agent in a fresh context may not read those files; the charter it always gets.
func guardrailsInherited(p *patient) ([]journal.Finding, error) {
	rails := strings.ToLower(p.Loop.Charter.Guardrails)
	var out []journal.Finding
	for _, house := range p.House {
		if strings.Contains(rails, strings.ToLower(filepath.Base(house.File))) {
			continue
		}
		for _, line := range prohibitions(house.Text) {
			if !covers(rails, line.text) {
				out = append(out, journal.Finding{File: house.File, Line: line.n, Field: "Guardrails", Read: line.text, Want: "this rule in the charter's Guardrails",
					Fix: "copy it, or write there: - Everything in " + filepath.Base(house.File) + " holds."})
			}
		}
	}
	return out, nil
}

type numbered struct {
	n    int
	text string
}

// prohibitions are the lines of a rule file that forbid something, code left out.
func prohibitions(text string) []numbered {
	var out []numbered
	n, fence := 0, false
	for l := range strings.Lines(text) {
		n++
		l = strings.TrimSpace(l)
		if strings.HasPrefix(l, "```") || strings.HasPrefix(l, "~~~") {
			fence = !fence
			continue
		}
		if !fence && !strings.HasPrefix(l, "#") && forbids().MatchString(l) {
			out = append(out, numbered{n, strings.TrimLeft(l, "-*+ ")})
		}
	}
	return out
}

// covers says whether a text has most of the words of a rule.
func covers(text, rule string) bool {
	words := word().FindAllString(strings.ToLower(rule), -1)
	has := 0
	for _, w := range words {
		if strings.Contains(text, w) {
			has++
		}
	}
	return 3*has >= 2*len(words)
}

// escalationReaches (D7): there is a channel, and nothing about it stands in the way of the first message. Nothing is
// sent.
func escalationReaches(p *patient) ([]journal.Finding, error) {
	if c := p.Loop.Charter; c.Unmanaged || c.Protocol != nil {
		return nil, nil // these conventions name no channel: the exit code and the terminal reach who runs them
	}
	const section = "Escalation"
	channels := p.Loop.Charter.Escalation.Channels
	if len(channels) == 0 {
		if p.defective(section, 0) {
			return nil, nil
		}
		return []journal.Finding{p.at(0, section, "", "a channel to a human", "name a command in back-ticks, file:PATH, a notification URL, or a [channel.NAME] of config.toml")}, nil
	}
	var out []journal.Finding
	for _, c := range channels {
		f, err := p.channelFinding(section, c)
		if err != nil {
			return nil, err
		}
		out = append(out, deref(f)...)
	}
	return out, nil
}

func (p *patient) channelFinding(section string, c journal.Channel) (*journal.Finding, error) {
	bad := func(read, want, fix string) *journal.Finding {
		f := p.at(0, section, read, want, fix)
		return &f
	}
	switch {
	case c.Name != "":
		named, ok := p.Config.Channels[c.Name]
		if !ok {
			return bad(c.Name, "a channel of config.toml", "add [channel."+c.Name+"]"), nil
		}
		return p.channelFinding(section, named.To)
	case c.URL != "":
		if u, err := url.Parse(c.URL); err != nil || u.Scheme == "" || u.Host == "" && u.Opaque == "" {
			return bad(hideURL(c.URL), "a notification URL", "write e.g. ntfy://host/topic"), nil
		}
	case c.File != "":
		return p.fileChannel(c.File, bad)
	case c.Command != "":
		if fault := shellFault(c.Command); fault != "" {
			return bad(c.Command, "a command line that sh understands", fault), nil
		}
		if program := firstProgram(c.Command); program != "" {
			got, err := p.Shell("command -v " + shellQuote(program))
			if err != nil {
				return nil, err
			}
			if got.Exit != 0 {
				return bad(c.Command, "a command that runs here", program+": no such command"), nil
			}
		}
	}
	return nil, nil
}

// fileChannel: the folder is there, and a message does not dirty the tree, or the next gate would call it debris.
func (p *patient) fileChannel(path string, bad func(read, want, fix string) *journal.Finding) (*journal.Finding, error) {
	full := path
	if !filepath.IsAbs(full) {
		full = filepath.Join(p.Loop.Root, full)
	}
	if info, err := os.Stat(filepath.Dir(full)); err != nil || !info.IsDir() {
		return bad(path, "a file in a folder that exists", "make "+filepath.Dir(full)), nil
	}
	rel, err := filepath.Rel(p.Loop.Root, full)
	if err != nil || strings.HasPrefix(rel, "..") {
		return nil, nil
	}
	got, err := p.Shell("git check-ignore -q -- " + shellQuote(full))
	if err != nil {
		return nil, err
	}
	if got.Exit == 1 {
		return bad(path, "a file that git ignores, or one outside the repository", "add it to .gitignore: a message would be debris at the next gate"), nil
	}
	return nil, nil
}

// firstProgram is the program that a command line begins with, "" where that cannot be told without running it.
func firstProgram(line string) string {
	file, err := syntax.NewParser(syntax.Variant(syntax.LangPOSIX)).Parse(strings.NewReader(line), "")
	if err != nil || len(file.Stmts) == 0 {
		return ""
	}
	cmd := file.Stmts[0].Cmd
	for {
		pipe, ok := cmd.(*syntax.BinaryCmd)
		if !ok {
			break
		}
		cmd = pipe.X.Cmd
	}
	call, ok := cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) == 0 {
		return ""
	}
	return call.Args[0].Lit()
}

func shellQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
