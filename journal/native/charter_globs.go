package native

import (
	"path"
	"regexp"
	"strings"
	"sync"
)

// note is a remark in parentheses at the end of a value.
var note = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\s+\([^()]*\)\s*\.?$`) })

// listWord is one word of a list; ticked says that it stood in back-ticks, so that every character of it is meant.
type listWord struct {
	text   string
	ticked bool
}

// listOf takes a value apart at commas and "and"; of a part with back-ticks, what stands in them counts. The items of a
// list below the bullet belong to it.
func listOf(b bullet) []listWord {
	var out []listWord
	for _, v := range append([]bullet{b}, b.parts...) {
		for _, part := range partsOf(note().ReplaceAllString(v.value, "")) {
			if strings.Contains(part, "`") {
				for rest := part; ; {
					_, code, after, ok := codeSpan(rest)
					if !ok {
						break
					}
					out = append(out, listWord{strings.TrimSpace(code), true})
					rest = after
				}
				continue
			}
			for g := range strings.SplitSeq(part, ",") {
				g = note().ReplaceAllString(strings.TrimSpace(g), "")
				if n := len(g); n > 1 && g[n-1] == '.' && g[n-2] != '.' && g[n-2] != '/' {
					g = g[:n-1]
				}
				if g != "" && g != "-" && g != "—" && !strings.EqualFold(g, "none") {
					out = append(out, listWord{g, false})
				}
			}
		}
	}
	return out
}

// globs reads a list of globs. What cannot match a path of the working tree protects nothing, and is a defect.
func (r *charterReader) globs(rule, field string, b bullet) []string {
	if unsaid(b.value) {
		return nil
	}
	var out []string
	for _, w := range listOf(b) {
		g := w.text
		_, bad := path.Match(strings.ReplaceAll(g, "**", "*"), "x")
		switch {
		case !w.ticked && strings.ContainsAny(g, " \t"):
			r.defect(rule, field, b.at, g, "globs such as tests/**, check.sh", "words match no path; put a path with blanks into back-ticks")
		case strings.HasPrefix(g, "!"):
			r.defect(rule, field, b.at, g, "globs such as tests/**, check.sh", "an exception is not supported: name what is meant")
		case g == ".." || strings.HasPrefix(g, "../") || strings.Contains(g, "/../") || strings.HasPrefix(g, "~"):
			r.defect(rule, field, b.at, g, "a path inside the working tree", "only paths of the working tree are watched")
		case bad != nil:
			r.defect(rule, field, b.at, g, "a glob whose brackets close", "write \\[ for a bracket")
		default:
			out = append(out, g)
		}
	}
	return out
}
