package markdown

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	gmtext "github.com/yuin/goldmark/text"

	"loopd/journal"
)

// entryMax is how large the dictated part of one entry may get, in bytes (spec/iteration.md, limits where nothing is said).
const entryMax = 8 << 10

// dictated makes what an agent dictates safe to stand in record.md, in the shape that it has:
//
//   - Escape sequences, control characters and invisible marks go, and a comment cannot be opened; see journal.OneLine.
//   - A line that would be a heading gets a backslash: "\## Activation", "\===". It reads the same and heads nothing, in code
//     blocks too, so that no search for "## Activation" at the beginning of a line finds it.
//   - Where a code block or a piece of HTML is left open and would swallow the entries that follow, the whole text is
//     quoted with ">": a quotation ends with its lines.
//   - What is longer than 8 KiB is cut at a line's end, and "…" says so.
func dictated(text string) string {
	var lines []string
	size := 0
	for l := range strings.Lines(strings.ReplaceAll(text, "\r\n", "\n")) {
		indent := l[:len(l)-len(strings.TrimLeft(l, " \t"))]
		l = strings.TrimRight(indent+journal.OneLine(l, entryMax), " \t")
		if l == "" && (len(lines) == 0 || lines[len(lines)-1] == "") {
			continue // one blank line is enough
		}
		if l = headless(l, len(lines) > 0 && lines[len(lines)-1] != ""); journal.TooDeep([]byte(l)) >= 0 {
			l = `\` + strings.TrimLeft(l, " \t") // quotes in each other without end: one line of text
		}
		if size += len(l) + 1; size > entryMax {
			lines = append(lines, "…")
			break
		}
		lines = append(lines, l)
	}
	for len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	if out := strings.Join(lines, "\n"); contained(out) {
		return out
	}
	for i, l := range lines {
		lines[i] = strings.TrimRight("> "+l, " ")
	}
	return strings.Join(lines, "\n")
}

// headless takes the power from a line that would be a heading, or would make one of the line above it.
func headless(l string, below bool) string {
	at := 0 // behind the marks of quotations and lists
	for at < len(l) && strings.IndexByte(" \t>", l[at]) >= 0 {
		at++
	}
	rest := l[at:]
	for {
		in := withoutMark(rest)
		if in == rest || in == "" {
			break
		}
		at += len(rest) - len(in)
		rest = in
	}
	hashes := len(rest) - len(strings.TrimLeft(rest, "#"))
	underline := below && rest != "" && (strings.Trim(rest, "=") == "" || strings.Trim(rest, "-") == "")
	if hashes > 0 && (hashes == len(rest) || rest[hashes] == ' ' || rest[hashes] == '\t') || underline {
		return l[:at] + `\` + rest
	}
	return l
}

// contained reports whether a text ends with its lines: a heading that follows is one, and the only one.
func contained(text string) bool {
	src := []byte(text + "\n\n## end\n")
	root := parser.NewParser(parser.WithBlockParsers(parser.DefaultBlockParsers()...)).Parse(gmtext.NewReader(src))
	last, ok := root.LastChild().(*ast.Heading)
	if !ok || string(src[last.Lines().At(0).Start:last.Lines().At(0).Stop]) != "end" {
		return false
	}
	headings := 0
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if n.Kind() == ast.KindHeading && entering {
			headings++
		}
		return ast.WalkContinue, nil
	})
	return headings == 1
}
