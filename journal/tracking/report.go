package tracking

import (
	"fmt"
	"strings"

	"loopd/journal"
)

// FinalReport is what a loop that ended prints, in the text's shape, with a line end behind each line:
//
//	✓ Loop '{slug}' {complete | max-reached} — {i}/{N} iterations
//	  Final: {last verdict reason}
//	  Tracking doc: .codevoyant/loops/{slug}/loop.md
//
// and on max-reached what to do next. i counts all rows, those of earlier runs included. A last row without a reason gives
// its verdict. A loop that still runs has no final report: "".
func FinalReport(d Document) string {
	if d.Status != Complete && d.Status != MaxReached {
		return ""
	}
	slug := journal.OneLine(d.Slug, 0)
	final := "no iteration ran"
	if n := len(d.Rows); n > 0 {
		if final = journal.OneLine(d.Rows[n-1].Reason, cellRoom); final == "" {
			final = string(d.Rows[n-1].Verdict)
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "✓ Loop '%s' %s — %d/%d iterations\n", slug, d.Status, len(d.Rows), d.Max)
	fmt.Fprintf(&b, "  Final: %s\n  Tracking doc: %s\n", final, Path(slug))
	if d.Status == MaxReached {
		fmt.Fprintf(&b, "  re-run with a higher --max, tighten the task, or --resume %s to continue the same loop later\n", slug)
	}
	return b.String()
}
