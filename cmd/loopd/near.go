package main

import "strings"

// suggest gives ", did you mean NAME?" where a known name is near, else "".
func suggest(name string, known []string) string {
	if n := near(name, known); n != "" {
		return ", did you mean " + n + "?"
	}
	return ""
}

// near is the known name that a person may have meant, "" where none is near: at most a third of its letters differ, or
// it begins with what was typed.
func near(name string, known []string) string {
	best, at := "", max(1, len(name)/3)+1
	for _, k := range known {
		d := letters(strings.ToLower(name), strings.ToLower(k))
		if d >= at && len(name) >= 2 && strings.HasPrefix(strings.ToLower(k), strings.ToLower(name)) {
			d = at - 1
		}
		if d < at && k != name {
			best, at = k, d
		}
	}
	return best
}

// letters counts the letters to add, drop, change or swap with their neighbour between two words.
func letters(a, b string) int {
	var before, last, row []int
	for j := 0; j <= len(b); j++ {
		row = append(row, j)
	}
	for i := 1; i <= len(a); i++ {
		before, last, row = last, row, make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			change := last[j-1]
			if a[i-1] != b[j-1] {
				change++
			}
			row[j] = min(change, last[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
	}
	return row[len(b)]
}
