package supervisor

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"loopd/harness"
	"loopd/journal"
	"loopd/supervisor/proc"
)

// sandboxed is the sandbox of a run and what is the loop's own in it.
type sandboxed struct {
	kind proc.Kind
	keep []string
}

// sandbox gives what an exec may write: the working tree and git's folder (a read-only exec neither), temporary folders and
// caches, and the CLI's own files. The loop's files and git's hooks and settings stay read-only where the kind can do that.
func (r *run) sandbox(inv harness.Invocation, readOnly bool) proc.Sandbox {
	if r.sandboxed.kind == proc.NoSandbox {
		return proc.Sandbox{}
	}
	own := expand(inv.Own, r.s.Env)
	for i, p := range own {
		if own[i] = filepath.Clean(p); strings.HasSuffix(p, "/") {
			_ = os.MkdirAll(own[i], 0o700) // where it cannot be made the CLI says so
		}
	}
	s := proc.Sandbox{Kind: r.sandboxed.kind, Write: append(commonWrites(r.s.Env), own...)}
	if readOnly {
		s.Keep = []string{r.work} // a tree that lies in a temporary folder
		return s
	}
	s.Write, s.Keep = append(s.Write, r.work), slices.Clone(r.sandboxed.keep)
	if r.tree != nil {
		s.Write = append(s.Write, r.tree.Root(), r.tree.GitDir(), r.tree.CommonDir())
		s.Keep = append(s.Keep, filepath.Join(r.tree.CommonDir(), "hooks"), filepath.Join(r.tree.CommonDir(), "config"), filepath.Join(r.tree.CommonDir(), "loopd"))
	}
	return s
}

// commonWrites are the folders that any program may expect to write to.
func commonWrites(env []string) []string {
	return append([]string{"/tmp", "/var/tmp", "/dev/shm", os.TempDir()}, expand([]string{"$TMPDIR", "$XDG_CACHE_HOME", "~/.cache", "$XDG_RUNTIME_DIR"}, env)...)
}

// expand replaces "~" and $NAME by the environment's; a path with a name that is not set is left out.
func expand(paths, env []string) []string {
	get := func(name string) string {
		for _, kv := range slices.Backward(env) {
			if v, ok := strings.CutPrefix(kv, name+"="); ok {
				return v
			}
		}
		return ""
	}
	var out []string
	for _, p := range paths {
		if rest, ok := strings.CutPrefix(p, "~"); ok {
			p = "$HOME" + rest
		}
		missing := false
		p = os.Expand(p, func(name string) string {
			v := get(name)
			missing = missing || v == ""
			return v
		})
		if !missing && filepath.IsAbs(p) {
			out = append(out, p)
		}
	}
	return out
}

// chooseSandbox finds the sandbox that the run or the charter asks for; one that is not to be had here ends the run before
// anything is written.
func (r *run) chooseSandbox(l journal.Loop) error {
	name := orElse(r.s.Options.Sandbox, l.Charter.Harness.Sandbox)
	if strings.EqualFold(name, "none") {
		name = ""
	}
	r.sandboxed = sandboxed{kind: proc.Kind(name), keep: append([]string{filepath.Dir(l.Dir), l.Charter.File}, l.Charter.Guarded...)}
	if name == "" {
		return nil
	}
	if !slices.Contains(proc.Kinds(), r.sandboxed.kind) {
		return &UsageError{Err: fmt.Errorf("there is no sandbox %q: it is landlock, bwrap or none", name), Fix: "--sandbox landlock"}
	}
	for _, f := range proc.Facilities(r.s.Env) {
		if f.Kind != r.sandboxed.kind {
			continue
		}
		if f.Missing != "" {
			return &UsageError{Err: fmt.Errorf("the sandbox %s is not to be had here: %s", f.Kind, f.Missing), Fix: "loopd selftest says what this machine has; --sandbox none runs without one"}
		}
		r.sandboxFact = sandboxSays(f, r.s.Options.Worktree)
	}
	return nil
}

// sandboxSays tells what a sandbox does here, and what not.
func sandboxSays(f proc.Facility, worktree bool) string {
	s := fmt.Sprintf("sandbox %s (%s): the agent writes to the working tree, temporary folders, caches and its own files alone; it reads everything and uses the network", f.Kind, f.Fact)
	switch {
	case f.Kind == proc.Bubblewrap:
		return s + "; the loop's files and git's hooks are read-only to it"
	case worktree:
		return s + "; the loop's files lie outside"
	}
	return s + "; the loop's files lie in the tree: what it changes there is put back afterwards (--worktree or bwrap keep them out of its reach)"
}
