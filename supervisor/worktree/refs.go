package worktree

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

// ownRefs are loopd's: an iteration neither owns nor moves them.
const ownRefs = "refs/loopd/"

// Refs is what each ref points at, by full name. Symbolic refs (refs/remotes/origin/HEAD) hold "ref: " and the name.
type Refs map[string]string

// MarshalJSON writes one "value name" a line of the list, so that names that are no UTF-8 come back as they were.
func (r Refs) MarshalJSON() ([]byte, error) {
	list := make([]string, 0, len(r))
	for name, at := range r {
		list = append(list, escape(name)+"\n"+escape(at))
	}
	sort.Strings(list)
	return json.Marshal(list)
}

// UnmarshalJSON is the inverse of MarshalJSON.
func (r *Refs) UnmarshalJSON(b []byte) error {
	var list []string
	if err := json.Unmarshal(b, &list); err != nil {
		return err
	}
	*r = make(Refs, len(list))
	for _, l := range list {
		n, a, _ := strings.Cut(l, "\n")
		name, err1 := unescape(n)
		at, err2 := unescape(a)
		if err := errors.Join(err1, err2); err != nil {
			return err
		}
		(*r)[name] = at
	}
	return nil
}

// tables tells whether the refs are in git's table format, which only git reads.
func (t *Tree) tables() bool {
	st, err := os.Stat(filepath.Join(t.commonDir, "reftable"))
	return err == nil && st.IsDir()
}

// refs reads every ref but loopd's own. Reading the files costs no process: it is done twice in every iteration.
func (t *Tree) refs(ctx context.Context) (Refs, error) {
	if t.tables() {
		return t.askRefs(ctx)
	}
	out := Refs{}
	// Loose before packed, as git does: `git pack-refs` writes the packed file first and removes the loose ones after.
	if _, err := t.walkRefs(t.commonDir, out); err != nil {
		return nil, err
	}
	if t.gitDir != t.commonDir {
		for _, own := range []string{"refs/bisect", "refs/worktree", "refs/rewritten"} {
			for name := range out {
				if strings.HasPrefix(name, own+"/") {
					delete(out, name) // those of the main working tree
				}
			}
		}
		if _, err := t.walkRefs(t.gitDir, out); err != nil {
			return nil, err
		}
	}
	return out, t.packedRefs(out)
}

// walkRefs adds the loose refs below dir, and gives the lock files that it met.
func (t *Tree) walkRefs(dir string, into Refs) (locks []string, err error) {
	err = filepath.WalkDir(filepath.Join(dir, "refs"), func(p string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil // it went away while we looked; or a linked working tree without refs of its own
		case err != nil:
			return err
		}
		rel, err := filepath.Rel(dir, p)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(rel)
		switch {
		case d.IsDir() && name+"/" == ownRefs:
			return filepath.SkipDir
		case d.IsDir():
			return nil
		case strings.HasSuffix(name, ".lock"):
			locks = append(locks, p)
			return nil
		}
		b, err := os.ReadFile(p)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		if at := strings.TrimSpace(string(b)); isOID(at) || strings.HasPrefix(at, "ref:") {
			into[name] = at
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read refs: %w", err)
	}
	return locks, nil
}

func (t *Tree) packedRefs(into Refs) error {
	f, err := os.Open(filepath.Join(t.commonDir, "packed-refs"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read refs: %w", err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		at, name, ok := strings.Cut(lines.Text(), " ")
		if !ok || !isOID(at) || strings.HasPrefix(name, ownRefs) {
			continue // the header, or what an annotated tag points at
		}
		if _, loose := into[name]; !loose {
			into[name] = at
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("read refs: %w", err)
	}
	return nil
}

func (t *Tree) askRefs(ctx context.Context) (Refs, error) {
	b, err := t.git(ctx, call{}, "for-each-ref", "--format=%(objectname) %(refname) %(symref)")
	if err != nil {
		return nil, fmt.Errorf("read refs: %w", err)
	}
	out := Refs{}
	for line := range strings.SplitSeq(strings.TrimSuffix(string(b), "\n"), "\n") {
		at, rest, _ := strings.Cut(line, " ")
		name, symref, _ := strings.Cut(rest, " ")
		switch {
		case name == "" || strings.HasPrefix(name, ownRefs):
		case symref != "":
			out[name] = "ref: " + symref
		default:
			out[name] = at
		}
	}
	return out, nil
}
