package contract

import "strings"

const notPlain = "write the number plainly, in digits"

// amount is a number of a cap with its unit.
type amount struct {
	n     float64
	unit  string
	at    int    // token of the number
	each  bool   // of every iteration, not of the run
	point bool   // written with a point
	fault string // what is wrong with it, "" for a good one
}

// amountsOf finds the numbers of a cap. loose are numbers that nothing says the unit of; one of those beside an amount may
// be a second cap, so nothing is sure.
func amountsOf(t []token, rule capRule) (found []amount, loose bool) {
	t = inWords(withoutRemarks(t))
	used := 0 // tokens that belong to an amount already
	for i := 0; i < len(t); i++ {
		if t[i].kind != number {
			continue
		}
		if n := aside(t, i); n > 0 {
			i += n - 1
			continue
		}
		a := amount{n: t[i].n, at: i, point: strings.Contains(t[i].s, ".")}
		if i > 0 && t[i].glued && isAny(t[i-1].s, []string{"-", "−"}) && (i == 1 || !t[i-1].glued) {
			a.n = -a.n
		}
		end := i + 1
		if end < len(t) && rule.folds && manyfold[t[end].s] > 0 {
			a.n *= manyfold[t[end].s]
			a.point = false
			end++
		}
		if spelled(t, end) {
			a.fault = notPlain // "twenty-five"
		}
		unitEnd := a.takeUnit(t, i, end, used, rule)
		switch {
		case a.unit != "":
			end = unitEnd
		case t[i].glued && i > 0 && isAny(t[i-1].s, []string{"-", "–", "—", "/"}) && i > 1 && t[i-2].kind == number:
			loose = true // a range
			continue
		case rule.bare != "" && len(found) == 0 && isBare(t, end):
			a.unit = rule.bare
		case end < len(t) && t[end].kind == word && find(t, end, breaks()) == 0 && !t[end].glued, end < len(t) && t[end].s == "%":
			continue // a number of something else
		default:
			loose = true
			continue
		}
		end += a.takeRate(t, end)
		if isFloor(t, i, end) || isFloor(t, i, unitEnd) || i+1 < len(t) && t[i+1].s == "or" && isFloor(t, i, i+1) {
			a.fault = "that is the least and not the most: write at most N"
		}
		found = append(found, a)
		used = end
		i = end - 1
	}
	return found, loose
}

// takeUnit finds the unit behind the number, or as a label before it ("Lines: 400", "$5"). It gives the token behind the
// unit.
func (a *amount) takeUnit(t []token, at, from, used int, rule capRule) int {
	if at > used && rule.units[t[at-1].s] != "" && t[at-1].kind == mark { // "$5", "$5 USD"
		if a.unit = rule.units[t[at-1].s]; from < len(t) && rule.units[t[from].s] == a.unit {
			from++
		}
		return from
	}
	for i, seen := from, 0; i < len(t) && seen < 3; i++ {
		if t[i].s == "-" && t[i].glued && i+1 < len(t) && t[i+1].glued {
			continue // "30-minute"
		}
		u := rule.units[t[i].s]
		if u == "" && t[i].kind != word || find(t, i, breaks()) > 0 && t[i].s != "or" || i+1 < len(t) && (t[i+1].s == ":" || t[i+1].s == "=") {
			break
		}
		if u != "" {
			if a.unit = u; u == string(ToolCalls) && i > from && isAny(t[i-1].s, []string{"model", "llm", "api", "completion"}) {
				a.unit = string(ModelCalls)
			}
			return i + 1
		}
		if i == from && t[i].glued {
			break // "1e3"
		}
		if t[i].s != "or" {
			seen++
		}
	}
	for i := at - 1; i >= used && i >= at-3; i-- {
		a.unit = rule.units[t[i].s]
		if a.unit != "" || !isAny(t[i].s, []string{":", "=", "<", "≤", "~", "≈"}) {
			break
		}
	}
	return from
}

// spelled reports whether a number in words goes on.
func spelled(t []token, i int) bool {
	if i+1 < len(t) && t[i].s == "-" && t[i+1].glued {
		i++
	}
	return i < len(t) && t[i].kind == word && numerals[t[i].s] > 1
}

// isBare reports whether nothing behind a number says of what it is.
func isBare(t []token, i int) bool {
	switch {
	case i == len(t):
		return true
	case t[i].s == "/": // "4 / run", but not "4/5"
		return i+1 < len(t) && t[i+1].kind == word
	case t[i].kind == word:
		return !t[i].glued && (find(t, i, breaks()) > 0 || find(t, i, bareTails()) > 0)
	case isAny(t[i].s, []string{"-", "–", ":"}): // a range, a time of day
		return !t[i].glued || i+1 == len(t) || t[i+1].kind != number
	}
	return !isAny(t[i].s, []string{"%", "€", "£", "$"})
}

// aside is the number of tokens of a number that counts nothing: an ordinal, "#12", a time of day. 0 for any other.
func aside(t []token, i int) int {
	switch {
	case i+1 < len(t) && t[i+1].glued && isAny(t[i+1].s, []string{"st", "nd", "rd", "th"}), i > 0 && t[i-1].s == "#":
		return 1
	case i+2 < len(t) && t[i+1].s == ":" && t[i+1].glued && t[i+2].glued && t[i+2].kind == number:
		return 3
	}
	return 0
}

// withoutRemarks leaves out what stands in parentheses, unless these never close.
func withoutRemarks(t []token) []token {
	var out []token
	depth, from := 0, 0
	for _, x := range t {
		switch {
		case x.s == "(":
			if depth == 0 {
				from = len(out)
			}
			depth++
		case x.s == ")" && depth > 0:
			if depth--; depth == 0 {
				out = out[:from]
				continue
			}
		}
		out = append(out, x)
	}
	return out
}

// inWords makes a number of the first word where a value has none in digits: "four iterations".
func inWords(t []token) []token {
	for _, x := range t {
		if x.kind == number {
			return t
		}
	}
	if len(t) == 0 || numerals[t[0].s] == 0 {
		return t
	}
	t[0].kind, t[0].n = number, numerals[t[0].s]
	return t
}
