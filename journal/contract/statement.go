package contract

// statementsOf cuts a text into statements, of which each allows or denies: at the ends of sentences, at "but", before a
// subject that "may" do something, and where a comma or "and" begins a new one. "No push, merge or deploy" is one,
// "No push; may deploy", "no push and may deploy" and "no push, deploys are allowed" are two.
func statementsOf(t []token) [][]token {
	var out [][]token
	for _, s := range sentencesOf(t) {
		out = append(out, cut(s)...)
	}
	return out
}

// cut cuts one sentence.
func cut(s []token) [][]token {
	if isAny(s[0].s, []string{"unless", "until", "except"}) {
		return [][]token{s} // "unless approved, no deploy"
	}
	var out [][]token
	from := 0
	join := -1                 // the last comma or "and"
	or, denied := false, false // what stands behind it
	verb := false              // the statement is "does not …"
	end := func(at, next int) {
		if at > from {
			out = append(out, s[from:at])
		}
		from, join, or, denied, verb = next, -1, false, false, false
	}
	for i := range s {
		if _, n := negatorAt(s, i); n > 0 && join >= 0 {
			denied = true
		}
		switch and := s[i].s == "and" || s[i].s == "&"; {
		case i > from && find(s, i, turns()) > 0 && find(s, i-1, beside()) == 0:
			end(i, i+1)
		case (and || s[i].s == ",") && find(s, i+1, openers()) > 0, and && verb && find(s, i+1, thirdPersons()) > 0:
			end(i, i+1)
		case and, s[i].s == ",":
			join, or, denied = i, false, false
		case isAny(s[i].s, []string{"or", "nor", "/"}):
			or = true
		case isAny(s[i].s, []string{"do", "does"}) && i+1 < len(s) && s[i+1].s == "not":
			verb = true
		case join >= 0 && !or && !denied && allows(s, i):
			end(join, join+1)
		}
	}
	end(len(s), len(s))
	return out
}

// allows reports whether a token allows something: "may deploy", "deploys are allowed".
func allows(s []token, i int) bool {
	if find(s, i, modals()) > 0 {
		return i+1 == len(s) || !isAny(s[i+1].s, []string{"not", "never", "neither"}) && (s[i+1].s != "be" || find(s, i+2, verdicts()) == 0)
	}
	return find(s, i, grants()) > 0 && (i == 0 || !isAny(s[i-1].s, []string{"not", "never", "no"}))
}
