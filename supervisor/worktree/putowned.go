package worktree

import (
	"context"
	"os"
	"strings"
)

// putOwned undoes what git did to tracked files of loops while the agent moved HEAD (a branch switch, a reset): those that
// now hold exactly what the agent's commit has, or that it lacks, get the base's version. Anything else that stands in a
// loop's folder was written by somebody, and is not for Restore to touch.
func (t *Tree) putOwned(ctx context.Context, m Mark, index string) error {
	head, err := t.Head(ctx)
	if err != nil || head.OID == m.Head.OID || head.OID == "" || len(m.Owned) == 0 {
		return err
	}
	args := []string{"diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", t.base(m), head.OID, "--"}
	for _, o := range m.Owned {
		args = append(args, ":(top,literal)"+o)
	}
	b, err := t.git(ctx, call{index: t.private("none")}, args...)
	if err != nil {
		return err
	}
	changes, err := readDiff(zero(b))
	if err != nil {
		return err
	}
	var back []string
	for _, c := range changes {
		if c.was.mode == absent || c.was.mode == gitlink {
			continue
		}
		is, err := t.standsAs(ctx, c.Path, c.is)
		if err != nil {
			return err
		}
		if is {
			back = append(back, c.Path)
		}
	}
	if len(back) == 0 {
		return nil
	}
	_, err = t.git(ctx, call{index: index, stdin: joinZero(back)}, "checkout-index", "--force", "--index", "-z", "--stdin")
	return err
}

// standsAs tells whether what is on the disk is the given entry.
func (t *Tree) standsAs(ctx context.Context, p string, e entry) (bool, error) {
	_, err := os.Lstat(t.abs(p))
	if e.mode == absent {
		return err != nil, nil
	}
	if !strings.HasPrefix(e.mode, "100") || !t.plain(p) {
		return false, nil
	}
	b, err := t.git(ctx, call{}, "hash-object", "--", p)
	return oid(b) == e.oid, err
}
