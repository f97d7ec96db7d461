package worktree

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// execRunner is a Runner without a supervisor; it counts what it ran.
type execRunner struct {
	mu   sync.Mutex
	env  []string
	ran  []string
	fail func(c Command) error // injected fault
}

func (r *execRunner) Git(ctx context.Context, c Command) (Output, error) {
	if c.Limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, c.Limit)
		defer cancel()
	}
	words := c.Args
	for len(words) > 1 && (words[0] == "-c" || strings.HasPrefix(words[0], "--no-opt")) {
		if words[0] == "-c" {
			words = words[1:]
		}
		words = words[1:]
	}
	r.mu.Lock()
	r.ran = append(r.ran, words[0])
	fail := r.fail
	r.mu.Unlock()
	if fail != nil {
		if err := fail(c); err != nil {
			return Output{Exit: -1}, err
		}
	}
	cmd := exec.CommandContext(ctx, "git", c.Args...)
	cmd.Dir, cmd.Env = c.Dir, append(Environ(r.env), c.Env...)
	cmd.Stdin = bytes.NewReader(c.Stdin)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	o := Output{Stdout: out.Bytes(), Stderr: errs.Bytes(), Exit: cmd.ProcessState.ExitCode()}
	var exit *exec.ExitError
	if err == nil || errors.As(err, &exit) && o.Exit >= 0 {
		return o, nil
	}
	o.Exit = -1
	return o, err
}

// repo is a repository of a test and its tree under test.
type repo struct {
	*testing.T
	dir string
	run *execRunner
	*Tree
}

func environ(home string) []string {
	return append(slices.DeleteFunc(os.Environ(), func(kv string) bool { return strings.HasPrefix(kv, "GIT_") }),
		"HOME="+home, "XDG_CONFIG_HOME="+home, "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
}

// template is the repository that every test starts from, made once.
var template = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "worktree-template")
	if err != nil {
		return "", err
	}
	cmd := exec.Command("sh", "-ec", `git init -q -b main . && git config user.name tester && git config user.email tester@example.invalid
printf 'one\n' >first.txt; git add -A; git commit -qm zero
printf 'TODO one\nTODO two\nTODO three\n' >work.txt
printf '*.cache\n/out/\n.env\n' >.gitignore
mkdir -p src/deep .loop/k; printf 'package a\n' >src/a.go; printf 'package b\n' >src/deep/b.go
printf '#!/bin/sh\n' >run.sh; chmod +x run.sh; ln -s work.txt link
printf '# Loop: k\n' >.loop/k/LOOP.md
git add -A; git commit -qm start
git branch feature; git tag v1; rm -f .git/hooks/*
printf 'warm\n' >dep.cache; mkdir out; printf 'x\n' >out/x.bin; printf 'KEY=1\n' >.env
printf '{}\n' >.loop/k/state.json; printf 'entry\n' >.loop/k/journal.md`)
	cmd.Dir, cmd.Env = dir, environ(dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("make template: %w\n%s", err, out)
	}
	return dir, nil
})

func TestMain(m *testing.M) {
	code := m.Run()
	if dir, err := template(); err == nil {
		os.RemoveAll(dir)
	}
	os.Exit(code)
}

// newRepo gives a repository on branch main with a history, ignored files, a loop, a subfolder, a link and a script.
func newRepo(t *testing.T) *repo {
	t.Helper()
	from, err := template()
	must(t, err)
	r := copyRepo(t, &repo{dir: from})
	r.sh(`git status -s`) // the copy has other inodes
	return r
}

func copyRepo(t *testing.T, from *repo) *repo {
	t.Helper()
	r := emptyRepo(t)
	if out, err := exec.Command("cp", "-a", from.dir+"/.", r.dir).CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	r.open(r.dir)
	return r
}

func emptyRepo(t *testing.T) *repo {
	t.Helper()
	box, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	r := &repo{T: t, dir: filepath.Join(box, "repo"), run: &execRunner{env: environ(box)}}
	must(t, os.MkdirAll(r.dir, 0o755))
	return r
}

func (r *repo) open(dir string) {
	r.Helper()
	t, err := Open(context.Background(), dir, r.run, Options{})
	must(r.T, err)
	r.Tree = t
}

// sh runs a script in the repository as a person or an agent would.
func (r *repo) sh(script string) string {
	r.Helper()
	out, err := r.try(script)
	if err != nil {
		r.Fatalf("%v\n%s\n%s", err, script, out)
	}
	return out
}

func (r *repo) try(script string) (string, error) {
	cmd := exec.Command("sh", "-ec", script)
	cmd.Dir, cmd.Env = r.dir, append(slices.Clone(r.run.env), "LC_ALL=C", "GIT_EDITOR=:")
	b, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(b)), err
}

func (r *repo) mark() Mark {
	r.Helper()
	m, err := r.Mark(context.Background())
	must(r.T, err)
	return m
}

func (r *repo) print(m Mark) Print {
	r.Helper()
	p, err := r.Fingerprint(context.Background(), m)
	must(r.T, err)
	return p
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// oracle says in its own way what a working tree holds and what git says of it: it shares no code with what it judges.
func (r *repo) oracle() string {
	r.Helper()
	var b strings.Builder
	must(r.T, filepath.WalkDir(r.dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(r.dir, p)
		if rel == ".git" {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		st, err := os.Lstat(p)
		if err != nil {
			return err
		}
		switch {
		case st.IsDir():
		case st.Mode()&fs.ModeSymlink != 0:
			to, _ := os.Readlink(p)
			fmt.Fprintf(&b, "%q -> %q\n", rel, to)
		case st.Mode().IsRegular():
			data, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			sum := sha256.Sum256(data)
			fmt.Fprintf(&b, "%q %v %s\n", rel, st.Mode().Perm(), hex.EncodeToString(sum[:6]))
		default:
			fmt.Fprintf(&b, "%q %v\n", rel, st.Mode())
		}
		return nil
	}))
	b.WriteString(r.gitSays())
	return b.String()
}

// gitSays is HEAD, status, the index, the branches and what is under way.
func (r *repo) gitSays() string {
	r.Helper()
	said := r.sh(`git rev-parse HEAD 2>/dev/null || echo unborn; git symbolic-ref -q HEAD || echo detached
git status --porcelain=v2 --ignored 2>&1 || :; git ls-files -s -v 2>&1 || :; git for-each-ref refs/heads --format='%(refname) %(objectname)'`)
	for _, f := range []string{"MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply", "BISECT_LOG", "index.lock", "HEAD.lock"} {
		if _, err := os.Lstat(filepath.Join(r.gitDir, f)); err == nil {
			said += "\nleft: " + f
		}
	}
	return said
}
