package worktree

import (
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
)

// RefMove is a ref that does not point where it did. From or To is "" where it did not or does not exist.
type RefMove struct {
	Ref, From, To string
	Kind          Kind
}

// Kind says whose matter a moved ref is (decision 1).
type Kind string

// The kinds of a moved ref.
const (
	MoveHead      Kind = "head"      // the branch that HEAD was on, forward: the agent's own commits
	MoveRewritten Kind = "rewritten" // the branch that HEAD was on, and the base is no longer in it
	MoveProtected Kind = "protected" // put back
	MoveDeleted   Kind = "deleted"   // a branch that is gone: restored
	MovePushed    Kind = "pushed"    // a remote-tracking ref, and its reflog says so: cannot be undone
	MoveCreated   Kind = "created"   // flagged only
	MoveOther     Kind = "other"     // flagged only: other loops, people and editors share them
)

// moves compares refs, in the order of their names. Branches that another working tree has checked out, now or at the Mark,
// are left out.
func (t *Tree) moves(m Mark, now Refs) []RefMove {
	ignored := append(t.elsewhere(), m.Elsewhere...)
	var out []RefMove
	names := make([]string, 0, len(now))
	for name := range now {
		names = append(names, name)
	}
	for name := range m.Refs {
		if _, is := now[name]; !is {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	for _, name := range names {
		from, to := m.Refs[name], now[name]
		if from == to || name != m.Head.Branch && slices.Contains(ignored, name) || strings.HasPrefix(name, "refs/bisect/") {
			continue
		}
		out = append(out, RefMove{Ref: name, From: from, To: to, Kind: t.kind(m, name, from, to)})
	}
	return out
}

func (t *Tree) kind(m Mark, name, from, to string) Kind {
	branch := strings.HasPrefix(name, "refs/heads/")
	switch {
	case branch && to == "":
		return MoveDeleted
	case name == m.Head.Branch:
		return MoveHead
	case strings.HasPrefix(name, "refs/remotes/") && t.pushed(name, from, to):
		return MovePushed
	case from == "":
		return MoveCreated
	case branch && t.protects(name, m.Refs, nil):
		return MoveProtected
	}
	return MoveOther
}

// pushed tells by its reflog whether a remote-tracking ref moved by a push; a fetch moves it too and is nobody's fault. The
// entries since the Mark are read from the end; the message is git's own (builtin "update by push").
func (t *Tree) pushed(name, from, to string) bool {
	if to == "" {
		return false // git removes the reflog with the ref: nobody can tell
	}
	b, err := os.ReadFile(filepath.Join(t.commonDir, "logs", filepath.FromSlash(name)))
	if err != nil {
		return false // reflogs are off
	}
	lines := strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")
	for _, line := range slices.Backward(lines) {
		head, message, _ := strings.Cut(line, "\t")
		f := strings.Fields(head)
		if len(f) < 2 {
			continue
		}
		if from != "" && f[1] == from {
			return false // as at the Mark
		}
		if strings.HasPrefix(message, "update by push") {
			return true
		}
	}
	return false
}
