package markdown

import (
	"slices"
	"strings"

	"loopd/journal"
)

// stateTitle heads the template.
const stateTitle = "# Loop State"

// valueMax is how long one line of a value may be, in characters, valueLines how many a value has.
const (
	valueMax   = 1000
	valueLines = 50
)

// NewState gives a new state.md: the template of the protocol's text, the fields that the loop tracks below it, and the
// values that are known. It is running unless a value says otherwise.
func NewState(track []Track, values ...Field) []byte {
	var b strings.Builder
	b.WriteString(stateTitle + "\n\n")
	for _, f := range StateFields() {
		b.WriteString(f + ":")
		if f == FieldStatus {
			b.WriteString(" " + string(Running))
		}
		b.WriteByte('\n')
	}
	var own []Field
	for _, t := range track {
		own = append(own, Field{Name: t.Name})
	}
	return SetFields([]byte(b.String()), append(own, values...)...)
}

// SetFields gives the bytes of state.md with new values: each in place of the old one, all its lines included. Everything
// else stays byte for byte: unknown lines, order, line ends, a byte order mark, the way in which keys are written. A field
// that the file lacks is added where the template has it, one that the template lacks behind the last field. A value is
// made safe first: none can pass for another field, or hide one. src must be a file that ReadState took without a defect;
// where it is empty the template comes first.
func SetFields(src []byte, values ...Field) []byte {
	if len(strings.TrimSpace(strings.TrimPrefix(string(src), bom))) == 0 {
		src = append(slices.Clone(src), NewState(nil)...)
	}
	all, _ := places(src)
	newline := "\n"
	if i := strings.IndexByte(string(src), '\n'); i > 0 && src[i-1] == '\r' {
		newline = "\r\n"
	}
	var edits []edit
	for i, v := range values {
		name := fieldName(v.Name)
		if name == "" || slices.ContainsFunc(values[i+1:], func(later Field) bool { return sameName(later.Name, name) }) {
			continue
		}
		lines := safeLines(v.Value)
		found := false
		for _, p := range all {
			if !sameName(string(src[p.nameFrom:p.nameTo]), name) {
				continue
			}
			if found = true; p.value(src) != strings.Join(lines, "\n") {
				edits = append(edits, edit{p.sepTo, p.to, rendered(lines, newline), 0})
			}
		}
		if !found {
			edits = append(edits, added(src, all, name, lines, newline, i))
		}
	}
	return apply(src, edits)
}

// edit replaces the bytes from..to.
type edit struct {
	from, to int
	text     string
	rank     int // order among edits at one place
}

func apply(src []byte, edits []edit) []byte {
	slices.SortStableFunc(edits, func(a, b edit) int {
		if a.from != b.from {
			return a.from - b.from
		}
		return a.rank - b.rank
	})
	var out []byte
	at := 0
	for _, e := range edits {
		out = append(append(out, src[at:e.from]...), e.text...)
		at = e.to
	}
	return append(out, src[at:]...)
}

// added places a new field: behind the last field of the template that comes before it, else before the first one.
func added(src []byte, all []place, name string, lines []string, newline string, nth int) edit {
	index := templateIndex(name)
	rank := len(StateFields()) + nth
	if index >= 0 {
		rank, name = index, StateFields()[index]
	}
	var before, after *place
	best := -1
	for i := range all {
		p := &all[i]
		switch at := templateIndex(string(src[p.nameFrom:p.nameTo])); {
		case index < 0:
			before = p
		case at >= 0 && at < index && at > best:
			before, best = p, at
		case at > index && after == nil:
			after = p
		}
	}
	like := before
	if like == nil {
		like = after
	}
	if like == nil && len(all) > 0 { // only fields of somebody's own
		before, like = &all[len(all)-1], &all[len(all)-1]
	}
	text := name + ":"
	if like != nil {
		text = string(src[like.from:like.nameFrom]) + name + string(src[like.nameTo:like.sepTo])
	}
	text += rendered(lines, newline)
	at := len(src)
	switch {
	case before != nil:
		at = before.end
	case after != nil:
		at = after.from
	}
	if at > 0 && src[at-1] != '\n' && at == len(src) {
		return edit{at, at, newline + text, rank}
	}
	return edit{at, at, text + newline, rank}
}

// rendered writes a value behind a colon: on the same line, or indented below it.
func rendered(lines []string, newline string) string {
	switch len(lines) {
	case 0:
		return ""
	case 1:
		return " " + lines[0]
	}
	return newline + "  " + strings.Join(lines, newline+"  ")
}

// safeLines makes a value safe to stand in state.md. No line of it is empty, and none opens a code block.
func safeLines(value string) []string {
	var out []string
	for l := range strings.Lines(value) {
		l = journal.OneLine(l, valueMax)
		if isFence(l) {
			l = `\` + l
		}
		if l == "" {
			continue
		}
		if len(out) == valueLines {
			out[valueLines-1] = "…"
			break
		}
		out = append(out, l)
	}
	return out
}
