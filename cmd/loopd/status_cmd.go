package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"

	"loopd/journal"
	"loopd/supervisor"
)

// statusJSON is the shape of `status --json`: one object a loop.
type statusJSON struct {
	Schema    int            `json:"schema"` // of this shape
	Name      string         `json:"name"`
	Dialect   string         `json:"dialect"`
	Status    journal.Status `json:"status"`
	Running   *runningJSON   `json:"running,omitempty"`
	Iteration int            `json:"iteration"`
	// Before is how many of them earlier runs made, for a loop whose runs count anew (contract).
	Before    int              `json:"earlier_iterations,omitempty"`
	Max       int              `json:"max_iterations"`
	Ratchet   *float64         `json:"ratchet"`
	Best      *float64         `json:"best"`
	Stall     int              `json:"stall_count"`
	StallMax  int              `json:"stall_threshold"`
	Idle      int              `json:"idle"`
	Mode      journal.Mode     `json:"mode"`
	Clean     int              `json:"clean_cycles"`
	Cost      float64          `json:"cost_usd"`
	Untold    int              `json:"cost_unknown,omitempty"` // execs
	LastRun   time.Time        `json:"last_run,omitzero"`
	Wake      time.Time        `json:"wake,omitzero"`
	WakeWhy   string           `json:"wake_why,omitempty"`
	Question  string           `json:"question,omitempty"`
	Fix       string           `json:"fix,omitempty"` // what a person types about the question
	Parked    int              `json:"parked"`
	Harnesses map[string]tally `json:"harnesses,omitempty"`
	Defects   []string         `json:"defects,omitempty"`
}

type tally struct {
	Good      int `json:"good"`
	Failed    int `json:"failed"`
	Away      int `json:"away"`      // limited or unavailable
	Unblocked int `json:"unblocked"` // stalls that its word ended
}

// words counts what there is to count.
func (t tally) words() string {
	text := fmt.Sprintf("%d good, %d failed", t.Good, t.Failed)
	if t.Away > 0 {
		text += fmt.Sprintf(", %d limited or unavailable", t.Away)
	}
	if t.Unblocked > 0 {
		text += ", unblocked " + many(t.Unblocked, "stall")
	}
	return text
}

type runningJSON struct {
	PID   int       `json:"pid"`
	Since time.Time `json:"since"`
	Step  string    `json:"step"`
}

// Run shows one row a loop, or a loop's page; with --watch again and again, on a terminal in place.
func (c *statusCmd) Run(a *app) error {
	if !c.Watch {
		return c.show(a)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	again := time.NewTicker(time.Second)
	defer again.Stop()
	for {
		if a.Print.Terminal() && !c.JSON {
			fmt.Fprint(a.Print.err, "\x1b[H\x1b[2J")
		}
		if err := c.show(a); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-again.C:
		}
	}
}

func (c *statusCmd) show(a *app) error {
	refs, err := a.loops()
	if err != nil {
		return err
	}
	if c.Name != "" {
		ref, err := a.find(c.Name, "")
		if err != nil {
			return err
		}
		refs = []journal.Ref{ref}
	}
	var all []statusJSON
	var loops []journal.Loop
	for _, ref := range refs {
		s, done, err := a.operator(ref)
		if err != nil {
			return err
		}
		st, l, err := statusOf(s)
		done()
		if err != nil {
			return err
		}
		all, loops = append(all, st), append(loops, l)
	}
	switch {
	case c.JSON:
		for _, st := range all {
			if err := a.Print.JSON(st); err != nil {
				return err
			}
		}
		return nil
	case len(all) == 0:
		a.Print.Notice("there is no loop here", "root", a.Root, "next", "loopd init NAME --archetype backlog-drain")
		return nil
	case c.Name != "":
		return a.Print.Result("%s", page(all[0], loops[0]))
	}
	return a.Print.Result("%s", table(all))
}

func statusOf(s *supervisor.Supervisor) (statusJSON, journal.Loop, error) {
	l, err := s.Dialect.Load(s.Ref)
	if err != nil {
		return statusJSON{}, l, err
	}
	p := l.State.Private
	st := statusJSON{Schema: 1, Name: l.Name, Dialect: l.Dialect, Status: l.State.Status, Iteration: l.State.Iteration, Before: l.State.Private.Before, Max: l.Charter.Budget.MaxIterations,
		Ratchet: l.State.Ratchet.Value, Best: l.State.Ratchet.Best, Stall: l.State.Ratchet.StallCount, StallMax: l.Charter.Escalation.Stalled, Idle: p.Idle,
		Mode: l.State.Promotion.Mode, Clean: l.State.Promotion.Clean, Cost: p.Spent.Cost, Untold: p.Spent.Untold, LastRun: l.State.LastRun, Wake: p.NotBefore, WakeWhy: p.WakeWhy,
		Question: p.Question, Parked: len(p.Parked)}
	if p.Question != "" {
		st.Fix = supervisor.HoldFix(l.State)
	}
	for _, d := range l.Defects() {
		st.Defects = append(st.Defects, d.String())
	}
	if len(p.Harness) > 0 {
		st.Harnesses = map[string]tally{}
		for name, t := range p.Harness {
			st.Harnesses[name] = tally(t)
		}
	}
	h, step, is, err := s.RunningNow(context.Background())
	if err != nil {
		return st, l, err
	}
	if is {
		st.Running = &runningJSON{h.PID, h.Since, step}
	}
	return st, l, nil
}

