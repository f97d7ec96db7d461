package harness

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// builtin is the one list of CLIs that loopd knows by itself, in the order of preference where nothing names one
// (decision 12). Each is made with what config.toml says about it.
var builtin = []func(tuned) Harness{
	func(t tuned) Harness { return claude{t} },
	func(t tuned) Harness { return codex{t} },
	func(t tuned) Harness { return gemini{t} },
	func(t tuned) Harness { return opencode{t} },
	func(t tuned) Harness { return pi{t} },
	func(t tuned) Harness { return qwen{t} },
	func(t tuned) Harness { return copilot{t} },
}

// ErrUnknown is the error for a name that is neither built in nor in config.toml.
var ErrUnknown = errors.New("unknown harness")

// Set is every harness that a configuration knows: the built-in ones in their order, then the others by name.
type Set struct{ all []Harness }

// Named makes the set from the `[harness.NAME]` tables of config.toml, repository over user, and its wordings, which are
// tried before loopd's own. The error joins every defect of every table and names the key of each; wordings are checked
// by Wording.Defects.
func Named(config map[string]Command, said ...Wording) (Set, error) {
	var set Set
	var defects []error
	left := maps.Clone(config)
	for _, make := range builtin {
		name := make(tuned{}).Name()
		c, ok := left[name]
		delete(left, name)
		c.Name = name
		if err := c.tuneDefects(); ok && err != nil {
			defects = append(defects, err)
			continue
		}
		set.all = append(set.all, make(tuned{program: c.Argv, env: c.Env, cacheTTL: c.TTL, tty: c.TTY == "stderr", writes: c.Writes, rules: of(name, said)}))
	}
	for _, name := range slices.Sorted(maps.Keys(left)) {
		c := left[name]
		c.Name = name
		if err := c.defects(); err != nil {
			defects = append(defects, err)
			continue
		}
		set.all = append(set.all, command{c, of(name, said)})
	}
	return set, errors.Join(defects...)
}

// of are the wordings that hold for a CLI.
func of(name string, said []Wording) rules {
	var out rules
	for _, w := range said {
		if w.Harness == "" || w.Harness == name {
			out = append(out, w)
		}
	}
	return out
}

// All returns every harness of the set.
func (s Set) All() []Harness { return slices.Clone(s.all) }

// Lookup finds a harness by name. The error is ErrUnknown, names what is known and suggests a near name.
func (s Set) Lookup(name string) (Harness, error) {
	var names []string
	for _, h := range s.all {
		if h.Name() == name {
			return h, nil
		}
		names = append(names, h.Name())
	}
	hint := ""
	if near := nearest(name, names); near != "" {
		hint = fmt.Sprintf(": did you mean %q?", near)
	}
	return nil, fmt.Errorf("%w %q%s (known: %s; others are described under [harness.NAME] in config.toml)", ErrUnknown, name, hint, strings.Join(names, ", "))
}

// tuned is what config.toml says about a built-in harness.
type tuned struct {
	program  []string
	env      map[string]string
	cacheTTL time.Duration
	tty      bool
	writes   []string
	rules    rules
}

func (t tuned) ttl(def time.Duration) time.Duration {
	if t.cacheTTL > 0 {
		return t.cacheTTL
	}
	return def
}

// tune puts the configured program in place of the first word, and the configured environment over the adapter's.
func (t tuned) tune(inv Invocation) Invocation {
	if len(t.program) > 0 {
		inv.Argv = append(slices.Clone(t.program), inv.Argv[1:]...)
	}
	if len(t.env) > 0 {
		set := maps.Clone(inv.Set)
		if set == nil {
			set = map[string]string{}
		}
		maps.Copy(set, t.env)
		inv.Set = set
	}
	inv.TTYStderr, inv.Own = t.tty, append(inv.Own, t.writes...)
	return inv
}

func (c Command) tuneDefects() error {
	var all []error
	for _, field := range []struct {
		key string
		set bool
	}{
		{"readonly_argv", len(c.ReadonlyArgv) > 0}, {"prompt", c.Prompt != ""}, {"output", c.Output != ""}, {"path", c.Path != ""},
	} {
		if field.set {
			all = append(all, fmt.Errorf("[harness.%[1]s] %[2]s: %[1]s is built in, only argv, env, cache_ttl and tty may be set; describe another CLI under a name of its own", c.Name, field.key))
		}
	}
	if len(c.Argv) > 0 && strings.TrimSpace(c.Argv[0]) == "" {
		all = append(all, fmt.Errorf("[harness.%s] argv: its first word is empty, want the program", c.Name))
	}
	if c.TTY != "" && c.TTY != "stderr" {
		all = append(all, fmt.Errorf("[harness.%s] tty: is %q, want \"stderr\"", c.Name, c.TTY))
	}
	return errors.Join(all...)
}

// nearest is the name that a person may have meant, "" where none is near.
func nearest(name string, names []string) string {
	best, at := "", max(1, len(name)/3)+1
	for _, n := range names {
		if d := distance(strings.ToLower(name), strings.ToLower(n)); d < at {
			best, at = n, d
		}
	}
	return best
}

// distance counts the letters to add, drop, change or swap with their neighbour.
func distance(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			change := rows[i-1][j-1]
			if a[i-1] != b[j-1] {
				change++
			}
			rows[i][j] = min(change, rows[i-1][j]+1, rows[i][j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}
