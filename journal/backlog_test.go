package journal

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestParseBacklog(t *testing.T) {
	text := "\ufeff- [ ] first\r\n" +
		"  * [x] ~~second~~  \r\n" +
		"+\t[X] third\r\n" +
		"1. [ ] fourth\r\n" +
		"22) [ ] ~~fifth~~\r\n" +
		"    note of the fifth\r\n" +
		"- [ ]\r\n" +
		"- [-] another mark\r\n" +
		"- [x](link) no item\r\n" +
		"-[ ] no space\r\n" +
		"[ ] no bullet\r\n" +
		"text - [ ] inside\r\n" +
		"```\r\n- [ ] in code\r\n```\r\n" +
		"~~~ md\r\n- [ ] in code\r\n```\r\n- [ ] in code\r\n~~~\r\n" +
		"<!-- - [ ] hidden -->\r\n<!--\r\n- [ ] hidden\r\n-->\r\n" +
		"- [ ] ~~half~~ struck"
	want := []Item{{"first", false, 1}, {"second", true, 2}, {"third", true, 3}, {"fourth", false, 4}, {"fifth", false, 5}, {"", false, 7}, {"~~half~~ struck", false, 25}}
	if diff := cmp.Diff(want, ParseBacklog(text)); diff != "" {
		t.Error(diff)
	}
}

func TestStrikeBacklog(t *testing.T) {
	for _, c := range []struct {
		text  string
		lines []int
		want  string
	}{
		{"- [ ] a\n- [ ] b\n", []int{1}, "- [x] ~~a~~\n- [ ] b\n"},
		{"- [ ] a\r\n\t*  [ ]  b \t\r\n", []int{2, 1}, "- [x] ~~a~~\r\n\t*  [x]  ~~b~~ \t\r\n"},
		{"# x\n3. [ ] last", []int{2}, "# x\n3. [x] ~~last~~"},
		{"- [ ] ~~a~~\n", []int{1}, "- [x] ~~a~~\n"},
		{"- [ ] a ~~b~~ c\n", []int{1}, "- [x] a ~~b~~ c\n"},
		{"- [ ]\n", []int{1}, "- [x]\n"},
		{"- [x] a\nno item\n", []int{1, 2, 9}, "- [x] a\nno item\n"},
		{"\ufeff- [ ] é\n", []int{1}, "\ufeff- [x] ~~é~~\n"},
	} {
		if got := StrikeBacklog(c.text, c.lines); got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}

func TestAddToBacklog(t *testing.T) {
	for _, c := range []struct {
		text string
		add  []string
		want string
	}{
		{"", []string{"a"}, "- [ ] a\n"},
		{"- [ ] a\n", []string{"b", "b", "a", " "}, "- [ ] a\n- [ ] b\n"},
		{"- [x] ~~a~~\n", []string{"a"}, "- [x] ~~a~~\n- [ ] a\n"}, // it is open work again
		{"- [ ] a", []string{"b"}, "- [ ] a\n- [ ] b\n"},
		{"* [ ] a\r\n\r\n# Done\r\ntext\r\n", []string{"b"}, "* [ ] a\r\n* [ ] b\r\n\r\n# Done\r\ntext\r\n"},
		{"- [ ] a\n  more of a\n\n  and more\n", []string{"b"}, "- [ ] a\n  more of a\n- [ ] b\n\n  and more\n"},
		{"- [ ] a\n  - [ ] nested\n", []string{"b"}, "- [ ] a\n  - [ ] nested\n- [ ] b\n"},
		{"  1. [ ] a\n", []string{"b"}, "  1. [ ] a\n  - [ ] b\n"},
		{"\ufeff- [ ] a\n", []string{"b"}, "\ufeff- [ ] a\n- [ ] b\n"},
		{"# Backlog\nnothing yet", []string{"a"}, "# Backlog\nnothing yet\n- [ ] a\n"},
		{"- [ ] a\n", nil, "- [ ] a\n"},
	} {
		if got := AddToBacklog(c.text, c.add); got != c.want {
			t.Errorf("%q + %q: %q, want %q", c.text, c.add, got, c.want)
		}
	}
}

func TestMatchUnit(t *testing.T) {
	items := []Item{{"TODO one", false, 1}, {"TODO two: `a.go` and b", false, 2}, {"old work", true, 3}, {"Fix parser", false, 4}, {"Fix printer", false, 5}, {"TODO one", false, 6}, {"TODO 1", false, 7}, {"TODO 10", false, 8}}
	for unit, want := range map[string]int{
		"[B2] TODO two":             1,
		"[B2]":                      1,
		"`[B4]` Fix parser":         3,
		"**[B4]** Fix parser":       3,
		"B4: Fix parser":            3,
		"B4":                        3,
		"[B4] words of my own":      3,
		"[B6] TODO one":             5, // the number decides between twins
		"TODO one":                  0, // the first of twins: order is priority
		"todo  ONE.":                0,
		"TODO two: a.go and b":      1,
		"TODO two: `a.go…":          1,
		"TODO two":                  1,
		"Fix pa":                    3,
		"TODO 1":                    6,  // the whole text comes before a prefix
		"[B1] TODO two: a.go and b": -1, // number and words disagree
		"[B3]":                      -1, // struck through already
		"[B0]":                      -1,
		"[B99]":                     -1,
		"[B99999999999999999999]":   -1,
		"[Bx] TODO one":             -1,
		"old work":                  -1,
		"Fix p":                     -1,
		"Fix parser and printer":    -1, // more than the item says
		"B4 is broken":              -1,
		"":                          -1,
		"…":                         -1,
		"something else":            -1,
	} {
		i, ok, why := MatchUnit(items, unit)
		if ok != (want >= 0) || ok && i != want || ok != (why == "") {
			t.Errorf("%q: %d, %v, %q, want %d", unit, i, ok, why, want)
		}
	}
	if _, ok, _ := MatchUnit(nil, "[B1]"); ok {
		t.Error("an item of an empty backlog was found")
	}
}

// Every item is found by its tag and, where no twin stands before it, by its own text.
func TestMatchUnitProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.Map(rapid.StringMatching("[a-zA-Z`*~. ]{1,12}"), func(s string) string { return "- [ ] " + s }), 1, 8).Draw(t, "lines"), "\n")
		items := ParseBacklog(text)
		for i, it := range items {
			if got, ok, why := MatchUnit(items, UnitTag(i)+" "+it.Text); !ok || got != i {
				t.Fatalf("%s %q: %d, %v, %s", UnitTag(i), it.Text, got, ok, why)
			}
			if plainUnit(it.Text) == "" {
				continue
			}
			if got, ok, why := MatchUnit(items, it.Text); !ok || plainUnit(items[got].Text) != plainUnit(it.Text) {
				t.Fatalf("%q: %d, %v, %s", it.Text, got, ok, why)
			}
		}
	})
}

