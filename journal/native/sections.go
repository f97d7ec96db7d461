package native

import (
	"bytes"
	"strings"
	"unicode"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	gmtext "github.com/yuin/goldmark/text"

	"loopd/journal"
)

// charterDoc is a charter taken apart: title, sections and their bullets, each with its position.
type charterDoc struct {
	src       []byte // as read, comments blanked; offsets are into this
	title     string
	titleAt   int
	sections  []*section
	others    []*section // headings of another level than the sections'
	unclosed  []int      // comments that never end
	headAgain []int      // further titles
	deep      int        // offset of a line that nests too deep to be parsed, -1 for none
}

// section is one heading of level two and what stands below it.
type section struct {
	name    string
	at      int // offset of the heading's text
	from    int // offset behind the heading
	to      int
	bullets []bullet // list items in their order, nested ones too
	texts   []bullet // paragraphs that are no bullets; key is ""
}

// bullet is one list item: a key and its value, or a value alone.
type bullet struct {
	key, value string
	text       string // both, as written
	at         int
	// parts are the items of the list nested in this one that have no key of their own.
	parts []bullet
}

// parseCharter reads Markdown. Headings in code fences do not count, comments are no part of any value, a byte order mark
// and carriage returns change nothing.
func parseCharter(src []byte) *charterDoc {
	d := &charterDoc{}
	d.src, d.unclosed = withoutComments(withoutReturns(bytes.TrimPrefix(src, []byte(bom))))
	if d.deep = journal.TooDeep(d.src); d.deep >= 0 {
		return d
	}
	// Blocks are all that is needed: what stands inside a line is read as it is written.
	root := parser.NewParser(parser.WithBlockParsers(parser.DefaultBlockParsers()...)).Parse(gmtext.NewReader(d.src))
	var now *section
	for n := root.FirstChild(); n != nil; n = n.NextSibling() {
		h, isHeading := n.(*ast.Heading)
		if isHeading && !d.isOutline(h) {
			if now != nil && !d.hash(h) { // a paragraph that somebody ruled off
				text, at := d.blockText(h)
				now.texts = append(now.texts, bullet{value: text, text: text, at: at})
			}
			if d.hash(h) {
				name, at := d.blockText(h)
				d.others = append(d.others, &section{name: name, at: at})
			}
			continue
		}
		if !isHeading {
			if now != nil {
				d.collect(n, now, nil)
			}
			continue
		}
		name, at := d.blockText(h)
		switch {
		case h.Level == 1 && d.title == "":
			d.title, d.titleAt = name, at
		case h.Level == 1:
			d.headAgain = append(d.headAgain, at)
			d.others = append(d.others, &section{name: name, at: at})
		default:
			if now != nil {
				now.to = d.lineStart(at)
			}
			now = &section{name: name, at: at, from: d.headingEnd(h, at), to: len(d.src)}
			d.sections = append(d.sections, now)
		}
	}
	return d
}

// isOutline tells title and section headings from the rest. An underlined heading is one only if it has such a name:
// "---" behind a paragraph without a blank line is meant as a rule, and front matter ends so too.
func (d *charterDoc) isOutline(h *ast.Heading) bool {
	if h.Level > 2 {
		return false
	}
	name, _ := d.blockText(h)
	return d.hash(h) || strings.HasPrefix(name, "Loop:") || journal.Nearest(name, headings) != ""
}

// hash reports whether a heading is written with "#".
func (d *charterDoc) hash(h *ast.Heading) bool {
	_, at := d.blockText(h)
	return h.Lines().Len() == 0 || strings.HasPrefix(strings.TrimSpace(string(d.src[d.lineStart(at):d.lineEnd(at)])), "#")
}

func (d *charterDoc) headingEnd(h *ast.Heading, at int) int {
	if d.hash(h) {
		return d.lineEnd(at)
	}
	return d.lineEnd(d.lineEnd(h.Lines().At(h.Lines().Len() - 1).Start))
}

