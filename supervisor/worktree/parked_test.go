package worktree

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDebris(t *testing.T) {
	for name, tc := range map[string]struct {
		do   string
		want []string
	}{
		"clean":            {do: `touch work.txt`},
		"a person's":       {do: `echo mine >>work.txt; echo staged >new.txt; git add new.txt; echo loose >loose.txt`, want: []string{"staged new.txt", "modified work.txt", "untracked loose.txt"}},
		"odd name":         {do: "echo >'new\nline'", want: []string{`untracked "new\nline"`}},
		"staged and more":  {do: `echo a >>work.txt; git add work.txt; rm work.txt`, want: []string{"staged work.txt", "deleted work.txt"}},
		"loops' own":       {do: `echo x >>.loop/k/LOOP.md; git add .loop/k; mkdir -p loops/m .codevoyant/loops/t src/.loop/n; echo x >loops/m/LOOP.md; echo y >loops/m/state.md; echo z >.codevoyant/loops/t/loop.md; echo n >src/.loop/n/x; ln -s /nowhere .codevoyant/l`},
		"a store's link":   {do: `ln -s /tmp .codevoyant`},
		"ordinary folder":  {do: `mkdir -p loops/drums; echo >loops/drums/beat.c`, want: []string{"untracked loops/drums/beat.c"}},
		"half-way":         {do: `git merge -q --no-ff --no-commit feature~1 || :; : >.git/MERGE_HEAD; git rev-parse HEAD >.git/MERGE_HEAD`, want: []string{"merge left half-way"}},
		"lock":             {do: `: >.git/index.lock; touch -d '1 hour ago' .git/index.lock`, want: []string{"left-over lock file .git/index.lock"}},
		"nested":           {do: `git init -q sub; echo x >sub/x`},
		"unmerged":         {do: `git checkout -q feature; echo f >work.txt; git commit -qam f; git checkout -q main; echo m >work.txt; git commit -qam m; git merge feature || :`, want: []string{"merge left half-way", "unmerged work.txt"}},
		"intent to add":    {do: `echo a >a.txt; git add -N a.txt`, want: []string{"modified a.txt"}},
		"git gc at work":   {do: `: >.git/gc.log.lock; : >.git/gc.pid.lock; touch -d '1 hour ago' .git/gc.log.lock .git/gc.pid.lock`},
		"another's lock":   {do: `: >.git/index.lock; (sleep 0.3; rm .git/index.lock) >/dev/null 2>&1 &`},
		"executable bit":   {do: `chmod +x work.txt`, want: []string{"modified work.txt"}},
		"untracked folder": {do: `mkdir -p d/e; echo 1 >d/e/f`, want: []string{"untracked d/e/f"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t)
			r.sh(tc.do)
			index, err := sumOf(r.realIndex())
			must(t, err)
			got, err := r.Debris(bg)
			must(t, err)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
			if after, err := sumOf(r.realIndex()); err != nil || after != index {
				t.Errorf("the index was written (%v)", err)
			}
		})
	}
}

func TestParked(t *testing.T) {
	r := newRepo(t)
	m := r.mark()
	r.sh(`echo 'TODO six' >>work.txt; git commit -qam own; printf 'a\0b' >bin; ln -s run.sh l2; chmod +x work.txt; rm src/a.go; echo odd >'sp ace'; echo c >c.txt`)
	p := r.print(m)
	was := r.oracle()
	ref, err := r.Park(bg, m, p, "refs/loopd/k/7", "why it was parked")
	must(t, err)
	if again, err := r.Park(bg, m, p, "refs/loopd/k/7", "x"); err != nil || again != ref {
		t.Errorf("the same again: %s %v", again, err)
	}
	r.sh(`echo more >>c.txt`)
	second, err := r.Park(bg, m, p, "refs/loopd/k/7", "x")
	must(t, err)
	r.sh(`echo more >>c.txt`)
	third, err := r.Park(bg, m, p, "refs/loopd/k/7", "x")
	must(t, err)
	if second != ref+"-2" || third != ref+"-3" {
		t.Errorf("parked under %s, %s: one that is there is not overwritten", second, third)
	}
	text, err := r.ShowParked(bg, ref)
	must(t, err)
	for _, w := range []string{"why it was parked", "work.txt", "+TODO six", "sp ace", "files changed"} {
		if !strings.Contains(text, w) {
			t.Errorf("shown lacks %q:\n%s", w, text)
		}
	}
	for most, more := range map[int]bool{1 << 20: false, 200: true} {
		peek, cut, err := r.PeekParked(bg, ref, most)
		must(t, err)
		if !strings.HasSuffix(text, peek) && !cut || cut != more || len(peek) > most || !strings.HasSuffix(peek, "\n") {
			t.Errorf("peek of %d bytes is cut %v:\n%s", most, cut, peek)
		}
	}
	must(t, r.Restore(bg, m, nil))
	// In the way of one of its files: nothing at all is changed.
	r.sh(`echo mine >c.txt`)
	before := r.oracle()
	if err := r.ApplyParked(bg, ref); err == nil {
		t.Error("applied over a person's file")
	}
	if diff := cmp.Diff(before, r.oracle()); diff != "" {
		t.Error(diff)
	}
	r.sh(`rm c.txt`)
	must(t, r.ApplyParked(bg, ref))
	files := func(s string) string {
		head, _, _ := strings.Cut(s, "\n"+r.sh(`git rev-parse HEAD`))
		return head
	}
	r.sh(`git reset -q`)
	if got := files(r.oracle()); !strings.HasPrefix(was, got) {
		t.Errorf("applied:\n%s\nwas:\n%s", got, was)
	}
	if h := r.sh(`git log -1 --format=%s`); h != "start" {
		t.Errorf("HEAD is at %s: the change is to be uncommitted", h)
	}
	must(t, r.DropParked(bg, ref))
	if err := r.DropParked(bg, ref); !errors.Is(err, ErrNotParked) {
		t.Errorf("dropped twice: %v", err)
	}
	if err := r.DropParked(bg, "refs/heads/main"); !errors.Is(err, ErrNotParked) {
		t.Errorf("dropped a branch: %v", err)
	}
}

