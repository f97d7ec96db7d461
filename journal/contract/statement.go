package contract

// statementsOf cuts a text into statements, of which each allows or denies: at the ends of sentences, at "but", before a
// subject that "may" do something, and where a comma or "and" begins a new one. "No push, merge or deploy" is one,
// "No push; may deploy", "no push and may deploy" and "no push, deploys are allowed" are two.
func statementsOf(t []token) [][]token {
	var out [][]token
	for _, s := range sentencesOf(t) {
		from := 0
		cut := func(at, next int) {
			if at < len(s) && isAny(s[from].s, []string{"unless", "until", "except"}) {
				return // "unless approved, no deploy"
			}
			if at > from {
				out = append(out, s[from:at])
			}
			from = next
		}
		join, or, negated, verb := -1, false, false, false
		for i := 0; i < len(s); i++ {
			_, n := negatorAt(s, i)
			negated = negated || n > 0 && join >= from
			switch {
			case i > from && find(s, i, turns()) > 0 && !isAny(s[i-1].s, []string{"nothing", "anything", "all", "anyone", "anybody", "nobody", "none"}):
				cut(i, i+1)
				join, or, negated, verb = -1, false, false, false
			case isAny(s[i].s, []string{",", "and", "&", ":"}):
				if s[i].s != ":" && (find(s, i+1, openers()) > 0 || s[i].s != "," && verb && i+1 < len(s) && isAny(s[i+1].s, []string{"deploys", "publishes", "shares"})) {
					cut(i, i+1)
					join, or, negated, verb = -1, false, false, false
				} else if s[i].s != ":" {
					join, or, negated = i, false, false
				}
			case isAny(s[i].s, []string{"or", "nor", "/"}):
				or = true
			case isAny(s[i].s, []string{"do", "does"}) && i+1 < len(s) && s[i+1].s == "not":
				verb = true
			case join >= from && !or && !negated && allows(s, i):
				cut(join, join+1)
				join, or, negated, verb = -1, false, false, false
			}
		}
		cut(len(s), len(s))
	}
	return out
}

// allows reports whether a token allows something: "may deploy", "deploys are allowed".
func allows(s []token, i int) bool {
	if find(s, i, modals()) > 0 {
		return i+1 == len(s) || !isAny(s[i+1].s, []string{"not", "never", "neither"}) && !(s[i+1].s == "be" && i+2 < len(s) && find(s, i+2, verdicts()) > 0)
	}
	return find(s, i, grants()) > 0 && (i == 0 || !isAny(s[i-1].s, []string{"not", "never", "no"}))
}
