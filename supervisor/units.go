package supervisor

import (
	"fmt"
	"path"
	"regexp"
	"strings"

	"loopd/journal"
)

// unit is an independent piece of work, as a manager names it.
type unit struct {
	text  string
	paths []string // globs of what it will touch
}

// unitsMost is how many units of one answer are looked at.
const unitsMost = 50

// managerPrompt asks for independent units.
func managerPrompt(l journal.Loop, most int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "You are the manager of a loop contract. Workers take the units that you name, each in a working tree of its own, at the same time; a supervisor verifies each and joins them one by one. You may read everything in this repository and change nothing.\n\n## The contract\n%s\n\n## Where the run stands\n", strings.TrimSpace(string(l.Charter.Source)))
	for _, e := range l.Recent {
		b.WriteString(strings.TrimRight(e.Raw, "\n") + "\n\n")
	}
	if f := l.State.Private.Failure; f != nil && f.Output != "" {
		fmt.Fprintf(&b, "What failed last, as observed:\n%s\n\n", f.Output)
	}
	fmt.Fprintf(&b, `Name at most %d units that are independent: none needs another's result, and no two touch the same path. Fewer is fine; name none
where the work cannot be parted. One line each, in exactly this form:
UNIT: <what to do, in one line> PATHS: <globs of all that it may touch, separated by commas>
`, most)
	return b.String()
}

var unitLine = regexp.MustCompile(`^[-*+\s]*(?:\*\*)?UNIT:(?:\*\*)?\s*(\S.*?)\s+(?:\*\*)?PATHS:(?:\*\*)?\s*(\S.*)$`)

// unitsOf reads a manager's answer: lines in the dictated form and nothing else. A line of the prompt is a quote, a unit
// without a path that can be read is none.
func unitsOf(text, prompt string) []unit {
	quoted := map[string]bool{}
	for l := range strings.Lines(prompt) {
		quoted[strings.TrimSpace(l)] = true
	}
	var out []unit
	for l := range strings.Lines(text) {
		l = strings.TrimSpace(l)
		m := unitLine.FindStringSubmatch(l)
		if m == nil || quoted[l] || len(out) == unitsMost {
			continue
		}
		u := unit{text: journal.OneLine(m[1], 500)}
		for p := range strings.SplitSeq(m[2], ",") {
			p = strings.Trim(p, " \t`\"'")
			if p = path.Clean(strings.TrimPrefix(p, "./")); p != "." && p != ".." && !strings.HasPrefix(p, "../") && !path.IsAbs(p) && !strings.Contains(p, "<") {
				u.paths = append(u.paths, p)
			}
		}
		if len(u.paths) > 0 {
			out = append(out, u)
		}
	}
	return out
}

// independent gives the first units, at most most, of which no two may touch the same path.
func independent(units []unit, most int) []unit {
	var out []unit
	for _, u := range units {
		free := true
		for _, o := range out {
			free = free && !overlap(u.paths, o.paths)
		}
		if free && len(out) < most {
			out = append(out, u)
		}
	}
	return out
}

// overlap reports whether two lists of globs may match the same path: by the part before their first star, which errs on
// the side of dependence.
func overlap(a, b []string) bool {
	fixed := func(g string) string {
		if i := strings.IndexAny(g, "*?["); i >= 0 {
			return g[:i]
		}
		return g
	}
	for _, x := range a {
		for _, y := range b {
			fx, fy := fixed(x), fixed(y)
			if strings.HasPrefix(fx, fy) && (fx == fy || fy != y || strings.HasSuffix(fy, "/") || fx[len(fy)] == '/') ||
				strings.HasPrefix(fy, fx) && (fx == fy || fx != x || strings.HasSuffix(fx, "/") || fy[len(fx)] == '/') {
				return true
			}
		}
	}
	return false
}