// word is the status as a person reads it: what it does now comes first.
func (s statusJSON) word() string {
	switch {
	case s.Running != nil:
		return "running (" + s.Running.Step + ")"
	case len(s.Defects) > 0:
		return "defect"
	}
	return string(s.Status)
}

func (s statusJSON) ratchet() string {
	if s.Ratchet == nil {
		return "-"
	}
	return journal.FormatNumber(*s.Ratchet)
}

func (s statusJSON) wake() string {
	if s.Wake.IsZero() || s.Status != journal.Active {
		return "-"
	}
	return s.Wake.Local().Format(time.DateTime)
}

// ofMost is a count and its limit, where there is one that anybody would meet.
func ofMost(n, most int, between string) string {
	if most <= 0 || most >= 1_000_000 {
		return strconv.Itoa(n)
	}
	return strconv.Itoa(n) + between + strconv.Itoa(most)
}

func table(all []statusJSON) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "LOOP\tSTATUS\tITERATION\tRATCHET\tSTALL\tIDLE\tCOST\tNEXT WAKE")
	for _, s := range all {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%d\t%s\t%s\n", s.Name, s.word(), ofMost(s.Iteration-s.Before, s.Max, "/"), s.ratchet(), ofMost(s.Stall, s.StallMax, "/"), s.Idle, dollars(s.Cost, s.Untold), s.wake())
	}
	_ = w.Flush()
	return trimEnd(b.String())
}

func page(s statusJSON, l journal.Loop) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	line := func(name, format string, args ...any) { fmt.Fprintf(w, "%s\t%s\n", name, fmt.Sprintf(format, args...)) }
	kind := s.Dialect
	if l.Charter.Archetype != "" {
		kind += ", " + string(l.Charter.Archetype)
	}
	line("loop", "%s (%s)", s.Name, kind)
	line("goal", "%s", l.Charter.Goal)
	line("status", "%s", s.word())
	if s.Question != "" {
		line("waits for", "%s", s.Question)
		line("next", "%s", s.Fix)
	}
	for _, n := range l.State.Private.Notices {
		line("notice", "%s", waiting(s.Name, n))
	}
	line("iteration", "%s", ofMost(s.Iteration-s.Before, s.Max, " of "))
	if s.Ratchet != nil && s.Best != nil {
		line("ratchet", "%s: %s (best %s, %s)", l.Charter.Ratchet.Metric, s.ratchet(), journal.FormatNumber(*s.Best), l.Charter.Ratchet.Direction)
	}
	if flags := l.State.Private.Flags; len(flags) > 0 {
		line("flags", "%s", asTyped(flags))
	}
	if add, drop := l.State.Private.CarryAdd, l.State.Private.CarryDrop; len(add)+len(drop) > 0 {
		line("carry", "next wake adds [%s], drops [%s]", asTyped(add), asTyped(drop))
	}
	line("stall", "%s, idle %d", ofMost(s.Stall, s.StallMax, " of "), s.Idle)
	if !l.Charter.Unmanaged { // elsewhere git is the agent's own matter
		line("mode", "%s, %d clean cycles of %d", s.Mode, s.Clean, l.State.Promotion.Required)
	}
	line("cost", "%s", dollars(s.Cost, s.Untold))
	line("cadence", "%s", l.Charter.Budget.Cadence.Text)
	if s.wake() != "-" {
		line("next wake", "%s (%s)", s.wake(), s.WakeWhy)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Harnesses)) {
		line("harness", "%s", name+": "+s.Harnesses[name].words())
	}
	if s.Parked > 0 {
		line("parked", "%s: loopd parked %s", many(s.Parked, "change"), s.Name)
	}
	for _, d := range s.Defects {
		line("defect", "%s", d)
	}
	_ = w.Flush()
	for _, e := range l.Recent {
		b.WriteString("\n" + trimEnd(e.Raw) + "\n")
	}
	return trimEnd(b.String())
}

func trimEnd(s string) string { return strings.TrimRight(s, "\r\n") }

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return strings.TrimSpace(line)
}
