package journal

import "testing"

func TestMatchAny(t *testing.T) {
	for _, c := range []struct {
		glob, path string
		want       bool
	}{
		{"check.sh", "check.sh", true},
		{"check.sh", "deep/down/check.sh", true},
		{"/check.sh", "deep/check.sh", false},
		{"docs", "docs/a/b.md", true},
		{"docs/", "docs/a.md", true},
		{"docs/*", "docs/a.md", true},
		{"docs/*.md", "docs/a/b.md", false},
		{"docs/**", "docs/a/b.md", true},
		{"docs/**/b.md", "docs/b.md", true},
		{"docs/**/b.md", "docs/x/y/b.md", true},
		{"**/*_test.go", "a/b/c_test.go", true},
		{"*_test.go", "a/b/c_test.go", true},
		{"*_test.go", "a/b/c.go", false},
		{"./src/*.go", "src/x.go", true},
		{"src/*.go", "src/x/y.go", false},
		{"**", "anything/at/all", true},
		{"", "x", false},
		{"[bad", "[bad", true},
		{"[bad", "good", false},
		{"src", "src2/x", false},
	} {
		if got := MatchAny([]string{c.glob}, c.path); got != c.want {
			t.Errorf("%q on %q: %v, want %v", c.glob, c.path, got, c.want)
		}
	}
}
