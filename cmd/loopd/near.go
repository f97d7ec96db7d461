package main

import (
	"strings"

	"loopd/journal"
)

// suggest gives ", did you mean NAME?" where a known name is near, or begins with what was typed; else "".
func suggest(name string, known []string) string {
	near := journal.Nearest(name, known)
	for _, k := range known {
		if near == "" && len(name) >= 3 && strings.HasPrefix(k, name) {
			near = k
		}
	}
	if near == "" || near == name {
		return ""
	}
	return ", did you mean " + near + "?"
}
