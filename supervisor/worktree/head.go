package worktree

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Head is what HEAD says.
type Head struct {
	OID    string // of the commit; "" where unborn
	Branch string // full name, such as refs/heads/main; "" where detached
	Unborn bool   // the branch has no commit yet
}

type headJSON struct {
	OID    string `json:"oid,omitempty"`
	Branch string `json:"branch,omitempty"`
	Unborn bool   `json:"unborn,omitempty"`
}

// MarshalJSON keeps bytes of a branch name that are no UTF-8.
func (h Head) MarshalJSON() ([]byte, error) {
	return json.Marshal(headJSON{h.OID, escape(h.Branch), h.Unborn})
}

// UnmarshalJSON is the inverse of MarshalJSON.
func (h *Head) UnmarshalJSON(b []byte) error {
	var j headJSON
	if err := json.Unmarshal(b, &j); err != nil {
		return err
	}
	branch, err := unescape(j.Branch)
	*h = Head{j.OID, branch, j.Unborn}
	return err
}

// escape makes a name safe for JSON, which would replace what is no UTF-8 and so name another file or ref.
func escape(s string) string {
	q := strconv.QuoteToASCII(s)
	return q[1 : len(q)-1]
}

func unescape(s string) (string, error) {
	out, err := strconv.Unquote(`"` + s + `"`)
	if err != nil {
		return "", fmt.Errorf("read name %q: %w", s, err)
	}
	return out, nil
}

// Head reads HEAD. No process is started but for repositories that keep refs in tables.
func (t *Tree) Head(ctx context.Context) (Head, error) {
	refs, err := t.refs(ctx)
	if err != nil {
		return Head{}, err
	}
	return t.head(ctx, refs)
}

func (t *Tree) head(ctx context.Context, refs Refs) (Head, error) {
	if t.tables() {
		out, err := t.ask(ctx, call{}, "symbolic-ref", "-q", "HEAD")
		if err != nil {
			return Head{}, fmt.Errorf("read HEAD: %w", err)
		}
		if out.Exit == 0 {
			return onBranch(oid(out.Stdout), refs), nil
		}
		at, err := t.git(ctx, call{}, "rev-parse", "--verify", "HEAD")
		if err != nil {
			return Head{}, fmt.Errorf("read HEAD: %w", err)
		}
		return Head{OID: oid(at)}, nil
	}
	b, err := os.ReadFile(filepath.Join(t.gitDir, "HEAD"))
	if err != nil {
		return Head{}, fmt.Errorf("read HEAD: %w", err)
	}
	text := strings.TrimRight(string(b), " \t\r\n")
	if branch, is := strings.CutPrefix(text, "ref:"); is {
		return onBranch(strings.TrimSpace(branch), refs), nil
	}
	if !isOID(text) {
		return Head{}, fmt.Errorf("read HEAD: %q is neither a branch nor a commit", firstLine(b))
	}
	return Head{OID: text}, nil
}

func onBranch(branch string, refs Refs) Head {
	at := refs[branch]
	return Head{OID: at, Branch: branch, Unborn: at == ""}
}

func isOID(s string) bool {
	return (len(s) == 40 || len(s) == 64) && strings.Trim(s, "0123456789abcdef") == ""
}
