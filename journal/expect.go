package journal

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// ExpectationKind says what an expectation looks at.
type ExpectationKind string

// The kinds of expectations. All but ExitStatus ask for exit status 0 too.
const (
	ExitStatus   ExpectationKind = "exit status"
	PrintsText   ExpectationKind = "text in the output"
	MatchesRegex ExpectationKind = "expression in the output"
	NumberIs     ExpectationKind = "number on the last line"
)

// Expectation is what a charter expects of a command, read from the words after the arrow. The zero value expects exit
// status 0.
type Expectation struct {
	Text string // as written
	Kind ExpectationKind
	Exit int    // ExitStatus: the status
	Want string // PrintsText: the text; MatchesRegex: the RE2 expression
	Op   string // NumberIs: one of = < <= > >=
	// Number is the right side of Op; a percent sign is dropped on both sides.
	Number float64
	// Rest holds the words that nothing tests.
	Rest string
	// Fault says why the expectation can never be judged (a bad expression, an exit status over 255), "" for a good one.
	Fault string
}

// Untested reports whether the expectation has words that nothing tests: `check` warns of them.
func (e Expectation) Untested() bool { return e.Rest != "" }

// forms is the table of spec/loop.md ("What an expectation means"). The longest words that begin the text win, whatever
// their case. A form that cannot read what follows its words is no form: then the row "any other words" holds, which is
// exit status 0 and a warning. Words behind a form are not tested; a note in parentheses is not meant to be.
var forms = []struct {
	words string
	read  func(after string) (e Expectation, rest string, ok bool)
}{
	{"passes", exitZero},
	{"succeeds", exitZero},
	{"green", exitZero},
	{"exits with code", exitNumber},
	{"exits with status", exitNumber},
	{"exits with", exitNumber},
	{"exit code", exitNumber},
	{"exit status", exitNumber},
	{"exits", exitNumber},
	{"exit", exitNumber},
	{"contains", quotedText},
	{"prints", quotedText},
	{"matches", expression},
	{"<=", comparison("<=")},
	{"≤", comparison("<=")},
	{">=", comparison(">=")},
	{"≥", comparison(">=")},
	{"==", comparison("=")},
	{"=", comparison("=")},
	{"<", comparison("<")},
	{">", comparison(">")},
}

// ParseExpectation reads the words after the arrow. It never fails: what cannot be judged has a Fault, and words that
// nothing tests are in Rest.
func ParseExpectation(text string) Expectation {
	s := strings.TrimSpace(text)
	if in := strings.Trim(s, "`"); len(s)-len(in) == 2 && strings.HasPrefix(s, "`") && !strings.Contains(in, "`") {
		s = strings.TrimSpace(in)
	}
	s = strings.TrimSpace(strings.Trim(s, "*"))
	e, rest := readForm(s)
	e.Text = strings.TrimSpace(text)
	rest = strings.Trim(rest, " \t.;,*")
	if !strings.HasPrefix(rest, "(") || !strings.HasSuffix(rest, ")") {
		e.Rest = rest
	}
	return e
}

func readForm(s string) (Expectation, string) {
	if strings.Trim(s, ".") == "" {
		return Expectation{Kind: ExitStatus}, ""
	}
	for _, f := range forms {
		if len(s) < len(f.words) || !strings.EqualFold(s[:len(f.words)], f.words) {
			continue
		}
		after := s[len(f.words):]
		next, _ := utf8.DecodeRuneInString(after)
		last, _ := utf8.DecodeLastRuneInString(f.words)
		if unicode.IsLetter(last) && (unicode.IsLetter(next) || unicode.IsDigit(next) || next == '_') {
			continue
		}
		if e, rest, ok := f.read(strings.TrimSpace(after)); ok {
			return e, rest
		}
	}
	return Expectation{Kind: ExitStatus}, s
}

func exitZero(after string) (Expectation, string, bool) {
	return Expectation{Kind: ExitStatus}, after, true
}

func exitNumber(after string) (Expectation, string, bool) {
	digits := after[:len(after)-len(strings.TrimLeft(after, "0123456789"))]
	rest := after[len(digits):]
	if r, _ := utf8.DecodeRuneInString(rest); digits == "" || unicode.IsLetter(r) {
		return Expectation{}, "", false
	}
	n, err := strconv.Atoi(digits)
	e := Expectation{Kind: ExitStatus, Exit: n}
	if err != nil || n > 255 {
		e.Exit, e.Fault = -1, "an exit status is 0 to 255"
	}
	return e, rest, true
}

