package supervisor

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"loopd/journal"
)

func TestUnitsOf(t *testing.T) {
	prompt := managerPrompt(journal.Loop{}, 3)
	for _, c := range []struct {
		text string
		want []unit
	}{
		{"UNIT: mend the parser PATHS: parser/**, parser.go", []unit{{"mend the parser", []string{"parser/**", "parser.go"}}}},
		{"- **UNIT:** a PATHS: `a.txt`\n* UNIT: b PATHS: ./b/", []unit{{"a", []string{"a.txt"}}, {"b", []string{"b"}}}},
		{"We could do UNIT: a PATHS: b", nil}, {"UNIT: a", nil}, {"UNIT: a PATHS: ", nil}, {"UNIT: a PATHS: ../x, /etc", nil}, {"unit: a paths: b", nil},
		{prompt, nil}, {"", nil}, {"UNIT: <what> PATHS: <globs>", nil},
	} {
		if d := cmp.Diff(c.want, unitsOf(c.text, prompt), cmp.AllowUnexported(unit{})); d != "" {
			t.Errorf("%q (-want +got):\n%s", c.text, d)
		}
	}
}

func TestIndependent(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"a/**", "b/**", false}, {"a/**", "a/x.go", true}, {"a", "a", true}, {"a", "ab", false}, {"a", "a/b", true}, {"a*", "ab", true}, {"**", "x", true},
		{"src/a/**", "src/ab/**", false}, {"src/**", "src", true}, {"a/*.go", "a/*.md", true},
	} {
		if got := overlap([]string{c.a}, []string{c.b}); got != c.want || overlap([]string{c.b}, []string{c.a}) != got {
			t.Errorf("%s and %s: %v", c.a, c.b, got)
		}
	}
	units := []unit{{"1", []string{"a"}}, {"2", []string{"a/x"}}, {"3", []string{"b"}}, {"4", []string{"c"}}}
	var got []string
	for _, u := range independent(units, 2) {
		got = append(got, u.text)
	}
	if strings.Join(got, " ") != "1 3" {
		t.Errorf("got %v", got)
	}
}

func FuzzUnitsOf(f *testing.F) {
	f.Add("UNIT: a PATHS: b, c/**\n- UNIT: d PATHS: `e`")
	f.Fuzz(func(t *testing.T, text string) {
		for _, u := range unitsOf(text, "") {
			if u.text == "" || len(u.paths) == 0 || strings.ContainsAny(u.text, "\n\r\x1b") {
				t.Errorf("%q gives %+v", text, u)
			}
			for _, p := range u.paths {
				if strings.HasPrefix(p, "/") || strings.HasPrefix(p, "..") {
					t.Errorf("%q leads out of the tree", p)
				}
			}
		}
	})
}
