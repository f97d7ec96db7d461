package markdown

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"loopd/journal"
)

// Detail is one of Required Activation Details. Value is "" where the file leaves it to the activation.
type Detail struct {
	Name  string
	Value string
	Line  int // in the file, 1-based
}

// Given is a detail as an activation gives it.
type Given struct{ Name, Value string }

// key is what may stand before the colon of a line: a few words, in bold or not.
var key = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:\*\*|__)?([\p{L}][^:：\n]{0,79}?)\s*(?:(?:\*\*|__)\s*[:：]|[:：]\s*(?:\*\*|__)|[:：])(?:\s+|$)`)
})

// cutKey takes "Key: value" apart. A text without a key has only a value.
func cutKey(text string) (k, value string) {
	m := key().FindStringSubmatchIndex(text)
	if m == nil {
		return "", text
	}
	return text[m[2]:m[3]], strings.TrimSpace(text[m[1]:])
}

// details reads what must be confirmed before an activation. "None" is no detail. A value that is still a question or a
// placeholder is left open; so is a bullet without a value, which only names what is wanted.
func (r *reader) details() []Detail {
	var out []Detail
	add := func(text string, at int) {
		k, value := cutKey(text)
		if k == "" {
			k, value = strings.TrimRight(value, ".?: "), ""
		}
		if unsaid(value) || strings.HasSuffix(value, "?") {
			value = ""
		}
		d := Detail{Name: k, Value: value, Line: r.lineOf(at)}
		if value == "" {
			r.warn(detailsName, at, k, "a value", d.how())
		}
		out = append(out, d)
	}
	all := r.items(detailsName)
	for i, it := range all {
		switch {
		case introduces(all, i) || none(it.text):
		case it.kind == paragraph && i+1 < len(all) && cutKeys(it.lines) == 0:
			// Prose that stands above a list explains it.
		case it.kind == paragraph && cutKeys(it.lines) == len(it.lines):
			for _, l := range it.lines {
				add(l, it.at)
			}
		default:
			add(it.text, it.at)
		}
	}
	return out
}

// cutKeys counts the lines that have a key.
func cutKeys(lines []string) int {
	n := 0
	for _, l := range lines {
		if k, _ := cutKey(l); k != "" {
			n++
		}
	}
	return n
}

// how says how a detail gets its value.
func (d Detail) how() string {
	return "activate with --detail " + strconv.Quote(journal.OneLine(d.Name, readMax)+"=…")
}

// Fill gives the details with the values of an activation. A detail is named by its words, whatever their case, or by its
// number. What is still open, and a name that is no detail, is a defect: the loop must not be activated.
func (d Definition) Fill(given []Given) ([]Detail, []journal.Finding) {
	out := slices.Clone(d.Details)
	var bad []journal.Finding
	for _, g := range given {
		i := slices.IndexFunc(out, func(x Detail) bool { return sameName(withoutArticle(x.Name), withoutArticle(g.Name)) })
		if n, err := strconv.Atoi(strings.TrimSpace(g.Name)); i < 0 && err == nil && n > 0 && n <= len(out) {
			i = n - 1
		}
		switch {
		case i < 0:
			bad = append(bad, d.unknownDetail(g))
		default:
			out[i].Value = journal.OneLine(g.Value, 0)
		}
	}
	for _, x := range out {
		if unsaid(x.Value) {
			bad = append(bad, journal.Finding{File: d.File, Line: x.Line, Column: 1, Field: detailsName, Read: journal.OneLine(x.Name, readMax), Want: "a value", Fix: x.how()})
		}
	}
	return out, bad
}

func (d Definition) unknownDetail(g Given) journal.Finding {
	var names []string
	for _, x := range d.Details {
		names = append(names, x.Name)
	}
	f := journal.Finding{File: d.File, Line: 1, Column: 1, Field: detailsName, Read: journal.OneLine(g.Name, readMax), Want: "one of: " + strings.Join(names, ", ")}
	if near := journal.Nearest(g.Name, names); near != "" {
		f.Fix = fmt.Sprintf("did you mean %q?", near)
	}
	if len(names) == 0 {
		f.Want, f.Fix = "no detail: LOOP.md asks for none", "leave it out"
	}
	return f
}

// sameName compares two names for one thing: case, spaces and marks do not count.
func sameName(a, b string) bool { return plainWords(a) == plainWords(b) }

// marks are taken off a name before it is compared.
var marks = strings.NewReplacer("`", "", "*", "", "_", " ", "-", " ")

func plainWords(s string) string {
	return strings.TrimRight(strings.Join(strings.Fields(strings.ToLower(marks.Replace(s))), " "), ".?: ")
}

// withoutArticle takes "the" off a name.
func withoutArticle(s string) string {
	if word, rest, ok := strings.Cut(strings.TrimSpace(s), " "); ok && strings.EqualFold(word, "the") {
		return rest
	}
	return s
}
