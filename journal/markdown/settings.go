package markdown

import (
	"slices"
	"strings"

	"loopd/journal"
)

// settings reads a section of keys and values line by line: in Markdown a key and the value below it are one paragraph. A
// key of another kind ends the value before it; a key that is nearly a known one is a defect, it would be passed over.
func (r *reader) settings(s *section) []setting {
	var out []setting
	open := false // the last key goes on
	at := s.from
	for l := range strings.SplitAfterSeq(string(r.doc.src[min(s.from, s.to):s.to]), "\n") {
		text := strings.TrimSpace(l)
		from := at + strings.Index(l, text)
		at += len(l)
		if text == "" || isFence(text) || isDelimiterRow(text) {
			continue
		}
		k, value := policyKey(text)
		known := slices.IndexFunc(policyKeys, func(p string) bool { return sameName(p, k) })
		switch {
		case k != "" && known >= 0:
			out = append(out, setting{key: policyKeys[known], at: from})
			open = true
			if value = strings.TrimSpace(value); value != "" {
				last := &out[len(out)-1]
				last.lines, last.ats = append(last.lines, value), append(last.ats, from)
			}
		case k != "" && strings.EqualFold(k, "optional"):
			open = false
		case k != "" && journal.Nearest(k, policyKeys) != "":
			open = false
			near := journal.Nearest(k, policyKeys)
			r.defect(runPolicy+" "+near, from, k, near+":", "write the key so: it is not read otherwise")
		case k != "" && !indentedLine(l):
			open = false // a key of somebody's own
		case open:
			last := &out[len(out)-1]
			last.lines, last.ats = append(last.lines, withoutMark(text)), append(last.ats, from)
		}
	}
	return out
}

func indentedLine(l string) bool { return l[0] == ' ' || l[0] == '\t' }

// policyKey takes the key off a line, which may be a bullet, a heading or a row of a table.
func policyKey(text string) (k, value string) {
	if strings.HasPrefix(text, "|") {
		c := cells(text)
		return strings.Trim(c[0], "*_`"), strings.Join(c[1:], " ")
	}
	bare := withoutMark(text)
	if title := strings.TrimLeft(bare, "#"); title != bare && strings.HasPrefix(title, " ") {
		return strings.Trim(strings.TrimSpace(title), ":#* "), ""
	}
	return cutKey(bare)
}

// withoutMark takes list markers and check boxes off a line.
func withoutMark(text string) string {
	s := strings.TrimLeft(text, "> ")
	if len(s) > 1 && strings.IndexByte("-*+", s[0]) >= 0 && (s[1] == ' ' || s[1] == '\t') {
		return withoutBox(strings.TrimSpace(s[1:]))
	}
	digits := len(s) - len(strings.TrimLeft(s, "0123456789"))
	if rest := s[digits:]; digits > 0 && len(rest) > 1 && (rest[0] == '.' || rest[0] == ')') && rest[1] == ' ' {
		return withoutBox(strings.TrimSpace(rest[1:]))
	}
	return s
}
