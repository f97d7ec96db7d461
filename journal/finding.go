package journal

import "fmt"

// Finding is a defect or a warning with its position.
type Finding struct {
	File    string `json:"file"`           // as shown to a person
	Line    int    `json:"line"`           // 1-based, 0 where the whole file is meant
	Column  int    `json:"column"`         // 1-based, 0 where unknown
	Rule    string `json:"rule,omitempty"` // D1 … D9 of the loop doctor, "" otherwise
	Field   string `json:"field"`          // section or key
	Read    string `json:"read"`           // what stands there
	Want    string `json:"want"`           // what was expected
	Fix     string `json:"fix,omitempty"`  // what to do next
	Warning bool   `json:"warning,omitempty"`
}

// String gives the finding as one line: file:line:column: field: what was read, what was expected, what would do.
func (f Finding) String() string {
	pos := f.File
	if f.Line > 0 {
		pos = fmt.Sprintf("%s:%d", pos, f.Line)
		if f.Column > 0 {
			pos = fmt.Sprintf("%s:%d", pos, f.Column)
		}
	}
	s := pos + ": " + f.Field
	if f.Read != "" {
		s += ": read " + fmt.Sprintf("%q", f.Read)
	}
	if f.Want != "" {
		s += "; want " + f.Want
	}
	if f.Fix != "" {
		s += "; " + f.Fix
	}
	return s
}
