package worktree

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestIsProtected(t *testing.T) {
	for _, tc := range []struct {
		branch string
		globs  []string
		want   bool
	}{
		{"main", nil, true}, {"refs/heads/master", nil, true}, {"trunk", nil, true}, {"release/1.0", nil, true}, {"release/1/x", nil, true}, {"release", nil, false},
		{"maintenance", nil, false}, {"loop/main", nil, false}, {"", nil, false}, {"prod", []string{"prod"}, true}, {"prod-1", []string{"prod-*"}, true}, {"stable/a/b", []string{"stable/*"}, true}, {"x", []string{"["}, false},
	} {
		if got := IsProtected(tc.branch, tc.globs); got != tc.want {
			t.Errorf("%q %q: %v", tc.branch, tc.globs, got)
		}
	}
}

func TestEnter(t *testing.T) {
	for name, tc := range map[string]struct {
		before    string
		protected []string
		branch    string // short
		stays     bool
		said      string
		err       error
		check     string
	}{
		"new":                  {branch: "loop/k", check: `test "$(git rev-parse main)" = "$(git rev-parse HEAD)"`},
		"on another":           {before: `git checkout -q feature`, branch: "feature", stays: true},
		"on one by config":     {before: `git checkout -q feature`, protected: []string{"feat*"}, branch: "loop/k"},
		"the remote's default": {before: `git checkout -q feature; git update-ref refs/remotes/origin/feature HEAD; git symbolic-ref refs/remotes/origin/HEAD refs/remotes/origin/feature`, branch: "loop/k"},
		"detached":             {before: `git checkout -q --detach`, branch: "loop/k", said: "detached"},
		"already there":        {before: `git checkout -q -b loop/k`, branch: "loop/k", stays: true},
		"same":                 {before: `git branch loop/k`, branch: "loop/k"},
		"ahead":                {before: `git checkout -q -b loop/k; echo a >>work.txt; git commit -qam a; git checkout -q main`, branch: "loop/k", check: `grep -qx a work.txt; test "$(git rev-list --count main..HEAD)" = 1`},
		"behind":               {before: `git branch loop/k; echo a >>work.txt; git commit -qam a`, branch: "loop/k", check: `test "$(git rev-parse main)" = "$(git rev-parse HEAD)"; grep -qx a work.txt`},
		"diverged":             {before: `git checkout -q -b loop/k; echo a >>work.txt; git commit -qam a; git checkout -q main; echo b >>run.sh; git commit -qam b`, branch: "loop/k-2", said: "loop/k has diverged", check: `! grep -qx a work.txt`},
		"diverged twice":       {before: `git checkout -q -b loop/k; echo a >>work.txt; git commit -qam a; git branch loop/k-2; git checkout -q main; echo b >>run.sh; git commit -qam b`, branch: "loop/k-3"},
		"checked out":          {before: `git worktree add -q -b loop/k ../other`, err: ErrCheckedOut, branch: "main", stays: true},
		"with an owned edit":   {before: `git checkout -q -b loop/k; echo a >>work.txt; git commit -qam a; git checkout -q main; echo p >>.loop/k/LOOP.md`, branch: "loop/k", check: `grep -qx p .loop/k/LOOP.md`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t)
			r.sh(tc.before)
			e, err := r.Enter(bg, "k", tc.protected)
			if !errors.Is(err, tc.err) {
				t.Fatalf("error %v", err)
			}
			if got := r.sh(`git symbolic-ref --short HEAD`); got != tc.branch {
				t.Errorf("on %s, want %s", got, tc.branch)
			}
			if err != nil {
				return
			}
			if e.Branch != "refs/heads/"+tc.branch || e.Switched == tc.stays || !strings.Contains(e.Said, tc.said) {
				t.Errorf("entered %+v", e)
			}
			if !strings.Contains(tc.before, "LOOP.md") {
				r.wantClean()
			}
			r.sh(tc.check)
			r.sh(`test "$(cat .loop/k/journal.md)" = entry`)
		})
	}
}

func TestEnterOverwritesNoIgnoredFile(t *testing.T) {
	r := newRepo(t)
	r.sh(`git checkout -q -b loop/k; git add -f .env .loop/k/state.json; git commit -qm forced; git checkout -q main; echo KEY=2 >.env; mkdir -p .loop/k; echo '{"n":7}' >.loop/k/state.json; echo state.json >.loop/k/.gitignore`)
	if _, err := r.Enter(bg, "k", nil); err == nil {
		t.Error("entered over ignored files")
	}
	r.sh(`grep -qx KEY=2 .env; grep -q 7 .loop/k/state.json; test "$(git symbolic-ref --short HEAD)" = main`)
}

