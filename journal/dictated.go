package journal

import (
	"strings"
	"unicode/utf8"
)

// sizes are the most characters that a dictated value keeps, and how many of a kind are kept. A journal entry has at most
// 8 KiB.
var sizes = struct{ unit, did, next, flag, sign, split, detail, many int }{
	unit: 500, did: 1000, next: 500, flag: 300, sign: 300, split: 500, detail: 500, many: 20,
}

// keys are the bullets that an agent dictates.
var keys = []string{"Unit", "Did", "Next", "Flags", "Sign", "Split"}

// bullet is one dictated line as read: a known key and its value.
type bullet struct{ key, value string }

// dictated reads the bullets around the outcome line at lines[at].
//
// The block below it counts: known bullets, blank lines, code fences and bullets of other kinds, up to a heading or to
// prose that follows the first known bullet. Indented lines continue a value. Where that block has no known bullet, the
// bullets directly above the outcome line count, with at most one blank line between: an agent may answer in that order.
// Of a key that may not repeat, the last one in the block wins; so bullets in earlier prose or in a quoted brief do not.
// A value that is still the template's ("…", "<…>") is none.
func dictated(lines []string, at int, r *Report) {
	found := readBullets(lines[at+1:])
	if len(found) == 0 {
		end := at
		if end > 0 && blank(lines[end-1]) {
			end--
		}
		start := end
		for start > 0 && (isListLine(lines[start-1]) || isContinued(lines[start-1])) {
			start--
		}
		found = readBullets(lines[start:end])
	}
	for _, b := range found {
		switch b.key {
		case "Unit":
			r.Unit = OneLine(b.value, sizes.unit)
		case "Did":
			r.Did = OneLine(b.value, sizes.did)
		case "Next":
			r.Next = OneLine(b.value, sizes.next)
		case "Sign":
			r.Sign = OneLine(b.value, sizes.sign)
		case "Flags":
			r.Flags = readFlags(b.value)
		case "Split":
			if s := OneLine(withoutBox(b.value), sizes.split); s != "" && len(r.Split) < sizes.many {
				r.Split = append(r.Split, s)
			}
		}
	}
}

func readBullets(lines []string) []bullet {
	var out []bullet
	open := false // the last bullet may be continued
	for _, l := range lines {
		s := unquoted(l)
		b, known := readBullet(s)
		switch {
		case known:
			out = append(out, b)
			open = true
		case s == "" || strings.HasPrefix(s, "```") || strings.HasPrefix(s, "~~~"):
			open = false
		case strings.HasPrefix(s, "#"):
			return clearTemplates(out)
		case open && isContinued(l):
			out[len(out)-1].value += " " + s
		case isListLine(l):
			open = false
		case len(out) > 0:
			return clearTemplates(out)
		}
	}
	return clearTemplates(out)
}

// readBullet reads "- Unit: x", "* **Unit:** x", "Unit: x" and the like.
func readBullet(s string) (bullet, bool) {
	s = strings.TrimSpace(strings.TrimLeft(s, "-*+•"))
	name, value, ok := strings.Cut(s, ":")
	if !ok || len(name) > 16 {
		return bullet{}, false
	}
	name = strings.Trim(name, "*_ `")
	for _, k := range keys {
		if strings.EqualFold(name, k) {
			value = strings.TrimSpace(value)
			if strings.HasPrefix(value, "**") { // "**Unit:** x"
				value = strings.TrimSpace(value[2:])
			}
			return bullet{k, value}, true
		}
	}
	return bullet{}, false
}

// clearTemplates empties the values that are still the brief's template, and drops their bullets.
func clearTemplates(in []bullet) []bullet {
	out := in[:0]
	for _, b := range in {
		if v := strings.Trim(b.value, " .…`*"); v != "" && (v[0] != '<' || v[len(v)-1] != '>' || strings.Count(v, "<") > 1) {
			out = append(out, b)
		}
	}
	return out
}

func unquoted(l string) string { return strings.TrimLeft(strings.TrimSpace(l), "> ") }

func isListLine(l string) bool {
	s := unquoted(l)
	if _, known := readBullet(s); known {
		return true
	}
	r, size := utf8.DecodeRuneInString(s)
	return strings.ContainsRune("-*+•", r) && len(s) > size && (s[size] == ' ' || s[size] == '\t')
}

func isContinued(l string) bool {
	return strings.TrimSpace(l) != "" && (l[0] == ' ' || l[0] == '\t')
}

func readFlags(value string) []string {
	var out []string
	for f := range strings.SplitSeq(value, "|") {
		f = OneLine(strings.Trim(f, " `*"), sizes.flag)
		if f == "" || strings.EqualFold(strings.TrimRight(f, "."), "none") || len(out) == sizes.many {
			continue
		}
		out = append(out, f)
	}
	return out
}

// withoutBox takes list markers and check boxes off a new item: it gets its own.
func withoutBox(s string) string {
	for {
		t := strings.TrimSpace(s)
		for _, p := range []string{"- ", "* ", "+ ", "[ ]", "[x]", "[X]"} {
			t = strings.TrimPrefix(t, p)
		}
		if t == s {
			return s
		}
		s = t
	}
}
