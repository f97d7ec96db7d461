package contract

// boundary asks for approval and rollback where the permission boundary names production, deploy, publish, external or
// shared and does not deny it. Both may stand in the boundary or in Recovery. Every mention counts for itself: one denied
// deploy says nothing of the next.
func (r *reader) boundary() {
	v, ok := r.values[boundary]
	if !ok {
		return
	}
	at, named := -1, ""
	for _, s := range statementsOf(tokensOf(v.text)) {
		for i := range s {
			if at < 0 && isRisk(s, i) && !isDenied(s, i) {
				at, named = s[i].at, v.text[s[i].at:s[i].end]
			}
		}
	}
	if at < 0 {
		return
	}
	approved, undone := false, false
	for _, f := range []string{boundary, recovery} {
		for _, s := range statementsOf(tokensOf(r.values[f].text)) {
			approved = approved || promises(s, approval())
			undone = undone || promises(s, rollback())
		}
	}
	fix := ""
	switch {
	case approved && undone:
		return
	case approved:
		fix = "say how it is rolled back, here or in Recovery"
	case undone:
		fix = "say whose approval it needs"
	default:
		fix = "say whose approval it needs and how it is rolled back"
	}
	r.add(boundary, v.at(at), v.text, "approval and rollback for \""+named+"\", or a plain denial such as: no push and no deploy", fix+", or deny it")
}

// isRisk reports whether a token names something that others depend on. "Production code" is a kind of code, and
// "pre-production" another place.
func isRisk(s []token, i int) bool {
	if find(s, i, risks()) == 0 || find(s, i, harmless()) > 0 {
		return false
	}
	return i < 2 || !s[i].glued || s[i-1].s != "-" || s[i-2].s != "pre"
}

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
	for j := 0; j < i; {
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
	for j := i + 1; j < len(s); j++ {
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
		and, or, comma = and || s[j].s == "and", or || s[j].s == "or" || s[j].s == "/", comma || s[j].s == "," && find(s, j+1, copulas()) == 0
	}
	return false
}

// conditional reports whether what a statement denies at a token is allowed under some condition, or in part.
func conditional(s []token, i int) bool {
	item := true // no new item of a list began behind the token
	for j := range s {
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

// promises reports whether a statement speaks of something in earnest: "no approval needed" and "without approval" do not,
// "no deploy without approval" does.
func promises(s []token, words table) bool {
	denied, ever := false, false // ever: anything is denied at all
	for j := 0; j < len(s); {
		if n := find(s, j, words); n > 0 {
			against := s[j].kind == word && len(s[j].s) > 2 && s[j].s[:2] == "un" && s[j].s != "undo" && s[j].s != "undone"
			if denied == against && find(s, j+n, waived()) == 0 {
				return true
			}
			j += n
			continue
		}
		skip, n := negatorAt(s, j)
		switch {
		case n > 0 && s[j].s == "without":
			denied = !ever
		case n > 0:
			denied, ever = true, true
		case skip > 0:
			denied = false
		default:
			if skip = max(find(s, j, unless()), find(s, j, beside()), find(s, j, grants())); skip > 0 || isAny(s[j].s, []string{"with", "by", ","}) {
				denied = false
			}
		}
		j += max(1, skip)
	}
	return false
}
