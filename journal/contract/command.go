package contract

import (
	"strings"
	"sync"

	"loopd/journal"
)

var (
	// runners are words behind which a back-ticked text is a command.
	runners = sync.OnceValue(func() table {
		return phrases(
			"run|runs|running|rerun|reruns|execute|executes|executing|exec", "command|commands|script",
			"with|via|by|using|use|uses|from", "call|calls|invoke|invokes", "of|that", ":", "→", "- >", "= >",
		)
	})
	// links are what may stand between two commands of which the second one's expectation holds for both.
	links = sync.OnceValue(func() table { return phrases(",|;|&|+|/ ?and|or ?then", "and|or ?then ?with") })
	// fillers may stand before an expectation: "`a` and `b` both exit 0".
	fillers = sync.OnceValue(func() table {
		return phrases(
			"both", "all", "each", "must", "should", "shall", "has to", "have to", "needs to", "always", "to",
			"then", "and", ":", ",", "- >", "= >", "→", "⇒",
		)
	})
)

var (
	// conditions say when something is done.
	conditions = sync.OnceValue(func() table {
		return phrases(
			"if|when|whenever|once|after|unless|until|while ?the",
		)
	})
	// results are words that begin an expectation, whether or not it can be read.
	results = sync.OnceValue(func() table {
		return phrases(
			"?must|should exit|exits|exiting|fail|fails|return|returns|print|prints|contain|contains|match|matches",
		)
	})
)

// commands reads the back-ticked commands of the fields that may name some, and the globs of Scope.
func (r *reader) commands(g gathered) {
	c := &r.contract
	c.MetricChecks = r.checks(metric, r.values[metric])
	c.VerifierChecks = r.checks(verifier, r.values[verifier])
	c.RecoveryChecks = r.checks(recovery, r.values[recovery])
	r.globs()
	for _, e := range g.others {
		v := valueOf(e.parts)
		line, _ := r.src.position(e.nameAt)
		c.Others = append(c.Others, Other{e.name, v.text, r.checks("", v), line})
	}
}

// checks reads the commands of a value. A back-ticked text is one where it begins the value or a clause, stands behind a
// word such as "run" or "with", or has an expectation; any other is a quotation ("no `TODO` is left"), and so is one that
// is denied ("never run `git push`"). Of commands joined by "and" the last one's expectation holds for those without one.
// With field "" nothing is found: what cannot be read is left out.
func (r *reader) checks(field string, v value) []journal.Check {
	var out []journal.Check
	spans := spansOf(v.text)
	last, bare := -1, 0 // the last command's span; how many before it have no expectation of their own
	for i, s := range spans {
		from, end := 0, len(v.text)
		if i > 0 {
			from = spans[i-1].to
		}
		var next *span
		if i+1 < len(spans) {
			next = &spans[i+1]
			end = next.from
		}
		between := tokensOf(v.text[from:s.from])
		linked := last >= 0 && last == i-1 && len(between) > 0 && find(between, 0, links()) == len(between)
		want, said := expectation(v.text, s.to, next)
		isCommand := said || linked || isCommandAfter(v.text[from:s.from], between, i == 0)
		if !isCommand || s.code == "" || isPlaceholder(s.code) || deniedBefore(between, len(between)) {
			continue
		}
		if n := len(between); field == recovery && (find(between, n-1, conditions()) > 0 || find(between, n-2, conditions()) > 0) {
			continue // "if `go test` exits 1" says when to recover, not how
		}
		after := v.text[s.to:end]
		problem := want.Fault
		if !said && field != recovery && find(tokensOf(after), 0, results()) > 0 {
			problem = "words that can be tested"
		}
		if problem != "" {
			if field != "" {
				r.add(field, v.at(s.from), ticked(s.code)+after, problem, "write exits 0, exits 1, contains \"text\", matches /re/ or = N")
			}
			continue
		}
		line, _ := r.src.position(v.at(s.from))
		out = append(out, journal.Check{Command: s.code, Want: want, Line: line})
		last = i
		if !linked {
			bare = 0
		}
		if bare++; said {
			for ; bare > 1; bare-- {
				out[len(out)-bare].Want = want
			}
			bare = 0
		}
	}
	return out
}

// expectation reads the words behind a command up to the end of their clause; next is the span behind it. said is false
// where no expectation stands there.
func expectation(text string, from int, next *span) (e journal.Expectation, said bool) {
	plain := journal.Expectation{Kind: journal.ExitStatus}
	end := len(text)
	if next != nil {
		end = next.from
	}
	t := tokensOf(text[from:end])
	i := 0
	for n := 1; n > 0 && i < len(t); i += n {
		n = find(t, i, fillers())
	}
	if i == len(t) {
		return plain, false
	}
	if next != nil && i+1 == len(t) { // "prints `ok`": the text is back-ticked itself
		end = next.to
	}
	clause := clauseOf(text[from+t[i].at : end])
	e = journal.ParseExpectation(clause)
	if e.Fault == "" && e.Kind == journal.ExitStatus && e.Rest == strings.Trim(strings.TrimSpace(clause), " \t.;,*") {
		return plain, false
	}
	return e, true
}

// clauseOf cuts a text at the end of its clause: a full stop or a semicolon outside of quotes and expressions, or a comma
// or "and" behind which another matter begins.
func clauseOf(text string) string {
	quote := byte(0)
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quote != 0:
			if c == quote && text[i-1] != '\\' {
				quote = 0
			}
		case c == '"' || c == '`' || c == '/' && (i == 0 || text[i-1] == ' '):
			quote = c
		case c == ';', c == '.' && (i+1 == len(text) || text[i+1] == ' '), c == ',':
			return text[:i]
		case c == ' ' && (strings.HasPrefix(text[i:], " and ") || strings.HasPrefix(text[i:], " or ") || strings.HasPrefix(text[i:], " (")):
			return text[:i]
		}
	}
	return text
}

// isCommandAfter reports whether the words before a span make it a command; firstOne is the first of its value.
func isCommandAfter(before string, between []token, firstOne bool) bool {
	before = strings.Trim(before, emphasis+" ")
	if before == "" {
		return firstOne
	}
	if strings.ContainsRune(".;:,(", rune(before[len(before)-1])) {
		return true
	}
	for back := 1; back <= 2 && back <= len(between); back++ {
		if find(between, len(between)-back, runners()) == back {
			return true
		}
	}
	// "run the command `x`", "and `x`"
	return len(between) > 1 && isAny(between[len(between)-1].s, []string{"the", "a", "then"}) && find(between, len(between)-2, runners()) > 0
}

func isPlaceholder(code string) bool {
	return strings.HasPrefix(code, "<") && placeholder().MatchString(code)
}
