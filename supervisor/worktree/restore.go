package worktree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
)

// Restore makes tree, index, HEAD, HEAD's branch and the protected branches what they were at the Mark: the agent's commits,
// branch switches, staged, unstaged, untracked and deleted files, modes, links, operations half-way, .gitignore edits and
// left-over locks are undone, deleted branches come back. Ignored files, nested repositories and what loops own stay as they
// are; other refs are not moved (decision 1). Folders are not git's to remember: an empty one that the agent made stays.
//
// What is not kept under refs/loopd yet is parked first. It may be killed at any point and run again. At the end it looks
// whether the tree is what it should be, and names what differs.
func (t *Tree) Restore(ctx context.Context, m Mark, protected []string) error {
	if err := t.restore(ctx, m, protected); err != nil {
		return fmt.Errorf("restore working tree: %w", err)
	}
	return nil
}

func (t *Tree) restore(ctx context.Context, m Mark, protected []string) error {
	if why := t.gone(); why != "" {
		return errors.New(why)
	}
	if _, err := t.mendHead(ctx, m); err != nil {
		return err
	}
	if why := t.lost(ctx, m); why != "" {
		return errors.New(why)
	}
	if err := t.DropLocks(m); err != nil {
		return err
	}
	index, err := t.putFiles(ctx, m, protected)
	if err != nil {
		return err
	}
	if err := t.putOwned(ctx, m, index); err != nil {
		return err
	}
	if err := t.endHalfway(); err != nil {
		return err
	}
	if err := t.putRefs(ctx, m, protected); err != nil {
		return err
	}
	if err := t.install(index); err != nil {
		return err
	}
	return t.proveRestored(ctx, m, protected)
}

// DropLocks removes the lock files that were not there at the Mark and that nobody holds: the processes that made them are
// dead. Restore does it by itself; before Land it is for a recovery, since a git that was killed leaves the lock of a branch.
func (t *Tree) DropLocks(m Mark) error {
	left, err := t.leftLocks(m.Locks)
	if err != nil {
		return err
	}
	for _, l := range left {
		if err := os.Remove(l); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove left-over lock: %w", err)
		}
	}
	return nil
}

// lateRefs hold what Restore found that nobody had parked: a person saved a file in the moment between.
const lateRefs = ownRefs + "late/"

// errMoved: a file changed between our look at it and git's.
var errMoved = errors.New("files keep changing while they are put back")

// putFiles puts the files back and gives the index that belongs to them. Where a file changes under our hands git refuses
// before it touches anything, and the look is taken again.
func (t *Tree) putFiles(ctx context.Context, m Mark, protected []string) (string, error) {
	const tries = 5
	var err error
	for range tries {
		var w whole
		if w, err = t.takeWhole(ctx, m, "restore"); err != nil {
			return "", err
		}
		if len(w.unread) > 0 {
			return "", fmt.Errorf("cannot be read, and so not be kept: %s", strings.Join(w.unread, ", "))
		}
		if err = t.ensureKept(ctx, m, w, protected); err != nil {
			return "", err
		}
		if err = t.switchFiles(ctx, m, w); !errors.Is(err, errMoved) {
			return w.index, err
		}
	}
	return "", err
}

// ensureKept makes sure that all that will be overwritten, deleted or moved away from is reachable from a ref of loopd's.
func (t *Tree) ensureKept(ctx context.Context, m Mark, w whole, protected []string) error {
	parents, err := t.parents(ctx, m, func(mv RefMove) bool { return t.goesBack(m, mv, protected) })
	if err != nil {
		return err
	}
	if parents, err = t.withIndex(ctx, m, w, parents); err != nil {
		return err
	}
	if len(w.changes) == 0 && (len(parents) == 0 || len(parents) == 1 && parents[0] == m.Head.OID) {
		return nil
	}
	b, err := t.git(ctx, call{}, "for-each-ref", "--format=%(tree) %(parent)", ownRefs)
	if err != nil {
		return err
	}
	for line := range strings.SplitSeq(string(b), "\n") {
		f := strings.Fields(line)
		if len(f) > 0 && f[0] == w.tree && !slices.ContainsFunc(parents, func(p string) bool { return !slices.Contains(f[1:], p) }) {
			return nil
		}
	}
	_, err = t.park(ctx, m, w, parents, lateRefs+t.base(m)[:12], "loopd: found by the put-back, not parked before")
	return err
}

// putRefs puts HEAD, its branch, protected and deleted branches back, each only from the value that was read.
func (t *Tree) putRefs(ctx context.Context, m Mark, protected []string) error {
	now, err := t.refs(ctx)
	if err != nil {
		return err
	}
	head, err := t.head(ctx, now)
	if err != nil {
		return err
	}
	move := func(args ...string) error {
		_, err := t.git(ctx, call{env: loopdIdentity}, args...)
		return err
	}
	switch {
	case m.Head.Branch == "" && (head.Branch != "" || head.OID != m.Head.OID):
		err = move("update-ref", "--no-deref", "-m", "loopd: put back", "HEAD", m.Head.OID)
	case m.Head.Branch != head.Branch:
		err = move("symbolic-ref", "-m", "loopd: put back", "HEAD", m.Head.Branch)
	}
	if err != nil {
		return fmt.Errorf("put HEAD back: %w", err)
	}
	var errs []error
	for _, mv := range t.movesBack(m, now, protected) {
		from, to := mv.To, mv.From
		if to == "" {
			err = move("update-ref", "-m", "loopd: put back", "-d", mv.Ref, from)
		} else {
			if from == "" {
				from = t.none()
			}
			err = move("update-ref", "-m", "loopd: put back", mv.Ref, to, from)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("put %s back: %w", mv.Ref, err))
		}
	}
	for name, at := range now {
		if strings.HasPrefix(name, "refs/bisect/") {
			errs = append(errs, move("update-ref", "-d", name, at))
		}
	}
	return errors.Join(errs...)
}

// movesBack lists the refs that are to be put back.
func (t *Tree) movesBack(m Mark, now Refs, protected []string) []RefMove {
	return slices.DeleteFunc(t.moves(m, now), func(mv RefMove) bool { return !t.goesBack(m, mv, protected) })
}

// goesBack: HEAD's branch, branches that were deleted, protected branches (decision 1).
func (t *Tree) goesBack(m Mark, mv RefMove, protected []string) bool {
	switch mv.Kind {
	case MoveHead, MoveDeleted, MoveProtected:
		return true
	case MoveOther:
		return strings.HasPrefix(mv.Ref, "refs/heads/") && t.protects(mv.Ref, m.Refs, protected)
	}
	return false
}

// proveRestored looks whether all is as it should be.
func (t *Tree) proveRestored(ctx context.Context, m Mark, protected []string) error {
	var wrong []string
	refs, err := t.refs(ctx)
	if err != nil {
		return err
	}
	head, err := t.head(ctx, refs)
	if err != nil {
		return err
	}
	if head != m.Head {
		wrong = append(wrong, fmt.Sprintf("HEAD is %s %s, was %s %s", head.Branch, head.OID, m.Head.Branch, m.Head.OID))
	}
	for _, mv := range t.movesBack(m, refs, protected) {
		wrong = append(wrong, mv.Ref+" is "+mv.To+", was "+mv.From)
	}
	s, err := t.scan(ctx, m.Owned)
	if err != nil {
		return err
	}
	wrong = append(append(wrong, t.underWay()...), s.dirt...)
	if len(wrong) > 0 {
		return fmt.Errorf("it still differs: %s", strings.Join(wrong, "; "))
	}
	return nil
}
