package worktree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Print is what became of the tree since a Mark.
type Print struct {
	Tree     string    // of everything that is not ignored and that no loop owns
	Changed  []Change  // from the base, the agent's own commits included
	Head     Head      // now
	Moved    []RefMove // without the branches of other working trees and loopd's own refs
	Problems []string  // guardrails that were broken, in a person's words (decisions 1 and 33)
	Notes    []string  // worth a flag, no more
	// Broken: .git is gone or damaged beyond what can be put back; Problems says how. Nothing else is filled in.
	Broken bool

	touched bool // what the index tracks is not what it was
	index   string
	staged  []entry
	real    string // SHA-256 of the real index when this was taken
}

// Same tells whether tree, index, HEAD and refs are as marked, so that there is nothing to park and nothing to put back.
func (p Print) Same(m Mark) bool {
	return !p.Broken && len(p.Changed) == 0 && p.Head == m.Head && !p.touched && len(p.Problems) == 0
}

// Fingerprint looks at the tree and the refs. It leaves both as they are; objects are written, so that Park and Prepare
// find them, and where a ref of a person no longer reaches what it did, that is kept under refs/loopd/dropped.
func (t *Tree) Fingerprint(ctx context.Context, m Mark) (Print, error) {
	if why := t.gone(); why != "" {
		return Print{Broken: true, Problems: []string{why}}, nil
	}
	p, err := t.fingerprint(ctx, m)
	if err == nil {
		return p, nil
	}
	// Is it the repository that fails, or git?
	if why := t.lost(ctx, m); why != "" {
		return Print{Broken: true, Problems: []string{why}}, nil
	}
	return Print{}, fmt.Errorf("look at working tree: %w", err)
}

func (t *Tree) fingerprint(ctx context.Context, m Mark) (p Print, err error) {
	mended, err := t.mendHead(ctx, m)
	if err != nil {
		return p, err
	}
	if mended != "" {
		p.Problems = append(p.Problems, mended)
	}
	refs, err := t.refs(ctx)
	if err != nil {
		return p, err
	}
	if p.Head, err = t.head(ctx, refs); err != nil {
		return p, err
	}
	if p.real, err = sumOf(t.realIndex()); err != nil {
		return p, err
	}
	s, err := t.take(ctx, m, "work")
	if err != nil {
		return p, err
	}
	t.work = s.index
	p.Tree, p.Changed, p.index, p.staged, p.touched = s.tree, s.changes, s.index, s.staged, s.touched
	p.Moved = t.moves(m, refs)
	if p.Moved, err = t.judgeHead(ctx, m, p.Head, p.Moved); err != nil {
		return p, err
	}
	if err := t.keepDropped(ctx, m, p.Moved); err != nil {
		return p, err
	}
	p.Problems = append(p.Problems, headProblems(m.Head, p.Head)...)
	p.Problems = append(p.Problems, t.underWay()...)
	for _, u := range s.unmerged {
		p.Problems = append(p.Problems, "unmerged path "+shown(u))
	}
	for _, u := range s.unread {
		p.Problems = append(p.Problems, "cannot be read: "+shown(u))
	}
	p.Problems = append(p.Problems, s.huge...)
	if s.damaged != nil {
		p.Problems = append(p.Problems, "the index is damaged: "+s.damaged.Error())
	}
	left, err := t.leftLocks(m.Locks)
	if err != nil {
		return p, err
	}
	for _, l := range left {
		p.Problems = append(p.Problems, "left-over lock file "+t.inGit(l))
	}
	bent, err := t.bent(m)
	if err != nil {
		return p, err
	}
	for _, r := range bent {
		p.Problems = append(p.Problems, t.inGit(t.rulePlace(r.Name))+" changed")
	}
	problems, notes := moveSaid(p.Moved)
	p.Problems, p.Notes = append(p.Problems, problems...), append(p.Notes, notes...)
	bared, err := t.shownNow(ctx, p.Changed)
	if err != nil {
		return p, err
	}
	p.Notes = append(p.Notes, bared...)
	for _, n := range unique(s.nested) {
		if !slices.Contains(m.Nested, n) {
			p.Notes = append(p.Notes, "nested repository left out: "+shown(n))
		}
	}
	return p, nil
}

