package proc

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// Kind names a way to bound what a process tree may write.
type Kind string

// The kinds of sandboxes.
const (
	NoSandbox Kind = ""
	// Landlock is the kernel's: no program is needed, and a tree cannot leave it. What lies below a folder that may be
	// written cannot be taken out again.
	Landlock Kind = "landlock"
	// Bubblewrap is the program bwrap: mounts of its own, in which single folders below a writable one stay read-only.
	Bubblewrap Kind = "bwrap"
)

// Kinds lists the sandboxes.
func Kinds() []Kind { return []Kind{Landlock, Bubblewrap} }

// Sandbox bounds what a tree may write; everything may be read. The zero value bounds nothing.
type Sandbox struct {
	Kind Kind
	// Write are absolute paths of files and folders that may be written. One that is not there is left out.
	Write []string
	// Keep are paths below those of Write that stay read-only, where the kind can do that (Bubblewrap).
	Keep []string
}

// Facility is what a sandbox can do on this machine.
type Facility struct {
	Kind Kind
	// Missing says why it cannot be used here, "" where it can.
	Missing string
	// Fact is its version and what it is good for.
	Fact string
}

// SandboxArg is the first argument by which this program becomes the shim that enters a sandbox (see EnterSandbox).
const SandboxArg = "__sandbox"

// wrap gives the program and the arguments that start path with argv inside the sandbox.
func (s Sandbox) wrap(path string, argv, env []string) (string, []string, error) {
	there := func(paths []string) []string {
		var out []string
		for _, p := range paths {
			if _, err := os.Lstat(p); err == nil && filepath.IsAbs(p) {
				out = append(out, p)
			}
		}
		slices.Sort(out)
		return slices.Compact(out)
	}
	write := there(s.Write)
	switch s.Kind {
	case NoSandbox:
		return path, argv, nil
	case Landlock:
		self, err := selfPath()
		if err != nil {
			return "", nil, fmt.Errorf("enter sandbox: %w", err)
		}
		out := append([]string{os.Args[0], SandboxArg}, write...)
		return self, append(append(out, "--", path), argv...), nil
	case Bubblewrap:
		bwrap, err := lookUp(string(Bubblewrap), env)
		if err != nil {
			return "", nil, fmt.Errorf("enter sandbox: %w", err)
		}
		// No namespace of pids: loopd sees and ends the tree as it is.
		out := []string{string(Bubblewrap), "--ro-bind", "/", "/", "--dev-bind", "/dev", "/dev"}
		for _, p := range write {
			out = append(out, "--bind", p, p)
		}
		for _, k := range there(s.Keep) {
			out = append(out, "--ro-bind", k, k)
			for _, p := range write { // a working tree of its own lies below what is kept
				if rel, err := filepath.Rel(k, p); err == nil && rel != "." && filepath.IsLocal(rel) {
					out = append(out, "--bind", p, p)
				}
			}
		}
		out = append(out, "--die-with-parent", "--", path)
		return bwrap, append(out, argv[1:]...), nil
	}
	return "", nil, fmt.Errorf("enter sandbox: there is no %q", s.Kind)
}
