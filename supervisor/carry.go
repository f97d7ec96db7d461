package supervisor

import (
	"slices"

	"loopd/journal"
)

// carry settles the flags of a skill's next iteration: those of the command line at the first of a run, else those of the
// state, with what the last outcome carried. A carry is applied once (spec/dialects.md "driver").
func (r *run) carry(s journal.State) journal.State {
	p, o := &s.Private, r.s.Options
	if !r.launched {
		if o.GivenFlags {
			p.Flags = slices.Clone(o.Flags)
		}
		if o.IdleCount > 0 {
			p.Idle = o.IdleCount
		}
	}
	p.Flags = Carry(p.Flags, p.CarryAdd, p.CarryDrop)
	p.CarryAdd, p.CarryDrop = nil, nil
	return s
}

// Carry gives the flags of the next wake: the current ones with every carry-add and without every carry-drop (the loop
// driver seed, "Carrying a signal to the next wake"). What a flag means is not looked at; one that is there is not added
// twice.
func Carry(current, add, drop []string) []string {
	out := slices.Clone(current)
	for _, f := range add {
		if !slices.Contains(out, f) {
			out = append(out, f)
		}
	}
	return slices.DeleteFunc(out, func(f string) bool { return slices.Contains(drop, f) })
}
