package worktree

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Mark is the pin that an iteration starts from: what Fingerprint compares with and what Restore goes back to. It is plain
// data for the lease. The base is the commit of HEAD; what was uncommitted at the Mark (there is none after a gate) counts
// as change. A copy of the index lies under the git directory; where it is lost or spoilt, it is made anew from the base.
type Mark struct {
	Head      Head     `json:"head"`
	Refs      Refs     `json:"refs"`
	Index     string   `json:"index,omitempty"`     // name of the copy of the index; "" where there was no index
	IndexSum  string   `json:"index_sum,omitempty"` // SHA-256 of the index
	Owned     []string `json:"owned,omitempty"`     // paths that belong to loops
	Rules     []rule   `json:"rules,omitempty"`     // files of the git directory that say what git sees
	Locks     []string `json:"locks,omitempty"`     // lock files that were there
	Elsewhere []string `json:"elsewhere,omitempty"` // branches that other working trees have checked out
	Nested    []string `json:"nested,omitempty"`    // nested repositories that were there, as far as known
	Stash     []string `json:"stash,omitempty"`     // entries of the stash
	Taken     int64    `json:"taken"`               // ns since 1970
}

// rule is a small file of the git directory by which an agent could hide files.
type rule struct {
	Name   string `json:"name"` // as in ruleFiles
	Exists bool   `json:"exists"`
	Data   []byte `json:"data,omitempty"`
}

// ruleFiles are watched and put back; .git/config and the hooks are the supervisor's to guard (decision 4).
var ruleFiles = []string{"info/exclude", "info/attributes", "info/sparse-checkout", "config.worktree"}

// Mark pins the tree. It starts no process in a repository with ordinary refs.
func (t *Tree) Mark(ctx context.Context) (Mark, error) {
	m, err := t.mark(ctx)
	if err != nil {
		return Mark{}, fmt.Errorf("mark working tree: %w", err)
	}
	return m, nil
}

func (t *Tree) mark(ctx context.Context) (m Mark, err error) {
	m.Taken = time.Now().UnixNano()
	if m.Refs, err = t.refs(ctx); err != nil {
		return m, err
	}
	if m.Head, err = t.head(ctx, m.Refs); err != nil {
		return m, err
	}
	if m.Index, m.IndexSum, err = t.copyIndex(); err != nil {
		return m, err
	}
	if m.Rules, err = t.rules(); err != nil {
		return m, err
	}
	if m.Locks, err = t.locks(); err != nil {
		return m, err
	}
	m.Owned, m.Elsewhere, m.Stash = t.owned(), t.elsewhere(), t.stash()
	if t.seen != nil {
		m.Nested = t.seen.nested
	}
	return m, nil
}

// base is what the tree is compared with and put back to.
func (t *Tree) base(m Mark) string {
	if m.Head.OID == "" {
		return t.emptyTree()
	}
	return m.Head.OID
}

const copies = 4 // kept of the index; a dead iteration's Mark names one of them

// copyIndex copies the index with its time: git takes an entry for possibly changed where it is no older than the index,
// and a younger copy would hide a change made in the same tick.
func (t *Tree) copyIndex() (name, sum string, err error) {
	src, err := os.Open(t.realIndex())
	if errors.Is(err, fs.ErrNotExist) {
		return "", "", nil
	}
	if err != nil {
		return "", "", fmt.Errorf("copy index: %w", err)
	}
	defer src.Close()
	if err := t.makePrivate(); err != nil {
		return "", "", err
	}
	tmp := t.private("mark.tmp")
	if sum, err = copyFile(src, tmp); err != nil {
		return "", "", fmt.Errorf("copy index: %w", err)
	}
	name = "mark-" + sum[:16]
	if err := os.Rename(tmp, t.private(name)); err != nil {
		return "", "", fmt.Errorf("copy index: %w", err)
	}
	return name, sum, t.prune(name)
}

func (t *Tree) prune(but string) error {
	found, err := filepath.Glob(filepath.Join(escapeGlob(filepath.Dir(t.private("x"))), "mark-*"))
	if err != nil || len(found) <= copies {
		return err
	}
	age := func(p string) int64 {
		st, err := os.Stat(p)
		if err != nil {
			return 0
		}
		return st.ModTime().UnixNano()
	}
	slices.SortFunc(found, func(a, b string) int { return int((age(b) - age(a)) >> 10) })
	for _, p := range found[copies:] {
		if filepath.Base(p) == but {
			continue
		}
		if err := os.Remove(p); err != nil {
			return fmt.Errorf("remove old copy of the index: %w", err)
		}
	}
	return nil
}

// rulePlace: git reads exclude and attributes of the repository, the other two of the working tree.
func (t *Tree) rulePlace(name string) string {
	if name == "info/exclude" || name == "info/attributes" {
		return filepath.Join(t.commonDir, name)
	}
	return filepath.Join(t.gitDir, name)
}

func (t *Tree) rules() ([]rule, error) {
	var out []rule
	for _, n := range ruleFiles {
		b, err := os.ReadFile(t.rulePlace(n))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("read %s: %w", n, err)
		}
		out = append(out, rule{Name: n, Exists: err == nil, Data: b})
	}
	return out, nil
}

// bent gives the rule files that are not what they were.
func (t *Tree) bent(m Mark) ([]rule, error) {
	now, err := t.rules()
	if err != nil {
		return nil, err
	}
	var out []rule
	for _, was := range m.Rules {
		for _, is := range now {
			if is.Name == was.Name && (is.Exists != was.Exists || !bytes.Equal(is.Data, was.Data)) {
				out = append(out, was)
			}
		}
	}
	return out, nil
}

// elsewhere lists the branches that other working trees of the repository have checked out: they are their owners' to move.
func (t *Tree) elsewhere() []string {
	heads, _ := filepath.Glob(filepath.Join(escapeGlob(t.commonDir), "worktrees", "*", "HEAD")) // the pattern is well formed
	if _, err := os.Stat(filepath.Join(t.commonDir, "index")); err == nil {                     // a bare repository has checked nothing out
		heads = append(heads, filepath.Join(t.commonDir, "HEAD"))
	}
	var out []string
	for _, h := range heads {
		if filepath.Dir(h) == t.gitDir {
			continue
		}
		b, err := os.ReadFile(h)
		if err != nil {
			continue // removed while we looked
		}
		if branch, is := strings.CutPrefix(strings.TrimSpace(string(b)), "ref:"); is {
			out = append(out, strings.TrimSpace(branch))
		}
	}
	slices.Sort(out)
	return out
}
