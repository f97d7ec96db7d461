package worktree

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// baseTrailer names, in the message of a parked commit, what the change is a change of.
const baseTrailer = "Loopd-Base: "

// loopdIdentity signs what is loopd's own: parking must not fail for want of a person's name.
var loopdIdentity = []string{"GIT_AUTHOR_NAME=loopd", "GIT_AUTHOR_EMAIL=loopd@localhost", "GIT_COMMITTER_NAME=loopd", "GIT_COMMITTER_EMAIL=loopd@localhost"}

// Park keeps the present change as a commit under ref, and gives the ref that it got: an existing one is never overwritten,
// -2, -3 and so on are tried (decision 36), and one that holds exactly this already is given back. The tree is looked at
// afresh, so that what checks or hooks did since p is in it. First parent is HEAD (the agent's own commits); further ones
// hold what was staged, and every branch and half-way operation that Restore will move or end.
func (t *Tree) Park(ctx context.Context, m Mark, p Print, ref, message string) (string, error) {
	if p.Broken {
		return "", fmt.Errorf("park change: %s", strings.Join(p.Problems, "; "))
	}
	w, err := t.takeWhole(ctx, m, "park")
	if err != nil {
		return "", fmt.Errorf("park change: %w", err)
	}
	parents, err := t.parents(ctx, m, func(mv RefMove) bool { return true })
	if err == nil {
		parents, err = t.withIndex(ctx, m, w, parents)
	}
	if err != nil {
		return "", fmt.Errorf("park change: %w", err)
	}
	got, err := t.park(ctx, m, w, parents, ref, message)
	if err != nil {
		return "", fmt.Errorf("park change under %s: %w", ref, err)
	}
	return got, nil
}

func (t *Tree) park(ctx context.Context, m Mark, w whole, parents []string, ref, message string) (string, error) {
	for n := 1; ; n++ {
		name := ref
		if n > 1 {
			name = fmt.Sprintf("%s-%d", ref, n)
		}
		same, taken, err := t.holds(ctx, name, w.tree, parents)
		switch {
		case err != nil:
			return "", err
		case same:
			return name, nil
		case taken:
			continue
		}
		at, err := t.commitTree(ctx, w.tree, parents, strings.TrimRight(message, "\n")+"\n\n"+baseTrailer+t.base(m)+"\n", loopdIdentity)
		if err != nil {
			return "", err
		}
		_, err = t.git(ctx, call{env: loopdIdentity}, "update-ref", "-m", "loopd: park", name, at, t.none())
		var bad *GitError
		if errors.As(err, &bad) && strings.Contains(bad.Stderr, "already exists") {
			continue // somebody made it meanwhile
		}
		return name, err
	}
}

// commitTree makes a commit object.
func (t *Tree) commitTree(ctx context.Context, tree string, parents []string, message string, env []string, more ...string) (string, error) {
	args := append([]string{"commit-tree", tree}, more...)
	for _, p := range parents {
		args = append(args, "-p", p)
	}
	b, err := t.git(ctx, call{stdin: []byte(message), env: env}, append(args, "-F", "-")...)
	return oid(b), err
}

// holds tells whether a ref exists, and whether it is a commit of that tree with those parents.
func (t *Tree) holds(ctx context.Context, ref, tree string, parents []string) (same, taken bool, err error) {
	args := []string{"rev-parse", "--quiet", "--verify", ref}
	out, err := t.ask(ctx, call{}, args...)
	if err != nil || out.Exit != 0 {
		return false, false, err
	}
	b, err := t.git(ctx, call{}, "log", "-1", "--no-show-signature", "--format=%T %P", oid(out.Stdout))
	if err != nil {
		return false, true, nil // no commit: taken all the same
	}
	f := strings.Fields(string(b))
	return len(f) > 0 && f[0] == tree && slices.Equal(f[1:], parents), true, nil
}

