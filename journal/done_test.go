package journal

import "testing"

func TestFileStates(t *testing.T) {
	for _, c := range []struct {
		want    FileStateKind
		exists  bool
		content string
		ok      bool
		got     string
	}{
		{NoUnchecked, true, "- [x] ~~a~~\n* [X] b\n", true, "has no unchecked items of 2"},
		{NoUnchecked, true, "- [x] a\n  - [ ] b\n1. [ ] c\n", false, "has 2 unchecked items of 3"},
		{NoUnchecked, true, "```\n- [ ] a\n```\n<!-- - [ ] b -->\n", true, "has no unchecked items of 0"},
		{NoUnchecked, false, "", false, "does not exist"},
		{Exists, true, "", true, "exists"},
		{Exists, false, "", false, "does not exist"},
		{Absent, false, "", true, "does not exist"},
		{Absent, true, "", false, "exists"},
		{Empty, true, "\ufeff \r\n", true, "is empty"},
		{Empty, true, "x\n", false, "holds 2 bytes"},
		{Empty, false, "", false, "does not exist"},
		{"is pretty", true, "", false, `has a state that nothing can check: "is pretty"`},
	} {
		ok, got := FileState{Path: "f", Want: c.want}.Holds(c.exists, []byte(c.content))
		if ok != c.ok || got != c.got {
			t.Errorf("%s of %q (exists %v) = %v, %q; want %v, %q", c.want, c.content, c.exists, ok, got, c.ok, c.got)
		}
	}
}
