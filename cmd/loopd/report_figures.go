package main

import (
	"cmp"
	"slices"
	"time"

	"loopd/journal"
	"loopd/supervisor"
)

// reportJSON is the shape of `report --json`, and what the page and the rollup are made of: one loop.
type reportJSON struct {
	Schema int `json:"schema"`
	statusJSON
	Goal      string          `json:"goal"`
	Metric    string          `json:"metric,omitempty"`
	Direction string          `json:"direction,omitempty"`
	Required  int             `json:"required_cycles"`
	Figures   figures         `json:"figures"`
	Points    []point         `json:"points"`
	Entries   []journal.Entry `json:"-"`
	Changes   []parkedChange  `json:"-"`
}

// parkedChange is one that was put back, with what it changed.
type parkedChange struct {
	journal.Parked
	Diff string
}

// point is one measured exec.
type point struct {
	N       int                `json:"n"`
	At      time.Time          `json:"at"`
	Outcome journal.Outcome    `json:"outcome"`
	Counted bool               `json:"counted"`
	Unit    string             `json:"unit,omitempty"`
	Value   *float64           `json:"value,omitempty"` // of the ratchet after it
	Failed  bool               `json:"failed"`
	PutBack bool               `json:"put_back"`
	Commit  string             `json:"commit,omitempty"`
	Agent   string             `json:"agent"`
	Model   string             `json:"model,omitempty"`
	Cost    float64            `json:"cost_usd"`
	Known   bool               `json:"cost_known"`
	Tokens  int64              `json:"tokens"`
	Seconds float64            `json:"seconds"`
	Steps   map[string]float64 `json:"steps"`
}

// figures sum up what was measured. Costs count only where they are known; Unknown says of how many execs they are not.
type figures struct {
	Measured int            `json:"measured"`
	Outcomes map[string]int `json:"outcomes"`
	// Verified are iterations whose change was kept, or whose goal was reached.
	Verified        int                `json:"verified"`
	PutBack         int                `json:"put_back"`
	Cost            float64            `json:"cost_usd"`
	Unknown         int                `json:"cost_unknown"`
	CostPerVerified *float64           `json:"cost_per_verified_usd,omitempty"`
	Tokens          int64              `json:"tokens"`
	TokensPutBack   int64              `json:"tokens_put_back"`
	CostPutBack     float64            `json:"cost_put_back_usd"`
	Seconds         float64            `json:"seconds"`
	Steps           map[string]float64 `json:"steps"`
	Stalls          []span             `json:"stalls"` // three and more iterations in a row in which nothing moved
	Vendors         []vendor           `json:"vendors"`
}

// vendor is how an agent CLI, with its model, did.
type vendor struct {
	Name     string  `json:"name"`
	Execs    int     `json:"execs"`
	Verified int     `json:"verified"`
	PutBack  int     `json:"put_back"`
	Away     int     `json:"away"` // limited or unavailable
	Cost     float64 `json:"cost_usd"`
	Unknown  int     `json:"cost_unknown"`
	Tokens   int64   `json:"tokens"`
	Seconds  float64 `json:"seconds"`
}

// span is a row of iterations.
type span struct {
	From int `json:"from"`
	To   int `json:"to"`
}

// stallRow is how many iterations in a row without movement are told as a stall.
const stallRow = 3

// pointsOf gives the measured execs in their order.
func pointsOf(past []supervisor.Past) []point {
	out := make([]point, 0, len(past))
	for _, p := range past {
		out = append(out, point{N: p.Iteration, At: p.At, Outcome: p.Outcome, Counted: p.Counted, Unit: p.Unit, Value: p.Value, Failed: p.Outcome == journal.Failed, PutBack: p.PutBack,
			Commit: p.Commit, Agent: p.Agent, Model: p.Model, Cost: p.Cost, Known: p.CostKnown, Tokens: p.Tokens, Seconds: p.Seconds, Steps: p.Steps})
	}
	return out
}

// good are the outcomes that bring a loop on.
func good(o journal.Outcome) bool {
	return o == journal.Shipped || o == journal.Finished || o == journal.Filed
}

// caseOf gives the iterations that speak for more access: the newest clean cycles, as many as the state counts.
func caseOf(r reportJSON) []point {
	var out []point
	for i := len(r.Points) - 1; i >= 0 && len(out) < r.Clean; i-- {
		if p := r.Points[i]; p.Counted && !p.PutBack && (p.Outcome == journal.Shipped || p.Outcome == journal.Finished) {
			out = append(out, p)
		}
	}
	slices.Reverse(out)
	return out
}

// figuresOf sums up the points.
func figuresOf(points []point) figures {
	f := figures{Measured: len(points), Stalls: []span{}, Outcomes: map[string]int{}, Steps: map[string]float64{}, Vendors: []vendor{}}
	vendors := map[string]*vendor{}
	row, first := 0, 0
	for _, p := range points {
		f.Outcomes[string(p.Outcome)]++
		name := p.Agent
		if p.Model != "" {
			name += ":" + p.Model
		}
		v := vendors[name]
		if v == nil {
			v = &vendor{Name: name}
			vendors[name] = v
		}
		v.Execs++
		for _, sum := range []struct {
			cost    *float64
			unknown *int
		}{{&f.Cost, &f.Unknown}, {&v.Cost, &v.Unknown}} {
			if p.Known {
				*sum.cost += p.Cost
			} else {
				*sum.unknown++
			}
		}
		f.Tokens, v.Tokens = f.Tokens+p.Tokens, v.Tokens+p.Tokens
		f.Seconds, v.Seconds = f.Seconds+p.Seconds, v.Seconds+p.Seconds
		for name, s := range p.Steps {
			f.Steps[name] += s
		}
		switch {
		case p.PutBack:
			f.PutBack, v.PutBack = f.PutBack+1, v.PutBack+1
			f.TokensPutBack += p.Tokens
			f.CostPutBack += p.Cost
		case p.Counted && good(p.Outcome):
			f.Verified, v.Verified = f.Verified+1, v.Verified+1
		case !p.Counted && p.Outcome != journal.Interrupted:
			v.Away++
		}
		switch {
		case !p.Counted:
		case good(p.Outcome) && !p.PutBack:
			row = 0
		default:
			if row++; row == 1 {
				first = p.N
			}
			if row == stallRow {
				f.Stalls = append(f.Stalls, span{From: first})
			}
			if row >= stallRow {
				f.Stalls[len(f.Stalls)-1].To = p.N
			}
		}
	}
	if f.Verified > 0 && f.Unknown == 0 {
		each := f.Cost / float64(f.Verified)
		f.CostPerVerified = &each
	}
	for _, v := range vendors {
		f.Vendors = append(f.Vendors, *v)
	}
	slices.SortFunc(f.Vendors, func(a, b vendor) int { return cmp.Or(b.Execs-a.Execs, cmp.Compare(a.Name, b.Name)) })
	return f
}
