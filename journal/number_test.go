package journal

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestReadNumber(t *testing.T) {
	for in, want := range map[string]float64{
		"5":                            5,
		"5\n\n  \n":                    5,
		"noise 1 2 3\n7\r\n":           7,
		"-3":                           -3,
		"+3":                           3,
		"−3":                           -3,
		"4.25":                         4.25,
		".5":                           0.5,
		"81.5%":                        81.5,
		"81.5 %":                       81.5,
		"Coverage: 81.5% of it":        81.5,
		"TODO lines: 5.":               5,
		"errors=3":                     3,
		"(12)":                         12,
		"- 5":                          5,
		"v2 5":                         5,
		"utf-8: 5":                     5,
		"go1.26 ok 3":                  3,
		"file2.go:7":                   7,
		"it's 4":                       4,
		"sha256-abc: 9":                9,
		"\x1b[31m12\x1b[0m\n\x1b[0m\n": 12,
		"\x1b]0;title 9\x0712":         12,
		"10%\r50%\r100%\n":             100,
		"9007199254740992":             9007199254740992,
		"00012":                        12,
		"-0":                           0,
		"値は 5":                         5,
	} {
		got, err := ReadNumber([]byte(in))
		if err != nil || got != want {
			t.Errorf("ReadNumber(%q) = %v, %v; want %v", in, got, err, want)
		}
	}
}

func TestReadNumberNeverGuesses(t *testing.T) {
	for in, want := range map[string]string{
		"":                   "no output",
		" \n\t\n":            "no output",
		"none":               "no number",
		"v2":                 "no number",
		"UTF-8":              "no number",
		"5\nfailed":          `"failed"`,
		"5 of 10":            "2 numbers (5, 10)",
		"5/10":               "2 numbers",
		"5-10":               "2 numbers",
		"1,234":              "separators",
		"1'234":              "separators",
		"1 234":              "2 numbers",
		"1\u202f234":         "2 numbers",
		"1_234":              "no plain number",
		"1e3":                "1e3 is no plain number",
		"0x10":               "no plain number",
		"5ms":                "no plain number",
		"3rd":                "no plain number",
		"1.2.3":              "two points",
		"2024-11-01":         "3 numbers",
		"NaN":                "no number that can",
		"inf":                "no number that can",
		"5 NaN":              "NaN",
		"~5":                 "approximation",
		"<5":                 "approximation",
		"--5":                "two signs",
		"9007199254740994":   "too large",
		"٣":                  "no number",
		"5٣":                 "no plain number",
		"fatal: \x1b[1m\x00": "no number",
	} {
		got, err := ReadNumber([]byte(in))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("ReadNumber(%q) = %v, %v; want an error with %q", in, got, err, want)
		}
	}
	if _, err := ReadNumber([]byte(strings.Repeat("9", 400))); err == nil || !strings.Contains(err.Error(), "too large") {
		t.Errorf("400 digits: %v", err)
	}
}

func TestFormatNumber(t *testing.T) {
	for v, want := range map[float64]string{5: "5", 4.25: "4.25", -1: "-1", 0.1: "0.1", 1e15: "1000000000000000"} {
		if got := FormatNumber(v); got != want {
			t.Errorf("FormatNumber(%v) = %q, want %q", v, got, want)
		}
	}
	if n, _ := ReadNumber([]byte("-0")); FormatNumber(n) != "0" {
		t.Errorf("minus zero is written %q", FormatNumber(n))
	}
}

func TestNumbersComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.Float64Range(-1e12, 1e12).Draw(t, "v")
		got, err := ReadNumber([]byte("value: " + FormatNumber(v) + "\n"))
		if err != nil || got != v {
			t.Fatalf("%v comes back as %v, %v", v, got, err)
		}
	})
}

func FuzzReadNumber(f *testing.F) {
	for _, s := range []string{"5", "1,2", "\x1b[", "-", "v2.", ".", "5%", "\r\r5"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		n, err := ReadNumber(b)
		if err != nil {
			return
		}
		if again, err := ReadNumber([]byte(FormatNumber(n))); err != nil || again != n {
			t.Fatalf("%q is %v, which comes back as %v, %v", b, n, again, err)
		}
	})
}
