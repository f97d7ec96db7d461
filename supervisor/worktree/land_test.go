package worktree

import (
	"errors"
	"os"
	"testing"
)

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
