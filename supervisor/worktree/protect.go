package worktree

import (
	"path"
	"strings"
)

// protectedBranches are never worked on by a loop that may only propose (spec/loop.md "Promotion").
var protectedBranches = []string{"main", "master", "trunk", "release/*"}

// IsProtected tells whether a branch, short or full, is protected: main, master, trunk, anything under release/, or a match
// of one of the globs. In a glob that ends in /* the star stands for any depth; elsewhere as in path.Match.
func IsProtected(branch string, globs []string) bool {
	branch = strings.TrimPrefix(branch, "refs/heads/")
	if branch == "" {
		return false
	}
	for _, set := range [][]string{protectedBranches, globs} {
		for _, g := range set {
			g = strings.TrimPrefix(g, "refs/heads/")
			if under, is := strings.CutSuffix(g, "/*"); is && strings.HasPrefix(branch, under+"/") {
				return true
			}
			if ok, err := path.Match(g, branch); ok && err == nil || g == branch {
				return true
			}
		}
	}
	return false
}

// protects is IsProtected with what the repository says itself: the default branch of each remote.
func (t *Tree) protects(branch string, refs Refs, globs []string) bool {
	return IsProtected(branch, globs) || IsProtected(branch, t.o.Protected) || IsProtected(branch, defaults(refs))
}

// defaults gives the default branches of the remotes, by refs/remotes/X/HEAD.
func defaults(refs Refs) []string {
	var out []string
	for name, at := range refs {
		to, is := strings.CutPrefix(at, "ref:")
		remote, isHead := strings.CutSuffix(name, "/HEAD")
		if !is || !isHead || !strings.HasPrefix(remote, "refs/remotes/") {
			continue
		}
		if b, ok := strings.CutPrefix(strings.TrimSpace(to), remote+"/"); ok {
			out = append(out, escapeGlob(b))
		}
	}
	return out
}
