package supervisor

import (
	"context"
	"fmt"
	"os"
	"strings"

	"loopd/harness"
)

// plan is --dry-run: gate result, prompt, argv and what would happen. It takes no lease and changes no byte; a dead
// iteration is only reported (decision 25). Done-when commands are run, as the gate runs them.
func (r *run) plan(ctx context.Context) (Ending, error) {
	it := &iteration{}
	if err := r.load(it); err != nil {
		return Ending{}, err
	}
	if err := defectError(it.loop); err != nil {
		return Ending{}, err
	}
	var b strings.Builder
	if h, step, is := running(r.place.loopLease()); is {
		fmt.Fprintf(&b, "lease: held by pid %d since %s, step %s\n", h.PID, h.Since.Local().Format("15:04:05"), step)
	} else if f, err := os.Open(r.place.treeLease()); err == nil {
		d := deadIteration(readRecords(f))
		f.Close()
		if d.pin != nil {
			fmt.Fprintf(&b, "dead iteration: %d of %s died at step %s; a real run recovers it first\n", d.pin.Iteration, d.holder.Loop, d.step)
		}
	}
	gate, err := r.gate(ctx, it)
	if err != nil {
		return Ending{}, err
	}
	fmt.Fprintf(&b, "gate: %s", gate.Action)
	if gate.Why != "" {
		fmt.Fprintf(&b, " (%s: %s)", gate.Rule, gate.Why)
	}
	b.WriteString("\n")
	if err := r.harnesses(it); err != nil {
		return Ending{}, err
	}
	prompt := r.s.Dialect.Brief(it.loop, briefOf(it, it.maker.Name(), it.wall))
	inv, err := it.maker.Invoke(harness.Request{Prompt: prompt, Model: it.model, Dir: r.work, ScratchDir: os.TempDir()})
	if err != nil {
		return Ending{}, &UsageError{Err: err}
	}
	fmt.Fprintf(&b, "iteration: %d\nmode: %s\nharness: %s\nargv: %s\nlimits: %s wall clock, %s without output\n", it.number, it.loop.State.Promotion.Mode, it.maker.Name(), strings.Join(inv.Argv, " "), it.wall, it.idle)
	for _, why := range r.obstacles(it) {
		fmt.Fprintf(&b, "warning: %s\n", why)
	}
	for _, c := range it.loop.Charter.Verification {
		fmt.Fprintf(&b, "check: %s\n", c.Command)
	}
	fmt.Fprintf(&b, "done when: %s\n\n--- prompt (stdin) ---\n%s", conditions(it.loop.Charter), r.redact.String(prompt))
	if !strings.HasSuffix(prompt, "\n") {
		b.WriteString("\n")
	}
	return Ending{Code: gate.Code, Why: gate.Why, Fix: gate.Fix, Text: b.String()}, nil
}
