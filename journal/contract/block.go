package contract

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// The contract block is found from the outside in, and the same rules hold inside of what was found:
//
//   - between <loop_contract> and </loop_contract>, which always mark it;
//   - below a heading "Contract", "Loop Contract" or "… loop contract …", to the next heading that is not below it, where
//     most of the fields are there;
//   - in a fenced block, where more fields are in it than outside of all of them.
//
// Without any of these the whole text counts. Text around the block is prose, whatever it says.

// block is where the contract stands.
type block struct {
	lines []line
	// again is a second place that looks like a contract, -1 for none: which of them holds?
	again int
	// open is a tag that is never closed, -1 for none.
	open int
}

// half of the fields make a contract; less is a mention.
const half = 11

func blockOf(lines []line) block {
	b := block{lines, -1, -1}
	for range 8 { // a contract in a fence below a heading in tags is three
		var inner []line
		fences := fencesOf(b.lines)
		hidden := hiddenIn(b.lines, fences)
		if inner = b.tagged(hidden); inner == nil {
			if inner = b.headed(hidden); inner == nil {
				inner = b.fenced(fences, hidden)
			}
		}
		if inner == nil {
			break
		}
		b.lines = inner
	}
	return b
}

var (
	openTag  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)^\s*<(?:loop[_-])?contract(?:\s[^>]*)?>`) })
	closeTag = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)</(?:loop[_-])?contract\s*>`) })
)

func (b *block) tagged(hidden []bool) []line {
	from, closed := -1, false
	var out []line
	for i, l := range b.lines {
		if m := openTag().FindStringIndex(l.text); m != nil && !hidden[i] {
			if from >= 0 {
				b.again = l.at
				return out
			}
			from = l.at
			l = line{l.at + m[1], l.text[m[1]:]}
		}
		if from < 0 || closed {
			continue
		}
		if m := closeTag().FindStringIndex(l.text); m != nil {
			l.text, closed = l.text[:m[0]], true
		}
		out = append(out, l)
	}
	if from >= 0 && !closed {
		b.open = from
	}
	return out
}

// headed is what stands below the contract's heading.
func (b *block) headed(hidden []bool) []line {
	var best []line
	most := 0
	for i := 0; i < len(b.lines); i++ {
		level, name := headingAt(b.lines, i)
		if level == 0 || hidden[i] || !ofContract(name) {
			continue
		}
		to := i + 1
		for ; to < len(b.lines); to++ {
			if l, _ := headingAt(b.lines, to); l > 0 && l <= level && !hidden[to] {
				break
			}
		}
		inner := b.lines[i+1 : to]
		n := len(fieldsIn(inner, false))
		if most >= half && n >= half && b.again < 0 {
			b.again = b.lines[i].at
		}
		if n > most {
			best, most = inner, n
		}
		i = to - 1
	}
	if best == nil || 2*most < len(fieldsIn(b.lines, false)) {
		return nil
	}
	return best
}

// ofContract reports whether a heading is the contract's.
func ofContract(name string) bool {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return strings.ContainsRune(" \t-_:—–.()*`", r) })
	for len(words) > 0 && (words[0] == "the" || strings.Trim(words[0], "0123456789") == "") {
		words = words[1:]
	}
	at := slices.Index(words, "contract")
	return at == 0 && (len(words) == 1 || strings.ContainsAny(name, ":—–(")) || at > 0 && words[at-1] == "loop"
}

// fenced is the fence that holds the contract.
func (b *block) fenced(fences []fence, hidden []bool) []line {
	var best []line
	most := 0
	for _, f := range fences {
		inner := f.inside(b.lines)
		n := len(fieldsIn(inner, true))
		if most >= half && n >= half && b.again < 0 {
			b.again = b.lines[f.open].at
		}
		if n > most {
			best, most = inner, n
		}
	}
	var outside []line
	for i, l := range b.lines {
		if !hidden[i] {
			outside = append(outside, l)
		}
	}
	if best == nil || most <= len(fieldsIn(outside, true)) {
		return nil
	}
	return best
}

// fieldsIn are the fields that some lines begin with; unfenced leaves out those in fences.
func fieldsIn(lines []line, unfenced bool) map[string]bool {
	out := map[string]bool{}
	var hidden []bool
	if unfenced {
		hidden = hiddenIn(lines, fencesOf(lines))
	}
	for i, l := range lines {
		if unfenced && hidden[i] {
			continue
		}
		for _, s := range startsOf(l.text) {
			out[s.field] = true
		}
		if c := cellsOf(l.text); len(c) > 1 {
			out[fieldOf(c[0].text)] = true
		}
	}
	delete(out, "")
	return out
}
