package worktree

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// whole is a snapshot that holds all that Restore will overwrite or delete. Where the agent edited a .gitignore, what git
// sees has shifted: files that the agent hid are added, and files that the base ignores are named, because they stay.
type whole struct {
	snapshot
	stay []string // in the snapshot, but ignored by the base's rules
}

// takeWhole makes the snapshot that Park keeps and Restore starts from. The rule files of the git directory are put back
// first, so that git sees again what it saw at the Mark.
func (t *Tree) takeWhole(ctx context.Context, m Mark, name string) (whole, error) {
	if err := t.unbend(m); err != nil {
		return whole{}, err
	}
	s, err := t.take(ctx, m, name)
	w := whole{snapshot: s}
	if err != nil {
		return w, err
	}
	edited := map[string]Change{}
	var added []string
	for _, c := range s.changes {
		if path.Base(c.Path) == ".gitignore" {
			edited[c.Path] = c
		}
		if c.Status == "A" && c.is.mode != gitlink {
			added = append(added, c.Path)
		}
	}
	if len(edited) == 0 {
		w.stay = s.forced // ignored now, and so then
		return w, nil
	}
	hidden, err := t.hidden(ctx, m, w.index, edited)
	if err != nil {
		return w, err
	}
	then, err := t.ignoredThen(ctx, edited, append(slices.Clone(added), hidden...))
	if err != nil {
		return w, err
	}
	for _, p := range added {
		if then[p] {
			w.stay = append(w.stay, p)
		}
	}
	hidden = slices.DeleteFunc(hidden, func(p string) bool { return then[p] || !t.plain(p) })
	if len(hidden) == 0 {
		return w, nil
	}
	if _, err := t.git(ctx, call{index: w.index, stdin: joinZero(hidden)}, "update-index", "--add", "--remove", "-z", "--stdin"); err != nil {
		return w, err
	}
	return w, t.measureAgain(ctx, m, &w.snapshot)
}

// shownNow says which files of the change the base ignored: an agent that edits .gitignore may bring a person's secrets or
// caches into a commit.
func (t *Tree) shownNow(ctx context.Context, changes []Change) ([]string, error) {
	edited := map[string]Change{}
	var added []string
	for _, c := range changes {
		if path.Base(c.Path) == ".gitignore" && c.was.mode != absent {
			edited[c.Path] = c
		}
		if c.Status == "A" {
			added = append(added, c.Path)
		}
	}
	if len(edited) == 0 {
		return nil, nil
	}
	then, err := t.ignoredThen(ctx, edited, added)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, p := range added {
		if then[p] {
			out = append(out, "no longer ignored: "+shown(p))
		}
	}
	const most = 5
	if len(out) > most {
		out = append(out[:most], fmt.Sprintf("no longer ignored: %d more", len(out)-most))
	}
	return out, nil
}

// hidden lists files that an edited .gitignore hides now. A rule of any other file was the same at the Mark.
func (t *Tree) hidden(ctx context.Context, m Mark, index string, edited map[string]Change) ([]string, error) {
	c := call{index: index}
	b, err := t.git(ctx, c, append([]string{"ls-files", "--others", "--ignored", "--exclude-standard", "--directory", "-z"}, left(m.Owned)...)...)
	if err != nil {
		return nil, err
	}
	candidates := slices.DeleteFunc(zero(b), func(p string) bool { return deep(strings.TrimSuffix(p, "/")) })
	if len(candidates) == 0 {
		return nil, nil
	}
	c.stdin = joinZero(candidates)
	args := []string{"check-ignore", "--verbose", "-z", "--stdin"}
	out, err := t.ask(ctx, c, args...)
	if err != nil {
		return nil, err
	}
	if out.Exit > 1 {
		return nil, failed(args, out)
	}
	var files []string
	rec := zero(out.Stdout) // source, line, pattern, path
	for i := 0; i+3 < len(rec); i += 4 {
		if _, is := edited[rec[i]]; !is {
			continue
		}
		p := rec[i+3]
		if !strings.HasSuffix(p, "/") {
			files = append(files, p)
			continue
		}
		b, err := t.git(ctx, call{index: index}, "ls-files", "--others", "--ignored", "--exclude-standard", "-z", "--", ":(top,literal)"+strings.TrimSuffix(p, "/"))
		if err != nil {
			return nil, err
		}
		for _, f := range zero(b) {
			if !strings.HasSuffix(f, "/") { // a nested repository stays where it is
				files = append(files, f)
			}
		}
	}
	return unique(files), nil
}

// ignoredThen tells which of the paths the base's rules ignore. git is asked in a scratch folder that holds nothing but the
// .gitignore files as they were: the base's version of those that were edited, the others as they are.
func (t *Tree) ignoredThen(ctx context.Context, edited map[string]Change, paths []string) (map[string]bool, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	scratch := t.private("scratch")
	if err := os.RemoveAll(scratch); err != nil {
		return nil, fmt.Errorf("clear scratch folder: %w", err)
	}
	defer os.RemoveAll(scratch)
	if err := os.MkdirAll(scratch, 0o755); err != nil {
		return nil, fmt.Errorf("make scratch folder: %w", err)
	}
	done := map[string]bool{}
	for _, p := range paths {
		for dir := path.Dir(p); ; dir = path.Dir(dir) {
			if done[dir] {
				break
			}
			done[dir] = true
			if err := t.rulesThen(ctx, path.Join(dir, ".gitignore"), edited, scratch); err != nil {
				return nil, err
			}
			if dir == "." {
				break
			}
		}
	}
	args := []string{"check-ignore", "--no-index", "-z", "--stdin"}
	out, err := t.run.Git(ctx, Command{Args: withSettings(args), Dir: scratch, Env: []string{"GIT_DIR=" + t.gitDir, "GIT_WORK_TREE=" + scratch}, Stdin: joinZero(paths)})
	if err != nil {
		return nil, &GitError{Args: args, Exit: -1, Err: err}
	}
	if out.Exit > 1 {
		return nil, failed(args, out)
	}
	is := map[string]bool{}
	for _, p := range zero(out.Stdout) {
		is[p] = true
	}
	return is, nil
}

// rulesThen writes one .gitignore of the base into the scratch folder.
func (t *Tree) rulesThen(ctx context.Context, name string, edited map[string]Change, scratch string) error {
	var data []byte
	c, was := edited[name]
	switch {
	case was && c.was.mode == absent:
		return nil
	case was:
		b, err := t.git(ctx, call{}, "cat-file", "blob", c.was.oid)
		if err != nil {
			return err
		}
		data = b
	default:
		b, err := os.ReadFile(t.abs(name))
		if err != nil {
			return nil // none there, or nothing that git would read
		}
		data = b
	}
	to := filepath.Join(scratch, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return fmt.Errorf("fill scratch folder: %w", err)
	}
	if err := os.WriteFile(to, data, 0o644); err != nil {
		return fmt.Errorf("fill scratch folder: %w", err)
	}
	return nil
}
