package contract

import "strings"

// boldLevel is that of a line that is bold and nothing else: below every heading.
const boldLevel = 7

// headingAt gives level and text of a heading, level 0 where the line is none. Headings are written with "#" or underlined
// with "="; a line underlined with "-" or a bold one is one only if it is the contract's, because rules, front matter and
// keys look the same.
func headingAt(lines []line, i int) (level int, name string) {
	s := strings.TrimSpace(lines[i].text)
	if s == "" {
		return 0, ""
	}
	if s[0] == '#' {
		level = len(s) - len(strings.TrimLeft(s, "#"))
		if rest := s[level:]; level <= 6 && (rest == "" || rest[0] == ' ' || rest[0] == '\t') {
			return level, strings.Trim(rest, " \t#"+emphasis)
		}
		return 0, ""
	}
	if strings.HasPrefix(s, "**") && strings.HasSuffix(s, "**") && len(s) < nameMax {
		if name = strings.Trim(s, "*: "); ofContract(name) && !strings.Contains(name, "*") {
			return boldLevel, name
		}
		return 0, ""
	}
	if i+1 == len(lines) || startOf(lines[i].text).list {
		return 0, ""
	}
	under := strings.TrimSpace(lines[i+1].text)
	switch {
	case len(under) > 1 && strings.Trim(under, "=") == "":
		return 1, strings.Trim(s, emphasis)
	case len(under) > 1 && strings.Trim(under, "-") == "" && len(s) < nameMax && ofContract(s):
		return 2, strings.Trim(s, emphasis)
	}
	return 0, ""
}

// underline reports whether a line underlines a heading, or is a rule.
func underline(text string) bool {
	s := strings.TrimSpace(text)
	return len(s) > 1 && (strings.Trim(s, "=") == "" || strings.Trim(s, "- ") == "" || strings.Trim(s, "* ") == "" || strings.Trim(s, "_ ") == "")
}
