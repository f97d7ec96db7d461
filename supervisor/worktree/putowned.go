package worktree

import (
	"context"
	"os"
	"strings"
)

// putOwned undoes what git did to tracked files of loops while the agent moved HEAD (a branch switch, a reset): those that
// were written since the Mark and hold exactly what the agent's commit has, and those that it lacks, get the version of the
// Mark's index. Anything else in a loop's folder was written by somebody, and is not for Restore to touch.
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
		is, err := t.standsAs(ctx, m, c.Path, c.is)
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

// standsAs tells whether git put what is on the disk there: the given entry.
func (t *Tree) standsAs(ctx context.Context, m Mark, p string, e entry) (bool, error) {
	st, err := os.Lstat(t.abs(p))
	if e.mode == absent {
		return err != nil, nil
	}
	if err != nil || !strings.HasPrefix(e.mode, "100") || !t.plain(p) || st.ModTime().UnixNano() < m.Taken {
		return false, nil
	}
	b, err := t.git(ctx, call{}, "hash-object", "--", p)
	return oid(b) == e.oid, err
}