// withIndex adds the commit of what was staged to the parents, where there is one.
func (t *Tree) withIndex(ctx context.Context, m Mark, w whole, parents []string) ([]string, error) {
	index, err := t.parkIndex(ctx, m, w, parents)
	if err != nil || index == "" {
		return parents, err
	}
	return append(parents, index), nil
}

// parents gives HEAD, and the commits that putting back the moved branches would leave without a ref.
func (t *Tree) parents(ctx context.Context, m Mark, back func(RefMove) bool) ([]string, error) {
	refs, err := t.refs(ctx)
	if err != nil {
		return nil, err
	}
	head, err := t.head(ctx, refs)
	if err != nil {
		return nil, err
	}
	want := []string{head.OID}
	for _, mv := range t.moves(m, refs) {
		if strings.HasPrefix(mv.Ref, "refs/heads/") && mv.Kind != MoveCreated && back(mv) {
			want = append(want, mv.To)
		}
	}
	return t.commits(ctx, append(want, t.pointed()...))
}

// commits gives those of the names that are commits, each once.
func (t *Tree) commits(ctx context.Context, names []string) ([]string, error) {
	names = slices.DeleteFunc(unique(names), func(s string) bool { return s == "" })
	if len(names) == 0 {
		return nil, nil
	}
	b, err := t.git(ctx, call{stdin: []byte(strings.Join(names, "\n") + "\n")}, "cat-file", "--batch-check=%(objectname) %(objecttype)")
	if err != nil {
		return nil, err
	}
	var out []string
	for line := range strings.SplitSeq(string(b), "\n") {
		if at, is := strings.CutSuffix(line, " commit"); is {
			out = append(out, at)
		}
	}
	return out, nil
}

// parkIndex keeps what was staged where it is neither in HEAD nor in the tree: a commit of the index, "" where there is
// nothing to keep. An index with unmerged paths holds no tree; its sides are in the commits that were merged.
func (t *Tree) parkIndex(ctx context.Context, m Mark, w whole, parents []string) (string, error) {
	index := t.private("staged")
	if err := clearIndex(index); err != nil {
		return "", err
	}
	if _, err := copyPath(t.realIndex(), index); err != nil {
		return "", nil // there is none
	}
	args := []string{"write-tree"}
	out, err := t.ask(ctx, call{index: index}, args...)
	if err != nil || out.Exit != 0 {
		return "", err
	}
	tree := oid(out.Stdout)
	ask := []string{"rev-parse", t.base(m) + "^{tree}"}
	for _, p := range parents {
		ask = append(ask, p+"^{tree}")
	}
	known, err := t.git(ctx, call{}, ask...)
	if err != nil {
		return "", err
	}
	if tree == w.tree || slices.Contains(strings.Fields(string(known)), tree) {
		return "", nil
	}
	// Staged files may be no more than what the tree holds: an ordinary `git add` of a part of the change.
	more, err := t.stagedOnly(ctx, m, w)
	if err != nil || !more {
		return "", err
	}
	var first []string
	if len(parents) > 0 {
		first = parents[:1]
	}
	return t.commitTree(ctx, tree, first, "loopd: what was staged\n", append(slices.Clone(loopdIdentity), "GIT_AUTHOR_DATE=@0 +0000", "GIT_COMMITTER_DATE=@0 +0000"))
}

// stagedOnly tells whether the index holds content that is neither in the base nor in the snapshot.
func (t *Tree) stagedOnly(ctx context.Context, m Mark, w whole) (bool, error) {
	staged, err := t.staged(ctx, m)
	if err != nil {
		return false, nil // a damaged index holds nothing
	}
	has := map[string]string{}
	for _, c := range w.changes {
		has[c.Path] = c.is.oid
	}
	for _, c := range staged {
		if c.is.mode != absent && c.Status != "U" && c.is.oid != has[c.Path] && !belongs(m.Owned, c.Path) && !deep(c.Path) {
			return true, nil
		}
	}
	return false, nil
}
