package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/sourcegraph/conc"

	"loopd/harness"
	"loopd/supervisor/proc"
)

// versionLimit is how long an agent CLI may take to say its version; the slowest seen takes 4 s.
const versionLimit = 10 * time.Second

// presence is what can be seen of an agent CLI without starting work with it.
type presence struct {
	Harness    harness.Harness
	Invocation harness.Invocation
	Missing    string // why it cannot be started, "" where it can
	Program    string // absolute path
	Version    string // "" where it does not say
	Environ    []string
	Credential harness.Credential
}

// Run lists the harnesses.
func (c *harnessListCmd) Run(a *app) error {
	set, err := a.harnesses()
	if err != nil {
		return err
	}
	all := make([]presence, len(set.All()))
	ctx, stop := interruptible()
	defer stop()
	host := proc.NewHost()
	defer host.Close()
	var wg conc.WaitGroup
	for i, h := range set.All() {
		wg.Go(func() { all[i] = a.look(ctx, host, h, set.All(), harness.Request{}) })
	}
	wg.Wait()
	if ctx.Err() != nil {
		return orInterrupted(ctx, ctx.Err())
	}
	rows := [][]string{{"HARNESS", "VERSION", "PROGRAM", "CREDENTIAL"}}
	for _, p := range all {
		if p.Missing != "" {
			rows = append(rows, []string{p.Harness.Name(), "-", p.Missing, "-"})
			continue
		}
		rows = append(rows, []string{p.Harness.Name(), orDash(p.Version), p.Program, credential(p.Credential)})
	}
	if err := a.Print.Table(rows); err != nil {
		return err
	}
	for _, p := range all {
		if p.Missing == "" && p.Credential.Warning != "" {
			a.Print.Warn(p.Credential.Warning)
		}
	}
	a.noteRoot()
	return nil
}

// asTyped is an argv as one would type it in a shell.
func asTyped(argv []string) string {
	words := make([]string, len(argv))
	for i, w := range argv {
		if words[i] = w; w == "" || strings.Trim(w, plainLetters) != "" {
			words[i] = shellQuote(w)
		}
	}
	return strings.Join(words, " ")
}

// plainLetters need no quotes in a shell.
const plainLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+:,./@%"

// scratchWord stands for the folder that a run makes for an exec's files.
const scratchWord = "SCRATCH"

// harnesses makes the set from the configuration.
func (a *app) harnesses() (harness.Set, error) {
	c, err := a.loadConfig()
	if err != nil {
		return harness.Set{}, err
	}
	return c.harnesses()
}

// look finds a harness's program, version and credential. It starts nothing but `--version`, and that only of the CLIs
// that loopd knows: what an unknown program does with the word nobody can say.
func (a *app) look(ctx context.Context, host *proc.Host, h harness.Harness, all []harness.Harness, r harness.Request) presence {
	p := presence{Harness: h}
	var err error
	if p.Invocation, err = h.Invoke(harness.Request{Model: r.Model, ReadOnly: r.ReadOnly, Dir: a.Root, ScratchDir: scratchWord}); err != nil {
		p.Missing = err.Error()
		return p
	}
	p.Environ = harness.Environ(a.Env, h, all, p.Invocation, nil)
	p.Credential = harness.WhichCredential(h, p.Environ, func(path string) bool { _, err := os.Stat(path); return err == nil })
	if p.Program, err = proc.Find(p.Invocation.Argv[0], a.Root, a.Env); err != nil {
		p.Missing = err.Error()
		return p
	}
	if h.Vendor() != "" {
		p.Version = askVersion(ctx, host, p, a.Root)
	}
	return p
}

var versionNumber = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\d+\.\d+[\w.+-]*`)
})

// askVersion asks a CLI for its version, "" where it does not answer in time or in good order.
func askVersion(ctx context.Context, host *proc.Host, p presence, dir string) string {
	out := &head{max: 4 << 10}
	res, err := host.Run(ctx, proc.Spec{
		Argv: []string{p.Program, "--version"}, Dir: dir, Env: p.Environ, Stdout: out, Stderr: out, Wall: versionLimit, Grace: time.Second, Marker: "LOOPD_RUN=version",
	})
	if err != nil || res.Exit != 0 {
		return ""
	}
	return strings.TrimRight(versionNumber().FindString(string(out.kept)), ".")
}

// head keeps the first bytes written to it.
type head struct {
	max  int
	kept []byte
}

func (h *head) Write(p []byte) (int, error) {
	h.kept = append(h.kept, p[:min(len(p), h.max-len(h.kept))]...)
	return len(p), nil
}

// taken lists the variables that an agent does not get.
func taken(mine, its []string) []string {
	has := map[string]bool{}
	for _, kv := range its {
		name, _, _ := strings.Cut(kv, "=")
		has[name] = true
	}
	var out []string
	for _, kv := range mine {
		if name, _, ok := strings.Cut(kv, "="); ok && name != "" && !has[name] {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func promptWay(inv harness.Invocation) string {
	if inv.Stdin == nil && len(inv.Files) > 0 {
		return "in a file: " + strings.Join(slices.Sorted(maps.Keys(inv.Files)), " ")
	}
	return "on stdin, then closed"
}

func credential(c harness.Credential) string {
	if c.Kind == harness.Unknown && c.Source == "" {
		return "none seen"
	}
	return fmt.Sprintf("%s (%s)", c.Kind, c.Source)
}

// noteRoot says what being root means for agents that get every permission.
func (a *app) noteRoot() {
	if os.Geteuid() == 0 && lookup(a.Env, "IS_SANDBOX") == "" {
		a.Print.Warn("you are root: an agent with every permission may change anything here, and Claude Code refuses to start like that unless IS_SANDBOX=1 declares a sandbox")
	}
}
