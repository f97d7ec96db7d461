package journal

import (
	"path"
	"strings"
)

// MatchAny reports whether a path (with slashes, relative to the working tree) is under one of the globs of a charter
// (Protected, Write scope). "*" and "?" stay inside a folder, "**" crosses folders; a glob that names a folder means all
// of it; a glob without a slash matches a file name anywhere, as in .gitignore.
func MatchAny(globs []string, p string) bool {
	for _, g := range globs {
		if matchGlob(g, p) {
			return true
		}
	}
	return false
}

func matchGlob(glob, p string) bool {
	glob = strings.TrimPrefix(strings.TrimSpace(glob), "./")
	anchored := strings.HasPrefix(glob, "/")
	glob = strings.Trim(glob, "/")
	if glob == "" {
		return false
	}
	parts := strings.Split(glob, "/")
	if len(parts) == 1 && !anchored && glob != "**" {
		parts = []string{"**", glob}
	}
	return matchParts(parts, strings.Split(p, "/"))
}

// matchParts matches whole path elements. What lies below a matched element belongs to it.
func matchParts(glob, p []string) bool {
	for i, g := range glob {
		if g == "**" {
			if i == len(glob)-1 {
				return len(p) > i
			}
			for j := i; j < len(p); j++ {
				if matchParts(glob[i+1:], p[j:]) {
					return true
				}
			}
			return false
		}
		if i >= len(p) {
			return false
		}
		// A malformed pattern is the charter reader's finding; here it matches itself only.
		if ok, err := path.Match(g, p[i]); (err != nil || !ok) && g != p[i] {
			return false
		}
	}
	return len(p) >= len(glob)
}
