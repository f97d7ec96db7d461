package worktree

import (
	"os"
	"path"
	"slices"
	"strings"
)

// stores are the folders that loops keep their files in, at any depth of the tree.
var stores = []string{".loop", ".codevoyant"}

// definitions make a folder under loops/ a loop's own; any other loops/X is ordinary source.
var definitions = []string{"LOOP.md", "loop.md"}

// owned lists the paths that belong to loops and not to an iteration: the stores beside the top level and beside the
// folder that was opened, each loop's folder in loops/, and the options' own (decision 9). The list is taken at the Mark: a
// folder that an agent dresses up as a loop stays part of its change.
func (t *Tree) owned() []string {
	var out []string
	bases := []string{""}
	if t.prefix != "" {
		bases = append(bases, t.prefix)
	}
	for _, base := range bases {
		for _, s := range stores {
			out = append(out, path.Join(base, s))
		}
		loops := path.Join(base, "loops")
		dirs, err := os.ReadDir(t.abs(loops))
		if err != nil {
			continue // none there
		}
		for _, d := range dirs {
			for _, f := range definitions {
				if _, err := os.Stat(t.abs(path.Join(loops, d.Name(), f))); err == nil {
					out = append(out, path.Join(loops, d.Name()))
					break
				}
			}
		}
	}
	for _, x := range t.o.Exclude {
		if x = path.Clean(strings.Trim(x, "/")); x != "." && x != ".." && !strings.HasPrefix(x, "../") {
			out = append(out, x)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// belongs tells whether a path lies at or under one of the owned paths.
func belongs(owned []string, p string) bool {
	for _, o := range owned {
		if p == o || strings.HasPrefix(p, o) && p[len(o)] == '/' {
			return true
		}
	}
	return false
}

// deep tells whether a path lies in a store of another folder: too rare for a pathspec, it is sorted out afterwards.
func deep(p string) bool {
	for part := range strings.SplitSeq(p, "/") {
		if slices.Contains(stores, part) {
			return true
		}
	}
	return false
}

// left gives the pathspecs that leave the owned paths out.
func left(owned []string) []string {
	out := []string{"--", "."}
	for _, o := range owned {
		out = append(out, ":(exclude,top,literal)"+o)
	}
	return out
}
