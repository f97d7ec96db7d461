package worktree

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
)

// patchFlags make a patch that `git apply` takes whatever the person's settings are.
var patchFlags = []string{"-r", "--no-renames", "--no-color", "--no-ext-diff", "--no-textconv", "--full-index", "--src-prefix=a/", "--dst-prefix=b/"}

// ErrNotParked says that a ref is not one of loopd's parked changes.
var ErrNotParked = errors.New("no parked change")

// parkedAt gives the commit of a parked change and the base that it is a change of.
func (t *Tree) parkedAt(ctx context.Context, ref string) (at, base string, err error) {
	if !strings.HasPrefix(ref, ownRefs) {
		return "", "", fmt.Errorf("%s: %w", ref, ErrNotParked)
	}
	args := []string{"cat-file", "commit", ref}
	out, err := t.ask(ctx, call{}, args...)
	if err != nil {
		return "", "", err
	}
	if out.Exit != 0 {
		return "", "", fmt.Errorf("%s: %w", ref, ErrNotParked)
	}
	b, err := t.git(ctx, call{}, "rev-parse", "--verify", ref)
	if err != nil {
		return "", "", err
	}
	for line := range strings.SplitSeq(string(out.Stdout), "\n") {
		if p, is := strings.CutPrefix(line, "parent "); is && base == "" {
			base = p
		}
		if v, is := strings.CutPrefix(line, baseTrailer); is && isOID(v) {
			base = v
		}
	}
	if base == "" {
		base = t.emptyTree()
	}
	return oid(b), base, nil
}

// ShowParked gives a parked change as text: its message, what it touches, and the patch against the base.
func (t *Tree) ShowParked(ctx context.Context, ref string) (string, error) {
	at, base, err := t.parkedAt(ctx, ref)
	if err != nil {
		return "", fmt.Errorf("show parked change: %w", err)
	}
	said, err := t.git(ctx, call{}, "log", "-1", "--no-show-signature", "--no-color", "--format=%B", at)
	if err != nil {
		return "", fmt.Errorf("show parked change: %w", err)
	}
	b, err := t.git(ctx, call{}, append(append([]string{"diff-tree", "--stat", "--patch"}, patchFlags...), base, at)...)
	if err != nil {
		return "", fmt.Errorf("show parked change: %w", err)
	}
	return strings.TrimRight(string(said), "\n") + "\n\n" + string(b), nil
}

// PeekParked gives the beginning of a parked change: what it touches and the patch, at most that many bytes in whole lines.
// cut says that there is more.
func (t *Tree) PeekParked(ctx context.Context, ref string, most int) (text string, cut bool, err error) {
	at, base, err := t.parkedAt(ctx, ref)
	if err != nil {
		return "", false, fmt.Errorf("show parked change: %w", err)
	}
	b, err := t.git(ctx, call{most: most + 1}, append(append([]string{"diff-tree", "--stat", "--patch"}, patchFlags...), base, at)...)
	if err != nil {
		return "", false, fmt.Errorf("show parked change: %w", err)
	}
	if len(b) > most {
		return string(b[:bytes.LastIndexByte(b[:most], '\n')+1]), true, nil
	}
	return string(b), false, nil
}

// ApplyParked brings a parked change back as an uncommitted change of the working tree. Where it does not fit exactly, or a
// file is in the way, it is refused and everything stays as it was.
func (t *Tree) ApplyParked(ctx context.Context, ref string) error {
	at, base, err := t.parkedAt(ctx, ref)
	if err != nil {
		return fmt.Errorf("apply parked change: %w", err)
	}
	patch, err := t.git(ctx, call{}, append(append([]string{"diff-tree", "--binary"}, patchFlags...), base, at)...)
	if err != nil {
		return fmt.Errorf("apply parked change: %w", err)
	}
	if len(patch) == 0 {
		return nil
	}
	// git apply writes nothing where a part does not fit, and never through a symbolic link.
	if _, err := t.git(ctx, call{stdin: patch}, "-c", "apply.ignoreWhitespace=no", "apply", "--binary", "--whitespace=nowarn", "-"); err != nil {
		return fmt.Errorf("apply parked change %s, nothing was changed: %w", ref, err)
	}
	return nil
}

// DropParked deletes a parked change.
func (t *Tree) DropParked(ctx context.Context, ref string) error {
	at, _, err := t.parkedAt(ctx, ref)
	if err == nil {
		_, err = t.git(ctx, call{}, "update-ref", "-d", ref, at)
	}
	if err != nil {
		return fmt.Errorf("drop parked change: %w", err)
	}
	return nil
}

// Patch gives the change of a Print as a patch for a checker's prompt, at most max bytes of it and a line that says what was
// left out. Files are left out whole before the patch is made where they could not fit.
func (t *Tree) Patch(ctx context.Context, m Mark, p Print, max int) (string, error) {
	var paths []string
	omitted, size := 0, int64(0)
	for _, c := range p.Changed {
		if st, err := os.Lstat(t.abs(c.Path)); err == nil && st.Mode().IsRegular() && !c.Binary {
			// A generous guess: half of a file may be context of small edits.
			if size += min(st.Size(), int64(c.Added+c.Deleted+8)*4096); size > int64(max)*8+1<<20 && len(paths) > 0 {
				omitted++
				continue
			}
		}
		paths = append(paths, ":(top,literal)"+c.Path)
	}
	if len(paths) == 0 {
		return "", nil
	}
	const most = 500 // paths in one command line
	if len(paths) > most {
		omitted += len(paths) - most
		paths = paths[:most]
	}
	args := append(append([]string{"diff-tree", "--patch"}, patchFlags...), t.base(m), p.Tree, "--")
	b, err := t.git(ctx, call{}, append(args, paths...)...)
	if err != nil {
		return "", fmt.Errorf("make patch: %w", err)
	}
	text := string(b)
	cut := ""
	if omitted > 0 {
		cut = fmt.Sprintf("… %d more files changed\n", omitted)
	}
	if len(text) > max {
		cut = fmt.Sprintf("… cut: %d more bytes of the patch\n", len(text)-max) + cut
		text = strings.ToValidUTF8(text[:max], "")
		if i := strings.LastIndexByte(text, '\n'); i > 0 {
			text = text[:i+1]
		}
	}
	return text + cut, nil
}
