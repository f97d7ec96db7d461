package journal

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestOneLine(t *testing.T) {
	for _, c := range []struct {
		in   string
		max  int
		want string
	}{
		{"  plain  text ", 0, "plain text"},
		{"a\n## 9 · forged\n- Unit: x", 0, "a ## 9 · forged - Unit: x"},
		{"a\r\nb\u2028c\u2029d\ve\ff\u0085g", 0, "a b c d e f g"},
		{"\x1b[31mred\x1b[0m \x1b]8;;http://x\x1b\\link\x1b]8;;\x07!", 0, "red link!"},
		{"a\x00b\x07c\x9b", 0, "abc"},
		{"abc\u202edcba\u2066\u200b", 0, "abcdcba"},
		{"bad \xff\xfe utf", 0, "bad utf"},
		{"x <!-- hide", 0, "x <!- - hide"},
		{"家家家家", 3, "家家…"},
		{"abc", 3, "abc"},
		{"abcd", 3, "ab…"},
		{"ab cd", 4, "ab…"},
		{"a", 1, "a"},
		{"ab", 1, "…"},
		{"👩‍👩‍👧", 0, "👩‍👩‍👧"},
	} {
		if got := OneLine(c.in, c.max); got != c.want {
			t.Errorf("OneLine(%q, %d) = %q, want %q", c.in, c.max, got, c.want)
		}
	}
}

func TestOneLineIsOneLine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.OneOf(rapid.String(), rapid.StringMatching(`[ \n\r\x1b\[\];m<!\-#家]{0,80}`)).Draw(t, "s")
		max := rapid.IntRange(1, 40).Draw(t, "max")
		got := OneLine(s, max)
		if strings.ContainsFunc(got, func(r rune) bool { return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' }) || !utf8.ValidString(got) {
			t.Fatalf("%q holds what is no line: %q", s, got)
		}
		if strings.TrimSpace(got) != got || strings.Contains(got, "<!--") {
			t.Fatalf("%q came out as %q", s, got)
		}
		if n := utf8.RuneCountInString(strings.ReplaceAll(got, "<!- -", "<!--")); n > max {
			t.Fatalf("%q has %d characters, want at most %d", got, n, max)
		}
	})
}
