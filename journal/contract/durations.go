package contract

import (
	"cmp"
	"time"
)

// durations makes amounts of nanoseconds of those of a time, and one of "1 hour 30 minutes".
func durations(t []token, found []amount) []amount {
	var out []amount
	var last time.Duration
	t = withoutRemarks(t)
	for i, a := range found {
		unit, _ := time.ParseDuration(a.unit)
		a.n *= float64(unit)
		a.unit = timeLimit
		if i > 0 && unit < last && between(t, found[i-1].at, a.at) && !found[i-1].each {
			p := &out[len(out)-1]
			p.n += a.n
			p.each, p.fault = a.each, cmp.Or(p.fault, a.fault)
			if a.n <= 0 {
				p.n = a.n
			}
		} else {
			out = append(out, a)
		}
		last = unit
	}
	return out
}

// between reports whether only a unit, "and" or a comma stand between two numbers.
func between(t []token, from, to int) bool {
	for _, x := range t[from+1 : to] {
		if times[x.s] == 0 && x.s != "and" && x.s != "," {
			return false
		}
	}
	return true
}
