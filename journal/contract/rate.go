package contract

const notWhole = "give a number for the whole run, or one per iteration"

// takeRate reads "per iteration", "a day" or "each" behind an amount and gives how many tokens that is.
func (a *amount) takeRate(t []token, i int) int {
	n := find(t, i, rates())
	noun := i + n
	switch {
	case n == 0:
		return 0
	case t[i].s == "each" && (noun == len(t) || t[noun].kind == mark): // "30 minutes each"
		a.each = true
		return n
	case noun == len(t) || t[noun].kind != word:
		if t[i].s != "/" { // "400 lines / 6 files"
			a.fault = notWhole
		}
		return 0
	case find(t, noun, eachOf()) > 0:
		a.each = true
	case find(t, noun, allOf()) > 0:
	case (t[i].s == "a" || t[i].s == "an") && times[t[noun].s] == 0: // "400 lines a reviewer reads"
		return 0
	default:
		a.fault = notWhole
	}
	return n + 1
}
