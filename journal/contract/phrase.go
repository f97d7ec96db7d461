package contract

import "strings"

// phrase is a row of a table of words: what one word of it may be, in its order. "a|b" is either, "a*" is every word that
// begins so, "?a" may be missing, "#" is a number.
type phrase []slot

type slot struct {
	words, stems     []string
	optional, number bool
}

// table is a set of rows, by the words that they begin with; those that begin with anything else are in rest.
type table struct {
	byWord map[string][]phrase
	rest   []phrase
}

// phrases makes a table. Its rows are written as they are read.
func phrases(rows ...string) table {
	out := table{byWord: map[string][]phrase{}}
	for _, r := range rows {
		var p phrase
		for w := range strings.FieldsSeq(r) {
			p = append(p, slotOf(w))
		}
		if head := p[0]; head.optional || head.number || len(head.stems) > 0 {
			out.rest = append(out.rest, p)
		} else {
			for _, w := range head.words {
				out.byWord[w] = append(out.byWord[w], p)
			}
		}
	}
	return out
}

func slotOf(w string) slot {
	var s slot
	w, s.optional = strings.CutPrefix(w, "?")
	if w == "|" {
		s.words = []string{w}
		return s
	}
	for w := range strings.SplitSeq(w, "|") {
		if stem, ok := strings.CutSuffix(w, "*"); ok {
			s.stems = append(s.stems, stem)
		} else if s.number = s.number || w == "#"; w != "#" {
			s.words = append(s.words, w)
		}
	}
	return s
}

// find is the length in tokens of the longest row that begins at a token, 0 for none.
func find(t []token, at int, rows table) int {
	if at < 0 || at >= len(t) {
		return 0
	}
	most := 0
	for _, p := range rows.byWord[t[at].s] {
		most = max(most, p.match(t, at))
	}
	for _, p := range rows.rest {
		most = max(most, p.match(t, at))
	}
	return most
}

// first is the first place at which a row of the table begins, and its length.
func first(t []token, rows table) (at, n int) {
	for i := range t {
		if n := find(t, i, rows); n > 0 {
			return i, n
		}
	}
	return -1, 0
}

func (p phrase) match(t []token, at int) int {
	i := at
	for _, s := range p {
		if i < len(t) && s.holds(t[i]) {
			i++
		} else if !s.optional {
			return 0
		}
	}
	return i - at
}

func (s slot) holds(t token) bool {
	if s.number && t.kind == number || isAny(t.s, s.words) {
		return true
	}
	for _, stem := range s.stems {
		if t.kind == word && strings.HasPrefix(t.s, stem) {
			return true
		}
	}
	return false
}
