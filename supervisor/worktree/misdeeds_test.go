package worktree

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// misdeed is something that an agent does to a tree, and what must be seen, held and put back.
type misdeed struct {
	name     string
	before   string   // by a person, before the Mark; leaves the tree clean
	do       string   // by the agent
	problems []string // parts of Problems, in any order; none else
	notes    []string
	changed  string // "STATUS path" joined by ", "; "-" is not compared
	parked   string // script with $ref, must succeed
	after    string // script that must succeed after Restore, before left is removed
	left     string // script that removes what may stay
}

var misdeeds = []misdeed{
	{name: "nothing", do: `:`},
	{name: "looks and ignored work", do: `touch work.txt; git status -s; echo more >>dep.cache; mkdir -p node.cache`, left: `printf 'warm\n' >dep.cache; rmdir node.cache`},
	{name: "commit, edit, untracked, staged", do: `echo 'TODO six' >>work.txt; git add -A; git commit -qm agent; echo x >untracked.txt; echo more >>work.txt; echo s >staged.txt; git add staged.txt; mkdir -p new/dir; echo n >new/dir/n.txt`,
		changed: "A new/dir/n.txt, A staged.txt, A untracked.txt, M work.txt",
		parked:  `git show $ref:untracked.txt | grep -qx x; git show $ref:work.txt | grep -qx more; git merge-base --is-ancestor $(git rev-parse HEAD) $ref; git cat-file -e $ref:new/dir/n.txt; ! git cat-file -e $ref:.loop/k/state.json 2>/dev/null`},
	{name: "forced the loop's files into a commit", do: `git add -A -f; git commit -qm all; echo 2 >>.loop/k/journal.md; echo '# x' >>.loop/k/LOOP.md; git commit -qam more; echo y >y.txt`,
		changed: "A .env, A dep.cache, A out/x.bin, A y.txt",
		parked:  `git show $ref:y.txt | grep -qx y; test -z "$(git ls-tree -r --name-only $ref .loop | grep -v LOOP.md)"`,
		after:   `grep -q 2 .loop/k/journal.md; test -z "$(git ls-files .loop/k/state.json)"`,
		left:    `printf 'entry\n' >.loop/k/journal.md`},
	{name: "edits and deletes the loop's files", do: `echo 2 >>.loop/k/journal.md; rm .loop/k/LOOP.md; mkdir .loop/other; echo x >.loop/other/x`,
		after: `test ! -e .loop/k/LOOP.md`, left: `printf 'entry\n' >.loop/k/journal.md; git checkout -q .loop/k/LOOP.md; rm -r .loop/other`},
	{name: "branch switch", do: `git checkout -q -b mine; echo a >>work.txt; git commit -qam mine; echo b >>work.txt`,
		problems: []string{"branch mine checked out instead of main"}, notes: []string{"created: refs/heads/mine"}, changed: "M work.txt", parked: `git show $ref:work.txt | grep -qx b`, left: `git branch -qD mine`},
	{name: "switch to an older branch", before: `git checkout -q feature; echo f >f.txt; git add f.txt; git commit -qm f; git checkout -q main`, do: `git checkout -q feature`,
		problems: []string{"branch feature checked out instead of main"}, changed: "A f.txt"},
	{name: "detached", do: `git checkout -q --detach; echo a >>work.txt; git commit -qam lost`, problems: []string{"HEAD detached (was on main)"}, changed: "M work.txt", parked: `test "$(git log -1 --format=%s $ref^1)" = lost`},
	{name: "reset hard", do: `git reset -q --hard HEAD~1; echo z >z.txt`, problems: []string{"history rewritten"}, notes: []string{"no longer ignored: .env", "no longer ignored: dep.cache", "no longer ignored: out/x.bin"}, changed: "-", parked: `git show $ref:z.txt; ! git cat-file -e $ref:work.txt 2>/dev/null`},
	{name: "amend", do: `echo q >>work.txt; git commit -q -a --amend -m amended`, problems: []string{"history rewritten"}, changed: "M work.txt", parked: `test "$(git log -1 --format=%s $ref^1)" = amended`},
	{name: "ref deleted under HEAD", do: `git update-ref -d HEAD`, problems: []string{"branch deleted: refs/heads/main"}},
	{name: "HEAD deleted", do: `git checkout -q --detach; echo a >>work.txt; git commit -qam lost; rm .git/HEAD`, problems: []string{"HEAD was deleted"}, changed: "M work.txt",
		after: `git log -1 --format=%s $(git for-each-ref --format='%(refname)' refs/loopd/dropped) | grep -qx lost`},
	{name: "HEAD spoilt", do: `echo nonsense >.git/HEAD; echo a >>work.txt`, problems: []string{"HEAD was damaged"}, changed: "M work.txt"},
	{name: "rebase half-way", before: `git checkout -q feature; printf 'TODO f\n' >work.txt; git commit -qam f; git checkout -q main`,
		do:       `printf 'TODO m\n' >work.txt; git commit -qam m; echo d >d.txt; git rebase feature || :`,
		problems: []string{"HEAD detached", "rebase left half-way", "unmerged path work.txt"}, changed: "-", parked: `git show $ref:d.txt; git show $ref:work.txt | grep -q '<<<<'; git log --format=%s $ref | grep -qx m`},
	{name: "rebase with autostash half-way", before: `git checkout -q feature; printf 'TODO f\n' >work.txt; git commit -qam f; git checkout -q main`,
		do:       `printf 'TODO m\n' >work.txt; git commit -qam m; echo precious >>run.sh; git rebase --autostash feature || :`,
		problems: []string{"HEAD detached", "rebase left half-way", "unmerged path work.txt"}, changed: "-", parked: `for p in $(git log -1 --format=%P $ref); do git show $p:run.sh; done | grep -qx precious`},
	{name: "merge conflict", before: `git checkout -q feature; printf 'TODO f\n' >work.txt; git commit -qam f; git checkout -q main`,
		do: `printf 'TODO m\n' >work.txt; git commit -qam m; git merge feature || :`, problems: []string{"merge left half-way", "unmerged path work.txt"}, changed: "M work.txt", parked: `git show $ref:work.txt | grep -q '<<<<'`},
	{name: "cherry-pick conflict", before: `git checkout -q feature; printf 'TODO f\n' >work.txt; git commit -qam f; git checkout -q main`,
		do: `printf 'TODO m\n' >work.txt; git commit -qam m; git cherry-pick feature || :`, problems: []string{"cherry-pick left half-way", "unmerged path work.txt"}, changed: "-"},
	{name: "bisect", do: `git bisect start -q HEAD HEAD~1 || :; git bisect good || :`, problems: []string{"bisect left half-way"}, changed: "-", left: `:`},
	{name: "index lock left", do: `echo a >>work.txt; : >.git/index.lock; touch -d '1 minute ago' .git/index.lock`, problems: []string{"left-over lock file .git/index.lock"}, changed: "M work.txt"},
	{name: "ref locks left", do: `: >.git/refs/heads/main.lock; : >.git/HEAD.lock; touch -d '1 minute ago' .git/refs/heads/main.lock .git/HEAD.lock`, problems: []string{"left-over lock file .git/HEAD.lock", "left-over lock file .git/refs/heads/main.lock"}},
	{name: "index deleted", do: `echo a >>work.txt; rm .git/index`, changed: "M work.txt"},
	{name: "index damaged", do: `echo a >>work.txt; echo nonsense >.git/index`, problems: []string{"the index is damaged"}, changed: "M work.txt"},
	{name: "hides an edit by assume-unchanged", do: `git update-index --assume-unchanged work.txt; git update-index --skip-worktree src/a.go; echo a >>work.txt; echo b >>src/a.go`, changed: "M src/a.go, M work.txt"},
	{name: "takes a file out of the index and ignores it", do: `git rm -q --cached work.txt; echo work.txt >>.gitignore; echo a >>work.txt`, changed: "M .gitignore, M work.txt", parked: `git show $ref:work.txt | grep -qx a`},
	{name: "only the index", do: `git rm -q --cached work.txt`},
	{name: "intent to add", do: `echo a >a.txt; git add -N a.txt`, changed: "A a.txt"},
	{name: "nested repository", do: `git init -q sub; echo x >sub/x; echo a >>work.txt`, notes: []string{"nested repository left out: sub"}, changed: "M work.txt", after: `test -d sub/.git; grep -q x sub/x`, left: `rm -rf sub`},
	{name: "nested repository with commits", do: `git init -q sub; cd sub; git config user.name a; git config user.email a@b; echo x >x; git add x; git commit -qm x; cd ..; echo a >>work.txt; git add -A 2>/dev/null; git commit -qm n`,
		notes: []string{"nested repository left out: sub"}, changed: "M work.txt", after: `test -d sub/.git; grep -q x sub/x`, left: `rm -rf sub`},
	{name: "nested repository in the place of a folder", do: `rm -rf src; git init -q src; echo x >src/x`, changed: "D src/a.go, D src/deep/b.go, A src/x", after: `test -d src/.git`, left: `rm -rf src/.git`},
	{name: "nested repository in the place of a file", do: `rm work.txt; git init -q work.txt; cd work.txt; git config user.name a; git config user.email a@b; echo x >x; git add x; git commit -qm x`,
		notes: []string{"nested repository left out: work.txt"}, changed: "D work.txt", after: `grep -q x .git/loopd/aside/1-work.txt/x; test -d .git/loopd/aside/1-work.txt/.git`},
	{name: "symbolic link in the place of a folder", before: `mkdir ../outside; echo keep >../outside/a.go; mkdir ../outside/deep; echo keep >../outside/deep/b.go`, do: `rm -rf src; ln -s ../outside src`,
		changed: "A src, D src/a.go, D src/deep/b.go", after: `grep -qx keep ../outside/a.go; grep -qx keep ../outside/deep/b.go; test ! -L src`},
	{name: "symbolic link in the place of a new folder", before: `mkdir ../outside; echo keep >../outside/n.txt`, do: `ln -s ../outside extra; echo b >extra/b.txt`, changed: "A extra", after: `grep -qx keep ../outside/n.txt; grep -qx b ../outside/b.txt; test ! -e extra`},
	{name: "link in the place of a file", do: `rm work.txt; ln -s /etc/hostname work.txt; rm link; echo file >link`, changed: "T link, T work.txt"},
	{name: "folder in the place of a file", do: `rm work.txt; mkdir work.txt; echo x >work.txt/x; echo c >work.txt/y.cache`, changed: "D work.txt, A work.txt/x", after: `grep -qx c .git/loopd/aside/1-work.txt/y.cache`},
	{name: "file in the place of a folder", do: `rm -r src; echo x >src`, changed: "A src, D src/a.go, D src/deep/b.go"},
	{name: "ignored file in the place of a folder", do: `rm -r src; echo src >>.git/info/exclude; echo src >>.gitignore; echo x >src`, problems: []string{".git/info/exclude changed"}, changed: "-", parked: `git show $ref:src | grep -qx x`},
	{name: "pipe in the place of a file", do: `rm work.txt; mkfifo work.txt`, changed: "D work.txt"},
	{name: "repository without a commit in the place of a file", do: `rm work.txt; git init -q work.txt`, notes: []string{"nested repository left out: work.txt"}, changed: "D work.txt", after: `test -d .git/loopd/aside/1-work.txt/.git`},
	{name: "modes", do: `chmod -x run.sh; chmod +x work.txt`, changed: "M run.sh, M work.txt"},
	{name: "private mode is kept", before: `chmod 600 src/a.go`, do: `echo x >>src/a.go`, changed: "M src/a.go"},
	{name: "rename", do: `git mv work.txt moved.txt; mv src source`, changed: "A moved.txt, A source/a.go, A source/deep/b.go, D src/a.go, D src/deep/b.go, D work.txt"},
	{name: "odd names", do: "echo 1 >'new\nline'; echo 2 >-dash; echo 3 >'a b'; echo 4 >\"$(printf 'bad\\377byte')\"; echo 5 >'*.txt'; echo 6 >':(top)x'; echo 7 >'\"q\"'; git add -- -dash; git commit -qm odd", changed: "A \"q\", A *.txt, A -dash, A :(top)x, A a b, A bad\xffbyte, A new\nline"},
	{name: "ignore rules edited", do: `echo '*.log' >.gitignore; echo l >a.log; mkdir hide; echo hide/ >>.gitignore; echo h >hide/h; echo b >>.env`, notes: []string{"no longer ignored: .env", "no longer ignored: dep.cache", "no longer ignored: out/x.bin"}, changed: "-",
		parked: `git show $ref:a.log | grep -qx l; git show $ref:hide/h | grep -qx h`, after: `test -e dep.cache; test -e out/x.bin; grep -qx b .env; test ! -e a.log; test ! -e hide`, left: `printf 'KEY=1\n' >.env`},
	{name: "ignore rules deleted", do: `rm .gitignore; git add -A; git commit -qm everything`, notes: []string{"no longer ignored: .env", "no longer ignored: dep.cache", "no longer ignored: out/x.bin"}, changed: "-", after: `test -e dep.cache; test -e out/x.bin; test -e .env`},
	{name: "a cache that ignores itself", before: `mkdir venv; echo '*' >venv/.gitignore; echo v >venv/v`, do: `echo '*.log' >>.gitignore; echo a >a.log`, changed: "M .gitignore", parked: `git show $ref:a.log`, after: `test -e venv/v`},
	{name: "ignored file forced into a commit", do: `git add -f dep.cache; git commit -qm cache`, changed: "A dep.cache", after: `grep -qx warm dep.cache`},
	{name: "private exclude file", do: `echo junk >>.git/info/exclude; echo j >junk`, problems: []string{".git/info/exclude changed"}, changed: "", parked: `git show $ref:junk | grep -qx j`, after: `test ! -e junk`},
	{name: "branch deleted", do: `git branch -qD feature`, problems: []string{"branch deleted: refs/heads/feature"}},
	{name: "packed branch deleted", before: `git pack-refs --all`, do: `git branch -qD feature; echo a >a.txt`, problems: []string{"branch deleted: refs/heads/feature"}, changed: "A a.txt"},
	{name: "protected branch moved", before: `git checkout -q -b loop/k`, do: `echo a >>work.txt; git commit -qam a; git branch -qf main HEAD; echo b >b.txt`, problems: []string{"protected branch moved: refs/heads/main"}, changed: "A b.txt, M work.txt"},
	{name: "other branch moved", do: `git branch -qf feature HEAD~1`, notes: []string{"moved: refs/heads/feature"}, after: `git for-each-ref refs/loopd/dropped | grep -q .`, left: `git branch -qf feature main`},
	{name: "tag made and stash", do: `echo a >>work.txt; git stash -q; git tag t2`, notes: []string{"created: refs/stash", "created: refs/tags/t2"}},
	{name: "stash dropped", before: `echo person >>work.txt; git stash -q`, do: `git stash clear`, notes: []string{"moved: refs/stash"}, after: `for r in $(git for-each-ref --format='%(refname)' refs/loopd/dropped); do git show $r:work.txt; done | grep -qx person`},
	{name: "submodule edited and moved", before: `git init -q ../lib; (cd ../lib; git config user.name a; git config user.email a@b; echo 1 >l; git add l; git commit -qm l); git -c protocol.file.allow=always submodule --quiet add ../lib lib; git commit -qm sub; git -C lib config user.name a; git -C lib config user.email a@b`,
		do: `echo dirt >>lib/l; echo new >lib/n; cd lib; git add n; git commit -qm n`, notes: []string{"nested repository left out: lib"}, after: `grep -qx dirt lib/l; test -e lib/n`, left: `git -C lib reset -q --hard HEAD~1`},
	{name: "submodule moved and committed", before: `git init -q ../lib; (cd ../lib; git config user.name a; git config user.email a@b; echo 1 >l; git add l; git commit -qm l); git -c protocol.file.allow=always submodule --quiet add ../lib lib; git commit -qm sub; git -C lib config user.name a; git -C lib config user.email a@b`,
		do: `cd lib; echo new >n; git add n; git commit -qm n; cd ..; git commit -qam bump`, changed: "M lib", after: `test -e lib/n`, left: `git -C lib reset -q --hard HEAD~1`},
	{name: "closed folder", do: `echo x >>src/deep/b.go; echo n >src/deep/n; chmod 555 src/deep`, changed: "M src/deep/b.go, A src/deep/n"},
	{name: "two worktrees", before: `git worktree add -q ../other feature`, do: `(cd ../other; echo o >>work.txt; git commit -qam other); echo a >a.txt`, changed: "A a.txt", after: `grep -qx o ../other/work.txt`, left: `git -C ../other reset -q --hard HEAD~1`},
}