func TestParkKeepsWhatWasStaged(t *testing.T) {
	r := newRepo(t)
	m := r.mark()
	r.sh(`echo staged >>work.txt; git add work.txt; echo worked >>work.txt`)
	ref, err := r.Park(bg, m, r.print(m), "refs/loopd/k/found-1", "found")
	must(t, err)
	r.sh(`git show ` + ref + `:work.txt | grep -qx worked; git show ` + ref + `^2:work.txt | grep -qx staged; ! git show ` + ref + `^2:work.txt | grep -qx worked`)
	// An operator's ruling on a dirty tree marks it as it is: the base is HEAD all the same.
	m = r.mark()
	must(t, r.Restore(bg, m, nil))
	r.wantClean()
}

// TestRulingOnAConflict: an operator lets loopd park what a person left in the middle of a merge.
func TestRulingOnAConflict(t *testing.T) {
	r := newRepo(t)
	r.sh(`git checkout -q feature; printf 'TODO f\n' >work.txt; git commit -qam f; git checkout -q main; printf 'TODO m\n' >work.txt; git commit -qam m; git merge feature || :; echo loose >loose.txt`)
	m := roundTrip(t, r.mark())
	p := r.print(m)
	if len(p.Changed) != 2 {
		t.Errorf("changed %+v", p.Changed)
	}
	ref, err := r.Park(bg, m, p, "refs/loopd/k/found-1", "found")
	must(t, err)
	must(t, r.Restore(bg, m, nil))
	r.wantClean()
	r.sh(`git show ` + ref + `:work.txt | grep -q '<<<<'; git show ` + ref + `:loose.txt | grep -qx loose; git merge-base --is-ancestor feature ` + ref + `; test "$(git log -1 --format=%s)" = m; test ! -e .git/MERGE_HEAD; test -z "$(git for-each-ref refs/loopd/late)"`)
}

func TestPatch(t *testing.T) {
	r := newRepo(t)
	m := r.mark()
	r.sh(`echo 'TODO äöü' >>work.txt; git commit -qam a; seq 1 2000 >n.txt; git config diff.noprefix true; git config color.diff always`)
	p := r.print(m)
	all, err := r.Patch(bg, m, p, 1<<20)
	must(t, err)
	if !strings.Contains(all, "+TODO äöü") || !strings.Contains(all, "+++ b/n.txt") || strings.Contains(all, "\x1b") {
		t.Errorf("patch:\n%.400s", all)
	}
	cut, err := r.Patch(bg, m, p, 500)
	must(t, err)
	if len(cut) > 600 || !strings.Contains(cut, "… cut: ") {
		t.Errorf("%d bytes: %s", len(cut), cut)
	}
	if none, err := r.Patch(bg, m, Print{}, 10); err != nil || none != "" {
		t.Errorf("nothing changed: %q %v", none, err)
	}
	if n, err := r.CountCommits(bg, m.Head.OID, p.Head.OID); err != nil || n != 1 {
		t.Errorf("%d commits, %v", n, err)
	}
	for _, c := range p.Changed {
		if c.Path == "n.txt" && c.Added != 2000 {
			t.Errorf("%+v", c)
		}
	}
}
