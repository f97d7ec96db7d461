package journal

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// CheckName says why a word cannot be the name of a loop, nil where it can. A name is one folder: it holds no slash, does
// not begin with a dot or a dash (".loop/.x" is not a loop, "-x" is a flag), and has no control characters or blanks at
// its ends.
func CheckName(name string) error {
	switch {
	case name == "":
		return fmt.Errorf("a loop has a name")
	case strings.ContainsAny(name, `/\`):
		return fmt.Errorf("loop name %q holds a slash: give the name alone", name)
	case name[0] == '.':
		return fmt.Errorf("loop name %q begins with a dot", name)
	case name[0] == '-':
		return fmt.Errorf("loop name %q begins with a dash", name)
	case len(name) > 200:
		return fmt.Errorf("loop name %.20q… is longer than 200 bytes", name)
	case !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl) || strings.TrimSpace(name) != name:
		return fmt.Errorf("loop name %q holds characters that cannot be typed", name)
	}
	return nil
}
