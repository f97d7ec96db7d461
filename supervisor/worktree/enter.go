package worktree

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ErrCheckedOut says that the loop's branch is checked out in another working tree.
var ErrCheckedOut = errors.New("branch is checked out in another working tree")

// Entered is where a loop works.
type Entered struct {
	Branch   string // full name
	Switched bool   // HEAD was moved there now
	Said     string // what a person should know; "" for nothing
}

// BranchOf gives the short name of a loop's branch: loop/<name>, with what git does not take in a name replaced.
func BranchOf(name string) string { return "loop/" + refPart(name) }

// refPart makes one component of a ref's name (git check-ref-format).
func refPart(s string) string {
	s = strings.Map(func(r rune) rune {
		if r <= ' ' || r == 0x7f || strings.ContainsRune(`~^:?*[\/@{}`, r) {
			return '-'
		}
		return r
	}, s)
	for strings.Contains(s, "..") {
		s = strings.ReplaceAll(s, "..", ".-")
	}
	s = strings.TrimSuffix(s, ".lock")
	s = strings.TrimRight(strings.TrimLeft(s, ".-"), ".")
	if s == "" {
		return "loop"
	}
	return s
}

// Enter makes sure that HEAD is on a branch that a loop may commit to. Where it is on a protected branch or detached, it
// goes to loop/<name> in place: a new one, or the one that is there (decision 23: ahead of HEAD it is reused, behind it is
// brought forward, diverged from it -2, -3 and so on are tried and that is said). ErrCheckedOut where another working tree
// has it. An unborn protected branch is left for loop/<name>, unborn too: the first iteration makes its first commit.
func (t *Tree) Enter(ctx context.Context, name string, protected []string) (Entered, error) {
	e, err := t.enter(ctx, name, protected)
	if err != nil {
		return Entered{}, fmt.Errorf("enter branch %s: %w", BranchOf(name), err)
	}
	return e, nil
}

func (t *Tree) enter(ctx context.Context, name string, protected []string) (Entered, error) {
	refs, err := t.refs(ctx)
	if err != nil {
		return Entered{}, err
	}
	head, err := t.head(ctx, refs)
	if err != nil {
		return Entered{}, err
	}
	if head.Branch != "" && !t.protects(head.Branch, refs, protected) {
		return Entered{Branch: head.Branch}, nil
	}
	c, err := t.choose(ctx, name, head, refs)
	if err != nil {
		return Entered{}, err
	}
	from := short(head.Branch)
	if head.Branch == "" {
		from = "a detached HEAD"
	}
	e := Entered{Branch: c.ref, Switched: true, Said: fmt.Sprintf("works on branch %s (from %s)%s", short(c.ref), from, c.said)}
	if c.ahead {
		// The files differ: git switches, and refuses where that would overwrite anything, ignored files too.
		_, err = t.git(ctx, call{}, "checkout", "--quiet", "--no-guess", "--no-overwrite-ignore", strings.TrimPrefix(c.ref, "refs/heads/"), "--")
		return e, err
	}
	if err := t.point(ctx, c, head, refs); err != nil {
		return Entered{}, err
	}
	_, err = t.git(ctx, call{env: loopdIdentity}, "symbolic-ref", "-m", "loopd: enter "+short(c.ref), "HEAD", c.ref)
	return e, err
}

// choice is the branch that a loop works on.
type choice struct {
	ref   string
	ahead bool // of HEAD: its files may differ
	said  string
}

// choose finds the loop's branch by the rules of decision 23.
func (t *Tree) choose(ctx context.Context, name string, head Head, refs Refs) (choice, error) {
	elsewhere := t.elsewhere()
	diverged := ""
	for n := 1; ; n++ {
		c := choice{ref: "refs/heads/" + BranchOf(name)}
		if n > 1 {
			c.ref = fmt.Sprintf("%s-%d", c.ref, n)
			c.said = ": " + diverged + " has diverged from it"
		}
		if slices.Contains(elsewhere, c.ref) {
			return c, fmt.Errorf("%s: %w", short(c.ref), ErrCheckedOut)
		}
		at := refs[c.ref]
		if at == "" || at == head.OID {
			return c, nil
		}
		if head.OID != "" {
			behind, err := t.ancestor(ctx, at, head.OID)
			if err != nil || behind {
				return c, err
			}
		}
		ahead := head.OID == "" // a branch with commits, and an unborn HEAD
		if !ahead {
			var err error
			if ahead, err = t.ancestor(ctx, head.OID, at); err != nil {
				return c, err
			}
		}
		if ahead {
			c.ahead = true
			return c, nil
		}
		diverged = short(c.ref)
	}
}

// point makes the branch, or brings it forward, to where HEAD is. Nothing changes in the files.
func (t *Tree) point(ctx context.Context, c choice, head Head, refs Refs) error {
	if head.OID == "" || refs[c.ref] == head.OID {
		return nil
	}
	old := refs[c.ref]
	if old == "" {
		old = t.none()
	}
	_, err := t.git(ctx, call{env: loopdIdentity}, "update-ref", "-m", "loopd: enter", c.ref, head.OID, old)
	return err
}