func TestMisdeeds(t *testing.T) {
	for _, d := range misdeeds {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t)
			r.sh(d.before)
			if dirt, err := r.Debris(context.Background()); err != nil || len(dirt) > 0 {
				t.Fatalf("before: %v %v", dirt, err)
			}
			was := r.oracle()
			m := roundTrip(t, r.mark())
			r.sh(d.do)
			p := r.print(m)
			d.judge(t, m, p)
			said := r.gitSays()
			if again := r.print(m); again.Tree != p.Tree || r.gitSays() != said {
				t.Error("looking changed something, or saw something else the second time")
			}
			if !p.Same(m) {
				ref, err := r.Park(context.Background(), m, p, "refs/loopd/k/1", "why")
				must(t, err)
				if ref != "refs/loopd/k/1" {
					t.Errorf("parked under %s", ref)
				}
				r.sh("ref=" + ref + "\n" + d.parked)
				r.everything(m, ref)
			}
			must(t, r.Restore(context.Background(), m, nil))
			r.sh(d.after)
			r.sh(d.left)
			if diff := cmp.Diff(was, r.oracle()); diff != "" {
				t.Errorf("not as it was (-was +is):\n%s", diff)
			}
			if late := r.sh(`git for-each-ref refs/loopd/late`); late != "" {
				t.Errorf("Restore found something that Park had not kept: %s", late)
			}
			must(t, r.Restore(context.Background(), m, nil))
			if p := r.print(m); !p.Same(m) && d.left == "" {
				t.Errorf("after Restore: %+v", p)
			}
		})
	}
}

