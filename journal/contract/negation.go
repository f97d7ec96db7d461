package contract

import "sync"

var (
	// negators deny what follows.
	negators = sync.OnceValue(func() table {
		return phrases(
			"no", "not", "never", "without", "neither", "nor", "none", "nothing", "nobody", "zero", "avoid*",
			"nowhere", "deny|denies|denying", "forbid|forbids|forbidding", "prohibit|prohibits|prohibiting",
			"ban|bans", "block|blocks|blocking", "disallow|disallows", "exclude|excludes|excluding",
			"refuse|refuses", "reject|rejects", "refrain*",
			"not allowed|permitted|authorized|authorised|supposed|entitled to",
			"forbidden|prohibited|banned|barred|prevented|blocked from|to",
			"away|out|isolated|separate|separated|disconnected|detached from", "out of", "instead of",
			"rather than", "off ?- limits :", "out of bounds :", "out of scope :",
		)
	})
	// hollow look like a denial and deny nothing that follows: "no limits", "don't forget to", "zero-downtime deploys".
	hollow = sync.OnceValue(func() table {
		return phrases(
			"no|not|never|without|zero|nothing ?- limit|limits|limited|restriction|restrictions|restricted|"+
				"hesitat*|need|problem|problems|objection|objections|harm|downtime|delay|interruption|later|longer|"+
				"matter|doubt|forget|forgets|fail|fails|miss|misses|skip|skips|only|just",
			"nobody|nothing|none stops|prevents|keeps|hinders",
			"nothing|none|neither|nobody is|are|be off ?- limits",
			"nothing|none|neither|nobody is|are|be denied|forbidden|prohibited|banned|blocked|disallowed|"+
				"excluded|refused|taboo",
			"not|never|nothing|none ?is|are out ?- of ?- scope|bounds",
		)
	})
	// verdicts deny what they are said of: "production is off limits". Before a colon they deny what follows.
	verdicts = sync.OnceValue(func() table {
		return phrases(
			"denied", "forbidden", "prohibited", "banned", "blocked", "disallowed", "disabled", "excluded",
			"refused", "rejected", "off ?- limits", "out ?- of ?- scope", "out ?- of ?- bounds", "untouched",
			"unreachable", "taboo", "not allowed", "not permitted",
		)
	})
	// undone are the verbs of "is not touched", "may never be used".
	undone = sync.OnceValue(func() table {
		return phrases(
			"not|never ?ever ?be ?ever allow*|permit*|touch*|chang*|modif*|alter*|used|call*|contact*|reach*|"+
				"access*|made|done|perform*|trigger*|run|start*|written|read|seen|authori*|grant*|possible|affect*|"+
				"mutat*|updat*|happen*|involv*|part|available|open",
			"not|never in scope",
		)
	})
	// unless are words behind which a denial no longer holds: "no deploy unless approved". They hold for a whole list.
	unless = sync.OnceValue(func() table {
		return phrases(
			"unless", "except|excepting|excepted", "with the exception of", "until|till", "before", "after", "if",
			"when|whenever", "once", "only if|when|with|after|by|through|via|to|for",
			"during ?the day|night|week|weekend|business|office|working|peak|freeze",
			"on monday*|tuesday*|wednesday*|thursday*|friday*|saturday*|sunday*|weekend*|weekday*|holiday*",
			"at night",
		)
	})
	// beside are words for the one thing that a denial leaves out: "no writes outside shared/". They hold for the word next
	// to them.
	beside = sync.OnceValue(func() table {
		return phrases(
			"other than", "apart from", "aside from", "besides", "beyond", "outside ?of", "save for",
			"nothing|anything|all|anyone|anybody|nobody|none|nowhere|anywhere but",
		)
	})
	// reserved are adjectives that deny a part only: "no unapproved deploys", "no other external calls".
	reserved = sync.OnceValue(func() table {
		return phrases(
			"unapproved|unauthorized|unauthorised|unreviewed|unverified|untested|unannounced|unconfirmed|silent|silently",
			"no|any|not|never other|further|additional",
		)
	})
)

// negatorAt is the length of the negator at a token, 0 for none. Two of them in a row ("not forbidden", "not without")
// are none, and neither is a hollow one: then only skip is above 0.
func negatorAt(t []token, i int) (skip, n int) {
	if n = find(t, i, hollow()); n > 0 {
		return n + max(find(t, i+n, negators()), find(t, i+n, verdicts())), 0 // "no longer blocked from"
	}
	n = find(t, i, negators())
	if v := find(t, i, verdicts()); v > 0 && (i+v < len(t) && t[i+v].s == ":" || i == 0) {
		n = max(n, v)
	}
	if n == 0 {
		return 0, 0
	}
	if t[i].s == "not" || t[i].s == "never" || t[i].s == "no" {
		if next := max(find(t, i+n, negators()), find(t, i+n, verdicts())); next > 0 {
			return n + next, 0
		}
	}
	return n, n
}

// deniedBefore reports whether a negator stands at most a few words before a token, in the same clause: "never
// unlimited", "cannot be extended".
func deniedBefore(t []token, i int) bool {
	for j := i - 1; j >= 0 && j >= i-4; j-- {
		if t[j].kind == mark && t[j].s != "-" {
			return false
		}
		if _, n := negatorAt(t, j); n > 0 {
			return true
		}
	}
	return false
}
