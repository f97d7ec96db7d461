package worktree

import (
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// acts are what an agent, or a person beside it, does in any order; some fail after others, which is as it should be.
var acts = []string{
	`echo $N >>work.txt`, `echo $N >new$N.txt`, `mkdir -p d$N/e; echo $N >d$N/e/f`, `rm -f work.txt`, `rm -rf src`, `git add -A`, `git add -A -- . ':!.loop'`, `git commit -qm c$N`, `git commit -qam c$N`,
	`git checkout -q -b b$N`, `git checkout -q feature`, `git checkout -q main`, `git checkout -q --detach`, `git reset -q --hard HEAD~1`, `git reset -q --soft HEAD~1`, `git reset -q`, `git stash -q -u`, `git stash pop -q`,
	`git merge -q feature`, `git rebase -q feature`, `git cherry-pick feature`, `git revert --no-edit HEAD`, `git bisect start HEAD HEAD~1`, `ln -sfn src l$N`, `rm -rf src; ln -s /tmp src`, `chmod +x work.txt`, `chmod -x run.sh`,
	`git mv work.txt moved.txt`, `mv src source$N`, `echo '*.txt' >>.gitignore`, `rm -f .gitignore`, `echo '*' >>.git/info/exclude`, `git rm -q --cached run.sh`, `git update-index --assume-unchanged work.txt`, `git branch -qD feature`,
	`git branch -f b$N HEAD~1`, `git init -q nest$N`, `rm -f work.txt; mkdir work.txt; echo x >work.txt/x`, `rm -rf src; echo f >src`, `rm -f .git/index`, `: >.git/index.lock; touch -d '1 minute ago' .git/index.lock`, `git add -f out dep.cache`, `git update-ref -d HEAD`, `git clean -qfdx -e .loop`,
	`echo $N >>.loop/k/LOOP.md`, `echo $N >src/deep/b.go`, `printf 'TODO %s\n' $N >work.txt`, `git commit -q --amend -m am$N --allow-empty`, `git checkout -q HEAD~1 -- work.txt`, `git worktree add -q ../wt$N`, `echo a >a.u; echo '*.u' >.gitignore; git add .gitignore; git commit -qm ig`,
}

// TestRandomAgent does what nobody thought of. LOOPD_SEED=n runs one seed, LOOPD_LONG=1 many.
func TestRandomAgent(t *testing.T) {
	from, to := uint64(1), uint64(8)
	if os.Getenv("LOOPD_LONG") != "" {
		to = 400
	}
	if s, err := strconv.ParseUint(os.Getenv("LOOPD_SEED"), 10, 64); err == nil {
		from, to = s, s
	}
	for seed := from; seed <= to; seed++ {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			rnd := rand.New(rand.NewPCG(seed, 1))
			r := newRepo(t)
			r.sh(`git checkout -q feature; printf 'TODO f\n' >work.txt; echo f >f.txt; git add f.txt; git commit -qam f; git checkout -q main`)
			if rnd.IntN(2) == 0 {
				r.sh(`git checkout -q -b loop/k`)
			}
			was := r.lasting()
			m := roundTrip(t, r.mark())
			var done []string
			for range 3 + rnd.IntN(8) {
				act := acts[rnd.IntN(len(acts))]
				done = append(done, act)
				_, _ = r.try(fmt.Sprintf("N=%d\n%s", rnd.IntN(3), act))
			}
			t.Logf("%q", done)
			p := r.print(m)
			if p.Broken {
				t.Fatalf("%+v", p)
			}
			if len(p.Problems) == 0 && rnd.IntN(2) == 0 {
				r.shipRandom(m, p)
				return
			}
			_, err := r.Park(bg, m, p, "refs/loopd/k/1", "x")
			must(t, err)
			if err := r.Restore(bg, m, nil); err != nil {
				t.Fatal(err)
			}
			if late := r.sh(`git for-each-ref refs/loopd/late`); late != "" {
				t.Errorf("late: %s", late)
			}
			if diff := cmp.Diff(was, r.lasting()); diff != "" {
				t.Errorf("(-was +is)\n%s", diff)
			}
			if p := r.print(m); len(p.Changed) > 0 || len(p.Problems) > 0 {
				t.Errorf("after Restore: %+v", p)
			}
		})
	}
}

// passing is what may come, stay or move: ignored files, nested repositories, what loops own, other branches (decision 1).
var passing = regexp.MustCompile(`^("?\.loop|"nest|"out/|"\.env|"[a-z]*\.cache|! |\? nest|\? \.loop|refs/heads/(b|wt)[0-9]|refs/heads/feature|.*\s\.loop/)`)

// lasting is the oracle without that.
func (r *repo) lasting() string {
	r.Helper()
	return strings.Join(slices.DeleteFunc(strings.Split(r.oracle(), "\n"), passing.MatchString), "\n")
}

// shipRandom commits what the agent did: the files stay as they are, and nothing is left over.
func (r *repo) shipRandom(m Mark, p Print) {
	r.Helper()
	files := func() string {
		text, _, _ := strings.Cut(r.oracle(), "\n"+r.sh(`git rev-parse HEAD`))
		return text
	}
	r.Log("shipped")
	was, head := files(), r.sh(`git rev-parse HEAD`)
	c, err := r.Prepare(bg, m, p, Commit{Message: "unit"})
	must(r.T, err)
	must(r.T, r.Land(bg, c))
	if diff := cmp.Diff(was, files()); diff != "" {
		r.Errorf("committing changed files (-was +is)\n%s", diff)
	}
	left := strings.Split(r.sh(`git status --porcelain=v2 -- . ':!.loop'`), "\n")
	left = slices.DeleteFunc(left, func(s string) bool { return s == "" || strings.HasPrefix(s, "? nest") })
	if len(left) > 0 {
		r.Errorf("left over: %q", left)
	}
	r.sh(`git merge-base --is-ancestor ` + head + ` HEAD; test -z "$(git ls-files .loop/k/state.json)"; git diff --quiet ` + m.Head.OID + ` HEAD -- .loop`)
}