// collect gathers bullets, nested ones too, and paragraphs. in is the bullet that n is nested in.
func (d *charterDoc) collect(n ast.Node, s *section, in *bullet) {
	switch n.(type) {
	case *ast.FencedCodeBlock:
		return
	case *ast.CodeBlock:
		d.loose(n, s)
		return
	case *ast.TextBlock, *ast.Paragraph, *ast.HTMLBlock, *ast.Heading:
		text, at := d.blockText(n)
		if text == "" {
			return
		}
		item, isItem := n.Parent().(*ast.ListItem)
		if !isItem || item.FirstChild() != n {
			s.texts = append(s.texts, bullet{value: text, text: text, at: at})
			return
		}
		d.add(s, text, at, in)
		return
	}
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if item, ok := c.(*ast.ListItem); ok {
			d.item(item, s, in)
			continue
		}
		d.collect(c, s, in)
	}
}

// item adds a list item and what is nested in it.
func (d *charterDoc) item(item *ast.ListItem, s *section, in *bullet) {
	first := item.FirstChild()
	if first == nil {
		return
	}
	before := len(s.bullets)
	d.collect(first, s, in)
	mine := len(s.bullets) - 1
	for c := first.NextSibling(); c != nil; c = c.NextSibling() {
		if len(s.bullets) == before || mine < before {
			d.collect(c, s, nil)
			continue
		}
		b := s.bullets[mine]
		d.collect(c, s, &b)
		s.bullets[mine].parts = b.parts
	}
}

func (d *charterDoc) add(s *section, text string, at int, in *bullet) {
	k, value := cutKey(text)
	b := bullet{key: k, value: value, text: text, at: at}
	s.bullets = append(s.bullets, b)
	if in != nil && k == "" {
		in.parts = append(in.parts, b)
	}
}

// loose reads an indented block, which Markdown takes for code, as the person meant it: bullets behind a tab, or a
// paragraph.
func (d *charterDoc) loose(n ast.Node, s *section) {
	for i := range n.Lines().Len() {
		seg := n.Lines().At(i)
		line := string(seg.Value(d.src))
		text := strings.TrimSpace(line)
		at := seg.Start + strings.Index(string(d.src[seg.Start:seg.Stop]), text)
		switch {
		case text == "":
		case len(text) > 2 && strings.ContainsRune("-*+", rune(text[0])) && (text[1] == ' ' || text[1] == '\t'):
			item := strings.TrimSpace(text[1:])
			d.add(s, item, at+strings.Index(text, item), nil)
		case len(s.bullets) > 0 && i > 0:
			last := &s.bullets[len(s.bullets)-1]
			last.value, last.text = strings.TrimSpace(last.value+" "+text), last.text+" "+text
		default:
			s.texts = append(s.texts, bullet{value: text, text: text, at: at})
		}
	}
}

// blockText gives the raw text of a block on one line, and its offset.
func (d *charterDoc) blockText(n ast.Node) (string, int) {
	lines := n.Lines()
	if lines == nil || lines.Len() == 0 {
		return "", max(n.Pos(), 0)
	}
	var parts []string
	for i := range lines.Len() {
		seg := lines.At(i)
		if part := strings.TrimSpace(string(seg.Value(d.src))); part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, " "), lines.At(0).Start
}

// body is a section's text as written, comments left out.
func (d *charterDoc) body(s *section) string {
	var out []string
	for l := range strings.SplitSeq(string(d.src[min(s.from, s.to):s.to]), "\n") {
		out = append(out, strings.TrimRightFunc(l, unicode.IsSpace))
	}
	return strings.TrimSpace(strings.Join(out, "\n"))
}

func (d *charterDoc) lineStart(at int) int { return bytes.LastIndexByte(d.src[:at], '\n') + 1 }

func (d *charterDoc) lineEnd(at int) int {
	if i := bytes.IndexByte(d.src[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(d.src)
}
