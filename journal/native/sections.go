package native

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	gmtext "github.com/yuin/goldmark/text"
)

// charterDoc is a charter taken apart: title, sections and their bullets, each with its position.
type charterDoc struct {
	src      []byte
	title    string
	titleAt  int
	sections []*section
	others   []*section // headings of another level than the sections'
}

// section is one heading of level two and what stands below it.
type section struct {
	name    string
	at      int // offset of the heading's text
	from    int // offset behind the heading
	to      int
	bullets []bullet
	texts   []bullet // paragraphs that are no bullets; key is ""
}

// bullet is one list item: a key and its value, or a value alone.
type bullet struct {
	key, value string
	at         int
}

var comment = regexp.MustCompile(`(?s)<!--.*?-->`)

// parseCharter reads Markdown. Headings in code fences do not count, comments are no part of any value, a byte order mark
// and carriage returns change nothing.
func parseCharter(src []byte) *charterDoc {
	// The offsets must stay, so what does not count becomes blanks.
	clean := bytes.ReplaceAll(src, []byte("\r\n"), []byte(" \n"))
	if bytes.HasPrefix(clean, []byte(bom)) {
		clean = append([]byte("   "), clean[len(bom):]...)
		clean = bytes.Replace(clean, []byte("   #"), []byte("  \n#"), 1)[:len(clean)]
	}
	d := &charterDoc{src: clean}
	// Blocks are all that is needed: what stands inside a line is read as it is written.
	root := parser.NewParser(parser.WithBlockParsers(parser.DefaultBlockParsers()...)).Parse(gmtext.NewReader(clean))
	var now *section
	for n := root.FirstChild(); n != nil; n = n.NextSibling() {
		h, isHeading := n.(*ast.Heading)
		if !isHeading {
			if now != nil {
				d.collect(n, now)
			}
			continue
		}
		name, at := d.blockText(h)
		switch {
		case h.Level == 1 && d.title == "":
			d.title, d.titleAt = name, at
		case h.Level == 2:
			if now != nil {
				now.to = d.lineStart(at)
			}
			now = &section{name: name, at: at, from: d.lineEnd(at), to: len(clean)}
			d.sections = append(d.sections, now)
		default:
			d.others = append(d.others, &section{name: name, at: at})
		}
	}
	return d
}

// collect gathers bullets, nested ones too, and paragraphs.
func (d *charterDoc) collect(n ast.Node, s *section) {
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n.(type) {
		case *ast.TextBlock, *ast.Paragraph:
			text, at := d.blockText(n)
			if text == "" {
				return ast.WalkSkipChildren, nil
			}
			if _, ok := n.Parent().(*ast.ListItem); ok && n.PreviousSibling() == nil {
				key, value := cutKey(text)
				s.bullets = append(s.bullets, bullet{key, value, at})
			} else {
				s.texts = append(s.texts, bullet{"", text, at})
			}
			return ast.WalkSkipChildren, nil
		case *ast.FencedCodeBlock, *ast.CodeBlock, *ast.HTMLBlock, *ast.Heading:
			return ast.WalkSkipChildren, nil
		}
		return ast.WalkContinue, nil
	})
}

// blockText gives the raw text of a block on one line, comments left out, and its offset.
func (d *charterDoc) blockText(n ast.Node) (string, int) {
	lines := n.Lines()
	if lines == nil || lines.Len() == 0 {
		return "", 0
	}
	var parts []string
	for i := range lines.Len() {
		seg := lines.At(i)
		parts = append(parts, strings.TrimSpace(string(seg.Value(d.src))))
	}
	text := comment.ReplaceAllString(strings.Join(parts, " "), "")
	return strings.TrimSpace(text), lines.At(0).Start
}

// body is a section's text as written, comments left out.
func (d *charterDoc) body(s *section) string {
	return strings.TrimSpace(comment.ReplaceAllString(string(d.src[s.from:s.to]), ""))
}

func (d *charterDoc) lineStart(at int) int { return bytes.LastIndexByte(d.src[:at], '\n') + 1 }

func (d *charterDoc) lineEnd(at int) int {
	if i := bytes.IndexByte(d.src[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(d.src)
}

// key is what may stand before the colon of a bullet: a few words.
var key = regexp.MustCompile(`^(?:\*\*|__)?([\p{L}][\p{L}\p{N} '/_-]{0,60}?)\s*(?:(?:\*\*|__)\s*[:：]|[:：]\s*(?:\*\*|__)|[:：])\s*`)

// cutKey takes "Key: value" apart; bold around the key does not count. A text without a key has only a value.
func cutKey(text string) (k, value string) {
	m := key.FindStringSubmatchIndex(text)
	if m == nil || strings.HasPrefix(text[m[1]:], "//") {
		return "", text
	}
	return text[m[2]:m[3]], strings.TrimSpace(text[m[1]:])
}

// find gives the first bullet of a key, whatever its case.
func (s *section) find(k string) (bullet, bool) {
	for _, b := range s.bullets {
		if strings.EqualFold(b.key, k) {
			return b, true
		}
	}
	return bullet{}, false
}

// codeSpan takes the first back-ticked span out of a text, with a run of any length as its fence.
func codeSpan(text string) (before, code, after string, ok bool) {
	from := strings.IndexByte(text, '`')
	if from < 0 {
		return text, "", "", false
	}
	fence := text[from : len(text)-len(strings.TrimLeft(text[from:], "`"))]
	rest := text[from+len(fence):]
	for at := 0; ; {
		i := strings.Index(rest[at:], fence)
		if i < 0 {
			return text, "", "", false
		}
		end := at + i
		run := len(rest[end:]) - len(strings.TrimLeft(rest[end:], "`"))
		if run == len(fence) {
			code = rest[:end]
			if len(fence) > 1 { // as in Markdown: one space inside a long fence is padding
				code = strings.TrimSuffix(strings.TrimPrefix(code, " "), " ")
			}
			return text[:from], code, rest[end+run:], strings.TrimSpace(code) != ""
		}
		at = end + run
	}
}

// afterArrow drops an arrow at the start of a text.
func afterArrow(text string) string {
	s := strings.TrimSpace(text)
	for _, a := range []string{"→", "->", "=>", "⇒"} {
		if rest, ok := strings.CutPrefix(s, a); ok {
			return strings.TrimSpace(rest)
		}
	}
	return s
}