// roundTrip is what a lease does to a Mark.
func roundTrip(t *testing.T, m Mark) Mark {
	t.Helper()
	b, err := json.Marshal(m)
	must(t, err)
	var out Mark
	must(t, json.Unmarshal(b, &out))
	return out
}

func (d misdeed) judge(t *testing.T, m Mark, p Print) {
	t.Helper()
	var changed []string
	for _, c := range p.Changed {
		changed = append(changed, c.Status+" "+c.Path)
	}
	if got := strings.Join(changed, ", "); d.changed != "-" && got != d.changed {
		t.Errorf("changed %q, want %q", got, d.changed)
	}
	for _, list := range []struct {
		name      string
		got, want []string
	}{{"problems", p.Problems, d.problems}, {"notes", p.Notes, d.notes}} {
		if len(list.got) != len(list.want) {
			t.Errorf("%s %q, want %q", list.name, list.got, list.want)
		}
		for _, w := range list.want {
			if !strings.Contains(strings.Join(list.got, "\n"), w) {
				t.Errorf("%s %q lack %q", list.name, list.got, w)
			}
		}
	}
}

// everything checks that no commit that was made is out of reach of a ref once the put-back is done.
func (r *repo) everything(m Mark, ref string) {
	r.Helper()
	heads := r.sh(`git rev-parse -q --verify HEAD 2>/dev/null || :`)
	if heads != "" && heads != m.Head.OID {
		r.sh("git merge-base --is-ancestor " + heads + " " + ref)
	}
}
