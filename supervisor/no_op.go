package supervisor

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"loopd/journal"
)

// noWork asks a contract's query whether there is eligible work. Without words of its own the query shows none if it exits
// 0 and prints nothing, 0 or an empty list; a query that cannot run shows nothing.
func (r *run) noWork(ctx context.Context, l journal.Loop, limit time.Duration) (bool, string, error) {
	q := l.Charter.Protocol.Query
	if q == nil {
		return false, "", nil
	}
	c, err := r.check(ctx, *q, limit)
	if err != nil {
		return false, "", err
	}
	none := c.OK
	if q.Want.Text == "" {
		switch strings.TrimSpace(string(c.stdout)) {
		case "", "0", "[]":
		default:
			none = false
		}
	}
	return none, fmt.Sprintf("`%s` → %s", q.Command, c.Got), nil
}

// noOp looks at what a contract asks of an iteration that found nothing to do: the query, and how many outputs it left.
func (r *run) noOp(ctx context.Context, it *iteration, limit time.Duration) (err error) {
	p := it.loop.Charter.Protocol
	if p == nil {
		return nil
	}
	it.outputs = len(it.print.Changed) + newFiles(p.Artifacts, it.exec.Start)
	if it.report.Class == journal.NoOp {
		it.noWork, _, err = r.noWork(ctx, it.loop, limit)
	}
	return err
}

// newFiles counts the files below dir that were written since a time; receipts are loopd's.
func newFiles(dir string, since time.Time) int {
	n := 0
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Base(path) == "receipts.jsonl" {
			return nil
		}
		if info, err := d.Info(); err == nil && info.ModTime().After(since) {
			n++
		}
		return nil
	})
	return n
}
