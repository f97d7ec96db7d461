package supervisor

import (
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"loopd/journal"
)

// requestNow asks a running loopd to end the agent at once.
const requestNow = "stop-now"

// request is an operator's act on a loop that runs: left under the git directory, applied at the next boundary
// (decision 2).
type request struct {
	file   string
	Status journal.Status
}

// leave writes a request for the loopd that runs the loop.
func leave(p place, name, text string) error {
	if err := os.MkdirAll(p.requests(), 0o755); err != nil {
		return fmt.Errorf("leave request: %w", err)
	}
	if err := os.WriteFile(filepath.Join(p.requests(), name), []byte(text), 0o644); err != nil {
		return fmt.Errorf("leave request: %w", err)
	}
	return nil
}

func pendingRequests(p place) []request {
	entries, err := os.ReadDir(p.requests())
	if err != nil {
		return nil
	}
	var out []request
	for _, e := range entries {
		if word, ok := strings.CutPrefix(e.Name(), "status-"); ok {
			out = append(out, request{file: filepath.Join(p.requests(), e.Name()), Status: journal.Status(word)})
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].file < out[j].file })
	return out
}

// apply does what a request asks for and takes it away.
func (r *run) apply(q request) error {
	l, err := r.s.Dialect.Load(r.s.Ref)
	if err != nil {
		return fmt.Errorf("load loop %s: %w", r.s.Ref.Name, err)
	}
	next := l.State
	next.Status = q.Status
	if q.Status == journal.Active {
		next = resumed(next, "")
	}
	if err := r.saveState(l, next); err != nil {
		return err
	}
	return os.Remove(q.file)
}
