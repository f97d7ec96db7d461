package tracking

import (
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"loopd/journal"
)

func TestSlug(t *testing.T) {
	long := strings.Repeat("abcdefghi ", 8)
	for task, want := range map[string]string{
		"Remove a TODO":                "remove-a-todo",
		"/fix-tests  src/a_b.go":       "fix-tests-src-a-b-go",
		" -- Don't stop’s -- ":         "dont-stops",
		"a — b… c":                     "a-b-c",
		"Über\u00a0größe":              "ber-gre",
		"直して":                          "loop",
		"直して the bug":                  "the-bug",
		"":                             "loop",
		"---":                          "loop",
		"a\nb\tc\x1b":                  "a-b-c",
		long:                           "abcdefghi-abcdefghi-abcdefghi-abcdefghi-abcdefghi",
		strings.Repeat("x", 60):        strings.Repeat("x", 50),
		strings.Repeat("x", 50) + " y": strings.Repeat("x", 50),
	} {
		if got := Slug(task); got != want {
			t.Errorf("Slug(%q) = %q, want %q", task, got, want)
		}
	}
}

func TestSlugIsASlug(t *testing.T) {
	form := regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	rapid.Check(t, func(t *rapid.T) {
		s := Slug(rapid.OneOf(rapid.String(), rapid.StringMatching("[a-cA-C0-9 '_/é—-]{0,80}")).Draw(t, "task"))
		busy := rapid.IntRange(0, 120).Draw(t, "busy")
		seen := map[string]bool{}
		free := Free(s, func(name string) bool {
			if !form.MatchString(name) || len(name) > 50 || seen[name] || journal.CheckName(name) != nil {
				t.Fatalf("tried %q", name)
			}
			seen[name] = true
			return len(seen) <= busy
		})
		if Slug(s) != s || Slug(free) != free || len(seen) != busy+1 {
			t.Fatalf("%q, %q", s, free)
		}
	})
}

func TestFree(t *testing.T) {
	taken := map[string]bool{"a": true, "a-2": true, strings.Repeat("x", 50): true, strings.Repeat("y", 47) + "-yy": true}
	for slug, want := range map[string]string{
		"b": "b", "a": "a-3",
		strings.Repeat("x", 50):         strings.Repeat("x", 48) + "-2",
		strings.Repeat("y", 47) + "-yy": strings.Repeat("y", 47) + "-2",
	} {
		if got := Free(slug, func(s string) bool { return taken[s] }); got != want {
			t.Errorf("%q: %q, want %q", slug, got, want)
		}
	}
	if got := Free("a", func(string) bool { return true }); got != "" {
		t.Errorf("%q is free where nothing is", got)
	}
}
