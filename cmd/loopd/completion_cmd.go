package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"loopd/journal"
	"loopd/journal/driver"
)

// shells are the completion scripts: each hands the words before the cursor to `loopd complete` and shows what it prints, so
// that all that is known about the grammar stays in the grammar.
var shells = map[string]string{
	"bash": `_loopd() {
  local IFS=$'\n' words=("${COMP_WORDS[@]:1:COMP_CWORD}")
  COMPREPLY=($(loopd complete -- "${words[@]}" 2>/dev/null))
  [ "${#COMPREPLY[@]}" -gt 0 ] || compopt -o default
}
complete -F _loopd loopd
`,
	"zsh": `#compdef loopd
_loopd() {
  local -a found
  found=("${(@f)$(loopd complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "${found[*]}" ]]; then compadd -- "${found[@]}"; else _files; fi
}
if [ "$funcstack[1]" = "_loopd" ]; then _loopd "$@"; else compdef _loopd loopd; fi
`,
	"fish": `complete -c loopd -f -a '(loopd complete -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'
`,
}

// Run prints the script of a shell.
func (c *completionCmd) Run(a *app) error {
	text, ok := shells[c.Shell]
	if !ok {
		return usagef("loopd completion bash", "no completion for %s%s; there is: bash, fish, zsh", quoted(c.Shell), suggest(c.Shell, []string{"bash", "zsh", "fish"}))
	}
	return a.Print.Result("%s", trimEnd(text))
}

// Run prints what may stand in the place of the last word, one a line. It is for shells: nothing is ever an error.
func (c *completeCmd) Run(a *app) error {
	words := c.Words
	if len(words) > 0 && words[0] == "--" {
		words = words[1:]
	}
	for _, w := range a.complete(words) {
		if err := a.Print.Result("%s", w); err != nil {
			return err
		}
	}
	return nil
}

// complete gives what may stand in the place of the last word.
func (a *app) complete(words []string) []string {
	if len(words) == 0 {
		words = []string{""}
	}
	last := words[len(words)-1]
	node := a.parsed.Model.Node
	before := ""  // the flag whose value comes next
	argument := 0 // which positional comes next
	for _, w := range words[:len(words)-1] {
		switch child := childNamed(node, w); {
		case w == "--":
			return nil // a skill's own flags
		case before != "":
			before = ""
		case strings.HasPrefix(w, "-"):
			if f := flagNamed(node, w); f != nil && !f.IsBool() && !strings.Contains(w, "=") {
				before = f.Name
			}
		case child != nil:
			node, argument = child, 0
		default:
			argument++
		}
	}
	var all []string
	switch {
	case before != "":
		all = a.values(node, before)
	case strings.HasPrefix(last, "-"):
		for _, group := range node.AllFlags(true) {
			for _, f := range group {
				all = append(all, "--"+f.Name)
			}
		}
	case len(node.Children) > 0:
		for _, child := range node.Children {
			if !child.Hidden {
				all = append(all, child.Name)
			}
		}
	case argument < len(node.Positional):
		all = a.values(node, node.Positional[argument].Name)
	}
	all = slices.DeleteFunc(all, func(s string) bool { return !strings.HasPrefix(s, last) })
	slices.Sort(all)
	return slices.Compact(all)
}

func childNamed(node *kong.Node, name string) *kong.Node {
	for _, c := range node.Children {
		if c.Name == name {
			return c
		}
	}
	return nil
}

func flagNamed(node *kong.Node, word string) *kong.Flag {
	name, _, _ := strings.Cut(strings.TrimLeft(word, "-"), "=")
	for _, group := range node.AllFlags(false) {
		for _, f := range group {
			if f.Name == name || len(name) == 1 && string(f.Short) == name {
				return f
			}
		}
	}
	return nil
}

