package worktree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// ErrNotRepo says that a folder is not inside the working tree of a git repository.
var ErrNotRepo = errors.New("not inside a git working tree")

// Options of Open.
type Options struct {
	// Exclude are more folders or files, relative to the top level, that no iteration owns: a contract's own paths. What
	// lies under .loop, .codevoyant and a loop's folder in loops/ is left out always (decisions 9 and 38).
	Exclude []string
	// Protected are globs of more protected branches, beside the usual ones (see IsProtected).
	Protected []string
}

// Leave adds paths, relative to the top level, that no iteration owns.
func (t *Tree) Leave(paths []string) { t.o.Exclude = append(t.o.Exclude, paths...) }

// Tree is one working tree of a repository. Its methods are not for use by two goroutines at once: the lease of the
// working tree sees to that.
type Tree struct {
	run       Runner
	o         Options
	root      string // top level
	gitDir    string // of this working tree
	commonDir string // of the repository
	hooks     string // folder of the person's hooks
	prefix    string // of the folder that Open was given, under root; "" for root
	format    string // sha1 or sha256

	asked bool   // identity was asked for and is there
	signs *bool  // the person signs commits; nil before it was asked
	seen  *scan  // of the last Debris; only spares repeated notes
	work  string // private index of the last Fingerprint

	// Of the last look, so that looking again after the checks costs less.
	looked   *agentLook
	compared *comparison
}

// Open finds the working tree that holds dir. It returns ErrNotRepo where there is none.
func Open(ctx context.Context, dir string, run Runner, o Options) (*Tree, error) {
	args := []string{"rev-parse", "--path-format=absolute", "--show-toplevel", "--git-dir", "--git-common-dir", "--git-path", "hooks", "--show-object-format", "--show-prefix"}
	out, err := run.Git(ctx, Command{Args: args, Dir: dir})
	if err != nil {
		return nil, fmt.Errorf("open working tree %s: %w", dir, &GitError{Args: args, Exit: -1, Err: err})
	}
	if out.Exit != 0 {
		e := failed(args, out)
		if strings.Contains(e.Stderr, "not a git repository") || strings.Contains(e.Stderr, "must be run in a work tree") {
			return nil, fmt.Errorf("open working tree %s: %w", dir, ErrNotRepo)
		}
		return nil, fmt.Errorf("open working tree %s: %w", dir, e)
	}
	lines := strings.Split(strings.TrimSuffix(string(out.Stdout), "\n"), "\n")
	if len(lines) != 6 {
		return nil, fmt.Errorf("open working tree %s: git rev-parse gave %d lines, want 6 (a line break in a folder's name?)", dir, len(lines))
	}
	t := &Tree{run: run, o: o, root: lines[0], gitDir: lines[1], commonDir: lines[2], hooks: lines[3], format: lines[4], prefix: strings.TrimSuffix(lines[5], "/")}
	return t, nil
}

// Root is the top level of the working tree, absolute.
func (t *Tree) Root() string { return t.root }

// GitDir is the git directory of this working tree, absolute: .git, or .git/worktrees/X of a linked one.
func (t *Tree) GitDir() string { return t.gitDir }

// CommonDir is the git directory that all working trees of the repository share, absolute.
func (t *Tree) CommonDir() string { return t.commonDir }

// abs gives the place of a repository path on the disk.
func (t *Tree) abs(path string) string { return filepath.Join(t.root, filepath.FromSlash(path)) }

// private gives a file of loopd under the git directory of this working tree.
func (t *Tree) private(name string) string { return filepath.Join(t.gitDir, "loopd", "index", name) }

func (t *Tree) makePrivate() error {
	if err := os.MkdirAll(filepath.Dir(t.private("x")), 0o755); err != nil {
		return fmt.Errorf("make folder of the private index: %w", err)
	}
	return nil
}

func (t *Tree) realIndex() string { return filepath.Join(t.gitDir, "index") }

// emptyTree is the tree without entries: the base of an unborn branch. git knows it without an object.
func (t *Tree) emptyTree() string {
	if t.format == "sha256" {
		return "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321"
	}
	return "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
}

// none is the object name that stands for "no such ref".
func (t *Tree) none() string {
	if t.format == "sha256" {
		return strings.Repeat("0", 64)
	}
	return strings.Repeat("0", 40)
}
