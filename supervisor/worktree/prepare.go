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

// Commit is what Prepare is asked for.
type Commit struct {
	Message string
	// Extra gives the bytes that tracked files of the loop will have, by path relative to the top level: they go into the
	// commit from here, before they are on the disk.
	Extra map[string][]byte
}

// Prepared is a commit that exists and that no branch has moved to yet. It is plain data for the lease.
type Prepared struct {
	OID    string `json:"oid"`
	Branch string `json:"branch,omitempty"` // to be moved; "" is a detached HEAD
	Old    string `json:"old,omitempty"`    // where it is; "" is unborn
	Tree   string `json:"tree"`
	// Index is the private index that will become the real one, Real the SHA-256 of the real index that it replaces.
	Index string `json:"index"`
	Real  string `json:"real,omitempty"`
	// TreeChanged: a hook changed the tree, so that what was verified is not what is committed.
	TreeChanged bool `json:"tree_changed,omitempty"`
}

// Prepare commits what the agent did not commit itself, on top of its own commits (decision 38), without moving a branch.
// The hooks pre-commit and commit-msg run, on the private index. Where nothing is left to commit, the agent's commit is
// given. Errors: *HookError, ErrNoIdentity.
func (t *Tree) Prepare(ctx context.Context, m Mark, p Print, c Commit) (*Prepared, error) {
	got, err := t.prepare(ctx, m, p, c)
	if err != nil {
		return nil, fmt.Errorf("prepare commit: %w", err)
	}
	return got, nil
}

func (t *Tree) prepare(ctx context.Context, m Mark, p Print, c Commit) (*Prepared, error) {
	if p.Broken {
		return nil, errors.New(strings.Join(p.Problems, "; "))
	}
	out := &Prepared{Branch: p.Head.Branch, Old: p.Head.OID, Real: p.real, Index: t.private("commit"), Tree: p.Tree}
	if err := clearIndex(out.Index); err != nil {
		return nil, err
	}
	if _, err := copyPath(p.index, out.Index); err != nil {
		return nil, fmt.Errorf("copy private index: %w", err)
	}
	staged := slices.DeleteFunc(slices.Clone(p.staged), func(e entry) bool { _, has := c.Extra[e.path]; return has })
	if len(c.Extra) > 0 {
		if err := t.addExtra(ctx, out.Index, c.Extra); err != nil {
			return nil, err
		}
		var err error
		if out.Tree, err = t.treeWith(ctx, out.Index, staged); err != nil {
			return nil, err
		}
	}
	nothing, err := t.sameAsHead(ctx, m, p, out.Tree)
	if err != nil {
		return nil, err
	}
	if nothing {
		out.OID = p.Head.OID
		return out, nil
	}
	message, err := t.runHooks(ctx, m, out, staged, c.Message)
	if err != nil {
		return nil, err
	}
	out.OID, err = t.commitAs(ctx, out, message)
	return out, err
}

// sameAsHead tells whether the agent left nothing to commit.
func (t *Tree) sameAsHead(ctx context.Context, m Mark, p Print, tree string) (bool, error) {
	if p.Head.OID == "" {
		return tree == t.emptyTree(), nil
	}
	if p.Head.OID == m.Head.OID && tree == p.Tree {
		return len(p.Changed) == 0, nil
	}
	b, err := t.git(ctx, call{}, "rev-parse", "--verify", p.Head.OID+"^{tree}")
	return oid(b) == tree, err
}

// addExtra puts bytes into the index that are not on the disk yet.
func (t *Tree) addExtra(ctx context.Context, index string, extra map[string][]byte) error {
	dir, err := os.MkdirTemp(filepath.Dir(index), "extra")
	if err != nil {
		return fmt.Errorf("write the loop's files: %w", err)
	}
	defer os.RemoveAll(dir)
	var paths, names []string
	for p := range extra {
		paths = append(paths, p)
	}
	slices.Sort(paths)
	for i, p := range paths {
		name := filepath.Join(dir, fmt.Sprint(i))
		if err := os.WriteFile(name, extra[p], 0o600); err != nil {
			return fmt.Errorf("write the loop's files: %w", err)
		}
		names = append(names, name)
	}
	b, err := t.git(ctx, call{stdin: []byte(strings.Join(names, "\n") + "\n")}, "hash-object", "-w", "--no-filters", "--stdin-paths")
	if err != nil {
		return err
	}
	oids := strings.Fields(string(b))
	if len(oids) != len(paths) {
		return fmt.Errorf("write the loop's files: git hash-object gave %d names for %d files", len(oids), len(paths))
	}
	entries := make([]entry, len(paths))
	for i, p := range paths {
		mode := "100644"
		if st, err := os.Lstat(t.abs(p)); err == nil && st.Mode()&0o100 != 0 {
			mode = "100755"
		}
		entries[i] = entry{mode, oids[i], filepath.ToSlash(p)}
	}
	return t.setEntries(ctx, index, entries)
}

// runHooks runs the commit hooks that there are. What they change, staged or only on the disk (a formatter), is part of the
// commit, and says so: it has to be verified once more.
func (t *Tree) runHooks(ctx context.Context, m Mark, out *Prepared, staged []entry, message string) (string, error) {
	if t.hooked("pre-commit") {
		if err := t.hook(ctx, out.Index, "pre-commit"); err != nil {
			return "", err
		}
		s := snapshot{index: out.Index}
		if err := t.addAll(ctx, m, &s, 0); err != nil {
			return "", err
		}
		tree, err := t.treeWith(ctx, out.Index, staged)
		if err != nil {
			return "", err
		}
		out.TreeChanged = tree != out.Tree
		out.Tree = tree
	}
	if !t.hooked("commit-msg") {
		return message, nil
	}
	file := t.private("message")
	if err := os.WriteFile(file, []byte(message), 0o600); err != nil {
		return "", fmt.Errorf("write commit message: %w", err)
	}
	if err := t.hook(ctx, out.Index, "commit-msg", "--", file); err != nil {
		return "", err
	}
	b, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("read commit message: %w", err)
	}
	return string(b), nil
}

// commitAs makes the commit with the person's identity and signature.
func (t *Tree) commitAs(ctx context.Context, p *Prepared, message string) (string, error) {
	args := []string{"commit-tree", p.Tree}
	sign, err := t.signed(ctx)
	if err != nil {
		return "", err
	}
	if sign {
		args = append(args, "-S")
	}
	if p.Old != "" {
		args = append(args, "-p", p.Old)
	}
	args = append(args, "-F", "-")
	out, err := t.ask(ctx, call{stdin: []byte(message)}, args...)
	switch {
	case err != nil:
		return "", err
	case out.Exit != 0 && noIdentity(out.Stderr):
		return "", fmt.Errorf("%w: %w", ErrNoIdentity, failed(args, out))
	case out.Exit != 0:
		return "", failed(args, out)
	}
	return oid(out.Stdout), nil
}
