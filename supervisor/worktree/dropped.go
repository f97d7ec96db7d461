package worktree

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// droppedRefs hold what a person's ref or stash no longer reaches.
const droppedRefs = ownRefs + "dropped/"

// stash lists the entries of the stash, newest first. They hang on a reflog alone.
func (t *Tree) stash() []string {
	b, err := os.ReadFile(filepath.Join(t.commonDir, "logs", "refs", "stash"))
	if err != nil {
		return nil // none
	}
	var out []string
	for line := range strings.SplitSeq(strings.TrimSpace(string(b)), "\n") {
		if f := strings.Fields(line); len(f) > 1 && isOID(f[1]) {
			out = append(out, f[1])
		}
	}
	slices.Reverse(out)
	return out
}

// keepDropped holds on to what other refs than HEAD's gave up: they are flagged and not moved back (decision 1), so that what
// they held must not be left to git's garbage collection. Remote-tracking refs are the remote's to hold.
func (t *Tree) keepDropped(ctx context.Context, m Mark, moves []RefMove) error {
	var keep []string
	for _, mv := range moves {
		if mv.Kind == MoveOther && isOID(mv.From) && mv.Ref != "refs/stash" && !strings.HasPrefix(mv.Ref, "refs/remotes/") {
			in := false
			if isOID(mv.To) {
				var err error
				if in, err = t.ancestor(ctx, mv.From, mv.To); err != nil {
					in = false // a tag of something that is no commit
				}
			}
			if !in {
				keep = append(keep, mv.From)
			}
		}
	}
	now := t.stash()
	for _, s := range m.Stash {
		if !slices.Contains(now, s) {
			keep = append(keep, s)
		}
	}
	if len(keep) == 0 {
		return nil
	}
	var in strings.Builder
	for _, at := range unique(keep) {
		fmt.Fprintf(&in, "update %s%s %s\n", droppedRefs, at, at)
	}
	if _, err := t.git(ctx, call{stdin: []byte(in.String())}, "update-ref", "--stdin"); err != nil {
		return fmt.Errorf("keep what a ref gave up: %w", err)
	}
	return nil
}
