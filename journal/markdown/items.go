package markdown

import (
	"regexp"
	"strings"
	"sync"

	"github.com/yuin/goldmark/ast"
)

// itemKind says in which shape an item was written.
type itemKind int

const (
	bullet    itemKind = iota // a list item, what is nested in it included
	paragraph                 // a text that is no bullet
	row                       // a row of a table
	code                      // a line of a code block
)

// item is one thing that a section lists.
type item struct {
	kind   itemKind
	text   string   // on one line
	lines  []string // of a paragraph, as written
	at     int
	nested bool // a list stands below it
}

// items lists what a section says. Whatever shape somebody chose, nothing of it is lost: a stop condition that was passed
// over would let a loop run on.
func (o *outline) items(s *section) []item {
	var out []item
	for _, n := range s.blocks {
		out = o.collect(n, out)
	}
	return out
}

func (o *outline) collect(n ast.Node, out []item) []item {
	switch n := n.(type) {
	case *ast.ThematicBreak:
		return out
	case *ast.FencedCodeBlock:
		return append(out, o.codeLines(n)...)
	case *ast.CodeBlock:
		return append(out, o.indented(n)...)
	case *ast.ListItem:
		if it := o.listItem(n); it.text != "" {
			out = append(out, it)
		}
		return out
	case *ast.Paragraph, *ast.TextBlock, *ast.Heading, *ast.HTMLBlock:
		return append(out, o.loose(n)...)
	}
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		out = o.collect(c, out)
	}
	return out
}

// listItem makes one item of a bullet and of everything nested in it: "any of" above a list changes what the list means.
func (o *outline) listItem(n *ast.ListItem) item {
	it := item{kind: bullet}
	var text strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		_, list := c.(*ast.List)
		for i, b := range o.collect(c, nil) {
			if i == 0 {
				it.nested = it.nested || list || text.Len() > 0
			}
			switch {
			case text.Len() == 0:
				it.at = b.at
			case list && !strings.HasSuffix(text.String(), ":"):
				text.WriteString("; ")
			default:
				text.WriteByte(' ')
			}
			text.WriteString(b.text)
		}
	}
	it.text = withoutBox(text.String())
	return it
}

// withoutBox takes a check box off a bullet.
func withoutBox(s string) string {
	for _, box := range []string{"[ ] ", "[x] ", "[X] "} {
		s = strings.TrimPrefix(s, box)
	}
	return strings.TrimSpace(s)
}

// tags finds what an HTML block consists of beside its text.
var tags = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`<[^<>]*>`) })

// loose reads a paragraph, or the table that a parser without tables takes for one.
func (o *outline) loose(n ast.Node) []item {
	text, at := o.text(n)
	if _, html := n.(*ast.HTMLBlock); html && strings.TrimSpace(tags().ReplaceAllString(text, "")) == "" {
		return nil
	}
	if text == "" {
		return nil
	}
	it := item{kind: paragraph, text: text, at: at}
	for i := range n.Lines().Len() {
		seg := n.Lines().At(i)
		it.lines = append(it.lines, strings.TrimSpace(string(seg.Value(o.src))))
	}
	if len(it.lines) < 2 || !isDelimiterRow(it.lines[1]) {
		return []item{it}
	}
	var rows []item
	for i, l := range it.lines[2:] {
		if text := strings.Join(cells(l), " — "); strings.Trim(text, " —") != "" {
			rows = append(rows, item{kind: row, text: text, at: n.Lines().At(i + 2).Start})
		}
	}
	return rows
}

// isDelimiterRow recognises the second line of a table.
func isDelimiterRow(l string) bool {
	return strings.Contains(l, "|") && strings.Contains(l, "-") && strings.Trim(l, "|-: \t") == ""
}

func cells(l string) []string {
	l = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(l), "|"), "|")
	out := strings.Split(l, "|")
	for i := range out {
		out[i] = strings.TrimSpace(out[i])
	}
	return out
}

func (o *outline) codeLines(n ast.Node) []item {
	var out []item
	for i := range n.Lines().Len() {
		seg := n.Lines().At(i)
		line := string(seg.Value(o.src))
		if text := strings.TrimSpace(line); text != "" {
			out = append(out, item{kind: code, text: text, at: seg.Start + strings.Index(line, text)})
		}
	}
	return out
}

// indented reads a block that Markdown takes for code as the person meant it: bullets behind a tab, or a text.
func (o *outline) indented(n ast.Node) []item {
	var out []item
	var tail []string // of the last item
	for _, it := range o.codeLines(n) {
		switch {
		case len(it.text) > 2 && strings.IndexByte("-*+", it.text[0]) >= 0 && (it.text[1] == ' ' || it.text[1] == '\t'):
			rest := strings.TrimSpace(it.text[1:])
			out, tail = joined(out, tail), nil
			out = append(out, item{kind: bullet, text: withoutBox(rest), at: it.at + len(it.text) - len(rest)})
		case len(out) > 0:
			tail = append(tail, it.text)
		default:
			out = append(out, item{kind: paragraph, text: it.text, lines: []string{it.text}, at: it.at})
		}
	}
	return joined(out, tail)
}

// joined adds the lines that go on from the last item to it.
func joined(items []item, tail []string) []item {
	if n := len(items) - 1; n >= 0 && len(tail) > 0 {
		items[n].text += " " + strings.Join(tail, " ")
		items[n].lines = append(items[n].lines, tail...)
	}
	return items
}
