package supervisor

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"loopd/supervisor/proc"
)

func TestExpand(t *testing.T) {
	env := []string{"HOME=/old", "HOME=/home/ada", "CODEX_HOME=/srv/codex", "EMPTY=", "REL=here"}
	for _, c := range []struct {
		path string
		want []string
	}{
		{"~/.codex/", []string{"/home/ada/.codex/"}}, {"$CODEX_HOME", []string{"/srv/codex"}}, {"${CODEX_HOME}/x", []string{"/srv/codex/x"}},
		{"$MISSING/x", nil}, {"$EMPTY", nil}, {"$REL", nil}, {"relative", nil}, {"/abs", []string{"/abs"}},
	} {
		if d := cmp.Diff(c.want, expand([]string{c.path}, env)); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.path, d)
		}
	}
	if got := expand([]string{"~/x"}, nil); got != nil {
		t.Errorf("without a home: %v", got)
	}
}

// An agent in a sandbox ships as outside; what it may not write is not written, and a checker writes nothing at all.
func TestRunsInASandbox(t *testing.T) {
	for _, k := range proc.Kinds() {
		t.Run(string(k), func(t *testing.T) {
			for _, f := range proc.Facilities(nil) {
				if f.Kind == k && f.Missing != "" && k == proc.Landlock {
					t.Skip(f.Missing)
				}
			}
			b := newBox(t, nil)
			for _, f := range proc.Facilities(b.env) {
				if f.Kind == k && f.Missing != "" {
					t.Skip(f.Missing)
				}
			}
			b.agent("maker", ships)
			checker := "echo PASS"
			if k == proc.Bubblewrap { // Landlock cannot keep a tree below a temporary folder from being written
				checker = "echo x >checked.txt 2>/dev/null; echo PASS"
			}
			b.agent("second", checker)
			b.want(Options{Sandbox: string(k), Checker: "second"}, 0)
			b.clean()
			if entriesOf(b.read(".loop/k/journal.md")) != 1 {
				t.Error(b.read(".loop/k/journal.md"))
			}
		})
	}
	b := newBox(t, nil)
	b.agent("maker", ships)
	if _, err := b.run(Options{Once: true, Sandbox: "jail"}); err == nil {
		t.Error("a sandbox that does not exist was run in")
	}
}
