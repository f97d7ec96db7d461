package journal

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// ParseBacklog reads the check list in a backlog's text: one item a line, any bullet ("-", "*", "+", "1.", "1)"), any
// indentation, box "[ ]", "[x]" or "[X]", the text with or without a strike-through. Lines inside code fences and HTML
// comments do not count, and neither do boxes with another mark. The items share the text's memory: a backlog of some
// megabytes costs one pass.
func ParseBacklog(text string) []Item {
	const mostAtOnce = 1 << 16 // items to make room for before they are seen
	items := make([]Item, 0, min(strings.Count(text, "["), mostAtOnce))
	fence, comment := "", false
	for line, rest := 1, strings.TrimPrefix(text, "\ufeff"); rest != ""; line++ {
		var l string
		l, rest, _ = strings.Cut(rest, "\n")
		if fence == "" && !comment {
			if box, ok := findBox(l); ok {
				items = append(items, Item{Text: unstruck(l[box+1:]), Done: l[box-1] != ' ', Line: line})
				continue
			}
		}
		trimmed := strings.TrimLeft(l, " \t")
		switch {
		case comment:
			comment = !strings.Contains(trimmed, "-->")
		case fence != "":
			if strings.HasPrefix(trimmed, fence) && strings.Trim(trimmed, fence[:1]+" \t\r") == "" {
				fence = ""
			}
		case strings.HasPrefix(trimmed, "```") || strings.HasPrefix(trimmed, "~~~"):
			fence = trimmed[:len(trimmed)-len(strings.TrimLeft(trimmed, trimmed[:1]))]
		case strings.HasPrefix(trimmed, "<!--"):
			comment = !strings.Contains(trimmed, "-->")
		}
	}
	if len(items) == 0 {
		return nil
	}
	return items
}

// StrikeBacklog ticks the items with these 1-based line numbers off: only the bytes of their box and their strike-through
// change. A line that holds no open item is left alone.
func StrikeBacklog(text string, lines []int) string {
	if len(lines) == 0 {
		return text
	}
	wanted := make(map[int]bool, len(lines))
	for _, n := range lines {
		wanted[n] = true
	}
	var out strings.Builder
	out.Grow(len(text) + 5*len(lines))
	line := 0
	for l := range strings.Lines(text) {
		line++
		box, ok := 0, false
		if wanted[line] {
			box, ok = findBox(l)
		}
		if !ok || l[box-1] != ' ' {
			out.WriteString(l)
			continue
		}
		body := strings.TrimSpace(l[box+1:])
		at := strings.Index(l[box+1:], body) + box + 1
		out.WriteString(l[:box-1] + "x]" + l[box+1:at])
		// A body with a strike-through of its own would come apart inside another one.
		if body == "" || strings.Contains(body, "~~") {
			out.WriteString(body)
		} else {
			out.WriteString("~~" + body + "~~")
		}
		out.WriteString(l[at+len(body):])
	}
	return out.String()
}

// AddToBacklog puts new open items behind the last item of the list, in the list's own bullet, indentation and line ends;
// behind the text where it has no list. Texts must be single lines. One that stands open in the list already is not added
// again.
func AddToBacklog(text string, units []string) string {
	items := ParseBacklog(text)
	known := map[string]bool{}
	for _, it := range items {
		known[it.Text] = known[it.Text] || !it.Done
	}
	end, lead, nl := len(text), "- ", "\n"
	if strings.Contains(text, "\r\n") {
		nl = "\r\n"
	}
	if len(items) > 0 {
		end, lead = listEnd(text, items[0].Line, items[len(items)-1].Line)
	}
	var add strings.Builder
	for _, u := range units {
		u = strings.TrimSpace(u)
		if u == "" || known[u] {
			continue
		}
		known[u] = true
		add.WriteString(lead + "[ ] " + u + nl)
	}
	if add.Len() == 0 {
		return text
	}
	if end > 0 && text[end-1] != '\n' {
		return text[:end] + nl + add.String() + text[end:]
	}
	return text[:end] + add.String() + text[end:]
}

// listEnd gives the offset behind the last item, its indented continuation lines included, and the indentation and bullet
// that a new item takes: the first item's, because the last one may be nested.
func listEnd(text string, first, last int) (end int, lead string) {
	line, at := 0, 0
	depth := 0
	for l := range strings.Lines(text) {
		line++
		indent := len(l) - len(strings.TrimLeft(l, " \t"))
		if line == first {
			box, _ := findBox(l)
			lead = l[:box-2]
			if strings.ContainsAny(lead, "0123456789") {
				lead = l[:indent] + "- "
			}
			lead = strings.TrimPrefix(lead, "\ufeff")
		}
		if line == last {
			depth = indent
		}
		if line > last && (strings.TrimSpace(l) == "" || indent <= depth) {
			break
		}
		at += len(l)
	}
	return at, lead
}

// findBox gives the offset of the "]" of a check list item in a line.
func findBox(l string) (int, bool) {
	i := 0
	if strings.HasPrefix(l, "\ufeff") {
		i = len("\ufeff")
	}
	for i < len(l) && (l[i] == ' ' || l[i] == '\t') {
		i++
	}
	switch start := i; {
	case i == len(l):
		return 0, false
	case l[i] == '-' || l[i] == '*' || l[i] == '+':
		i++
	default:
		for i < len(l) && l[i] >= '0' && l[i] <= '9' {
			i++
		}
		if i == start || i == len(l) || l[i] != '.' && l[i] != ')' {
			return 0, false
		}
		i++
	}
	space := i
	for i < len(l) && (l[i] == ' ' || l[i] == '\t') {
		i++
	}
	if i == space || i+2 >= len(l) || l[i] != '[' || l[i+2] != ']' || l[i+1] != ' ' && l[i+1] != 'x' && l[i+1] != 'X' {
		return 0, false
	}
	if i+3 < len(l) && l[i+3] != ' ' && l[i+3] != '\t' && l[i+3] != '\r' && l[i+3] != '\n' {
		return 0, false // "[x](link)"
	}
	return i + 2, true
}

