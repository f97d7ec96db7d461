package contract

import (
	"path"
	"strings"
)

// globs reads the back-ticked globs of Scope. Those behind "not" or "except" are no part of it. What can match no path
// bounds nothing, and is a finding.
func (r *reader) globs() {
	v, ok := r.values[scope]
	if !ok {
		return
	}
	t := tokensOf(v.text)
	next, denied := 0, false
	for _, s := range spansOf(v.text) {
		for ; next < len(t) && t[next].at < s.from; next++ {
			_, n := negatorAt(t, next)
			switch word := t[next].s; {
			case word == "outside": // "nothing outside `src/**`" is in it
				denied = !denied
			case isAny(word, []string{";", ".", "only", "plus", "also", "including"}), find(t, next, beside()) > 0:
				denied = false
			case n > 0, word == "except", word == "excepting":
				denied = true
			}
		}
		for next < len(t) && t[next].at < s.to {
			next++
		}
		g := strings.TrimPrefix(s.code, "./")
		_, bad := path.Match(strings.ReplaceAll(g, "**", "*"), "x")
		problem := ""
		switch {
		case g == "":
			continue
		case strings.HasPrefix(g, "!"):
			problem = "write: not `" + g[1:] + "`"
		case g == ".." || strings.HasPrefix(g, "../") || strings.Contains(g, "/../") || strings.HasPrefix(g, "~"):
			problem = "only paths of the working tree are in reach"
		case bad != nil:
			problem = "its brackets do not close; write \\[ for a bracket"
		}
		switch {
		case problem != "":
			r.add(scope, v.at(s.from), g, "a glob of paths in the working tree, such as `parser/**`", problem)
		case denied:
			r.contract.ScopeExcepts = append(r.contract.ScopeExcepts, g)
		default:
			r.contract.ScopeGlobs = append(r.contract.ScopeGlobs, g)
		}
	}
}
