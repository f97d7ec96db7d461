package journal

import "strings"

// Nearest gives the name among some that a person most likely meant by word, "" where none is near: at most one slip in
// three characters. Case, spaces and punctuation do not count. A tie goes to the earlier name.
func Nearest(word string, among []string) string {
	w := []rune(plainName(word))
	best, bestBy := "", 1+max(1, len(w)/3)
	if len(w) == 0 {
		return ""
	}
	for _, name := range among {
		if d := distance(w, []rune(plainName(name)), bestBy); d < bestBy {
			best, bestBy = name, d
		}
	}
	return best
}

func plainName(s string) string {
	return strings.ToLower(strings.Trim(strings.Map(func(r rune) rune {
		if strings.ContainsRune(" \t-_:.`*#", r) {
			return -1
		}
		return r
	}, s), "0123456789)"))
}

// distance is the number of insertions, deletions, exchanges and swaps of neighbours between a and b, or limit where it is
// not less than that.
func distance(a, b []rune, limit int) int {
	if len(a)-len(b) >= limit || len(b)-len(a) >= limit {
		return limit
	}
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range a {
		row[0] = i + 1
		for j := range b {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(last[j]+cost, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last, row = last, row, before
	}
	return min(last[len(b)], limit)
}
