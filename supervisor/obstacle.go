package supervisor

import (
	"os"

	"loopd/harness"
	"loopd/supervisor/proc"
)

// obstacle says why a harness would not start here for a request, "" where nothing stands in its way. Nothing is started.
func (r *run) obstacle(h harness.Harness, q harness.Request) string {
	inv, err := h.Invoke(q)
	if err != nil {
		return err.Error()
	}
	if _, err := proc.Find(inv.Argv[0], q.Dir, r.s.Env); err != nil {
		return err.Error() + ": install it, or choose another (loopd harness list shows what is here)"
	}
	if os.Geteuid() == 0 && !q.ReadOnly {
		return harness.RefusesRoot(h, harness.Environ(r.s.Env, h, r.s.Known, inv, r.allowEnv))
	}
	return ""
}

// obstacles are those of every harness that an iteration may ask.
func (r *run) obstacles(it *iteration) []string {
	type part struct {
		h        harness.Harness
		readOnly bool
		model    string
	}
	parts := []part{{it.maker, false, it.model}, {it.checker, true, it.checkerModel}, {it.second, true, it.secondModel}}
	for _, name := range r.s.Options.Fallback {
		if h, err := r.s.Lookup(name); err == nil {
			parts = append(parts, part{h, false, ""})
		}
	}
	var out []string
	for _, p := range parts {
		if p.h == nil {
			continue
		}
		if why := r.obstacle(p.h, harness.Request{ReadOnly: p.readOnly, Model: p.model, Dir: r.work, ScratchDir: os.TempDir()}); why != "" {
			out = append(out, why)
		}
	}
	return out
}
