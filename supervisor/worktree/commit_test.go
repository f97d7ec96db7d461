package worktree

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var bg = context.Background()

// ship does what the supervisor does with a good iteration, the plan going through the lease.
func (r *repo) ship(m Mark, c Commit) *Prepared {
	r.Helper()
	p := r.print(m)
	got, err := r.Prepare(bg, m, p, c)
	must(r.T, err)
	b, err := json.Marshal(got)
	must(r.T, err)
	var back Prepared
	must(r.T, json.Unmarshal(b, &back))
	return &back
}

func (r *repo) wantClean() {
	r.Helper()
	if s := r.sh(`git status --porcelain -- . ':(exclude).loop'`); s != "" {
		r.Errorf("not clean: %s", s)
	}
}

func TestCommitOnTopOfTheAgentsOwn(t *testing.T) {
	r := newRepo(t)
	m := r.mark()
	r.sh(`echo a >a.txt; git add -A; git commit -qm agent; sed -i 1d work.txt; rm src/a.go; echo b >b.txt; chmod +x b.txt; git add -f out/x.bin`)
	before := r.sh(`git rev-parse HEAD`)
	c := r.ship(m, Commit{Message: "one unit\n\nLoop: k\n"})
	if got := r.sh(`git rev-parse HEAD`); got != before {
		t.Fatalf("a branch moved before Land")
	}
	for range 3 { // recovery calls it again
		must(t, r.Land(bg, c))
		r.wantClean()
	}
	want := "one unit\nagent\nstart\nzero"
	if got := r.sh(`git log --format=%s`); got != want {
		t.Errorf("log %q, want %q", got, want)
	}
	r.sh(`test "$(git log -1 --format=%an)" = tester; git ls-files | grep -qx out/x.bin; ! git ls-files | grep -q state.json; git log -1 --format=%B | grep -qx 'Loop: k'
git reflog -1 | grep -q 'loopd: iteration'; test -e .loop/k/state.json; git fsck --no-dangling`)
}

func TestNothingLeftToCommit(t *testing.T) {
	r := newRepo(t)
	m := r.mark()
	r.sh(`echo a >>work.txt; git commit -qam agent`)
	c := r.ship(m, Commit{Message: "x"})
	if head := r.sh(`git rev-parse HEAD`); c.OID != head {
		t.Errorf("commit %s, want the agent's %s", c.OID, head)
	}
	must(t, r.Land(bg, c))
	r.wantClean()
}

func TestTrackedLoopFiles(t *testing.T) {
	r := newRepo(t)
	r.sh(`git add -A; git commit -qm 'all tracked'; echo person >>.loop/k/LOOP.md; git add .loop/k/LOOP.md`)
	if d, err := r.Debris(bg); err != nil || len(d) > 0 {
		t.Fatalf("debris %v %v: nothing under .loop is", d, err)
	}
	m := r.mark()
	r.sh(`echo a >>work.txt`)
	p := r.print(m)
	if len(p.Changed) != 1 {
		t.Errorf("changed %v: what a person staged under .loop is not the iteration's", p.Changed)
	}
	tracked, err := r.Tracked(bg, []string{".loop/k/state.json", ".loop/k/none"})
	must(t, err)
	if !tracked[".loop/k/state.json"] || tracked[".loop/k/none"] {
		t.Errorf("tracked %v", tracked)
	}
	c := r.ship(m, Commit{Message: "x", Extra: map[string][]byte{".loop/k/state.json": []byte("{1}\n"), ".loop/k/journal.md": []byte("entry\n2\n")}})
	r.sh(`printf '{1}\n' >.loop/k/state.json; printf 'entry\n2\n' >.loop/k/journal.md`)
	must(t, r.Land(bg, c))
	want := "M  .loop/k/LOOP.md"
	if got := r.sh(`git status --porcelain`); got != want {
		t.Errorf("status %q, want %q: the person's staged edit stays staged", got, want)
	}
	r.sh(`git show HEAD:.loop/k/state.json | grep -qx '{1}'; ! git show HEAD:.loop/k/LOOP.md | grep -q person`)
}

