package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/guptarohit/asciigraph"

	"loopd/journal"
)

// rollup is the report in a terminal: one row a loop, what needs a person, the sums; of one loop its plot and figures.
func rollup(loops []reportJSON, now time.Time) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Loops, %s\n\n", now.Local().Format("2006-01-02 15:04"))
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "LOOP\tSTATUS\tITERATION\tRATCHET\tVERIFIED\tPUT BACK\tCOST\tA CHANGE\tLAST")
	verified, back, cost, unknown := 0, 0, 0.0, 0
	for _, r := range loops {
		f := r.Figures
		each := "-"
		if f.CostPerVerified != nil {
			each = dollars(*f.CostPerVerified, 0)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%d\t%d\t%s\t%s\t%s\n", r.Name, r.word(), ofMost(r.Iteration-r.Before, r.Max, "/"), r.moved(), f.Verified, f.PutBack, dollars(f.Cost, f.Unknown), each, ago(r.LastRun, now))
		verified, back, cost, unknown = verified+f.Verified, back+f.PutBack, cost+f.Cost, unknown+f.Unknown
	}
	_ = w.Flush() // into memory
	if needs := needsPerson(loops); len(needs) > 0 {
		b.WriteString("\nNeeds a person:\n")
		for _, n := range needs {
			b.WriteString("  " + n + "\n")
		}
	}
	if len(loops) == 1 {
		b.WriteString(details(loops[0]))
	} else {
		fmt.Fprintf(&b, "\n%s, %s verified, %d put back, %s\n", many(len(loops), "loop"), many(verified, "change"), back, dollars(cost, unknown))
	}
	return trimEnd(b.String())
}

// dollars is a sum; with execs whose cost is unknown it says so.
func dollars(sum float64, unknown int) string {
	switch {
	case unknown == 0:
		return fmt.Sprintf("$%.2f", sum)
	case sum == 0:
		return "unknown"
	}
	return fmt.Sprintf("$%.2f and unknown", sum)
}

// moved is the ratchet's way since the first measured iteration.
func (r reportJSON) moved() string {
	if r.Ratchet == nil {
		return "-"
	}
	for _, p := range r.Points {
		if p.Value != nil && *p.Value != *r.Ratchet {
			return journal.FormatNumber(*p.Value) + " → " + journal.FormatNumber(*r.Ratchet)
		}
	}
	return journal.FormatNumber(*r.Ratchet)
}

// ago is how long something lies back, in one unit.
func ago(t, now time.Time) string {
	if t.IsZero() {
		return "never"
	}
	switch d := now.Sub(t); {
	case d < time.Minute:
		return "now"
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h", int(d.Hours()))
	default:
		return fmt.Sprintf("%d days", int(d.Hours()/24))
	}
}

// needsPerson lists what waits for somebody, with what to type.
func needsPerson(loops []reportJSON) (out []string) {
	for _, r := range loops {
		switch {
		case len(r.Defects) > 0:
			out = append(out, fmt.Sprintf("%s has a defect: %s (loopd check %s)", r.Name, r.Defects[0], r.Name))
		case r.Status == journal.Blocked, r.Status == journal.Stalled:
			out = append(out, fmt.Sprintf("%s is %s: %s (loopd resume %s --answer TEXT)", r.Name, r.Status, journal.OneLine(r.Question, 200), r.Name))
		}
		if r.Clean >= r.Required && r.Required > 0 && r.Mode == journal.ProposeOnly && r.Dialect == "native" && r.Status == journal.Active {
			out = append(out, fmt.Sprintf("%s earned a promotion: %d clean cycles of %d (loopd promote %s --by YOU)", r.Name, r.Clean, r.Required, r.Name))
		}
		if r.Parked > 0 {
			out = append(out, fmt.Sprintf("%s: %s put back and kept (loopd parked %s)", r.Name, many(r.Parked, "change"), r.Name))
		}
	}
	return out
}

// details are the plot and the figures of one loop.
func details(r reportJSON) string {
	var b strings.Builder
	var values []float64
	for _, p := range r.Points {
		if p.Value != nil {
			values = append(values, *p.Value)
		}
	}
	if len(values) > 1 {
		b.WriteString("\n" + asciigraph.Plot(values, asciigraph.Height(8), asciigraph.Width(min(60, max(10, 2*len(values)))), asciigraph.Precision(0), asciigraph.Caption(r.Metric)) + "\n")
	}
	f := r.Figures
	b.WriteString("\n")
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	line := func(name, format string, args ...any) { fmt.Fprintf(w, "%s\t%s\n", name, fmt.Sprintf(format, args...)) }
	line("outcomes", "%s", counted(f.Outcomes))
	line("tokens", "%d, of these %d on work that was put back", f.Tokens, f.TokensPutBack)
	line("time", "%s: %s", seconds(f.Seconds), stepShares(f.Steps))
	line("stalls", "%s", spans(f.Stalls))
	for _, v := range f.Vendors {
		line("agent", "%s: %s, %d verified, %d put back, %d away, %s", v.Name, many(v.Execs, "exec"), v.Verified, v.PutBack, v.Away, dollars(v.Cost, v.Unknown))
	}
	_ = w.Flush()
	return b.String()
}

func counted(m map[string]int) string {
	var out []string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		out = append(out, fmt.Sprintf("%d %s", m[k], k))
	}
	return strings.Join(out, ", ")
}

func seconds(s float64) string {
	return time.Duration(s * float64(time.Second)).Round(time.Second).String()
}

// stepShares says what share of the time each step took, the largest first.
func stepShares(steps map[string]float64) string {
	total := 0.0
	for _, s := range steps {
		total += s
	}
	if total == 0 {
		return "nothing measured"
	}
	var out []string
	for _, k := range slices.SortedFunc(maps.Keys(steps), func(a, b string) int { return int(1e6 * (steps[b] - steps[a])) }) {
		out = append(out, fmt.Sprintf("%s %.0f %%", k, 100*steps[k]/total))
	}
	return strings.Join(out, ", ")
}

func spans(all []span) string {
	var out []string
	for _, s := range all {
		out = append(out, fmt.Sprintf("iterations %d to %d", s.From, s.To))
	}
	if len(out) == 0 {
		return "none"
	}
	return strings.Join(out, ", ")
}
