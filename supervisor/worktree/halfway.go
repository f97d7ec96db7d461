package worktree

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// halfway lists what git leaves in the git directory of a working tree while something is under way.
var halfway = []struct {
	name string // file or folder
	what string // in a person's words; "" is only a companion of another
}{
	{"MERGE_HEAD", "merge"},
	{"MERGE_MSG", ""},
	{"MERGE_MODE", ""},
	{"MERGE_AUTOSTASH", ""},
	{"AUTO_MERGE", ""},
	{"SQUASH_MSG", ""},
	{"CHERRY_PICK_HEAD", "cherry-pick"},
	{"REVERT_HEAD", "revert"},
	{"REBASE_HEAD", ""},
	{"rebase-merge", "rebase"},
	{"rebase-apply", "rebase"},
	{"sequencer", "cherry-pick or revert of several commits"},
	{"BISECT_START", "bisect"},
	{"BISECT_LOG", ""},
	{"BISECT_TERMS", ""},
	{"BISECT_NAMES", ""},
	{"BISECT_RUN", ""},
	{"BISECT_EXPECTED_REV", ""},
	{"BISECT_ANCESTORS_OK", ""},
	{"BISECT_HEAD", ""},
	{"BISECT_FIRST_PARENT", ""},
}

// pointers are files under way that name commits which no ref may hold: what was stashed aside, where the branch was.
var pointers = []string{"MERGE_HEAD", "MERGE_AUTOSTASH", "CHERRY_PICK_HEAD", "REVERT_HEAD", "REBASE_HEAD",
	"rebase-merge/autostash", "rebase-merge/orig-head", "rebase-apply/autostash", "rebase-apply/orig-head", "BISECT_HEAD"}

// underWay says what was begun and not ended.
func (t *Tree) underWay() []string {
	var out []string
	for _, h := range halfway {
		if h.what == "" {
			continue
		}
		if _, err := os.Lstat(filepath.Join(t.gitDir, h.name)); err == nil {
			out = append(out, h.what+" left half-way")
		}
	}
	return unique(out)
}

// pointed gives the commits that what is under way holds.
func (t *Tree) pointed() []string {
	var out []string
	for _, p := range pointers {
		b, err := os.ReadFile(filepath.Join(t.gitDir, p))
		if err != nil {
			continue // not there
		}
		for _, at := range strings.Fields(string(b)) {
			if isOID(at) {
				out = append(out, at)
			}
		}
	}
	return unique(out)
}

// endHalfway ends whatever is under way. HEAD, branches and files are put back by others.
func (t *Tree) endHalfway() error {
	var errs []error
	for _, h := range halfway {
		errs = append(errs, os.RemoveAll(filepath.Join(t.gitDir, h.name)))
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("end what is half-way: %w", err)
	}
	return nil
}

func unique(in []string) []string {
	seen := make(map[string]bool, len(in))
	var out []string
	for _, s := range in {
		if !seen[s] {
			seen[s] = true
			out = append(out, s)
		}
	}
	return out
}
