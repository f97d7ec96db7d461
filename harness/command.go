package harness

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"
)

// Command is one `[harness.NAME]` of config.toml. For a name that is built in only Argv, Env, TTL and TTY may be set: the
// first word of Argv is the program, further words are put before loopd's own. For any other name it describes a CLI.
type Command struct {
	Name string
	// Argv starts it with every permission. {model} stands for the model (an argument with it is left out where none is
	// chosen, and an option before it too), {prompt_file} for the path of the prompt with Prompt "file".
	Argv []string
	// ReadonlyArgv starts it so that it cannot change anything. Without it the harness cannot be checker, judge or second
	// vendor.
	ReadonlyArgv []string
	Prompt       string // "stdin" (also "") or "file"
	Output       string // "text" (also ""): stdout is the final text; "json": one document; "jsonl": one a line
	Path         string // gjson path of the final text in json and jsonl; the last line that has it counts
	Env          map[string]string
	TTL          time.Duration // of the vendor's prompt cache; 0 is DefaultCacheTTL
	TTY          string        // "" or "stderr"
	// Writes are its own files and folders: see Invocation.Own.
	Writes []string
}

// textMax is how much of a text output, in bytes from its end, is the final text.
const textMax = 1 << 20

// command is any other CLI, by a template.
type command struct {
	Command
	rules rules
}

func (c command) Name() string                { return c.Command.Name }
func (command) Vendor() string                { return "" }
func (command) Keys() []string                { return nil }
func (command) Credentials() []CredentialRule { return nil }
func (command) Caps() Caps                    { return Caps{} }
func (c command) CacheTTL() time.Duration     { return tuned{cacheTTL: c.TTL}.ttl(DefaultCacheTTL) }

