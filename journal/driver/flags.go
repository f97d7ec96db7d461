package driver

import "strings"

// invocation is how one calls the skill: its name and flags as they are typed.
func invocation(name string, flags []string) string {
	words := []string{"/" + name}
	for _, f := range flags {
		if f == "" || strings.ContainsAny(f, " \t\n'\"\\$`") {
			f = "'" + strings.ReplaceAll(f, "'", `'\''`) + "'"
		}
		words = append(words, f)
	}
	return strings.Join(words, " ")
}
