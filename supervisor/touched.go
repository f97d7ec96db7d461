package supervisor

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// undoTouched puts back every guarded file that is not what it was at the pin, and says which. What stood in the place is
// kept. Passed over are STOP files that appeared, which are honoured whoever wrote them (decision 2), and files of a loop
// that ran meanwhile.
func (r *run) undoTouched(iteration int) ([]touched, error) {
	rejected := filepath.Join(r.place.loop, "rejected", fmt.Sprint(iteration))
	out, err := r.guard.straighten(rejected)
	if err != nil {
		return nil, err
	}
	all, err := r.guard.compare()
	if err != nil {
		return nil, err
	}
	for _, t := range all {
		if filepath.Base(t.Path) == "STOP" && t.What == "created" || r.ranBeside(t.Path) {
			continue
		}
		err := r.guard.restore(t, rejected)
		switch {
		case errors.Is(err, errCopyLost):
			t.Lost = true
		case err != nil:
			return nil, err
		}
		out = append(out, t)
	}
	return out, nil
}

// ranBeside reports whether a guarded file is another loop's that was run, or spoken to, since the pin: its files changed
// without the agent then.
func (r *run) ranBeside(path string) bool {
	dir := filepath.Dir(path)
	fleet := filepath.Dir(StopFile(r.s.Ref.Root, ""))
	if dir == r.s.Ref.Dir || !within(filepath.Dir(r.s.Ref.Dir), dir) && !within(fleet, dir) {
		return false
	}
	info, err := os.Stat(r.place.of(filepath.Base(dir)).loopLease())
	return err == nil && (info.ModTime().After(r.guard.pinned()) || r.busy(dir))
}

// shown is a path as a person in the working tree would write it.
func (r *run) shown(path string) string {
	if rel, err := filepath.Rel(r.s.Ref.Root, path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return path
}
