package tracking

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFinalReport(t *testing.T) {
	done := shapeDocument()
	done.Status = Complete
	bound := shapeDocument()
	bound.Status, bound.Max, bound.Rows = MaxReached, 1, []Row{{1, "x", NotMet, ""}}
	none := shapeDocument()
	none.Status, none.Rows = MaxReached, nil
	for _, c := range []struct {
		d    Document
		want string
	}{
		{done, "✓ Loop 'remove-a-todo' complete — 2/3 iterations\n  Final: none is left\n  Tracking doc: .codevoyant/loops/remove-a-todo/loop.md\n"},
		{bound, "✓ Loop 'remove-a-todo' max-reached — 1/1 iterations\n  Final: NOT_MET\n  Tracking doc: .codevoyant/loops/remove-a-todo/loop.md\n" +
			"  re-run with a higher --max, tighten the task, or --resume remove-a-todo to continue the same loop later\n"},
		{none, "✓ Loop 'remove-a-todo' max-reached — 0/3 iterations\n  Final: no iteration ran\n  Tracking doc: .codevoyant/loops/remove-a-todo/loop.md\n" +
			"  re-run with a higher --max, tighten the task, or --resume remove-a-todo to continue the same loop later\n"},
		{shapeDocument(), ""},
	} {
		if diff := cmp.Diff(c.want, FinalReport(c.d)); diff != "" {
			t.Error(diff)
		}
	}
}
