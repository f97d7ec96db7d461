package worktree

import (
	"errors"
	"strings"
	"testing"
)

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
