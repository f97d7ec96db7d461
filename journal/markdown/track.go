package markdown

import (
	"strings"
	"unicode"

	"loopd/journal"
)

// Track is a variable that State To Track names beyond the template's fields.
type Track struct {
	Name string // of the field in state.md
	Text string // as written, on one line
	Line int    // in the file, 1-based
}

// nameMax is how long the name of a field may be, in characters.
const nameMax = 60

// track reads which fields state.md gets: one a bullet, a row, or a line that ends in a colon. The name is what stands
// before a colon, a dash or a parenthesis. Prose names no field; it is for the agent, as the whole section is.
func (r *reader) track() []Track {
	var out []Track
	seen := map[string]bool{}
	add := func(text string, at int) {
		name := withoutArticle(fieldName(text))
		switch {
		case name == "":
			r.warn(stateToTrack, at, text, "a short name, then a colon", "no field of state.md is made of this: it is only handed to the agent")
		case seen[plainWords(name)] || isTemplateField(name):
		default:
			seen[plainWords(name)] = true
			out = append(out, Track{name, text, r.lineOf(at)})
		}
	}
	for _, it := range r.items(stateToTrack) {
		switch {
		case none(it.text):
		case it.kind == paragraph && cutKeys(it.lines) == len(it.lines) && (len(it.lines) > 1 || strings.HasSuffix(it.text, ":")):
			for _, l := range it.lines {
				add(l, it.at)
			}
		case it.kind == paragraph:
		case it.kind == code && !strings.ContainsAny(it.text, ":："):
		default:
			add(it.text, it.at)
		}
	}
	return out
}

// fieldName makes a field's name of the words that describe it, "" where they are too many.
func fieldName(text string) string {
	s := strings.TrimLeft(text, "*_` ")
	for _, end := range []string{":", "：", " — ", " – ", " - ", " (", "; "} {
		s, _, _ = strings.Cut(s, end)
	}
	s = strings.TrimRight(journal.OneLine(strings.NewReplacer("`", "", "*", "").Replace(s), 0), " ._,#>-+")
	s = strings.TrimLeftFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
	if n := len([]rune(s)); n == 0 || n > nameMax {
		return ""
	}
	return s
}
