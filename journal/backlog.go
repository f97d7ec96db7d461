package journal

import "strings"

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