// values are what may stand for a flag or a positional argument of a name.
func (a *app) values(node *kong.Node, name string) []string {
	switch name {
	case "name":
		var out []string
		refs, err := a.loops()
		if err != nil {
			return nil
		}
		for _, r := range refs {
			out = append(out, r.Name)
		}
		for _, s := range driver.Skills(a.Root, lookup(a.Env, "HOME")) {
			out = append(out, s.Name)
		}
		return out
	case "harness", "checker", "escalate", "judge", "fallback":
		return a.harnessNames()
	case "archetype":
		var out []string
		for _, k := range journal.Archetypes() {
			out = append(out, string(k))
		}
		return out
	case "dialect":
		return []string{"native", "markdown", "tracking", "driver", "contract"}
	case "sandbox":
		return []string{"landlock", "bwrap", "none"}
	case "for":
		if node.Name != "export" { // of run it is a duration
			return nil
		}
		var out []string
		for _, s := range schedulers {
			out = append(out, s.name)
		}
		return out
	case "shell":
		return []string{"bash", "fish", "zsh"}
	case "gitignore":
		return []string{"add", "leave"}
	case "action":
		return []string{"list", "show", "apply", "drop"}
	case "log-level":
		return []string{"debug", "info", "warn", "error"}
	case "log-format":
		return []string{"text", "json"}
	}
	return nil
}

// harnessNames are those of the config and the built-in ones; a config with a fault has none of its own.
func (a *app) harnessNames() []string {
	conf, _, err := a.readConfig()
	if err != nil {
		return nil
	}
	set, _ := conf.harnesses()
	var out []string
	for _, h := range set.All() {
		out = append(out, h.Name())
	}
	return out
}

// Run prints the manual page, in the form that man reads.
func (c *manCmd) Run(a *app) error {
	return a.Print.Result("%s", trimEnd(manual(a.parsed.Model, version())))
}

// manual renders the grammar as one page.
func manual(m *kong.Application, version string) string {
	var b strings.Builder
	esc := func(s string) string {
		s = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(s)
		var lines []string
		for l := range strings.SplitSeq(s, "\n") {
			if strings.HasPrefix(l, ".") || strings.HasPrefix(l, "'") {
				l = `\&` + l
			}
			lines = append(lines, l)
		}
		return strings.Join(lines, "\n")
	}
	flags := func(node *kong.Node) {
		for _, group := range node.AllFlags(true) {
			for _, f := range group {
				name := "--" + f.Name
				if f.Short != 0 {
					name = "-" + string(f.Short) + ", " + name
				}
				if !f.IsBool() {
					name += "=" + f.FormatPlaceHolder()
				}
				fmt.Fprintf(&b, ".TP\n\\fB%s\\fR\n%s\n", esc(name), esc(f.Help))
			}
		}
	}
	fmt.Fprintf(&b, ".TH LOOPD 1 \"\" \"loopd %s\" \"User Commands\"\n.SH NAME\nloopd \\- runs agent CLIs through repeated jobs\n.SH SYNOPSIS\n.B loopd\n\\fIcommand\\fR [\\fIflags\\fR]\n.SH DESCRIPTION\n", esc(version))
	for _, p := range strings.Split(description, "\n\n") {
		b.WriteString(".PP\n" + esc(p) + "\n")
	}
	b.WriteString(".SH COMMANDS\n")
	for _, child := range m.Leaves(true) {
		fmt.Fprintf(&b, ".SS \"%s\"\n%s\n", esc(strings.TrimPrefix(child.FullPath(), m.Name+" ")+" "+strings.TrimPrefix(strings.TrimPrefix(child.Summary(), child.Path()), " ")), esc(child.Help))
		own := *child
		own.Parent = nil
		flags(&own)
		if example := examples[child.Path()]; example != "" {
			fmt.Fprintf(&b, ".PP\nExample: \\fB%s\\fR\n", esc(example))
		}
	}
	b.WriteString(".SH GLOBAL FLAGS\n")
	flags(m.Node)
	b.WriteString(".SH EXIT STATUS\n")
	for _, e := range exitCodes {
		fmt.Fprintf(&b, ".TP\n\\fB%s\\fR\n%s\n", esc(fmt.Sprint(e.Code)), esc(e.Meaning))
	}
	b.WriteString(".SH FILES\n.TP\n\\fI.loop/<name>/\\fR\nA loop: LOOP.md (yours), state.json, journal.md, signs.md, backlog.md (loopd's).\n.TP\n\\fI.loop/config.toml\\fR, \\fI$XDG_CONFIG_HOME/loopd/config.toml\\fR\nHarnesses, channels, defaults.\n.TP\n\\fI.git/loopd/\\fR, \\fIrefs/loopd/\\fR\nTranscripts, leases, parked changes.\n")
	return b.String()
}
