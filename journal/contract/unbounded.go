package contract

import "sync"

var (
	// unbounded are words that take a cap back, wherever they stand in its value.
	unbounded = sync.OnceValue(func() table {
		return phrases(
			"unlimited", "unbounded", "uncapped", "unrestricted", "limitless", "boundless", "infinit*",
			"indefinite*", "forever", "endless*", "perpetual*", "ad infinitum", "∞", "open ?- ended", "open ?- end",
			"no|without ?a|an|any ?upper|hard|fixed|real|set|strict limit*|cap|caps|maximum|max|bound|bounds|end|ceiling",
			"as needed|necessary|required|appropriate", "as|so long as", "as often as", "as it takes",
			"whatever it takes", "however long", "however many",
			"more|longer|extra|again if|when|while|as|until|where",
			"until|till|when ?it ?is ?everything ?is satisf*|happy|perfect", "extend*|extension*|renew*|exten*",
			"can|may|could|might|will ?be exceed*|rais*|increas*|lift*|overrun|overridden|ignored|surpass*|grow",
			"to be exceeded|raised|increased|lifted|ignored",
			"?and|then|but|or continu* if|while|until|as|when|anyway", "then continu*|repeat*|restart*|again|more",
			"and repeat*|restart*", "start* over|again", "keep* going|trying|running",
			"repeat*|retry|retries|loop until|while|as|forever", "unless",
			"not ?strictly enforced|binding|hard|fixed", "unenforced", "best ?- effort", "guideline", "negotiable",
			"flexible", "adjustable", "any number|amount", "otherwise|else #",
		)
	})
	// floors make a number the least and not the most: they stand right before it.
	floors = sync.OnceValue(func() table {
		return phrases(
			"at least", "at minimum", "at a minimum", "minimum ?of", "min ?of|:", "more than", "greater than",
			"larger than", "longer than", "above", "from", "beyond", "starting at|with|from", "starts at|with|from",
			"upwards of", "no|not less|fewer|shorter than", "exceed*", "≥", "> ?=",
		)
	})
	// upwards do the same right behind a number and its unit.
	upwards = sync.OnceValue(func() table {
		return phrases(
			"?, or|and|& more|longer|greater|above|over|up|upwards|beyond|higher", "upward|upwards", "minimum",
			"min", "at least", "at minimum",
		)
	})
)

// unbounds gives the first word that takes a cap back, as it is written, and its offset; at is -1 for none.
func unbounds(text string, t []token) (written string, at int) {
	for i := range t {
		if n := find(t, i, unbounded()); n > 0 && !deniedBefore(t, i) {
			return text[t[i].at:t[i+n-1].end], t[i].at
		}
	}
	return "", -1
}

// isFloor reports whether the number at a token is the least and not the most; end is behind its unit.
func isFloor(t []token, at, end int) bool {
	for back := 1; back <= 3 && back <= at; back++ {
		if find(t, at-back, floors()) == back && !deniedBefore(t, at-back) {
			return true
		}
	}
	return find(t, end, upwards()) > 0 || end < len(t) && t[end].s == "+" && t[end].glued
}
