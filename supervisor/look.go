package supervisor

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// RunningNow reports who runs the loop at this moment, and at which step.
func (s *Supervisor) RunningNow(ctx context.Context) (Holder, string, bool, error) {
	r, err := s.open(ctx)
	if err != nil {
		return Holder{}, "", false, err
	}
	h, step, is := running(r.place.loopLease())
	return h, step, is, nil
}

// Transcript gives the path of the newest transcript of an iteration; fs.ErrNotExist where none is kept.
func (s *Supervisor) Transcript(ctx context.Context, n int) (string, error) {
	r, err := s.open(ctx)
	if err != nil {
		return "", err
	}
	found, err := filepath.Glob(filepath.Join(r.place.transcripts(), fmt.Sprintf("%06d*.jsonl", n)))
	if err != nil {
		return "", fmt.Errorf("find transcript: %w", err)
	}
	newest, at := "", int64(0)
	for _, p := range found {
		if st, err := os.Stat(p); err == nil && st.ModTime().UnixNano() >= at {
			newest, at = p, st.ModTime().UnixNano()
		}
	}
	if newest == "" {
		return "", fmt.Errorf("find transcript of iteration %d: %w", n, os.ErrNotExist)
	}
	return newest, nil
}

// Debris gives the changes in the working tree that the loop did not make; none where git is not the loop's matter, or
// while it runs.
func (s *Supervisor) Debris(ctx context.Context) ([]string, error) {
	r, err := s.open(ctx)
	if err != nil || r.tree == nil {
		return nil, err
	}
	if _, _, is := running(r.place.loopLease()); is {
		return nil, nil
	}
	return r.tree.Debris(ctx)
}