// headProblems: HEAD must be where it was, on its branch or detached; commits on it are the agent's right.
func headProblems(was, is Head) []string {
	switch {
	case was.Branch == is.Branch:
		return nil
	case is.Branch == "":
		return []string{"HEAD detached (was on " + short(was.Branch) + ")"}
	case was.Branch == "":
		return []string{"branch " + short(is.Branch) + " checked out (HEAD was detached)"}
	}
	return []string{"branch " + short(is.Branch) + " checked out instead of " + short(was.Branch)}
}

func short(ref string) string { return shown(strings.TrimPrefix(ref, "refs/heads/")) }

// moveWords is what is said of a moved ref: problem or note.
var moveWords = map[Kind]struct {
	text    string
	problem bool
}{
	MoveHead:      {"", false},
	MoveRewritten: {"history rewritten, the base is no longer in it: ", true},
	MoveProtected: {"protected branch moved: ", true},
	MoveDeleted:   {"branch deleted: ", true},
	MovePushed:    {"pushed (cannot be undone): ", true},
	MoveCreated:   {"created: ", false},
	MoveOther:     {"moved: ", false},
}

// moveSaid puts moved refs into words. A fetch moves many and is nobody's fault: its refs are counted.
func moveSaid(moves []RefMove) (problems, notes []string) {
	const most = 8
	fetched, others := 0, 0
	for _, mv := range moves {
		w := moveWords[mv.Kind]
		switch {
		case w.text == "":
		case w.problem:
			problems = append(problems, w.text+shown(mv.Ref))
		case strings.HasPrefix(mv.Ref, "refs/remotes/"):
			fetched++
		case len(notes) < most:
			notes = append(notes, w.text+shown(mv.Ref))
		default:
			others++
		}
	}
	if others > 0 {
		notes = append(notes, fmt.Sprintf("%d more refs created or moved", others))
	}
	if fetched > 0 {
		notes = append(notes, fmt.Sprintf("%d remote-tracking refs moved, not by a push", fetched))
	}
	return problems, notes
}

// judgeHead tells the agent's commits on top of the base from a rewritten history.
func (t *Tree) judgeHead(ctx context.Context, m Mark, now Head, moves []RefMove) ([]RefMove, error) {
	if m.Head.Branch == "" && now.Branch == "" && now.OID != m.Head.OID {
		moves = append(moves, RefMove{Ref: "HEAD", From: m.Head.OID, To: now.OID, Kind: MoveHead})
	}
	for i, mv := range moves {
		if mv.Kind != MoveHead || mv.From == "" {
			continue
		}
		in, err := t.ancestor(ctx, mv.From, mv.To)
		if err != nil {
			return nil, err
		}
		if !in {
			moves[i].Kind = MoveRewritten
		}
	}
	return moves, nil
}

// ancestor tells whether commit a is in the history of b.
func (t *Tree) ancestor(ctx context.Context, a, b string) (bool, error) {
	args := []string{"merge-base", "--is-ancestor", a, b}
	out, err := t.ask(ctx, call{}, args...)
	if err != nil {
		return false, err
	}
	if out.Exit > 1 {
		return false, failed(args, out)
	}
	return out.Exit == 0, nil
}

// gone says in what way .git is missing.
func (t *Tree) gone() string {
	for _, f := range []string{filepath.Join(t.root, ".git"), t.gitDir, filepath.Join(t.commonDir, "objects"), filepath.Join(t.commonDir, "refs")} {
		if _, err := os.Stat(f); errors.Is(err, os.ErrNotExist) {
			return f + " is missing: git is broken here"
		} else if err != nil {
			return "git is broken here: " + err.Error()
		}
	}
	return ""
}

// lost says whether the base can still be read.
func (t *Tree) lost(ctx context.Context, m Mark) string {
	if why := t.gone(); why != "" {
		return why
	}
	out, err := t.ask(ctx, call{}, "rev-parse", "--quiet", "--verify", t.base(m)+"^{tree}")
	if err == nil && out.Exit != 0 {
		return "the base " + t.base(m) + " cannot be read: git is broken here"
	}
	return ""
}