func TestBranchOf(t *testing.T) {
	for in, want := range map[string]string{"k": "loop/k", "a b": "loop/a-b", "..": "loop/loop", "x..y": "loop/x.-y", "a.lock": "loop/a", "a/b": "loop/a-b", "é": "loop/é", "": "loop/loop"} {
		if got := BranchOf(in); got != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
}

func TestAddWorktree(t *testing.T) {
	r := newRepo(t)
	dir := filepath.Join(r.CommonDir(), "loopd", "worktrees", "k")
	want := func(created bool) {
		t.Helper()
		got, err := r.AddWorktree(bg, "k", dir)
		must(t, err)
		if got != created {
			t.Errorf("created %v", got)
		}
		if b := r.sh(`git -C .git/loopd/worktrees/k symbolic-ref --short HEAD`); b != "loop/k" {
			t.Errorf("on %s", b)
		}
		r.wantClean()
	}
	want(true)
	r.sh(`cd .git/loopd/worktrees/k; echo a >a.txt; git add a.txt; git commit -qm a; echo loose >loose`)
	want(false)
	r.sh(`grep -qx loose .git/loopd/worktrees/k/loose`)
	r.sh(`rm -rf .git/loopd/worktrees/k`) // somebody tidied up
	want(true)
	r.sh(`grep -qx a .git/loopd/worktrees/k/a.txt; echo loose >.git/loopd/worktrees/k/loose; rm -rf .git/worktrees`) // pruned: git knows nothing of it
	want(true)
	r.sh(`grep -qx loose .git/loopd/worktrees/k.lost-1/loose; grep -qx a .git/loopd/worktrees/k/a.txt`)
	if _, err := r.AddWorktree(bg, "k", filepath.Join(filepath.Dir(r.dir), "second")); !errors.Is(err, ErrCheckedOut) {
		t.Errorf("second place: %v", err)
	}
	// The whole protocol in the linked tree.
	linked := &repo{T: t, dir: dir, run: r.run}
	linked.open(dir)
	if linked.CommonDir() != r.CommonDir() || linked.GitDir() == r.GitDir() || linked.Root() != dir {
		t.Errorf("root %s, git %s, common %s", linked.Root(), linked.GitDir(), linked.CommonDir())
	}
	was := linked.oracle()
	m := roundTrip(t, linked.mark())
	r.sh(`echo main >>work.txt; git commit -qam main`) // a person works on in the main tree
	linked.sh(`echo b >>work.txt; git commit -qam b; git checkout -q --detach; rm run.sh; echo u >u; git bisect start -q; git bisect bad; git bisect good HEAD~1 || :`)
	p := linked.print(m)
	if !slices.Contains(p.Problems, "HEAD detached (was on loop/k)") || slices.ContainsFunc(p.Moved, func(mv RefMove) bool { return mv.Ref == "refs/heads/main" }) {
		t.Errorf("print %+v", p)
	}
	_, err := linked.Park(bg, m, p, "refs/loopd/k/1", "x")
	must(t, err)
	must(t, linked.Restore(bg, m, nil))
	head := r.sh(`git log -1 --format=%s`)
	if now := linked.oracle(); strings.Replace(now, r.sh("git rev-parse main"), r.sh("git rev-parse main~1"), 1) != was || head != "main" {
		t.Errorf("was %s\nis %s\nmain is at %s", was, now, head)
	}
}

func TestOpen(t *testing.T) {
	r := newRepo(t)
	if r.Root() != r.dir || r.GitDir() != filepath.Join(r.dir, ".git") || r.CommonDir() != r.GitDir() {
		t.Errorf("root %s, git %s, common %s", r.Root(), r.GitDir(), r.CommonDir())
	}
	must(t, os.MkdirAll(filepath.Join(r.dir, "src", "loops", "x"), 0o755))
	r.open(filepath.Join(r.dir, "src"))
	if r.Root() != r.dir {
		t.Errorf("from a folder below: %s", r.Root())
	}
	out := t.TempDir()
	if _, err := Open(bg, out, r.run, Options{}); !errors.Is(err, ErrNotRepo) {
		t.Errorf("outside: %v", err)
	}
	r.sh(`git init -q --bare ../bare`)
	if _, err := Open(bg, filepath.Join(filepath.Dir(r.dir), "bare"), r.run, Options{}); !errors.Is(err, ErrNotRepo) {
		t.Errorf("bare: %v", err)
	}
	env := Environ([]string{"GIT_DIR=/x", "GIT_INDEX_FILE=/y", "GIT_CONFIG_COUNT=1", "GIT_AUTHOR_NAME=me", "LC_ALL=de_DE", "HOME=/h"})
	for _, kv := range []string{"GIT_AUTHOR_NAME=me", "HOME=/h", "LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0"} {
		if !slices.Contains(env, kv) {
			t.Errorf("environment lacks %s", kv)
		}
	}
	for _, kv := range []string{"GIT_DIR=/x", "GIT_INDEX_FILE=/y", "GIT_CONFIG_COUNT=1", "LC_ALL=de_DE"} {
		if slices.Contains(env, kv) {
			t.Errorf("environment has %s", kv)
		}
	}
	_, err := r.git(bg, call{}, "rev-parse", "--verify", "nosuch")
	var g *GitError
	if !errors.As(err, &g) || g.Exit != 128 || !strings.HasPrefix(g.Stderr, "fatal: ") || !strings.Contains(g.Error(), "git rev-parse --verify nosuch: exit 128") {
		t.Errorf("error %v", err)
	}
}
