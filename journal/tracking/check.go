package tracking

import (
	"strings"

	"loopd/journal"
)

// noCheck stands where a loop has no check.
const noCheck = "(none — the loop agent judges)"

// plainCheck is a command as it is kept: line ends of all kinds are "\n", blanks around the whole are gone. Nothing inside
// a line changes, because a command means its blanks.
func plainCheck(command string) string {
	command = strings.ReplaceAll(strings.ReplaceAll(command, "\r\n", "\n"), "\r", "\n")
	if blank(command) {
		return ""
	}
	if command = strings.Trim(command, "\n"); !strings.Contains(command, "\n") {
		command = strings.TrimSpace(command)
	}
	return command
}

// renderCheck writes what stands behind "- **Check:**": the command as it is; in back-ticks where it would be read as
// something else; in a fence below the bullet where it has several lines.
func renderCheck(command string) string {
	command = plainCheck(command)
	switch {
	case command == "":
		return " " + noCheck
	case strings.Contains(command, "\n"):
		fence := ticks(command, 3)
		var b strings.Builder
		b.WriteString("\n  " + fence + "sh\n")
		for l := range strings.SplitSeq(command, "\n") {
			if l != "" {
				l = "  " + l
			}
			b.WriteString(l + "\n")
		}
		return b.String() + "  " + fence
	case readCheck(command) == command:
		return " " + command
	}
	fence := ticks(command, 1)
	return " " + fence + " " + command + " " + fence
}

// readCheck reads the command in a bullet's line, "" for none.
func readCheck(value string) string {
	value = strings.TrimSpace(value)
	low := strings.ToLower(value)
	if low == "none" || strings.HasPrefix(low, "(none") && strings.HasSuffix(low, ")") {
		return ""
	}
	if code, ok := wholeSpan(value); ok {
		return code
	}
	return value
}

// wholeSpan gives the inside of a code span that is all of a value: "`a` && `b`" is none, it is a command of the shell.
func wholeSpan(value string) (code string, ok bool) {
	run := len(value) - len(strings.TrimLeft(value, "`"))
	if run == 0 || len(value) <= 2*run {
		return "", false
	}
	for at := run; at < len(value); {
		i := strings.IndexByte(value[at:], '`')
		if i < 0 {
			return "", false
		}
		at += i
		n := len(value[at:]) - len(strings.TrimLeft(value[at:], "`"))
		if n == run {
			code = strings.TrimSpace(value[run:at])
			return code, at+n == len(value) && code != ""
		}
		at += n
	}
	return "", false
}

// ticks is a run of back-ticks that is longer than any in text, and at least so long.
func ticks(text string, least int) string {
	run := 0
	for _, c := range []byte(text) {
		if c != '`' {
			run = 0
			continue
		}
		run++
		least = max(least, run+1)
	}
	return strings.Repeat("`", least)
}

// fencedCheck reads a command in the code fence that opens at lines[i].
func fencedCheck(lines []line, i int) (command string, ok bool) {
	mark := journal.FenceMark(lines[i].text)
	if mark == "" {
		return "", false
	}
	end, closed := fenceEnd(lines, i, mark)
	if !closed {
		return "", false
	}
	depth := journal.Indent(lines[i].text)
	var out []string
	for _, l := range lines[i+1 : end] {
		n := 0
		for n < min(depth, len(l.text)) && l.text[n] == ' ' {
			n++
		}
		out = append(out, l.text[n:])
	}
	return plainCheck(strings.Join(out, "\n")), true
}

// visible reports whether a person who looks at a command sees all of it: no control, direction or zero-width characters.
func visible(command string) bool {
	for l := range strings.SplitSeq(plainCheck(command), "\n") {
		seen := strings.ReplaceAll(strings.Join(strings.Fields(l), " "), "<!--", "<!- -")
		if journal.OneLine(l, 0) != seen {
			return false
		}
	}
	return true
}
