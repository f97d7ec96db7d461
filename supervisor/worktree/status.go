package worktree

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// scan is what one `git status` saw.
type scan struct {
	dirt   []string // in a person's words
	nested []string // repositories inside the tree that it does not track; submodules at another commit
}

// Debris lists what a person or a dead process left behind: staged, unstaged, untracked and not ignored, unmerged, a merge
// or rebase half-way, a lock file. It changes nothing, the index least of all. Dirt inside submodules and nested
// repositories is theirs; owned paths are nobody's debris (decision 9).
func (t *Tree) Debris(ctx context.Context) ([]string, error) {
	s, err := t.scan(ctx, t.owned())
	if err != nil {
		return nil, fmt.Errorf("look for debris: %w", err)
	}
	t.seen = &s
	out := t.underWay()
	out = append(out, s.dirt...)
	locks, err := t.leftLocks(nil)
	if err != nil {
		return nil, fmt.Errorf("look for debris: %w", err)
	}
	for _, l := range locks {
		out = append(out, "left-over lock file "+t.inGit(l))
	}
	return out, nil
}

func (t *Tree) scan(ctx context.Context, owned []string) (scan, error) {
	b, err := t.git(ctx, call{}, "--no-optional-locks", "status", "--porcelain=v2", "-z", "--untracked-files=all", "--ignore-submodules=dirty", "--no-renames", "--ignored=no")
	if err != nil {
		return scan{}, err
	}
	return readStatus(zero(b), owned)
}

// readStatus reads `git status --porcelain=v2 -z --no-renames`.
func readStatus(records []string, owned []string) (scan, error) {
	var s scan
	for _, r := range records {
		kind, rest, _ := strings.Cut(r, " ")
		var fields int // before the path
		switch kind {
		case "1":
			fields = 7
		case "u":
			fields = 9
		case "?":
			fields = 0
		case "#", "!":
			continue
		default:
			return s, fmt.Errorf("read git status: unknown record %q", r)
		}
		parts := strings.SplitN(rest, " ", fields+1)
		if len(parts) != fields+1 {
			return s, fmt.Errorf("read git status: short record %q", r)
		}
		p := parts[fields]
		if belongs(owned, strings.TrimSuffix(p, "/")) || deep(p) {
			continue
		}
		switch kind {
		case "?":
			if strings.HasSuffix(p, "/") {
				s.nested = append(s.nested, strings.TrimSuffix(p, "/"))
				continue
			}
			s.dirt = append(s.dirt, "untracked "+shown(p))
		case "u":
			s.dirt = append(s.dirt, "unmerged "+shown(p))
		case "1":
			xy, sub := parts[0], parts[1]
			if sub != "N..." && xy[0] == '.' {
				s.nested = append(s.nested, p)
				continue
			}
			if xy[0] != '.' {
				s.dirt = append(s.dirt, "staged "+shown(p))
			}
			switch xy[1] {
			case '.':
			case 'D':
				s.dirt = append(s.dirt, "deleted "+shown(p))
			default:
				s.dirt = append(s.dirt, "modified "+shown(p))
			}
		}
	}
	return s, nil
}

// shown gives a name for a line of text: as it is, or quoted where it would break the line.
func shown(p string) string {
	if !utf8.ValidString(p) || strings.ContainsFunc(p, func(r rune) bool { return !strconv.IsPrint(r) }) {
		return strconv.Quote(p)
	}
	return p
}