func unstruck(s string) string {
	s = strings.TrimSpace(s)
	if in, ok := strings.CutPrefix(s, "~~"); ok {
		if in, ok := strings.CutSuffix(in, "~~"); ok && !strings.Contains(in, "~~") {
			return strings.TrimSpace(in)
		}
	}
	return s
}

// UnitTag is the name of a backlog item in the brief and in a report: "[B3]" is the third item of the list, done ones
// counted, so that a tag names the same item for as long as nobody reorders the list (spec/decisions.md 24).
func UnitTag(index int) string { return "[B" + strconv.Itoa(index+1) + "]" }

// MatchUnit finds the open backlog item that a report's unit means: by its tag, else by its whole text, else by a prefix
// that is unique (spec/decisions.md 24). Case, spaces and Markdown emphasis do not count. Where ok is false nothing may be
// struck through, and why says in words what was in the way.
func MatchUnit(items []Item, unit string) (index int, ok bool, why string) {
	tag, text := cutTag(unit)
	text = plainUnit(text)
	switch {
	case tag == "" && text == "":
		return 0, false, "the report names no unit"
	case tag != "":
		return matchTag(items, tag, text)
	}
	struck, found, twin := false, -1, -1
	for i, it := range items {
		prefix, whole := begins(it.Text, text)
		switch {
		case whole && !it.Done:
			return i, true, ""
		case it.Done:
			struck = struck || whole
		case prefix && found < 0:
			found = i
		case prefix && twin < 0:
			twin = i
		}
	}
	switch {
	case struck:
		return 0, false, fmt.Sprintf("unit %q is struck through already", text)
	case twin >= 0:
		return 0, false, fmt.Sprintf("unit %q begins more than one backlog item (%s, %s)", text, UnitTag(found), UnitTag(twin))
	case found < 0:
		return 0, false, fmt.Sprintf("unit %q is not in the backlog", text)
	}
	return found, true, ""
}

// matchTag takes the numbered item, unless the words beside the number are another open item's: then neither is sure.
func matchTag(items []Item, tag, text string) (int, bool, string) {
	n, err := strconv.Atoi(tag)
	if err != nil || n < 1 || n > len(items) {
		return 0, false, fmt.Sprintf("the backlog has no item B%s", tag)
	}
	if items[n-1].Done {
		return 0, false, fmt.Sprintf("item B%s is struck through already", tag)
	}
	if text != "" && plainUnit(items[n-1].Text) != text {
		for i, it := range items {
			if !it.Done && i != n-1 && plainUnit(it.Text) == text {
				return 0, false, fmt.Sprintf("the report says B%s, but its words are those of B%d", tag, i+1)
			}
		}
	}
	return n - 1, true, ""
}

// cutTag splits "[B3] text", "B3: text" or "B3" into number and text.
func cutTag(unit string) (number, text string) {
	s := strings.TrimLeft(strings.TrimSpace(unit), "`*_ ")
	in, bracket := strings.CutPrefix(s, "[")
	if len(in) < 2 || in[0] != 'B' && in[0] != 'b' {
		return "", unit
	}
	end := 1
	for end < len(in) && in[end] >= '0' && in[end] <= '9' {
		end++
	}
	rest := in[end:]
	switch {
	case end == 1:
		return "", unit
	case bracket:
		if rest, bracket = strings.CutPrefix(rest, "]"); !bracket {
			return "", unit
		}
	case rest != "" && rest[0] != ':' && strings.Trim(rest, "`*_ ") != "":
		return "", unit // "B3 is broken" is a text
	}
	return in[1:end], strings.TrimLeft(rest, " \t:·—–-`*_")
}

// plainUnit makes two ways to write one unit equal.
func plainUnit(s string) string {
	s = strings.ToLower(strings.NewReplacer("`", "", "*", "").Replace(uncut(s)))
	return strings.TrimRight(strings.Join(strings.Fields(s), " "), " .")
}

// begins says whether plainUnit(item) begins with want, which went through plainUnit, and whether it is the whole of it. It
// makes no copies: a backlog may hold forty thousand items.
func begins(item, want string) (prefix, whole bool) {
	space, any := false, false
	for _, r := range uncut(item) {
		switch {
		case r == '`' || r == '*':
			continue
		case unicode.IsSpace(r):
			space = any
			continue
		}
		if space && want != "" {
			if want[0] != ' ' {
				return false, false
			}
			want = want[1:]
		}
		space, any = false, true
		next, size := utf8.DecodeRuneInString(want)
		switch {
		case want == "" && r != '.':
			return true, false
		case want == "":
		case next != unicode.ToLower(r):
			return false, false
		default:
			want = want[size:]
		}
	}
	return want == "", want == ""
}

// uncut drops the strike-through, and the mark of a text that was cut to size.
func uncut(s string) string {
	s = unstruck(s)
	if cut, ok := strings.CutSuffix(s, "…"); ok {
		return cut
	}
	return strings.TrimSuffix(s, "...")
}
