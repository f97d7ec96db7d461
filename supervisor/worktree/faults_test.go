package worktree

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var errKilled = errors.New("killed")

// TestKilledAtEveryGitCommand stops the put-back before its n-th git command, for every n, and does then what recovery does.
func TestKilledAtEveryGitCommand(t *testing.T) {
	from := newRepo(t)
	was := from.oracle()
	m := roundTrip(t, from.mark())
	from.sh(`echo a >>work.txt; git commit -qam agent; echo s >s.txt; git add s.txt; echo 2 >s.txt; rm -r src; ln -s .. src; chmod -x run.sh; echo '*.log' >>.gitignore; echo l >a.log; git checkout -q -b other; git branch -qD feature; git merge -q --no-commit --no-ff HEAD~1 || :`)
	agent := from.sh(`git rev-parse HEAD`)
	from.sh(`: >.git/HEAD.lock; touch -d '1 minute ago' .git/HEAD.lock`)
	attempt := func(r *repo) error {
		p, err := r.Fingerprint(bg, m)
		if err != nil {
			return err
		}
		if !p.Same(m) {
			if _, err := r.Park(bg, m, p, "refs/loopd/k/1", "x"); err != nil {
				return err
			}
		}
		return r.Restore(bg, m, nil)
	}
	whole := copyRepo(t, from)
	whole.run.ran = nil
	must(t, attempt(whole))
	commands := len(whole.run.ran)
	if commands < 15 {
		t.Fatalf("only %d commands: the test tests nothing", commands)
	}
	step := 5 // all of them take half a minute; LOOPD_LONG=1 asks for that
	if os.Getenv("LOOPD_LONG") != "" {
		step = 1
	}
	for n := 0; n < commands; n += step {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			r := copyRepo(t, from)
			left := n
			r.run.fail = func(Command) error {
				if left--; left < 0 {
					return errKilled
				}
				return nil
			}
			if err := attempt(r); !errors.Is(err, errKilled) {
				t.Fatal(err)
			}
			r.run.fail = nil
			r.open(r.dir)
			must(t, attempt(r))
			r.sh(`git branch -qD other`)
			if diff := cmp.Diff(was, r.oracle()); diff != "" {
				t.Fatalf("(-was +is)\n%s", diff)
			}
			r.sh(`git show refs/loopd/k/1:a.log | grep -qx l; git show refs/loopd/k/1:s.txt | grep -qx 2; git merge-base --is-ancestor ` + agent + ` refs/loopd/k/1
test -z "$(git for-each-ref refs/loopd/late)"`)
		})
	}
}

// TestRestoreAfterHalfACheckout: a disk that filled up while git wrote files.
func TestRestoreAfterHalfACheckout(t *testing.T) {
	r := newRepo(t)
	was := r.oracle()
	m := r.mark()
	r.sh(`echo a >>work.txt; echo b >>run.sh; rm src/a.go; echo n >n.txt; git add -A -- . ':!.loop'; git commit -qm x`)
	p := r.print(m)
	_, err := r.Park(bg, m, p, "refs/loopd/k/1", "x")
	must(t, err)
	r.sh(`git checkout -q HEAD~1 -- work.txt; rm n.txt`) // a part is put back, the index is not
	must(t, r.Restore(bg, m, nil))
	if diff := cmp.Diff(was, r.oracle()); diff != "" {
		t.Error(diff)
	}
}

// TestPersonSavesAFileInTheMomentBetween: what comes after the park is parked too.
func TestPersonSavesAFileInTheMomentBetween(t *testing.T) {
	r := newRepo(t)
	was := r.oracle()
	m := r.mark()
	r.sh(`echo a >>work.txt`)
	p := r.print(m)
	_, err := r.Park(bg, m, p, "refs/loopd/k/1", "x")
	must(t, err)
	r.sh(`echo precious >mine.txt`)
	once := false
	r.run.fail = func(c Command) error {
		// And another in the instant before git writes: it must refuse, and be asked again.
		if strings.Contains(strings.Join(c.Args, " "), "read-tree -m -u") && !once {
			once = true
			must(t, os.WriteFile(filepath.Join(r.dir, "work.txt"), []byte("gold\n"), 0o644))
		}
		return nil
	}
	must(t, r.Restore(bg, m, nil))
	if !once {
		t.Fatal("the moment did not come")
	}
	r.run.fail = nil
	if diff := cmp.Diff(was, r.oracle()); diff != "" {
		t.Error(diff)
	}
	r.sh(`all=$(git for-each-ref --format='%(refname)' refs/loopd/late); for r in $all; do git show $r:mine.txt; done | grep -qx precious; for r in $all; do git show $r:work.txt; done | grep -qx gold`)
}

// TestSameTick changes a file in the tick in which the index was written, to the same size: the younger copy of the index
// must not make that invisible.
func TestSameTick(t *testing.T) {
	r := newRepo(t)
	for range 10 {
		r.sh(`printf 'abc\n' >tick.txt; git add tick.txt; git commit -qm tick --allow-empty`)
		m := r.mark()
		must(t, os.WriteFile(filepath.Join(r.dir, "tick.txt"), []byte("abd\n"), 0o644))
		if p := r.print(m); len(p.Changed) != 1 {
			t.Fatalf("changed %v", p.Changed)
		}
	}
}

func TestBroken(t *testing.T) {
	for name, do := range map[string]string{
		"deleted":      `rm -rf .git`,
		"made anew":    `rm -rf .git; git init -q -b main .; git config user.name a; git config user.email a@b; git add work.txt; git commit -qm x`,
		"no objects":   `rm -rf .git/objects`,
		"no refs":      `rm -rf .git/refs`,
		"base deleted": `rm -f .git/objects/$(git rev-parse HEAD | sed 's,^..,&/,')`,
	} {
		t.Run(name, func(t *testing.T) {
			r := newRepo(t)
			// A repository above must not be taken for this one.
			cmd := `cd ..; git init -q .`
			r.sh(cmd)
			m := r.mark()
			r.sh(do + `; echo a >>work.txt`)
			p := r.print(m)
			if !p.Broken || len(p.Problems) == 0 || p.Same(m) {
				t.Errorf("print %+v", p)
			}
			if _, err := r.Park(bg, m, p, "refs/loopd/k/1", "x"); err == nil {
				t.Error("parked in a broken repository")
			}
			if err := r.Restore(bg, m, nil); err == nil {
				t.Error("restored a broken repository")
			}
			r.sh(`tail -1 work.txt | grep -qx a; test -e .loop/k/state.json`)
		})
	}
}

func TestMarkCopyLost(t *testing.T) {
	r := newRepo(t)
	was := r.oracle()
	m := r.mark()
	r.sh(`echo a >>work.txt; git rm -q --cached run.sh; git commit -qm x; echo junk >.git/loopd/index/` + m.Index)
	p := r.print(m)
	if len(p.Changed) != 1 {
		t.Errorf("changed %+v", p.Changed)
	}
	_, err := r.Park(bg, m, p, "refs/loopd/k/1", "x")
	must(t, err)
	must(t, r.Restore(bg, m, nil))
	if diff := cmp.Diff(was, r.oracle()); diff != "" {
		t.Error(diff)
	}
}
