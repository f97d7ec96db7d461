package contract

// reach is how many words away something may deny a word. No statement is longer, and a search without bounds would take
// the square of a text that is all one.
const reach = 100

// isDenied reports whether a statement denies the risk at a token, wholly: "no deploy", "never deploys", "deploys are
// forbidden". What it allows under a condition ("no deploy without approval") is not denied.
func isDenied(s []token, i int) bool {
	if i >= 2 && s[i].glued && s[i-1].s == "-" && isAny(s[i-2].s, []string{"non", "no", "un", "not"}) {
		return true // "non-production" is another place, whatever is done there
	}
	if i+2 < len(s) && s[i+1].s == "-" && isAny(s[i+2].s, []string{"free", "less"}) {
		return true
	}
	return (deniedAhead(s, i) || deniedBehind(s, i)) && !conditional(s, i)
}

// deniedAhead looks for a negator before a token that nothing between them ends.
func deniedAhead(s []token, i int) bool {
	denied, paused, brief := false, false, false // brief holds up to a comma
	for j := max(0, i-reach); j < i; {
		skip, n := negatorAt(s, j)
		switch {
		case n > 0 && s[j].s == "without":
			// "without approval" is a condition, "no run without deploying" a deploy.
			denied = !denied && find(s, j+1, asked()) == 0
		case n > 0:
			denied, brief = true, s[j].s == "instead" || s[j].s == "rather"
		case skip > 0: // "not forbidden"
			denied = false
		case brief && s[j].s == ",": // "instead of pushing, deploy"
			denied, brief = false, false
		case paused && isAny(s[j].s, []string{",", "or", "nor"}):
			denied, paused = true, false
		default:
			if skip = find(s, j, beside()); skip > 0 {
				denied, paused = false, denied
			} else if skip = max(find(s, j, unless()), find(s, j, grants())); skip > 0 {
				denied, paused = false, false
			}
		}
		j += max(1, skip)
	}
	return denied
}

// deniedBehind looks for a verdict behind a token: "is off limits", "must not be touched", ": none".
func deniedBehind(s []token, i int) bool {
	if find(s, i+1, nothingElse()) > 0 {
		return true
	}
	verbs, and, or, comma := 0, false, false, false
	for j := i + 1; j < min(len(s), i+reach); j++ {
		n := max(find(s, j, undone()), find(s, j, verdicts()))
		switch {
		case n > 0 && (s[j].s == "not" || s[j].s == "never" || !isAny(s[j-1].s, []string{"not", "never", "no"})):
			return verbs < 2 && (and || or || !comma)
		case find(s, j, answers()) > 0, s[j].s == ":" && j+2 == len(s) && s[j+1].s == "no":
			return verbs == 0
		case s[j].s == "not" && j+1 == len(s) && find(s, j-1, copulas()) > 0: // "deploys are not"
			return true
		case and && s[j-1].s != "," && isAny(s[j].s, []string{"is", "was", "stays", "remains"}): // not of a list of two
			return false
		case find(s, j, copulas()) > 0 && find(s, j-1, copulas()) == 0:
			verbs++
		case find(s, j, grants()) > 0:
			return false
		}
		and = and || s[j].s == "and"
		or = or || s[j].s == "or" || s[j].s == "/"
		comma = comma || s[j].s == "," && find(s, j+1, copulas()) == 0
	}
	return false
}

// conditional reports whether what a statement denies at a token is allowed under some condition, or in part.
func conditional(s []token, i int) bool {
	item := true // no new item of a list began behind the token
	for j := max(0, i-reach); j < min(len(s), i+reach); j++ {
		switch even := j > 0 && s[j-1].s == "even"; {
		case even || j == i:
		case j < i:
			if isAny(s[j].s, []string{"unless", "until", "except"}) || find(s, j, reserved()) > 0 {
				return true
			}
		case find(s, j, unless()) > 0, find(s, j, approval()) > 0, item && find(s, j, beside()) > 0, s[j].s == "without" && find(s, j+1, asked()) > 0:
			return true
		}
		if j > i && isAny(s[j].s, []string{",", "or", "and", "nor"}) {
			item = false
		}
	}
	return false
}
