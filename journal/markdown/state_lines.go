package markdown

import (
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"
)

// place is where a field stands in state.md.
type place struct {
	from             int // of its line
	nameFrom, nameTo int
	sepTo            int // behind the colon
	to               int // of the value's last line, trailing blanks left out
	end              int // of that line, its line end included
	line             int // 1-based
	lines            [][2]int
}

// value joins the value's lines.
func (p place) value(src []byte) string {
	var out []string
	for _, l := range p.lines {
		if s := strings.TrimSpace(string(src[l[0]:l[1]])); s != "" {
			out = append(out, s)
		}
	}
	return strings.Join(out, "\n")
}

// stray is a line that belongs to no field.
type stray struct {
	number int
	text   string
}

// fieldLine is "Key: value" at the line's beginning, as a bullet and in bold too. Behind the colon there is a blank or
// nothing, so that an address is no field.
var fieldLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^([-*+][ \t]+)?(?:\*\*|__)?([\p{L}\p{N}][^:：]*?)(?:\*\*|__)?[ \t]*(?::(?:\*\*|__)?(?:[ \t]|$)|：(?:\*\*|__)?)`)
})

// fieldNameMax is how long a field's name may be, in characters: more is a sentence with a colon.
const fieldNameMax = 80

func cutField(text string) (nameFrom, nameTo, sepTo int, isBullet, ok bool) {
	if !strings.ContainsAny(text, ":：") {
		return 0, 0, 0, false, false
	}
	m := fieldLine().FindStringSubmatchIndex(text)
	if m == nil || utf8.RuneCountInString(text[m[4]:m[5]]) > fieldNameMax {
		return 0, 0, 0, false, false
	}
	return m[4], m[5], len(strings.TrimRight(text[:m[1]], " \t")), m[2] >= 0, true
}

// places finds the fields of state.md, and the first lines that belong to none.
//
// A value is what stands behind the colon and the lines below it that are indented, list items, or a code block. All other
// lines are nobody's: they are kept, and never taken for a part of a value that may be replaced. In a file that writes its
// fields as bullets ("- Status: running") every bullet with a key is a field, in any other none is.
func places(src []byte) (out []place, strays []stray) {
	text := string(src)
	start := len(text) - len(strings.TrimPrefix(text, bom))
	bullets := fieldsAreBullets(text[start:])
	fences := &fenceFinder{text: text}
	lastComment := strings.LastIndex(text, "-->") // a comment that never ends is none
	var now *place                                // the field that the line may belong to
	blank, comment, fenceTo := false, false, 0
	number := 0
	for at := start; at < len(text); {
		end := at + lineLen(text[at:])
		line := strings.TrimRight(text[at:end], " \t\r\n")
		number++
		own := func() { // the line is a part of the value
			now.lines = append(now.lines, [2]int{at, at + len(line)})
			now.to, now.end = at+len(line), end
		}
		nameFrom, nameTo, sepTo, isBullet, ok := cutField(line)
		trimmed := strings.TrimLeft(line, " \t")
		switch {
		case comment:
			comment = !strings.Contains(line, "-->")
		case at < fenceTo:
			if now != nil {
				own()
			}
		case line == "":
		case ok && isBullet == bullets:
			out = append(out, place{from: at, nameFrom: at + nameFrom, nameTo: at + nameTo, sepTo: at + sepTo, line: number})
			now = &out[len(out)-1]
			now.lines = [][2]int{{now.sepTo, at + len(line)}}
			now.to, now.end = at+len(line), end
		case line[0] == '#':
			now = nil
		case strings.HasPrefix(trimmed, "<!--"):
			now, comment = nil, !strings.Contains(line, "-->") && lastComment > at
		case isFence(trimmed):
			if fenceTo = fences.end(at, trimmed); fenceTo == 0 || blank {
				now = nil
			}
			if now != nil {
				own()
			}
		case now != nil && (line[0] == ' ' || line[0] == '\t'):
			own()
		case now != nil && !bullets && isListItem(line) && (!blank || now.to == now.sepTo || len(now.lines) > 1):
			own()
		default:
			now = nil
			if len(out) > 0 && len(strays) < 20 {
				strays = append(strays, stray{number, line})
			}
		}
		blank = line == ""
		at = end
	}
	return out, strays
}

// fieldsAreBullets reports how a file writes the first field of the template.
func fieldsAreBullets(text string) bool {
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \t\r\n")
		if from, to, _, isBullet, ok := cutField(line); ok && isTemplateField(line[from:to]) {
			return isBullet
		}
	}
	return false
}

func isListItem(line string) bool {
	return withoutMark(line) != line && line[0] != '>'
}

func lineLen(text string) int {
	if i := strings.IndexByte(text, '\n'); i >= 0 {
		return i + 1
	}
	return len(text)
}

// fenceFinder finds where code blocks end. One that never ends is none: it would hide all fields behind it.
type fenceFinder struct {
	text string
	open map[string]bool // marks that nothing closes, from the first such place on
}

// end gives the offset behind the code block that opens in the line at an offset, 0 where nothing closes it.
func (f *fenceFinder) end(at int, line string) int {
	mark := line[:len(line)-len(strings.TrimLeft(line, line[:1]))]
	if f.open[mark] {
		return 0
	}
	for next := at + lineLen(f.text[at:]); next < len(f.text); {
		to := next + lineLen(f.text[next:])
		if l := strings.TrimSpace(f.text[next:to]); strings.HasPrefix(l, mark) && strings.Trim(l, mark[:1]) == "" {
			return to
		}
		next = to
	}
	if f.open == nil {
		f.open = map[string]bool{}
	}
	f.open[mark] = true
	return 0
}
