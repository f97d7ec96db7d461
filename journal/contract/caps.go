package contract

import (
	"math"
	"time"
)

// longest is the longest time that a contract may name; more is a slip.
const longest = 10 * 366 * 24 * time.Hour

// mostOf bounds every other number.
const mostOf = 1 << 31

// wants say what would do.
var wants = map[string]string{
	maxIter:   "a whole number of iterations above 0, such as 4",
	timeLimit: "a time above 0 with its unit, such as 30 minutes",
	budget:    "a number above 0 of tool calls, tokens or USD, such as 20 tool calls",
	review:    "a number above 0 of changed lines, and of files where wanted, such as 400 changed lines, 6 files",
}

// caps reads the four caps. Of each unit there is one amount for the run, and one for each iteration.
func (r *reader) caps() {
	rules := capRules()
	if one, each, ok := r.amounts(maxIter, rules[maxIter]); ok {
		if len(one) != 1 || len(each) > 0 {
			r.badCap(maxIter, "one number for the whole run")
		} else {
			r.contract.MaxIterations = int(one[iterations])
		}
	}
	if one, each, ok := r.amounts(timeLimit, rules[timeLimit]); ok {
		r.timeLimit(one[timeLimit], each[timeLimit])
	}
	if one, each, ok := r.amounts(budget, rules[budget]); ok {
		c := &r.contract
		for _, u := range []Unit{ToolCalls, ModelCalls, Tokens, USD, Credits} {
			n, m := one[string(u)], each[string(u)]
			if m > 0 {
				c.BudgetEach = append(c.BudgetEach, Amount{m, u})
			}
			if n = r.ofTheRun(n, m); n > 0 {
				c.Budget = append(c.Budget, Amount{n, u})
			}
		}
	}
	if one, each, ok := r.amounts(review, rules[review]); ok {
		c := &r.contract
		c.ReviewEach = Review{int(each[reviewLines]), int(each[reviewFiles])}
		c.ReviewBudget = Review{int(r.ofTheRun(one[reviewLines], each[reviewLines])), int(r.ofTheRun(one[reviewFiles], each[reviewFiles]))}
	}
}

// ofTheRun is what holds for the run where only the amount for each iteration is given.
func (r *reader) ofTheRun(n, each float64) float64 {
	if n > 0 {
		return n
	}
	return min(each*float64(max(1, r.contract.MaxIterations)), mostOf*mostOf/2)
}

func (r *reader) timeLimit(one, each float64) {
	c := &r.contract
	c.TimePerIteration = time.Duration(each)
	c.TimeLimit = time.Duration(min(r.ofTheRun(one, each), float64(longest)))
}

func (r *reader) badCap(field, fix string) {
	v := r.values[field]
	r.add(field, v.at(0), v.text, wants[field], fix)
}

// amounts reads the value of a cap: by unit, those of the run and those of each iteration.
func (r *reader) amounts(field string, rule capRule) (one, each map[string]float64, ok bool) {
	v, ok := r.values[field]
	if !ok {
		return nil, nil, false
	}
	t := tokensOf(v.text)
	if written, at := unbounds(v.text, t); at >= 0 {
		r.add(field, v.at(at), v.text, wants[field], "take out \""+written+"\": it takes the limit back")
		return nil, nil, false
	}
	found, loose := amountsOf(t, rule)
	if field == timeLimit {
		found = durations(t, found)
	}
	one, each = map[string]float64{}, map[string]float64{}
	for _, a := range found {
		to := one
		if a.each {
			to = each
		}
		problem := a.fault
		switch counted := field != timeLimit && a.unit != string(USD); {
		case problem != "":
		case a.n <= 0:
			problem = "a cap is above 0"
		case counted && (a.n != math.Trunc(a.n) || a.point):
			problem = "a whole number, without a point"
		case !inReason(field, a.n):
			problem = "a number in reason"
		case to[a.unit] > 0:
			problem = "two numbers cannot both hold: leave the one that does"
		}
		if problem != "" {
			r.badCap(field, problem)
			return nil, nil, false
		}
		to[a.unit] = a.n
	}
	switch {
	case loose:
		r.badCap(field, "one number with its unit; a remark goes into parentheses")
		return nil, nil, false
	case len(found) == 0:
		r.badCap(field, "write a number in digits, with its unit")
		return nil, nil, false
	}
	return one, each, true
}

// inReason reports whether a number is no slip of the pen.
func inReason(field string, n float64) bool {
	switch field {
	case timeLimit: // in nanoseconds
		return n >= float64(time.Second) && n <= float64(longest)
	case budget: // tokens are many
		return n <= 1e3*mostOf
	}
	return n <= mostOf
}
