package contract

const notWhole = "give a number for the whole run, or one per iteration"

// eachOf are what comes once in an iteration: a cap for each of them is one for each iteration.
var eachOf = map[string]bool{"iteration": true, "iterations": true, "iter": true, "attempt": true, "cycle": true, "round": true, "pass": true, "turn": true, "try": true,
	"experiment": true, "trial": true, "change": true, "commit": true, "diff": true, "pr": true, "review": true, "pull": true, "step": true}

// allOf are other words for the whole run.
var allOf = map[string]bool{"run": true, "activation": true, "session": true, "invocation": true, "execution": true, "trigger": true, "job": true, "contract": true, "loop": true, "start": true, "total": true}

// takeRate reads "per iteration", "a day" or "each" behind an amount and gives how many tokens that is.
func (a *amount) takeRate(t []token, i int) int {
	if i >= len(t) {
		return 0
	}
	article := t[i].s == "a" || t[i].s == "an"
	if t[i].s == "each" && (i+1 == len(t) || t[i+1].kind == mark) {
		a.each = true
		return 1
	}
	if !article && !isAny(t[i].s, []string{"per", "each", "every", "/"}) && !(t[i].s == "for" && i+1 < len(t) && isAny(t[i+1].s, []string{"each", "every"})) {
		return 0
	}
	n := 1
	for i+n < len(t) && isAny(t[i+n].s, []string{"each", "every", "single", "one", "full", "whole"}) {
		n++
	}
	if i+n >= len(t) || t[i+n].kind != word {
		if t[i].s == "/" {
			return 0 // "400 lines / 6 files"
		}
		a.fault = notWhole
		return n
	}
	switch noun := t[i+n].s; {
	case eachOf[noun]:
		a.each = true
	case allOf[noun]:
	case article && times[noun] == 0:
		return 0 // "400 lines a reviewer reads"
	default:
		a.fault = notWhole
	}
	return n + 1
}
