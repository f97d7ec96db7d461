package worktree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// unlandedRefs hold a verified commit that could not be landed: it must not be lost.
const unlandedRefs = ownRefs + "unlanded/"

// stagedRefs hold what a person staged while a commit landed.
const stagedRefs = ownRefs + "staged/"

// Land moves the branch to the prepared commit, from the value that it had, and puts the index in place, so that the tree is
// clean. It may be called again: what is done already is recognised. Where the branch was moved by somebody else meanwhile,
// it is left alone, the commit is kept under refs/loopd/unlanded and the error names it.
func (t *Tree) Land(ctx context.Context, p *Prepared) error {
	if err := t.land(ctx, p); err != nil {
		return fmt.Errorf("land commit %s: %w", p.OID, err)
	}
	return nil
}

func (t *Tree) land(ctx context.Context, p *Prepared) error {
	refs, err := t.refs(ctx)
	if err != nil {
		return err
	}
	head, err := t.head(ctx, refs)
	if err != nil {
		return err
	}
	ref, at := p.Branch, refs[p.Branch]
	if ref == "" {
		ref, at = "HEAD", head.OID
		if head.Branch != "" {
			at = "(a branch is checked out)"
		}
	}
	switch {
	case at == p.OID:
	case at == p.Old:
		if err := t.moveTo(ctx, p, ref); err != nil {
			return err
		}
	default:
		landed := false
		if isOID(at) {
			if landed, err = t.ancestor(ctx, p.OID, at); err != nil {
				return err
			}
		}
		if landed { // and somebody worked on: the index is theirs
			return removeIfThere(p.Index)
		}
		return t.keepUnlanded(ctx, p, ref, at)
	}
	if head.Branch != p.Branch {
		return removeIfThere(p.Index) // another branch is checked out now, with its own index
	}
	return t.landIndex(ctx, p)
}

func (t *Tree) moveTo(ctx context.Context, p *Prepared, ref string) error {
	old := p.Old
	if old == "" {
		old = t.none()
	}
	args := []string{"update-ref", "-m", "loopd: iteration", ref, p.OID, old}
	if ref == "HEAD" {
		args = append([]string{"update-ref", "--no-deref"}, args[1:]...)
	}
	_, err := t.git(ctx, call{}, args...)
	return err
}

func (t *Tree) keepUnlanded(ctx context.Context, p *Prepared, ref, at string) error {
	keep := unlandedRefs + p.OID
	if _, err := t.git(ctx, call{env: loopdIdentity}, "update-ref", keep, p.OID); err != nil {
		return err
	}
	if at == "" {
		at = "gone"
	}
	return fmt.Errorf("%s was moved by somebody else (it is %s, was %s); the commit is kept under %s", ref, at, p.Old, keep)
}

// landIndex puts the index in place. Where the real one was written since (a person's `git add`, or only a refresh), it is
// brought forward instead, so that nothing staged is lost.
func (t *Tree) landIndex(ctx context.Context, p *Prepared) error {
	if _, err := os.Stat(p.Index); errors.Is(err, fs.ErrNotExist) {
		return nil // in place already
	}
	now, err := sumOf(t.realIndex())
	if err != nil {
		return fmt.Errorf("read index: %w", err)
	}
	ours, err := sumOf(p.Index)
	if err != nil {
		return fmt.Errorf("read index: %w", err)
	}
	if now == p.Real || now == ours || now == "" {
		return t.install(p.Index)
	}
	old := p.Old
	if old == "" {
		old = t.emptyTree()
	}
	args := []string{"read-tree", "-i", "-m", old, p.OID}
	out, err := t.ask(ctx, call{}, args...)
	if err != nil {
		return err
	}
	if out.Exit == 0 {
		return removeIfThere(p.Index)
	}
	// Their version and ours of one path: theirs is kept under a ref, for an index of the old commit would read as if
	// everything had been taken back.
	tree, err := t.git(ctx, call{}, "write-tree")
	if err != nil {
		return fmt.Errorf("bring the index forward: %w (%w)", failed(args, out), err)
	}
	kept, err := t.commitTree(ctx, oid(tree), []string{p.OID}, "loopd: what a person had staged\n", loopdIdentity)
	if err != nil {
		return err
	}
	if _, err := t.git(ctx, call{env: loopdIdentity}, "update-ref", stagedRefs+kept, kept); err != nil {
		return err
	}
	return t.install(p.Index)
}

func removeIfThere(p string) error {
	if err := os.Remove(p); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
