package main

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"unicode"

	"mvdan.cc/sh/v3/syntax"

	"loopd/journal"
)

// gap is one thing that a draft leaves to a person.
type gap struct {
	section string // heading or key before it
	ask     string
	command bool // the answer is a command
	channel bool // the answer is a way to reach a person
	line    bool // the answer is a whole line
}

// gapMark finds a mark: a command in back-ticks, or all to the end of the line.
var gapMark = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(regexp.QuoteMeta(journal.OnlyYou) + ": (`[^`\n]*`|[^\n]*)")
})

// gaps lists what a draft leaves to a person, in its order. The same question is asked once.
func gaps(text string) []gap {
	var out []gap
	seen := map[string]bool{}
	section := ""
	for line := range strings.Lines(text) {
		trimmed := strings.TrimSpace(line)
		if head, ok := strings.CutPrefix(trimmed, "## "); ok {
			section = head
		}
		m := gapMark().FindStringSubmatchIndex(line)
		if m == nil {
			continue
		}
		g := gap{section: section, ask: line[m[2]:m[3]], line: strings.TrimSpace(line[:m[0]]) == ""}
		if key, _, ok := strings.Cut(strings.TrimLeft(trimmed, "-*0123456789. []"), ":"); ok && !strings.Contains(key, journal.OnlyYou) && len(key) < 40 {
			g.section = strings.TrimSpace(section + " · " + key)
			g.section = strings.TrimPrefix(g.section, "· ")
		}
		if ask := strings.Trim(g.ask, "`"); ask != g.ask {
			g.ask, g.command = ask, true
		}
		g.channel = strings.HasPrefix(section, "Escalation")
		if !seen[g.ask] {
			seen[g.ask] = true
			out = append(out, g)
		}
	}
	return out
}

// fill puts an answer in place of every mark that asks the same.
func (g gap) fill(text, answer string) string {
	mark := journal.OnlyYou + ": " + g.ask
	if g.command {
		mark, answer = journal.OnlyYou+": `"+g.ask+"`", "`"+answer+"`"
	}
	return strings.ReplaceAll(text, mark, answer)
}

// take says what is wrong with an answer, and gives it as it is written into the draft.
func (g gap) take(answer string) (string, error) {
	answer = strings.TrimSpace(answer)
	switch {
	case strings.ContainsFunc(answer, func(r rune) bool {
		return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || r == unicode.ReplacementChar
	}):
		return "", errors.New("it holds characters that cannot stand in one line of text")
	case strings.Contains(answer, journal.OnlyYou):
		return "", errors.New(journal.OnlyYou + " marks what is still open")
	case g.command:
		answer = strings.TrimSpace(strings.Trim(answer, "`"))
		if strings.Contains(answer, "`") {
			return "", errors.New("a command cannot hold a back-tick here: write $(…), or put it into a script")
		}
		if _, err := syntax.NewParser(syntax.Variant(syntax.LangPOSIX)).Parse(strings.NewReader(answer), ""); err != nil {
			return "", fmt.Errorf("sh would not understand it: %w", err)
		}
	case g.channel:
		if _, ok := journal.ParseChannel(answer); !ok {
			ticked := "`" + strings.Trim(answer, "`") + "`"
			if _, ok := journal.ParseChannel(ticked); !ok || strings.Contains(strings.Trim(answer, "`"), "`") {
				return "", errors.New("a command, a notification URL, file:PATH, or the name of a channel of config.toml")
			}
			answer = ticked
		}
	case g.line && (strings.HasPrefix(answer, "#") || strings.HasPrefix(answer, ">") || strings.HasPrefix(answer, "```") || strings.HasPrefix(answer, "<!--")):
		return "", errors.New("a line that begins so would be a heading, a quote or code: begin with a word")
	}
	return answer, nil
}

// interview asks on the terminal what only a person can say. An empty answer leaves the mark; the end of input writes
// nothing.
func (c *initCmd) interview(a *app, d draft) (text, backlog []byte, err error) {
	t := a.terminal()
	if t == nil {
		return nil, nil, usagef("loopd init "+c.Name+" without --interview writes the draft and marks what you have to fill in", "--interview asks on a terminal, and this is none")
	}
	whole, units := string(d.text), string(d.backlog)
	fmt.Fprintln(a.Print.err, "An empty answer leaves a question open. Ctrl-C ends it and writes nothing.")
	all := gaps(whole)
	for _, g := range gaps(units) {
		g.section = "backlog"
		all = append(all, g)
	}
	for i, g := range all {
		for {
			fmt.Fprintf(a.Print.err, "%d/%d %s: %s\n> ", i+1, len(all), g.section, g.ask)
			line, ok := t.line(context.Background())
			if !ok {
				return nil, nil, &exitError{Code: codeHeld, What: "the interview ended before its last question; nothing was written", Next: "loopd init " + c.Name + " --interview"}
			}
			answer, err := g.take(line)
			if err != nil {
				fmt.Fprintln(a.Print.err, "  "+err.Error())
				continue
			}
			if answer != "" {
				whole, units = g.fill(whole, answer), g.fill(units, answer)
			}
			break
		}
	}
	if len(d.backlog) == 0 {
		return []byte(whole), nil, nil
	}
	return []byte(whole), []byte(units), nil
}
