package markdown

import (
	"bytes"
	"sort"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	gmtext "github.com/yuin/goldmark/text"

	"loopd/journal"
)

// outline is LOOP.md taken apart: its title, and its sections with their places.
type outline struct {
	src      []byte // comments blanked, no byte order mark; offsets are into this
	title    string
	titleAt  int
	sections []*section
	strays   []*section // headings of another level than the sections', further titles
	unclosed int        // offset of a comment that never ends, -1 for none
	starts   []int      // of the lines
	deep     int        // offset of a line that nests too deep to be parsed, -1 for none
}

// section is one heading of level two and the blocks below it.
type section struct {
	name     string
	at       int // offset of the heading's text
	from, to int // of what stands below the heading
	blocks   []ast.Node
}

// parseOutline reads Markdown. Headings in code do not count, comments are no part of any value, and line ends of other
// systems change nothing.
func parseOutline(src []byte) *outline {
	o := &outline{}
	o.src, o.unclosed = withoutComments(withoutReturns(bytes.TrimPrefix(src, []byte(bom))))
	if o.deep = journal.TooDeep(o.src); o.deep >= 0 {
		return o
	}
	// Blocks are all that is needed: what stands inside a line is read as it is written.
	root := parser.NewParser(parser.WithBlockParsers(parser.DefaultBlockParsers()...)).Parse(gmtext.NewReader(o.src))
	var now *section
	for n := root.FirstChild(); n != nil; n = n.NextSibling() {
		h, ok := n.(*ast.Heading)
		if ok {
			ok = o.marks(h)
		}
		switch {
		case ok && h.Level == 1 && o.title == "":
			o.title, o.titleAt = o.text(h)
		case ok && h.Level == 2:
			name, at := o.text(h)
			if now != nil {
				now.to = o.lineStart(at)
			}
			now = &section{name: name, at: at, from: o.below(h, at), to: len(o.src)}
			o.sections = append(o.sections, now)
		case ok:
			name, at := o.text(h)
			o.strays = append(o.strays, &section{name: name, at: at})
		case now != nil:
			now.blocks = append(now.blocks, n)
		}
	}
	return o
}

// marks tells a heading that divides the file from a paragraph that somebody ruled off with "---": an underlined heading
// is one only if it has such a name. Front matter ends with such a rule too.
func (o *outline) marks(h *ast.Heading) bool {
	name, _ := o.text(h)
	return o.hash(h) || h.Level == 1 || sectionNamed(name) != ""
}

// hash reports whether a heading is written with "#".
func (o *outline) hash(h *ast.Heading) bool {
	_, at := o.text(h)
	return h.Lines().Len() == 0 || strings.HasPrefix(strings.TrimSpace(string(o.src[o.lineStart(at):o.lineEnd(at)])), "#")
}

// below is the offset behind a heading, its underline included.
func (o *outline) below(h *ast.Heading, at int) int {
	if o.hash(h) {
		return o.lineEnd(at)
	}
	return o.lineEnd(o.lineEnd(h.Lines().At(h.Lines().Len() - 1).Start))
}

// text gives what is written in a block on one line, and its offset.
func (o *outline) text(n ast.Node) (string, int) {
	lines := n.Lines()
	if lines == nil || lines.Len() == 0 {
		return "", max(n.Pos(), 0)
	}
	var parts []string
	for i := range lines.Len() {
		seg := lines.At(i)
		if part := strings.TrimSpace(string(seg.Value(o.src))); part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, " "), lines.At(0).Start
}

// body is a section's text as written, comments left out.
func (o *outline) body(s *section) string {
	var out []string
	for l := range strings.SplitSeq(string(o.src[min(s.from, s.to):s.to]), "\n") {
		out = append(out, strings.TrimRight(l, " \t"))
	}
	return strings.Trim(strings.Join(out, "\n"), "\n")
}

func (o *outline) lineStart(at int) int { return bytes.LastIndexByte(o.src[:at], '\n') + 1 }

func (o *outline) lineEnd(at int) int {
	if i := bytes.IndexByte(o.src[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(o.src)
}

// position gives line and column of an offset, both from 1; the column counts bytes. Every bullet asks for its line, so the
// lines' starts are looked for once.
func (o *outline) position(at int) (line, column int) {
	if o.starts == nil {
		o.starts = []int{0}
		for i, c := range o.src {
			if c == '\n' {
				o.starts = append(o.starts, i+1)
			}
		}
	}
	line = sort.SearchInts(o.starts, at+1)
	return line, at - o.starts[line-1] + 1
}
