package markdown

import (
	"strings"
	"testing"
)

func TestAddIgnores(t *testing.T) {
	const both = "/loops/*/state.md\n/loops/*/record.md\n"
	for name, c := range map[string]struct{ src, want string }{
		"nothing":                {"", both},
		"other lines":            {"node_modules/\n\n# mine\n*.log\n", "node_modules/\n\n# mine\n*.log\n" + both},
		"no final newline":       {"*.log", "*.log\n" + both},
		"CRLF":                   {"*.log\r\n", "*.log\r\n" + strings.ReplaceAll(both, "\n", "\r\n")},
		"CRLF, no newline":       {"a\r\n*.log", "a\r\n*.log\r\n" + strings.ReplaceAll(both, "\n", "\r\n")},
		"BOM":                    {"\ufeff*.log\n", "\ufeff*.log\n" + both},
		"BOM and the lines":      {"\ufeff" + both, "\ufeff" + both},
		"both":                   {"a\n" + both + "b\n", "a\n" + both + "b\n"},
		"both, apart":            {"/loops/*/record.md\nb\n/loops/*/state.md\n", "/loops/*/record.md\nb\n/loops/*/state.md\n"},
		"both, CRLF":             {"/loops/*/state.md\r\n/loops/*/record.md\r\n", "/loops/*/state.md\r\n/loops/*/record.md\r\n"},
		"without a slash":        {"loops/*/state.md\nloops/*/record.md", "loops/*/state.md\nloops/*/record.md"},
		"blanks behind":          {"/loops/*/state.md  \n/loops/*/record.md\t\n", "/loops/*/state.md  \n/loops/*/record.md\t\n"},
		"one":                    {"a\n/loops/*/state.md\nb\n", "a\n" + both + "b\n"},
		"the other":              {"a\n/loops/*/record.md\nb\n", "a\n/loops/*/record.md\n/loops/*/state.md\nb\n"},
		"one, at the end":        {"/loops/*/record.md", "/loops/*/record.md\n/loops/*/state.md\n"},
		"a comment":              {"# /loops/*/state.md\n", "# /loops/*/state.md\n" + both},
		"another pattern":        {"/loops/*/state.mdx\nx/loops/*/record.md\n", "/loops/*/state.mdx\nx/loops/*/record.md\n" + both},
		"taken back":             {"/loops/*/state.md\n!/loops/*/state.md\n/loops/*/record.md\n", "/loops/*/state.md\n!/loops/*/state.md\n/loops/*/record.md\n/loops/*/state.md\n"},
		"taken back and again":   {"!/loops/*/state.md\n" + both, "!/loops/*/state.md\n" + both},
		"bytes that are no text": {"\xff\n", "\xff\n" + both},
	} {
		t.Run(name, func(t *testing.T) {
			got := string(AddIgnores([]byte(c.src)))
			if got != c.want {
				t.Errorf("got\n%q, want\n%q", got, c.want)
			}
			if again := string(AddIgnores([]byte(got))); again != got {
				t.Errorf("a second time gives\n%q", again)
			}
		})
	}
}

func FuzzAddIgnores(f *testing.F) {
	f.Add([]byte("a\r\n/loops/*/state.md"))
	f.Add([]byte("!/loops/*/record.md\n\xff"))
	f.Fuzz(func(t *testing.T, src []byte) {
		got := AddIgnores(src)
		if again := AddIgnores(got); string(again) != string(got) {
			t.Fatalf("%q, then %q", got, again)
		}
		// Every line of the file is still there, in its order.
		rest := string(got)
		for l := range strings.Lines(string(src)) {
			l = strings.TrimRight(l, "\r\n")
			i := strings.Index(rest, l)
			if i < 0 {
				t.Fatalf("%q lost %q", got, l)
			}
			rest = rest[i+len(l):]
		}
	})
}
