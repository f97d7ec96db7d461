package contract

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
)

var (
	// nothing are the words that stand for no value, alone or with a remark in parentheses.
	nothing = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^(?:- )?(?:n ?/? ?a|n\.a|none|nil|null|unknown|not applicable|not sure|pending|` +
			`not (?:yet )?(?:known|decided|defined|set)|tbd|tba|tbc|todo|to do|fixme|xxx+|` +
			`to be (?:decided|defined|determined|done|confirmed))(?: yet| known| so far| for now)?(?:\s*\(.*\))?$`)
	})
	// later are marks of what is still to be written; what stands behind them is no value either. "TODO lines in work.txt"
	// is one.
	later = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^(?:(?:tbd|tba|tbc|to be (?:decided|defined|determined|confirmed))\b|` +
			`(?:todo|fixme)(?:\s*\([^()]*\))?\s*[:,;/—–-])|TODO\(you\)`)
	})
	// placeholder is a template's "<words>", or several of them.
	placeholder = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:[<{[]+\s*[\p{L}_.…$][^<>{}\[\]:@]*[>}\]]+[\s,;|/]*)+$`)
	})
)

// unsaid reports whether a value is none (spec/dialects.md): nothing, a dash, "n/a", "TBD.", "**todo**", "<your
// words>".
func unsaid(text string) bool {
	s := strings.Trim(text, emphasis+" \t.,;:!?…\"'“”")
	if strings.HasPrefix(s, "(") && strings.HasSuffix(s, ")") {
		s = strings.Trim(s[1:len(s)-1], emphasis+" ")
	}
	if !strings.ContainsFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '∞' }) {
		return true
	}
	if len(s) > 400 {
		return later().MatchString(s)
	}
	return nothing().MatchString(s) || later().MatchString(s) || placeholder().MatchString(strings.Trim(text, emphasis+" ."))
}

// templateCommand reports whether a value begins with a command that is a template's: "`<test command>` exits 0".
func templateCommand(text string) bool {
	spans := spansOf(text)
	return len(spans) > 0 && spans[0].from == 0 && isPlaceholder(spans[0].code)
}
