package worktree

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestKindsOfRepository takes the whole protocol, both ways, through repositories of other kinds.
func TestKindsOfRepository(t *testing.T) {
	for name, setup := range map[string]string{
		"sha256":         `git init -q -b main --object-format=sha256 .; git config user.name a; git config user.email a@b; printf '*.cache\n' >.gitignore; echo 1 >work.txt; mkdir src; echo a >src/a.go; git add -A; git commit -qm start`,
		"packed":         `git gc -q; git pack-refs --all`,
		"sparse":         `git sparse-checkout set --cone src; test ! -e nosuch`,
		"sparse index":   `mkdir -p big/one; echo 1 >big/one/f; git add big; git commit -qm big; git sparse-checkout set --cone --sparse-index src`,
		"split index":    `git update-index --split-index; git config core.splitIndex true`,
		"untracked":      `git config core.untrackedCache true; git update-index --untracked-cache; git status -s`,
		"index v4":       `git update-index --index-version 4`,
		"crlf":           `git config core.autocrlf true; rm work.txt src/a.go .gitignore; git checkout -q .; git status -s`,
		"attributes":     `printf '*.txt text eol=crlf\n' >.gitattributes; git add .gitattributes; git commit -qm attr; rm work.txt; git checkout -q work.txt; git add -A -- . ':!.loop'; git diff --cached --quiet || git commit -qm norm`,
		"umask":          `umask 077; echo p >secret.txt; git add secret.txt; git commit -qm secret`,
		"odd names":      "mkdir -- 'sp ace' -dash; echo 1 >'sp ace/new\nline'; echo 2 >-dash/-x; echo 3 >\"$(printf 'bad\\377')\"; git add -A -- . ':!.loop'; git commit -qm odd",
		"ignored folder": `mkdir -p node_modules/a; echo x >node_modules/a/x; echo node_modules/ >>.gitignore; git commit -qam nm`,
		"empty folders":  `mkdir -p logs/empty`,
		"filter":         `git config filter.up.clean 'tr a-z A-Z'; git config filter.up.smudge 'tr A-Z a-z'; echo '*.up filter=up' >.gitattributes; echo low >f.up; git add .gitattributes f.up; git commit -qm up`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var r *repo
			if name == "sha256" {
				r = emptyRepo(t)
				r.sh(setup)
				r.open(r.dir)
			} else {
				r = newRepo(t)
				r.sh(setup)
			}
			if d, err := r.Debris(bg); err != nil || len(d) > 0 {
				t.Fatalf("debris %v %v", d, err)
			}
			was := r.oracle()
			m := roundTrip(t, r.mark())
			if p := r.print(m); !p.Same(m) {
				t.Fatalf("nothing was done: %+v", p)
			}
			r.sh(`echo a >>work.txt; rm src/a.go; git commit -qam agent; printf 'u\r\n' >u.txt; echo n >src/n.go; echo "*.u" >>.gitignore; git checkout -q -b x`)
			p := r.print(m)
			ref, err := r.Park(bg, m, p, "refs/loopd/k/1", "x")
			must(t, err)
			must(t, r.Restore(bg, m, nil))
			r.sh(`git branch -qD x`)
			if diff := cmp.Diff(was, r.oracle()); diff != "" {
				t.Errorf("(-was +is)\n%s", diff)
			}
			must(t, r.ApplyParked(bg, ref))
			c := r.ship(m, Commit{Message: "unit"})
			must(t, r.Land(bg, c))
			r.wantClean()
			r.sh(`test "$(git rev-list --count ` + m.Head.OID + `..main)" = 1; git cat-file -e HEAD:src/n.go; git fsck --no-dangling`)
		})
	}
}

