package markdown

import "strings"

// IgnoreLines lists what .gitignore must say, so that runtime files are not committed.
func IgnoreLines() []string {
	return []string{"/loops/*/state.md", "/loops/*/record.md"}
}

// AddIgnores gives the bytes of .gitignore with the lines that keep runtime files out of git, each once. Nothing else
// changes; line ends are the file's own, and its last line is ended. A missing line goes behind its sibling, else to the
// end. src comes back as it is where both are there and in force: a later line that takes one back means that it is not.
func AddIgnores(src []byte) []byte {
	text := string(src)
	newline := "\n"
	if i := strings.IndexByte(text, '\n'); i > 0 && text[i-1] == '\r' {
		newline = "\r\n"
	}
	for _, line := range IgnoreLines() {
		if ends := endOf(text, line); ends >= 0 {
			continue
		}
		at := len(text)
		for _, sibling := range IgnoreLines() {
			if ends := endOf(text, sibling); ends >= 0 && !strings.Contains(text[ends:], "!") {
				at = ends
			}
		}
		add := line + newline
		if at > 0 && text[at-1] != '\n' {
			add = newline + add
		}
		text = text[:at] + add + text[at:]
	}
	if text == string(src) {
		return src
	}
	return []byte(text)
}

// endOf gives the offset behind the last line that says what line says, -1 where none does or a later one takes it back.
// git reads a pattern with a slash in its middle the same with and without a slash before it.
func endOf(text, line string) int {
	found := -1
	at := len(text) - len(strings.TrimPrefix(text, bom))
	for l := range strings.Lines(text[at:]) {
		at += len(l)
		switch bare := strings.TrimRight(l, " \t\r\n"); strings.TrimPrefix(strings.TrimPrefix(bare, "!"), "/") {
		case line[1:]:
			found = at
			if bare[0] == '!' {
				found = -1
			}
		}
	}
	return found
}
