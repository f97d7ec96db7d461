package native

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"loopd/journal"
)

// mirrors compares a state file with the loop it belongs to. A name that is not the folder's is a defect: the file is
// another loop's. Settings that differ from the charter's are warnings: the charter is their source and wins.
func mirrors(l journal.Loop, charterBad bool) []journal.Finding {
	var out []journal.Finding
	in := reading{loop: &l}
	add := func(warning bool, field, read, want, fix string) {
		line, column := fieldPosition(string(l.State.Raw), field)
		out = append(out, journal.Finding{File: in.shown(stateFile), Line: line, Column: column, Field: field, Read: read, Want: want, Fix: fix, Warning: warning})
	}
	if name := filepath.Base(l.Dir); l.State.Name != "" && l.State.Name != name {
		add(false, "name", l.State.Name, fmt.Sprintf("%q, the folder's name", name), "put the state file of this loop here, or move this one away")
	}
	if charterBad {
		return out
	}
	want := freshState(l.Charter, l.Name, 0)
	s := l.State
	for _, m := range []struct {
		field      string
		read, want any
		differ     bool
	}{
		{"archetype", s.Archetype, want.Archetype, s.Archetype != "" && s.Archetype != want.Archetype},
		{"ratchet.metric", s.Ratchet.Metric, want.Ratchet.Metric, l.Charter.Ratchet.Present() && s.Ratchet.Metric != "" && !strings.EqualFold(s.Ratchet.Metric, want.Ratchet.Metric)},
		{"ratchet.direction", s.Ratchet.Direction, want.Ratchet.Direction, l.Charter.Ratchet.Present() && s.Ratchet.Direction != "" && s.Ratchet.Direction != want.Ratchet.Direction},
		{"ratchet.stall_threshold", s.Ratchet.Threshold, want.Ratchet.Threshold, s.Ratchet.Threshold != want.Ratchet.Threshold},
		{"promotion.required_cycles", s.Promotion.Required, want.Promotion.Required, s.Promotion.Required != want.Promotion.Required},
		{"promotion.write_scope", s.Promotion.Scope, want.Promotion.Scope, len(s.Promotion.Scope) > 0 && !slices.Equal(s.Promotion.Scope, want.Promotion.Scope)},
		{"budget.max_iterations", s.Budget.MaxIterations, want.Budget.MaxIterations, s.Budget.MaxIterations != want.Budget.MaxIterations},
		{"budget.max_minutes_per_iteration", s.Budget.MaxMinutes, want.Budget.MaxMinutes, s.Budget.MaxMinutes != want.Budget.MaxMinutes},
		{"budget.cadence", s.Budget.Cadence, want.Budget.Cadence, s.Budget.Cadence != "" && s.Budget.Cadence != want.Budget.Cadence},
	} {
		if !m.differ {
			continue
		}
		if line, _ := fieldPosition(string(s.Raw), m.field); line > 0 {
			add(true, m.field, fmt.Sprint(m.read), fmt.Sprintf("%v as in LOOP.md, which is what counts", m.want), "")
		}
	}
	return out
}

// fieldPosition finds "key" or "object.key" in a state file; line 0 where it is not there.
func fieldPosition(raw, name string) (line, column int) {
	body := strings.TrimPrefix(raw, bom)
	object := gjson.Parse(body)
	parts := strings.Split(name, ".")
	for i, key := range parts {
		for _, m := range fields(object) {
			if m.key != key {
				continue
			}
			if i == len(parts)-1 {
				return position(raw, m.valueStart+len(raw)-len(body))
			}
			object = m.value
			break
		}
	}
	return 0, 0
}