// quotes are the pairs that a text may stand in.
var quotes = [][2]string{{`"`, `"`}, {"“", "”"}, {"'", "'"}, {"`", "`"}}

func quotedText(after string) (Expectation, string, bool) {
	for _, q := range quotes {
		in, ok := strings.CutPrefix(after, q[0])
		if !ok {
			continue
		}
		end := unescapedIndex(in, q[1])
		if end < 0 {
			return Expectation{}, "", false
		}
		e := Expectation{Kind: PrintsText, Want: strings.ReplaceAll(in[:end], `\`+q[1], q[1])}
		if e.Want == "" {
			e.Fault = "an empty text is in every output"
		}
		return e, in[end+len(q[1]):], true
	}
	return Expectation{}, "", false
}

func expression(after string) (Expectation, string, bool) {
	in, ok := strings.CutPrefix(after, "/")
	if !ok {
		return Expectation{}, "", false
	}
	// An expression may hold slashes: the last one closes it where nothing but a full stop follows.
	end := strings.LastIndex(in, "/")
	if end < 0 || strings.Trim(in[end+1:], " .") != "" {
		end = unescapedIndex(in, "/")
	}
	if end < 0 {
		return Expectation{}, "", false
	}
	e := Expectation{Kind: MatchesRegex, Want: in[:end]}
	rest := in[end+1:]
	switch r, _ := utf8.DecodeRuneInString(rest); {
	case e.Want == "":
		e.Fault = "an empty expression matches every output"
	case unicode.IsLetter(r):
		e.Fault = "letters behind the last slash are not understood; write flags inside, as in /(?i)ok/"
	default:
		if _, err := regexp.Compile(e.Want); err != nil {
			e.Fault = err.Error()
		}
	}
	return e, rest, true
}

func comparison(op string) func(string) (Expectation, string, bool) {
	return func(after string) (Expectation, string, bool) {
		word, rest, _ := strings.Cut(after, " ")
		if bare := strings.TrimRight(word, ".,;"); bare != word {
			word, rest = bare, strings.TrimSpace(rest)
		}
		n, err := readOneNumber(word)
		if err != nil || strings.ContainsFunc(word, unicode.IsLetter) {
			return Expectation{}, "", false
		}
		return Expectation{Kind: NumberIs, Op: op, Number: n}, rest, true
	}
}

// unescapedIndex finds sep where no backslash stands before it, or gives -1.
func unescapedIndex(s, sep string) int {
	for at := 0; ; {
		i := strings.Index(s[at:], sep)
		if i < 0 {
			return -1
		}
		at += i
		if at == 0 || s[at-1] != '\\' {
			return at
		}
		at += len(sep)
	}
}

// Judge compares what a command did with what was expected. got is the actual result in words for the journal, such as
// "exit 1" or "last line 5". Colour codes are not part of the output. An expectation with a Fault is never met.
func (e Expectation) Judge(exit int, stdout, stderr []byte) (ok bool, got string) {
	got = fmt.Sprintf("exit %d", exit)
	switch {
	case e.Fault != "":
		return false, got + ", but " + e.Fault
	case e.Kind == ExitStatus || e.Kind == "":
		return exit == e.Exit, got
	case exit != 0:
		return false, got
	}
	switch e.Kind {
	case PrintsText:
		return found(e.contains(stdout) || e.contains(stderr), got, strconv.Quote(e.Want))
	case MatchesRegex:
		re, err := regexp.Compile(e.Want)
		if err != nil {
			return false, got + ", but " + err.Error()
		}
		return found(re.Match(stripEscapes(stdout)) || re.Match(stripEscapes(stderr)), got, "/"+e.Want+"/")
	case NumberIs:
		n, err := ReadNumber(stdout)
		if err != nil {
			return false, err.Error()
		}
		return e.compare(n), "last line " + FormatNumber(n)
	}
	return false, got + ", but nothing can judge " + string(e.Kind)
}

func (e Expectation) contains(output []byte) bool {
	return bytes.Contains(stripEscapes(output), []byte(e.Want))
}

func found(yes bool, got, what string) (bool, string) {
	if yes {
		return true, got + ", " + what + " found"
	}
	return false, got + ", " + what + " not found"
}

func (e Expectation) compare(n float64) bool {
	switch e.Op {
	case "=":
		return n == e.Number
	case "<":
		return n < e.Number
	case "<=":
		return n <= e.Number
	case ">":
		return n > e.Number
	case ">=":
		return n >= e.Number
	}
	return false
}
