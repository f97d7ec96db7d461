package contract

import "sync"

var (
	// endless are words of a stop condition that never comes true.
	endless = sync.OnceValue(func() table {
		return phrases(
			"forever", "indefinite*", "infinitely", "infinite ?loop|loops|iterations|time", "endlessly",
			"endless ?loop|loops|run|iterations", "or never", "there is none", "perpetual*", "ad infinitum",
			"open ?- ended", "non ?- stop", "nonstop", "∞", "unlimited", "unbounded", "until|till further notice",
			"until|till told otherwise", "no stop|stopping|end|ending ?condition", "there is no stop|end",
			"without ?a|an end|ending|stop|stopping",
		)
	})
	// opinions are words by which somebody's feeling ends the loop; the builder's is the one that is always at hand.
	opinions = sync.OnceValue(func() table {
		return phrases(
			"until|till|when|whenever|once|if|unless ?it|everything|all|the ?code|result|results|work|output|"+
				"docs|page ?is|are|looks|seems|feels|becomes ?all|quite|fully|really perfect|happy|satisfied|"+
				"satisfactory|great|good|nice|beautiful|right|fine|flawless|ideal|polished|impressive",
			"is|are|be|looks|seems|feels|becomes|become ?absolutely|quite|truly perfect|flawless|good",
			"good ?- enough", "perfection", "no ?further|more improvement|improvements ?is|are possible",
			"feels ready", "feels|looks ?it ?all|like right|done|good|complete|finished|fine|nice|great",
			"agent|builder|maker|model|author|i|we|you|everybody|everyone|assistant|ai|llm is|are|am|feel|feels "+
				"?fully|quite satisf*|happy|content|confident|sure|convinced|pleased|done",
			"agent|builder|maker|model|author|assistant|ai|llm decide*|think*|believe*|say|says|claim*|declare*|"+
				"consider*|report* ?that ?it ?is ?done|finished|complete|success|enough",
		)
	})
	// behind are words that may follow an opinion; behind "when good" a noun makes it something else.
	behind = sync.OnceValue(func() table {
		return phrases(
			"or|and|with|enough|to|by|again|then|as|about|that|in|on|it",
		)
	})
	// ongoing are words that name no end by themselves: a condition behind them may.
	ongoing = sync.OnceValue(func() table {
		return phrases(
			"keep|keeps|keeping ?on improving|going|iterating|working|refining|polishing|optimi*|trying|looping|"+
				"fixing|exploring|experimenting|learning|making|adding|searching",
			"continue|continues|continuing ?to improving|improve|going|iterating|iterate|working|work|refining|"+
				"refine|optimi*|running|run|trying|polishing",
			"go|goes|going on", "continuous|continuously|constantly|continual|continually ?improv*",
			"as|so long as", "improve|refine|polish|optimi* things|it|more|further|continuously",
			"never ?ever stop*|end|ends|finish*|quit*|terminat*|halt*",
			"does|do|will|should|shall not ?ever stop|end|finish|terminate",
		)
	})
	// ends are words behind which an ongoing thing ends.
	ends = sync.OnceValue(func() table {
		return phrases(
			"until|till", "unless", "before", "or|and ?when|until|after|at|a|the|any|max*", "at most", "up to",
			"stop*", "max*", "whichever",
		)
	})
	// idle are conditions that say nothing; they are refused where they are all that is said.
	idle = sync.OnceValue(func() table {
		return phrases(
			"?run|runs|continue|continues ?when|once|until|till|if ?it ?is ?the ?work|task|job|loop ?is done|"+
				"finished|ready|complete|completed|stopped|interrupted|cancelled|canceled|killed|ended|over|possible|"+
				"needed|necessary|appropriate",
			"eventually", "someday", "whenever", "perfect|satisfied|happy|good", "ongoing", "best ?- effort",
			"24 / 7", "around the clock", "at some point", "at the end", "see above|below",
			"as needed|necessary|required", "?a manual ?stop ?only", "manually", "by hand", "always", "never",
			"?until|when|only ?if ?the ?a user|operator|human|person|somebody|someone|i|we say|says|stop|stops|"+
				"interrupts|cancels|kills|ends|decides ?it|so|stop|the ?loop",
			"?a|the user|operator|human decision|stop", "ctrl ?- c",
		)
	})
)

// stopCondition refuses a condition that never comes true, one that is an opinion, and one that says nothing.
func (r *reader) stopCondition() {
	v, ok := r.values[stop]
	if !ok {
		return
	}
	const want = "a result that a check can see, or a cap, such as: the command passes or a cap fires"
	t := tokensOf(v.text)
	for i := range t {
		if deniedBefore(t, i) {
			continue
		}
		fix := ""
		n := find(t, i, endless())
		if n > 0 {
			fix = "that never comes"
		} else if n = find(t, i, opinions()); n > 0 && (i+n == len(t) || t[i+n].kind == mark || find(t, i+n, behind()) > 0) {
			fix = "that is an opinion"
		} else if n = find(t, i, ongoing()); n > 0 && !hasEnd(t[i+n:]) {
			fix = "that names no end"
		}
		if fix != "" {
			r.add(stop, v.at(t[i].at), v.text, want, "take out \""+v.text[t[i].at:t[i+n-1].end]+"\": "+fix)
			return
		}
	}
	if n := find(t, 0, idle()); n > 0 && (n == len(t) || isAny(t[n].s, []string{".", ";", "!"}) && (n+1 == len(t) || t[0].s == "never")) {
		r.add(stop, v.at(0), v.text, want, "say what is seen then")
	}
}

// hasEnd reports whether the rest of a sentence names an end.
func hasEnd(t []token) bool {
	rest := sentencesOf(t[:min(len(t), reach)])
	if len(rest) == 0 || len(t) > 0 && t[0].kind == mark && t[0].s != "," {
		return false
	}
	at, n := first(rest[0], ends())
	return n > 0 && find(rest[0], at, idle()) == 0
}
