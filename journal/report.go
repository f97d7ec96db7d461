package journal

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// outcomeMark begins an outcome line.
const outcomeMark = "LOOP-OUTCOME:"

// ReportStatuses lists the six words of an outcome line.
func ReportStatuses() []ReportStatus {
	return []ReportStatus{ReportShipped, ReportFiled, ReportRejected, ReportEmpty, ReportGateKilled, ReportBlocked}
}

// ParseReport reads an agent's final message; brief is the prompt that it answered, okToken the loop's word for "nothing
// to report" ("" for none). It reads the dictated lines and nothing else (spec/iteration.md, "What the agent dictates"),
// and it never guesses:
//
//   - An outcome line is anchored: it starts its line, after white space, ">" and "**", or in back-ticks as a whole. The
//     words are exactly the six, in lower case; between word and detail stands "—", "–", "-" or ":".
//   - A line that stands in the brief too is a quote, so an echoed template is no report. The last anchored line that is
//     no quote counts, wherever it stands.
//   - An unknown word there, or another anchored line in the same paragraph with another word, is a contract violation,
//     as is no line at all: Status is then "" and Violation says what was found.
//   - "· carry-add: FLAGS" and "· carry-drop: FLAGS" at the end of the line are taken off the detail.
//   - The bullets are those of the block below the line, or where it has none, those directly above it; see dictated.
//   - Only a message without a valid outcome line is searched for a question, and only its last paragraph; see asks.
//
// All texts come back on one line and cut to size, so they can be written to the loop's files.
func ParseReport(text, brief, okToken string) Report {
	trimmed := strings.TrimSpace(strings.TrimPrefix(text, "\ufeff"))
	if okToken != "" && trimmed == okToken {
		return Report{OK: true}
	}
	if trimmed == "" {
		return Report{Violation: "the final message is empty, it has no LOOP-OUTCOME line"}
	}
	lines := splitLines(trimmed)
	r, at := outcome(lines, brief)
	if at >= 0 {
		dictated(lines, at, &r)
	}
	if r.Status == "" {
		r.Question = asks(lines)
	}
	return r
}

// outcome finds the line that counts and reads it. at is -1 where there is none.
func outcome(lines []string, brief string) (r Report, at int) {
	quoted := briefMarks(brief)
	at = -1
	echoed := false
	for i, l := range lines {
		core, ok := anchored(l)
		switch {
		case !ok:
		case quoted[core]:
			echoed = true
		default:
			at = i
		}
	}
	if at < 0 {
		switch {
		case echoed:
			r.Violation = "the only LOOP-OUTCOME lines are quoted from the brief"
		case slices.ContainsFunc(lines, func(l string) bool { return strings.Contains(l, outcomeMark) }):
			r.Violation = "LOOP-OUTCOME stands inside a line, it must begin one"
		default:
			r.Violation = "the final message has no LOOP-OUTCOME line"
		}
		return r, at
	}
	var said []ReportStatus
	for i := paragraphStart(lines, at); i < len(lines) && !blank(lines[i]); i++ {
		core, ok := anchored(lines[i])
		if !ok || quoted[core] {
			continue
		}
		one := readOutcome(core)
		if one.Status == "" {
			return one, at
		}
		if !slices.Contains(said, one.Status) {
			said = append(said, one.Status)
		}
		r = one
	}
	if len(said) > 1 {
		return Report{Violation: fmt.Sprintf("two different LOOP-OUTCOME lines in the last paragraph: %s and %s", said[0], said[1])}, at
	}
	return r, at
}

// briefMarks collects the anchored lines of the brief.
func briefMarks(brief string) map[string]bool {
	quoted := map[string]bool{}
	for l := range strings.SplitSeq(brief, "\n") {
		if core, ok := anchored(l); ok {
			quoted[core] = true
		}
	}
	return quoted
}

// anchored takes what may stand before and around an outcome line off it. ok is false for any other line.
func anchored(line string) (core string, ok bool) {
	if !strings.Contains(line, outcomeMark) {
		return "", false
	}
	s := strings.TrimSpace(line)
	for {
		switch {
		case strings.HasPrefix(s, ">"):
			s = strings.TrimSpace(s[1:])
		case strings.HasPrefix(s, "**"):
			// The other half may stand anywhere: behind the mark, the word or the whole line.
			s = strings.TrimSpace(strings.Replace(s[2:], "**", "", 1))
		case len(s) > 1 && s[0] == '`' && s[len(s)-1] == '`':
			s = strings.TrimSpace(strings.Trim(s, "`"))
		default:
			return s, strings.HasPrefix(s, outcomeMark)
		}
	}
}

// readOutcome reads an anchored line. An unknown word leaves Status empty.
func readOutcome(core string) Report {
	s := strings.TrimSpace(strings.TrimPrefix(core, outcomeMark))
	end := 0
	for end < len(s) && (s[end] >= 'a' && s[end] <= 'z' || s[end] == '_') {
		end++
	}
	status, rest := ReportStatus(s[:end]), s[end:]
	detail, ok := cutSeparator(rest)
	if !ok || !slices.Contains(ReportStatuses(), status) {
		if s == "" {
			return Report{Violation: "the LOOP-OUTCOME line names no status"}
		}
		return Report{Violation: fmt.Sprintf("the LOOP-OUTCOME line says %q, want one of the six words and then — or nothing", OneLine(s, 80))}
	}
	r := Report{Status: status}
	r.Detail = OneLine(carry(detail, &r), sizes.detail)
	return r
}

// cutSeparator takes the separator off what follows the status word. ok is false where something else follows it.
func cutSeparator(rest string) (detail string, ok bool) {
	s := strings.TrimLeft(rest, " \t\u00a0")
	spaced := len(s) < len(rest)
	switch r, size := utf8.DecodeRuneInString(s); r {
	case '—', '–', ':':
		return strings.TrimSpace(s[size:]), true
	case '-':
		// Without a space on one side it would be a longer word.
		next, _ := utf8.DecodeRuneInString(s[size:])
		return strings.TrimSpace(s[size:]), spaced || len(s) == size || unicode.IsSpace(next)
	case '·':
		return s, true
	}
	return "", s == ""
}

// carry takes the directives off the detail: "· carry-add: --a=1 --b · carry-drop: --c". What is no directive stays.
func carry(detail string, r *Report) string {
	parts := strings.Split(detail, "·")
	kept := []string{strings.TrimSpace(parts[0])}
	for _, p := range parts[1:] {
		p = strings.TrimSpace(p)
		if flags, ok := strings.CutPrefix(p, "carry-add:"); ok {
			r.CarryAdd = append(r.CarryAdd, carried(flags)...)
		} else if flags, ok := strings.CutPrefix(p, "carry-drop:"); ok {
			r.CarryDrop = append(r.CarryDrop, carried(flags)...)
		} else {
			kept = append(kept, p)
		}
	}
	return strings.TrimSpace(strings.Join(kept, " · "))
}

// carried splits flags at white space; loopd never interprets one.
func carried(flags string) []string {
	var out []string
	for _, f := range strings.Fields(flags) {
		if f = OneLine(strings.Trim(f, "`*,"), sizes.flag); f != "" && len(out) < sizes.many {
			out = append(out, f)
		}
	}
	return out
}

func splitLines(text string) []string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	return strings.Split(strings.ReplaceAll(text, "\r", "\n"), "\n")
}

func blank(line string) bool { return strings.Trim(line, " \t\u00a0>") == "" }

func paragraphStart(lines []string, at int) int {
	for at > 0 && !blank(lines[at-1]) {
		at--
	}
	return at
}