func TestPersonsStagedLoopFileSurvivesRestore(t *testing.T) {
	r := newRepo(t)
	r.sh(`echo person >>.loop/k/LOOP.md; git add .loop/k/LOOP.md; echo more >>.loop/k/LOOP.md`)
	was := r.oracle()
	m := r.mark()
	r.sh(`echo a >>work.txt; git commit -qam x; mkdir n; echo n >n/n`)
	p := r.print(m)
	_, err := r.Park(bg, m, p, "refs/loopd/k/1", "x")
	must(t, err)
	must(t, r.Restore(bg, m, nil))
	if diff := cmp.Diff(was, r.oracle()); diff != "" {
		t.Error(diff)
	}
}

func TestHooks(t *testing.T) {
	for name, tc := range map[string]struct {
		hooks   string
		refused string // hook
		words   string
		changed bool
		check   string
	}{
		"refuses":          {hooks: `printf '#!/bin/sh\necho no lint >&2\nexit 3\n' >$H/pre-commit`, refused: "pre-commit", words: "no lint"},
		"message refused":  {hooks: `printf '#!/bin/sh\ngrep -q TICKET $1 || { echo no ticket; exit 1; }\n' >$H/commit-msg`, refused: "commit-msg", words: "no ticket"},
		"message changed":  {hooks: `printf '#!/bin/sh\necho "Change-Id: 1" >>$1\n' >$H/commit-msg`, check: `git log -1 --format=%B | grep -qx 'Change-Id: 1'`},
		"formats and adds": {hooks: `printf '#!/bin/sh\necho formatted >>work.txt\ngit add work.txt\n' >$H/pre-commit`, changed: true, check: `git show HEAD:work.txt | grep -qx formatted`},
		"formats only":     {hooks: `printf '#!/bin/sh\necho formatted >>work.txt\n' >$H/pre-commit`, changed: true, check: `git show HEAD:work.txt | grep -qx formatted`},
		"sees the change":  {hooks: `printf '#!/bin/sh\ngit diff --cached --name-only | grep -qx work.txt || exit 1\ntest -z "$GIT_DIR"\n' >$H/pre-commit`},
		"not executable":   {hooks: `printf '#!/bin/sh\nexit 1\n' >$H/pre-commit; chmod -x $H/pre-commit; exit 0`},
		"other folder":     {hooks: `git config core.hooksPath .husky; H=../husky; mkdir -p $H; git config core.hooksPath $PWD/../husky; printf '#!/bin/sh\necho husky; exit 1\n' >$H/pre-commit`, refused: "pre-commit", words: "husky"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t)
			r.sh(`H=.git/hooks; mkdir -p $H;` + tc.hooks + `; chmod +x $H/*`)
			r.open(r.dir)
			m := r.mark()
			r.sh(`echo a >>work.txt`)
			p := r.print(m)
			head := r.sh(`git rev-parse HEAD`)
			c, err := r.Prepare(bg, m, p, Commit{Message: "unit\n"})
			if tc.refused != "" {
				var h *HookError
				if !errors.As(err, &h) || h.Hook != tc.refused || !strings.Contains(h.Words, tc.words) || h.TimedOut {
					t.Fatalf("error %#v", err)
				}
				_, err = r.Park(bg, m, p, "refs/loopd/k/1", "hook")
				must(t, err)
				must(t, r.Restore(bg, m, nil))
				r.wantClean()
				return
			}
			must(t, err)
			if r.sh(`git rev-parse HEAD`) != head {
				t.Error("a branch moved")
			}
			if c.TreeChanged != tc.changed {
				t.Errorf("tree changed %v", c.TreeChanged)
			}
			must(t, r.Land(bg, c))
			r.wantClean()
			r.sh(tc.check)
		})
	}
}

func TestHookThatHangs(t *testing.T) {
	r := newRepo(t)
	r.sh(`mkdir -p .git/hooks; printf '#!/bin/sh\necho waiting\n' >.git/hooks/pre-commit; chmod +x .git/hooks/pre-commit`)
	m := r.mark()
	r.sh(`echo a >>work.txt`)
	p := r.print(m)
	r.run.fail = func(c Command) error {
		if c.Args[0] == "hook" {
			if c.Limit != hookLimit {
				t.Errorf("limit %s", c.Limit)
			}
			return errors.New("ended after its limit")
		}
		return nil
	}
	_, err := r.Prepare(bg, m, p, Commit{Message: "x"})
	var h *HookError
	if !errors.As(err, &h) || !h.TimedOut {
		t.Fatalf("error %v", err)
	}
}

