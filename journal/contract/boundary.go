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