// TestLoopInAFolderBelow: the loop's folder, and loops of other folders, lie below the top level.
func TestLoopInAFolderBelow(t *testing.T) {
	r := newRepo(t)
	r.sh(`mkdir -p src/.loop/n src/deep/.loop/d loops/m src/loops/s loops/drums; echo 1 >src/.loop/n/state.json; echo 1 >src/deep/.loop/d/LOOP.md; echo 1 >src/deep/.loop/d/state.json
echo 1 >loops/m/LOOP.md; echo 1 >loops/m/state.md; echo 1 >src/loops/s/LOOP.md; echo beat >loops/drums/beat.c; git add src/deep/.loop/d/LOOP.md loops/drums loops/m/LOOP.md; git commit -qm loops`)
	r.open(filepath.Join(r.dir, "src"))
	if d, err := r.Debris(bg); err != nil || len(d) > 0 {
		t.Fatalf("debris %v %v", d, err)
	}
	m := roundTrip(t, r.mark())
	r.sh(`for f in src/.loop/n/state.json src/deep/.loop/d/LOOP.md src/deep/.loop/d/state.json loops/m/LOOP.md loops/m/state.md src/loops/s/LOOP.md; do echo 2 >>$f; done; echo kick >loops/drums/beat.c; echo new >loops/drums/new.c; git add -A; git commit -qm all`)
	p := r.print(m)
	var got []string
	for _, c := range p.Changed {
		got = append(got, c.Status+" "+c.Path)
	}
	if diff := cmp.Diff([]string{"M loops/drums/beat.c", "A loops/drums/new.c"}, got); diff != "" {
		t.Error(diff)
	}
	ref, err := r.Park(bg, m, p, "refs/loopd/n/1", "x")
	must(t, err)
	must(t, r.Restore(bg, m, nil))
	r.sh(`for f in src/.loop/n/state.json src/deep/.loop/d/state.json loops/m/state.md src/loops/s/LOOP.md; do grep -q 2 $f; done; test ! -e loops/drums/new.c; grep -q beat loops/drums/beat.c`)
	if s := r.sh(`git status --porcelain -- . ':!loops/m' ':!.loop' ':!src/.loop' ':!src/loops' ':!src/deep/.loop'`); s != "" {
		t.Errorf("status %s", s)
	}
	// Kept: what loops own is in no commit of ours.
	must(t, r.ApplyParked(bg, ref))
	r.sh(`git add -A; git commit -qm 'agent took all'`)
	c := r.ship(m, Commit{Message: "unit"})
	must(t, r.Land(bg, c))
	want := "loops/drums/beat.c\nloops/drums/new.c"
	if got := r.sh(`git diff --name-only ` + m.Head.OID + ` HEAD`); got != want {
		t.Errorf("committed %q, want %q", got, want)
	}
}

func TestPushIsToldFromFetch(t *testing.T) {
	r := newRepo(t)
	r.sh(`git init -q --bare -b main ../up.git; git remote add origin ../up.git; git push -q -u origin main; git clone -q ../up.git ../peer; cd ../peer; git config user.name p; git config user.email p@x; echo p >p.txt; git add p.txt; git commit -qm p; git push -q origin HEAD:refs/heads/theirs HEAD:refs/heads/main`)
	m := roundTrip(t, r.mark())
	r.sh(`git fetch -q`)
	if p := r.print(m); len(p.Problems) > 0 || len(p.Moved) != 2 {
		t.Errorf("fetched: %q %+v", p.Problems, p.Moved)
	}
	m = r.mark()
	r.sh(`echo a >>work.txt; git commit -qam a; git push -q origin HEAD:refs/heads/agents`)
	p := r.print(m)
	if diff := cmp.Diff([]string{"pushed (cannot be undone): refs/remotes/origin/agents"}, p.Problems); diff != "" {
		t.Error(diff)
	}
	if p.Same(m) {
		t.Error("same")
	}
}

// TestMarkNamesSurviveJSON: names that are no UTF-8 must not become other names in the lease.
func TestMarkNamesSurviveJSON(t *testing.T) {
	m := Mark{Head: Head{OID: "a", Branch: "refs/heads/b\xff\"\n"}, Refs: Refs{"refs/heads/b\xff\"\n": "x", "refs/tags/é": "y"}}
	if diff := cmp.Diff(m, roundTrip(t, m)); diff != "" {
		t.Error(diff)
	}
}

func TestOldCopiesArePruned(t *testing.T) {
	r := newRepo(t)
	for range 8 {
		r.sh(`echo x >>work.txt; git commit -qam x`)
		m := r.mark()
		if _, err := os.Stat(r.private(m.Index)); err != nil {
			t.Fatal(err)
		}
	}
	found, err := filepath.Glob(r.private("mark-*"))
	must(t, err)
	if len(found) > copies+1 {
		t.Errorf("%d copies", len(found))
	}
}