func TestNoIdentity(t *testing.T) {
	r := newRepo(t)
	must(t, r.Identity(bg))
	r.sh(`git config --unset user.name; git config --unset user.email; git config user.useConfigOnly true`)
	r.open(r.dir)
	if err := r.Identity(bg); !errors.Is(err, ErrNoIdentity) {
		t.Errorf("identity: %v", err)
	}
	m := r.mark()
	r.sh(`echo a >>work.txt`)
	p := r.print(m)
	if _, err := r.Prepare(bg, m, p, Commit{Message: "x"}); !errors.Is(err, ErrNoIdentity) {
		t.Errorf("prepare: %v", err)
	}
	// Parking is loopd's own and must not fail for it.
	_, err := r.Park(bg, m, p, "refs/loopd/k/1", "x")
	must(t, err)
	must(t, r.Restore(bg, m, nil))
	r.wantClean()
}

func TestSigned(t *testing.T) {
	r := newRepo(t)
	r.sh(`printf '#!/bin/sh\ncat >/dev/null\necho "[GNUPG:] SIG_CREATED x" >&2\necho SIGNED-BY-FAKE\n' >../gpg; chmod +x ../gpg; git config gpg.program "$PWD/../gpg"; git config commit.gpgSign true; git config user.signingKey k`)
	m := r.mark()
	r.sh(`echo a >>work.txt`)
	c := r.ship(m, Commit{Message: "x"})
	must(t, r.Land(bg, c))
	r.sh(`git cat-file commit HEAD | grep -q SIGNED-BY-FAKE`)
}

func TestLandMeetsAPerson(t *testing.T) {
	for name, tc := range map[string]struct {
		do    string
		fails bool
		check string
	}{
		"index refreshed":        {do: `touch work.txt; git status`, check: `test -z "$(git status --porcelain -- . ':(exclude).loop')"`},
		"staged another file":    {do: `echo p >p.txt; git add p.txt`, check: `test "$(git status --porcelain p.txt)" = "A  p.txt"; git show HEAD:work.txt | grep -qx a`},
		"staged the same file":   {do: `echo theirs >>work.txt; git add work.txt; echo later >>work.txt`, check: `for r in $(git for-each-ref --format='%(refname)' refs/loopd/staged); do git show $r:work.txt; done | grep -qx theirs; grep -qx later work.txt; git show HEAD:work.txt | grep -qx a`},
		"committed on top":       {do: `git update-ref refs/heads/main $OID; git reset -q; echo q >q.txt; git add q.txt; git commit -qm q; git add -A; git reset -q`, check: `git log --format=%s | head -1 | grep -qx q; test -z "$(git status --porcelain -- . ':(exclude).loop')"`},
		"committed beside":       {do: `echo q >q.txt; git add q.txt; git commit -qm q`, fails: true, check: `git log -1 --format=%s | grep -qx q; git for-each-ref refs/loopd/unlanded | grep -q $OID; grep -qx a work.txt`},
		"switched to a branch":   {do: `git stash -q; git checkout -q feature`, check: `test "$(git rev-parse main)" = $OID; test "$(git symbolic-ref HEAD)" = refs/heads/feature; test -z "$(git status --porcelain -- . ':(exclude).loop')"`},
		"holds the index's lock": {do: `: >.git/index.lock`, fails: true, check: `test "$(git rev-parse main)" = $OID; rm .git/index.lock`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t)
			m := r.mark()
			r.sh(`echo a >>work.txt`)
			c := r.ship(m, Commit{Message: "unit"})
			r.sh(`OID=` + c.OID + "\n" + tc.do)
			if err := r.Land(bg, c); (err != nil) != tc.fails {
				t.Errorf("land: %v", err)
			}
			r.sh(`OID=` + c.OID + "\n" + tc.check)
			if name == "holds the index's lock" {
				must(t, r.Land(bg, c))
				r.wantClean()
			}
		})
	}
}

