package markdown

import (
	"slices"
	"strings"
)

// The keys of the lines that end an answer.
const (
	endStatus    = "status"
	endDirection = "direction"
	endNext      = "next"
)

// ending holds the lines that end an answer.
type ending struct {
	from              int      // the first of them; the number of lines where there are none
	status, direction []string // values; more than one where lines beside each other say more than one
	next              string
}

// answerLine is one line of an answer, its key "" where it is none of the three.
type answerLine struct{ key, value string }

// readAnswerLine reads "Status: x", also as a bullet, in bold or in back-ticks. What is quoted with ">" is somebody else's,
// and what is still the prompt's template says nothing.
func readAnswerLine(l string) answerLine {
	s := strings.TrimSpace(l)
	if len(s) > 1 && s[0] == '`' && s[len(s)-1] == '`' {
		s = strings.Trim(s, "`")
	}
	if strings.HasPrefix(s, ">") {
		return answerLine{}
	}
	name, value, ok := strings.Cut(withoutMark(s), ":")
	name = strings.ToLower(strings.Trim(name, "*_ "))
	if !ok || name != endStatus && name != endDirection && name != endNext {
		return answerLine{}
	}
	value = strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(value), "*_"))
	if unsaid(value) || name != endNext && strings.ContainsAny(value, "|<") {
		return answerLine{}
	}
	return answerLine{name, value}
}

// findEnding finds the lines that end an answer.
func findEnding(lines []string, brief string) ending {
	found := make([]answerLine, len(lines))
	for i, l := range lines {
		found[i] = readAnswerLine(l)
	}
	forgetQuoted(found, lines, brief)
	isBlank := func(i int) bool { return strings.TrimSpace(lines[i]) == "" }
	last := len(lines) - 1
	for last >= 0 && found[last].key != endStatus && found[last].key != endDirection {
		last--
	}
	e := ending{from: len(lines)}
	if last < 0 {
		e.next = lastNext(found)
		return e
	}
	e.from = last
	seen := []string{found[last].key}
	gap := false
	for i := last - 1; i >= 0; i-- {
		k := found[i].key
		again := slices.Contains(seen, k)
		if isBlank(i) {
			gap = true
			continue
		}
		// What was said already, and a Next above both, belongs to the entry.
		if k == "" || again && gap || k == endNext && len(seen) == 2 {
			break
		}
		if k == endNext {
			continue // between the two, if the other one stands above
		}
		e.from, gap = i, false
		if !again {
			seen = append(seen, k)
		}
	}
	for _, l := range found[e.from : last+1] {
		switch l.key {
		case endStatus:
			e.status = append(e.status, l.value)
		case endDirection:
			e.direction = append(e.direction, l.value)
		case endNext:
			e.next = l.value
		}
	}
	below := last + 1
	for below < len(lines) && isBlank(below) {
		below++
	}
	if below < len(lines) && found[below].key == endNext {
		e.next = found[below].value
		for i := below + 1; i < len(lines) && !isBlank(i) && found[i].key == "" && !isFence(strings.TrimSpace(lines[i])); i++ {
			e.next += " " + strings.TrimSpace(lines[i])
		}
	}
	if e.next == "" {
		e.next = lastNext(found[:e.from])
	}
	return e
}

// lastNext is the next action that an entry names itself.
func lastNext(found []answerLine) string {
	for i := len(found) - 1; i >= 0; i-- {
		if found[i].key == endNext {
			return found[i].value
		}
	}
	return ""
}

// forgetQuoted passes over lines that end the prompt's own example: three of them in a row that stand in it just so. One
// alone may be an answer all the same: the prompt shows the loop's state too.
func forgetQuoted(found []answerLine, lines []string, brief string) {
	shown := map[[3]string]bool{}
	var last [3]string
	for l := range strings.Lines(brief) {
		last = [3]string{last[1], last[2], strings.TrimSpace(l)}
		shown[last] = strings.Contains(last[0], ":") && strings.Contains(last[1], ":") && strings.Contains(last[2], ":")
	}
	for i := 0; i+2 < len(lines); i++ {
		three := [3]string{strings.TrimSpace(lines[i]), strings.TrimSpace(lines[i+1]), strings.TrimSpace(lines[i+2])}
		if shown[three] && found[i].key != "" && found[i+1].key != "" && found[i+2].key != "" {
			found[i], found[i+1], found[i+2] = answerLine{}, answerLine{}, answerLine{}
		}
	}
}

// outcomeMark begins an outcome line, outcomeKeys the bullets below it.
const outcomeMark = "LOOP-OUTCOME:"

var outcomeKeys = []string{"unit", "did", "next", "flags", "sign", "split"}

// withoutOutcome takes outcome lines out, with the bullets below them. found is false where there are none.
func withoutOutcome(lines []string) (rest []string, found bool) {
	open, bullets := false, false
	for i, l := range lines {
		s := strings.TrimSpace(l)
		name, _, _ := strings.Cut(strings.Trim(withoutMark(s), "*_ "), ":")
		isBullet := withoutMark(s) != s && s[0] != '>' && slices.Contains(outcomeKeys, strings.ToLower(strings.Trim(name, "*_ ")))
		switch {
		case strings.HasPrefix(strings.TrimLeft(s, ">*` "), outcomeMark):
			found, open, bullets = true, true, false
		case open && isBullet:
			bullets = true
		case open && bullets && s != "" && (l[0] == ' ' || l[0] == '\t'):
		case open && s == "" && i+1 < len(lines):
			rest = append(rest, "") // it may divide what comes next
		default:
			open = false
			rest = append(rest, l)
		}
	}
	return rest, found
}