// begins and plainUnit are two ways to say the same.
func TestBeginsIsPlain(t *testing.T) {
	text := rapid.OneOf(rapid.String(), rapid.StringMatching("[aAé`*~. …\t]{0,8}"))
	rapid.Check(t, func(t *rapid.T) {
		item, want := text.Draw(t, "item"), plainUnit(text.Draw(t, "want"))
		prefix, whole := begins(item, want)
		plain := plainUnit(item)
		if whole != (plain == want) || prefix != strings.HasPrefix(plain, want) {
			t.Fatalf("%q (%q) begins with %q: %v, whole: %v", item, plain, want, prefix, whole)
		}
	})
}

func FuzzBacklog(f *testing.F) {
	f.Add("- [ ] a\r\n  * [x] ~~b~~\n```\n- [ ] c\n```\n", "[B1] a", uint16(1))
	f.Add("\ufeff1) [ ] a ~~b\n<!--\n- [ ] c", "a", uint16(7))
	f.Fuzz(func(t *testing.T, text, unit string, strike uint16) {
		items := ParseBacklog(text)
		lines := strings.SplitAfter(text, "\n")
		var at []int
		for i, it := range items {
			if it.Line < 1 || it.Line > len(lines) || !strings.Contains(lines[it.Line-1], it.Text) {
				t.Fatalf("item %+v is not in its line", it)
			}
			if strike>>(i%16)&1 != 0 {
				at = append(at, it.Line)
			}
		}
		if i, ok, _ := MatchUnit(items, unit); ok && items[i].Done {
			t.Fatalf("%q matches a done item", unit)
		}
		struck := StrikeBacklog(text, at)
		after := strings.SplitAfter(struck, "\n")
		got := ParseBacklog(struck)
		if len(after) != len(lines) || len(got) != len(items) {
			t.Fatalf("%d lines and %d items became %d and %d", len(lines), len(items), len(after), len(got))
		}
		wanted := map[int]bool{}
		for _, l := range at {
			wanted[l] = true
		}
		for i, l := range lines {
			if after[i] != l && !wanted[i+1] {
				t.Fatalf("line %d was touched: %q became %q", i+1, l, after[i])
			}
		}
		for i, it := range got {
			if it.Done != (items[i].Done || wanted[it.Line]) || it.Text != items[i].Text {
				t.Fatalf("%+v became %+v", items[i], it)
			}
		}
		added := AddToBacklog(text, []string{"a new unit that nobody has yet"})
		if now := ParseBacklog(added); len(added) > 0 && len(now) > len(items)+1 {
			t.Fatalf("%d items became %d", len(items), len(now))
		}
	})
}

// A backlog of 2.4 MB is read at every start.
func BenchmarkBacklog(b *testing.B) {
	text := strings.Repeat("- [ ] remove one more TODO line from some file of work\n", 2_400_000/55)
	b.Run("parse", func(b *testing.B) {
		for b.Loop() {
			if len(ParseBacklog(text)) < 40000 {
				b.Fatal("items are missing")
			}
		}
	})
	items := ParseBacklog(text)
	b.Run("match", func(b *testing.B) {
		for b.Loop() {
			MatchUnit(items, "nothing like this")
		}
	})
}