// defects returns what is wrong with the template, naming the key.
func (c Command) defects() error {
	var all []error
	bad := func(key, format string, args ...any) {
		all = append(all, fmt.Errorf("[harness.%s] %s: %s", c.Name, key, fmt.Sprintf(format, args...)))
	}
	if len(c.Argv) == 0 || c.Argv[0] == "" {
		bad("argv", "is missing: name the program and its arguments, e.g. argv = [\"mycli\", \"--json\"]")
	}
	if !slices.Contains([]string{"", "stdin", "file"}, c.Prompt) {
		bad("prompt", "is %q, want \"stdin\" or \"file\"", c.Prompt)
	}
	switch c.Output {
	case "", "text":
		if c.Path != "" {
			bad("path", "is only for output = \"json\" or \"jsonl\"")
		}
	case "json", "jsonl":
		if c.Path == "" {
			bad("path", "is missing: where in the %s is the final text? e.g. path = \"result\"", c.Output)
		}
	default:
		bad("output", "is %q, want \"text\", \"json\" or \"jsonl\"", c.Output)
	}
	if c.TTY != "" && c.TTY != "stderr" {
		bad("tty", "is %q, want \"stderr\"", c.TTY)
	}
	for key, argv := range map[string][]string{"argv": c.Argv, "readonly_argv": c.ReadonlyArgv} {
		if len(argv) == 0 {
			continue
		}
		if mentions(argv, "{prompt}") {
			bad(key, "the prompt never goes into argv: use prompt = \"stdin\", or prompt = \"file\" with {prompt_file}")
		}
		switch file := mentions(argv, "{prompt_file}"); {
		case file && c.Prompt != "file":
			bad(key, "{prompt_file} needs prompt = \"file\"")
		case !file && c.Prompt == "file":
			bad(key, "prompt = \"file\" needs {prompt_file} in it")
		}
	}
	slices.SortFunc(all, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return errors.Join(all...)
}

func (c command) Invoke(r Request) (Invocation, error) {
	argv, key := c.Argv, "argv"
	if r.ReadOnly {
		if argv, key = c.ReadonlyArgv, "readonly_argv"; len(argv) == 0 {
			return Invocation{}, fmt.Errorf("start %[1]s read-only: set readonly_argv under [harness.%[1]s] in config.toml: the arguments with which it cannot write files or run commands", c.Command.Name)
		}
	}
	inv := Invocation{StopSignal: "TERM", TTYStderr: c.TTY == "stderr", Set: maps.Clone(c.Env), Own: c.Writes}
	path := ""
	if c.Prompt == "file" {
		if r.ScratchDir == "" {
			return Invocation{}, fmt.Errorf("start %s: there is no scratch folder for its prompt file", c.Command.Name)
		}
		path = filepath.Join(r.ScratchDir, "prompt.md")
		inv.Files = map[string][]byte{path: []byte(r.Prompt)}
	} else {
		inv.Stdin = []byte(r.Prompt)
	}
	if r.Model != "" && !mentions(argv, "{model}") {
		return Invocation{}, fmt.Errorf("start %[1]s with model %[2]q: put {model} into %[3]s under [harness.%[1]s] in config.toml", c.Command.Name, r.Model, key)
	}
	values := strings.NewReplacer("{model}", r.Model, "{prompt_file}", path)
	for _, arg := range argv {
		if r.Model == "" && strings.Contains(arg, "{model}") {
			if n := len(inv.Argv); arg == "{model}" && n > 1 && strings.HasPrefix(inv.Argv[n-1], "-") {
				inv.Argv = inv.Argv[:n-1]
			}
			continue
		}
		inv.Argv = append(inv.Argv, values.Replace(arg))
	}
	return inv, nil
}

func mentions(argv []string, placeholder string) bool {
	return slices.ContainsFunc(argv, func(arg string) bool { return strings.Contains(arg, placeholder) })
}

func (c command) Fold() Fold {
	return &commandFold{rules: c.rules, name: c.Command.Name, output: c.Output, path: c.Path}
}

type commandFold struct {
	rules              rules
	name, output, path string

	kept  []byte // text: the tail; json: the document; jsonl: the text found last
	found bool
	over  bool // the json document is too long
	any   bool // it printed something
}

func (f *commandFold) Line(line []byte) Event {
	if len(line) == 0 && f.output == "jsonl" {
		return Event{}
	}
	f.any = f.any || len(bytes.TrimSpace(line)) > 0
	ev := Event{Live: len(line) > 0}
	switch f.output {
	case "jsonl":
		if v := field(line, f.path); v.Exists() && gjson.ValidBytes(line) {
			f.kept, f.found = append(f.kept[:0], v.String()...), true
		}
	case "json":
		if len(f.kept)+len(line) > MaxLine {
			f.kept, f.over = nil, true
		}
		if !f.over {
			f.kept = append(append(f.kept, line...), '\n')
		}
	default:
		ev.line, ev.describe = line, func(line []byte) string { return note("", string(line)) }
		f.kept = appendTail(appendTail(f.kept, line, textMax), []byte{'\n'}, textMax)
	}
	return ev
}

func (f *commandFold) Reply(exit Exit) Reply {
	var r Reply
	text := ""
	switch f.output {
	case "json":
		if !f.over && gjson.ValidBytes(f.kept) {
			text = gjson.GetBytes(f.kept, f.path).String()
		}
	case "jsonl":
		if f.found {
			text = string(f.kept)
		}
	default:
		if len(f.kept) > textMax {
			f.kept = f.kept[len(f.kept)-textMax:]
		}
		text = strings.ToValidUTF8(strings.TrimRight(string(f.kept), "\r\n"), "�")
	}
	r.Text, r.HasText = text, strings.TrimSpace(text) != ""
	r.Status = exit.words()
	v, said := f.judge(exit, r.HasText)
	r.Stop, r.Rule = v.stop, v.rule
	switch v.stop {
	case Complete:
		r.Flags = exit.flags()
	case Stalled, Interrupted:
		r.HasText = false // what there was of it when loopd ended it; nothing marks its end
	case Limited:
		r.Limit = &Limit{Kind: v.kind}
		r.Limit.Reset, r.Limit.Known = ParseReset(string(exit.Stderr), exit.End)
	}
	r.Cause = cause(f.name, "log it in", v, said)
	return r
}

// judge has the exit code only: a CLI without an envelope says no more. Its text is the agent's and is not searched; its
// stderr only for the user's own wordings.
func (f *commandFold) judge(exit Exit, hasText bool) (verdict, string) {
	if by, words, ok := byLoopd(exit); ok {
		return by, words
	}
	if exit.Code == 126 || exit.Code == 127 || (!f.any && (exit.Code != 0 || exit.Signal != "")) {
		return f.rules.failedStart(exit)
	}
	if exit.Code != 0 || exit.Signal != "" {
		if v, ok := judgeBy(string(exit.Stderr), f.rules); ok {
			return v, or(firstError(exit.Stderr), exit.words())
		}
		return is(Crashed, ""), or(firstError(exit.Stderr), exit.words())
	}
	if hasText {
		return is(Complete, ""), ""
	}
	if f.output == "json" || f.output == "jsonl" {
		return is(None, ""), fmt.Sprintf("exit 0, and its output has nothing at path %q", f.path)
	}
	return is(None, ""), "exit 0 and no output"
}
