package supervisor

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"loopd/journal"
)

// nearMiss are the files of the loop itself whose change by the agent is undone and flagged, no more.
var nearMiss = map[string]bool{"signs.md": true, "backlog.md": true}

// guardedPaths lists what the agent must not touch: the loop's own files, the fleet's STOP and config, other loops'
// folders, git's hooks and config. Files that may appear are listed too, so that their appearance is seen.
func guardedPaths(l journal.Loop, gitCommon string, busy func(loopDir string) bool) []string {
	var paths []string
	if within(l.Dir, l.Charter.File) { // a skill lies elsewhere, and is the repository's matter
		paths = append(paths, l.Charter.File)
	}
	paths = append(paths, l.Charter.Guarded...)
	own := func(dir string) {
		for _, f := range []string{"state.json", "journal.md", "STOP", "signs.md", "backlog.md", "state.md", "record.md"} {
			paths = append(paths, filepath.Join(dir, f))
		}
	}
	own(l.Dir)
	paths = append(paths, folders(l.Dir)...)
	// The fleet's folder is every loop's matter, wherever its own is.
	for _, loops := range unique([]string{filepath.Dir(StopFile(l.Root, "")), filepath.Dir(l.Dir)}) {
		paths = append(paths, filepath.Join(loops, "STOP"), filepath.Join(loops, "config.toml"))
		others, _ := os.ReadDir(loops)
		paths = append(paths, folders(loops)...)
		for _, o := range others {
			dir := filepath.Join(loops, o.Name())
			if o.Type().IsRegular() {
				paths = append(paths, dir)
			}
			// A loop that runs now writes its own files.
			if o.IsDir() && dir != l.Dir && !busy(dir) {
				paths = append(append(paths, filesIn(dir)...), folders(dir)...)
				own(dir)
			}
		}
	}
	if gitCommon != "" {
		paths = append(paths, filepath.Join(gitCommon, "config"))
		paths = append(paths, folders(filepath.Join(gitCommon, "hooks"))...)
		paths = append(paths, filesIn(filepath.Join(gitCommon, "hooks"))...)
		for _, h := range gitHooks {
			paths = append(paths, filepath.Join(gitCommon, "hooks", h))
		}
	}
	return unique(paths)
}

// folders gives a folder that is one, as a path to guard.
func folders(dir string) []string {
	if info, err := os.Lstat(dir); err != nil || !info.IsDir() {
		return nil
	}
	return []string{dir}
}

// within reports whether a file lies below a folder.
func within(dir, file string) bool {
	rel, err := filepath.Rel(dir, file)
	return err == nil && filepath.IsLocal(rel)
}

// gitHooks are the hooks that a commit, a checkout or a fetch would run: planting one is seen.
var gitHooks = []string{"applypatch-msg", "commit-msg", "fsmonitor-watchman", "post-applypatch", "post-checkout", "post-commit", "post-index-change",
	"post-merge", "post-rewrite", "pre-applypatch", "pre-auto-gc", "pre-commit", "pre-merge-commit", "pre-push", "pre-rebase", "prepare-commit-msg", "reference-transaction"}

// filesIn lists the regular files and links below dir; what cannot be read is left out, it cannot be guarded either.
func filesIn(dir string) []string {
	var out []string
	_ = filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && !strings.HasSuffix(p, ".sample") {
			out = append(out, p)
		}
		return nil
	})
	return out
}

func unique(in []string) []string {
	seen := map[string]bool{}
	out := in[:0]
	for _, p := range in {
		if !seen[p] {
			seen[p] = true
			out = append(out, p)
		}
	}
	return out
}
