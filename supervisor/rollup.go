package supervisor

import (
	"context"
	"fmt"
	"strings"
	"time"

	"loopd/journal"
)

// rollUp tells, once a day at the first opportunity after midnight, what came of the days before: to channels that ask for
// the daily notice. The day it begins to look is told on the next.
func (r *run) rollUp(ctx context.Context, l journal.Loop, p *journal.Private, now time.Time) (changed bool, err error) {
	r.looked = now.Format(time.DateOnly)
	wanted := false
	for _, c := range l.Charter.Escalation.Channels {
		wanted = wanted || r.settings(c).wants(EventDaily)
	}
	if !wanted || p.Rolled == r.looked {
		return false, nil
	}
	from := p.Rolled
	p.Rolled = r.looked
	if from == "" {
		return true, nil
	}
	past, err := r.s.History(ctx)
	if err != nil {
		return false, err
	}
	r.tell(ctx, l, p, notice{Loop: l.Name, Event: EventDaily, Text: rollup(past, from, r.looked, l.State), Fix: "loopd report " + l.Name})
	return true, nil
}

// rollup says in a sentence what came of the local days from one (included) to another (not included).
func rollup(past []Past, from, to string, s journal.State) string {
	var n, kept, back int
	var cost float64
	var first, last *float64
	known := true
	for _, p := range past {
		day := p.At.Local().Format(time.DateOnly)
		if day < from || day >= to {
			continue
		}
		cost += p.Cost
		known = known && p.CostKnown
		if !p.Counted {
			continue
		}
		n++
		switch {
		case p.PutBack:
			back++
		case p.Outcome == journal.Shipped || p.Outcome == journal.Filed || p.Outcome == journal.Finished:
			kept++
		}
		if p.Value != nil && !p.PutBack {
			if first == nil {
				first = p.Value
			}
			last = p.Value
		}
	}
	parts := []string{fmt.Sprintf("%d iterations, %d verified, %d put back", n, kept, back)}
	if known {
		parts = append(parts, fmt.Sprintf("$%.2f", cost))
	} else {
		parts = append(parts, fmt.Sprintf("$%.2f and what nobody told", cost))
	}
	if first != nil {
		parts = append(parts, "ratchet "+journal.FormatNumber(*first)+"→"+journal.FormatNumber(*last))
	}
	parts = append(parts, "now "+string(s.Status))
	return "since " + from + ": " + strings.Join(parts, ", ")
}
