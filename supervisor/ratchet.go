package supervisor

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"loopd/journal"
)

// Reading is one reading of a ratchet, made by loopd.
type Reading struct {
	Value float64
	// Err says why there is no value; nil for a good reading.
	Err error
	// Hung and Missing tell a command that did not end from one that does not exist.
	Hung, Missing bool
}

// String gives the value, "?" where it was unreadable (decision 40).
func (r Reading) String() string {
	if r.Err != nil {
		return "?"
	}
	return journal.FormatNumber(r.Value)
}

// Move compares two readings: the number may only move one way.
func Move(d journal.Direction, before, after Reading) Movement {
	switch {
	case before.Err != nil || after.Err != nil:
		return Unreadable
	case before.Value == after.Value:
		return HeldStill
	case (after.Value < before.Value) == (d == journal.Decreasing):
		return Better
	}
	return Worse
}

// Best is the better of an earlier best and a new value.
func Best(d journal.Direction, best *float64, value float64) float64 {
	if best == nil || (value < *best) == (d == journal.Decreasing) {
		return value
	}
	return *best
}

// read reads the ratchet with its command, or from its file. Only an operator's interrupt is an error.
func (r *run) read(ctx context.Context, k journal.Ratchet, limit time.Duration) (Reading, error) {
	if k.File != "" {
		b, err := os.ReadFile(filepath.Join(r.work, k.File))
		if err != nil {
			return Reading{Err: fmt.Errorf("read %s: %w", k.File, err)}, nil
		}
		v, err := journal.ReadNumber(b)
		return Reading{Value: v, Err: err}, nil
	}
	c, err := r.command(ctx, k.Command, r.work, r.checkEnv(), limit)
	if err != nil {
		return Reading{}, err
	}
	switch {
	case c.Hung, c.Missing:
		return Reading{Err: fmt.Errorf("`%s`: %s", k.Command, c.Got), Hung: c.Hung, Missing: c.Missing}, nil
	case c.Exit != 0:
		return Reading{Err: fmt.Errorf("`%s`: %s: %s", k.Command, c.Got, lastLine(c.Tail))}, nil
	}
	v, err := journal.ReadNumber(c.stdout)
	if err != nil {
		err = fmt.Errorf("`%s`: %w", k.Command, err)
	}
	return Reading{Value: v, Err: err}, nil
}