// TestLandKilledInBetween leaves each state that a killed Land leaves, and lands again.
func TestLandKilledInBetween(t *testing.T) {
	for name, half := range map[string]func(r *repo, c *Prepared) error{
		"branch moved": func(r *repo, c *Prepared) error { return r.moveTo(bg, c, c.Branch) },
		"index locked": func(r *repo, c *Prepared) error {
			return errors.Join(r.moveTo(bg, c, c.Branch), os.Link(c.Index, r.realIndex()+".lock"))
		},
		"index in place": func(r *repo, c *Prepared) error {
			return errors.Join(r.moveTo(bg, c, c.Branch), os.Remove(r.realIndex()), os.Link(c.Index, r.realIndex()))
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRepo(t)
			r.sh(`git checkout -q --detach; git checkout -q main`)
			m := r.mark()
			r.sh(`echo a >>work.txt; rm run.sh`)
			c := r.ship(m, Commit{Message: "unit"})
			must(t, half(r, c))
			r.open(r.dir)
			must(t, r.Land(bg, c))
			r.wantClean()
			r.sh(`test ! -e .git/index.lock; test "$(git rev-parse HEAD)" = ` + c.OID)
			if _, err := os.Stat(c.Index); err == nil {
				t.Error("the private index is left")
			}
		})
	}
}

func TestLandOnADetachedHead(t *testing.T) {
	r := newRepo(t)
	r.sh(`git checkout -q --detach`)
	m := r.mark()
	r.sh(`echo a >>work.txt; git commit -qam a; echo b >>work.txt`)
	p := r.print(m)
	if len(p.Problems) > 0 {
		t.Errorf("problems %q", p.Problems)
	}
	c := r.ship(m, Commit{Message: "unit"})
	for range 2 {
		must(t, r.Land(bg, c))
	}
	r.wantClean()
	r.sh(`test "$(git rev-parse HEAD)" = ` + c.OID + `; ! git symbolic-ref -q HEAD; test "$(git rev-parse main)" = ` + m.Head.OID)
}

func TestUnborn(t *testing.T) {
	for _, commits := range []bool{false, true} {
		r := emptyRepo(t)
		r.sh(`git init -q -b main .; git config user.name a; git config user.email a@b`)
		r.open(r.dir)
		e, err := r.Enter(bg, "k", nil)
		must(t, err)
		if e.Branch != "refs/heads/loop/k" || !e.Switched {
			t.Errorf("entered %+v", e)
		}
		was := r.oracle()
		m := roundTrip(t, r.mark())
		if !m.Head.Unborn {
			t.Errorf("mark %+v", m)
		}
		r.sh(`echo a >a.txt`)
		if commits {
			r.sh(`git add a.txt; git commit -qm a; echo b >b.txt`)
		}
		p := r.print(m)
		ref, err := r.Park(bg, m, p, "refs/loopd/k/1", "x")
		must(t, err)
		must(t, r.Restore(bg, m, nil))
		if diff := cmp.Diff(was, r.oracle()); diff != "" {
			t.Error(diff)
		}
		must(t, r.ApplyParked(bg, ref))
		c := r.ship(m, Commit{Message: "first"})
		must(t, r.Land(bg, c))
		r.wantClean()
		if s := r.sh(`git log --format=%s`); s != "first" {
			t.Errorf("log %q", s)
		}
	}
}

func TestProcessesOfACleanIteration(t *testing.T) {
	r := newRepo(t)
	must(t, r.Identity(bg))
	_, err := r.signed(bg)
	must(t, err)
	r.run.ran = nil
	dirt, err := r.Debris(bg)
	must(t, err)
	if len(dirt) > 0 {
		t.Fatal(dirt)
	}
	m := r.mark()
	must(t, os.WriteFile(filepath.Join(r.dir, "work.txt"), []byte("TODO two\n"), 0o644))
	p := r.print(m)
	c, err := r.Prepare(bg, m, p, Commit{Message: "x"})
	must(t, err)
	must(t, r.Land(bg, c))
	want := []string{"status", "add", "write-tree", "diff-tree", "commit-tree", "update-ref"}
	if diff := cmp.Diff(want, r.run.ran); diff != "" {
		t.Error(diff)
	}
	r.wantClean()
}
