package worktree

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
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
