package native

import (
	"time"

	"github.com/tidwall/gjson"

	"loopd/journal"
)

// stateDocument is a state in the family's schema and order.
type stateDocument struct {
	Name      string         `json:"name"`
	Archetype string         `json:"archetype"`
	Status    journal.Status `json:"status"`
	Iteration int            `json:"iteration"`
	Ratchet   struct {
		Metric    string   `json:"metric"`
		Direction string   `json:"direction"`
		Value     *float64 `json:"value"`
		Best      *float64 `json:"best"`
		Stalls    int      `json:"stall_count"`
		Threshold int      `json:"stall_threshold"`
	} `json:"ratchet"`
	Promotion struct {
		Mode     journal.Mode `json:"mode"`
		Clean    int          `json:"clean_cycles"`
		Required int          `json:"required_cycles"`
		Scope    []string     `json:"write_scope"`
	} `json:"promotion"`
	Budget struct {
		Iterations int     `json:"max_iterations"`
		Minutes    float64 `json:"max_minutes_per_iteration"`
		Cadence    string  `json:"cadence"`
	} `json:"budget"`
	LastRun   *time.Time      `json:"last_run"`
	LastAgent *string         `json:"last_agent"`
	Created   string          `json:"created"`
	Notes     string          `json:"notes"`
	Private   journal.Private `json:"loopd"`
}

// canonical renders a state as compact JSON, always the same way: two states are compared by it.
func canonical(s journal.State) ([]byte, error) {
	d := stateDocument{Name: s.Name, Archetype: s.Archetype, Status: s.Status, Iteration: s.Iteration, Created: s.Created, Notes: s.Notes, Private: s.Private}
	d.Ratchet.Metric, d.Ratchet.Direction = s.Ratchet.Metric, s.Ratchet.Direction
	d.Ratchet.Value, d.Ratchet.Best = s.Ratchet.Value, s.Ratchet.Best
	d.Ratchet.Stalls, d.Ratchet.Threshold = s.Ratchet.StallCount, s.Ratchet.Threshold
	d.Promotion.Mode, d.Promotion.Clean, d.Promotion.Required = s.Promotion.Mode, s.Promotion.Clean, s.Promotion.Required
	d.Promotion.Scope = append([]string{}, s.Promotion.Scope...)
	d.Budget.Iterations, d.Budget.Minutes, d.Budget.Cadence = s.Budget.MaxIterations, s.Budget.MaxMinutes, s.Budget.Cadence
	if !s.LastRun.IsZero() {
		// Other tools read it: no more digits than they write.
		at := s.LastRun.Truncate(time.Second)
		d.LastRun = &at
	}
	if s.LastAgent != "" {
		d.LastAgent = &s.LastAgent
	}
	return encode(d)
}

// freshState is the state of a loop that has no state file: designed, with the charter's settings. Nobody approved
// anything yet, so the mode in force is propose-only whatever the charter hopes for.
func freshState(c journal.Charter, name string, entries int) journal.State {
	s := journal.State{Name: name, Archetype: string(c.Archetype), Status: journal.Designed, Iteration: entries}
	s.Ratchet = journal.RatchetState{Metric: c.Ratchet.Metric, Direction: string(c.Ratchet.Direction), Threshold: c.Escalation.Stalled}
	if s.Ratchet.Metric == "" {
		s.Ratchet.Metric = "none"
	}
	s.Promotion = journal.PromotionState{Mode: journal.ProposeOnly, Required: c.Promotion.Required, Scope: c.Promotion.Scope}
	s.Budget = journal.BudgetState{MaxIterations: c.Budget.MaxIterations, MaxMinutes: c.Budget.PerIteration.Minutes(), Cadence: c.Budget.Cadence.Text}
	return s
}

// NewState renders the state.json of a loop that has never run: status designed, the settings of its charter, created
// now.
func NewState(c journal.Charter, name string, now time.Time) ([]byte, error) {
	s := freshState(c, name, 0)
	s.Created = now.Format(time.DateOnly)
	return renderState(s)
}

// renderState writes a whole state file: one field a line, as the family's tools do.
func renderState(s journal.State) ([]byte, error) {
	compact, err := canonical(s)
	if err != nil {
		return nil, err
	}
	if p, _ := encode(s.Private); string(p) == "{}" {
		members := fields(gjson.ParseBytes(compact))
		compact = []byte(remove(string(compact), members, len(members)-1))
	}
	return []byte(spread(string(compact), "\n", "", "  ") + "\n"), nil
}
