package markdown

import (
	"strings"
	"time"

	"loopd/journal"
)

// Entry is one entry of record.md: a heading of level two and what stands below it.
type Entry struct {
	Heading string // without its "##"
	Text    string // as written, heading included
	Line    int    // 1-based
}

// IsActivation reports whether it is an activation entry; other tools put a time behind the word.
func (e Entry) IsActivation() bool {
	word, _, _ := strings.Cut(e.Heading, " ")
	return strings.EqualFold(strings.Trim(word, "*_:"), "activation")
}

// ReadRecord reads the entries of record.md, oldest first; file is its name as a person knows it. Headings in code blocks
// do not count. What stands before the first heading belongs to no entry. Only a file that is no text is a defect.
func ReadRecord(file string, src []byte) ([]Entry, []journal.Finding) {
	if at := notText(src); at >= 0 {
		return nil, []journal.Finding{{File: file, Line: 1 + strings.Count(string(src[:at]), "\n"), Column: 1, Field: "record.md",
			Read: "bytes that are no text", Want: "Markdown in UTF-8", Fix: "move the file away; a new one begins with the next activation"}}
	}
	text := string(src)
	fences := &fenceFinder{text: text}
	var out []Entry
	from, fenceTo, number := 0, 0, 0
	for at := len(text) - len(strings.TrimPrefix(text, bom)); at < len(text); {
		end := at + lineLen(text[at:])
		line := strings.TrimRight(text[at:end], " \t\r\n")
		number++
		switch {
		case at < fenceTo:
		case isFence(strings.TrimLeft(line, " \t")):
			fenceTo = fences.end(at, strings.TrimLeft(line, " \t"))
		case strings.HasPrefix(line, "## ") || line == "##":
			if n := len(out); n > 0 {
				out[n-1].Text = text[from:at]
			}
			out = append(out, Entry{Heading: strings.TrimSpace(strings.TrimLeft(line, "#")), Line: number})
			from = at
		}
		at = end
	}
	if n := len(out); n > 0 {
		out[n-1].Text = text[from:]
	}
	return out, nil
}

// LastActivation reads the newest activation entry. ok is false where the record has none, or only the empty one of the
// template.
func LastActivation(entries []Entry) (a Activated, ok bool) {
	for i := len(entries) - 1; i >= 0; i-- {
		if !entries[i].IsActivation() {
			continue
		}
		if a = readActivation(entries[i].Text); a.Loop != "" || a.By != "" || a.Confirmation != "" || !a.At.IsZero() {
			return a, true
		}
	}
	return Activated{}, false
}

func readActivation(text string) Activated {
	src := []byte(text)
	var a Activated
	all, _ := places(src)
	for _, p := range all {
		value := p.value(src)
		switch plainWords(text[p.nameFrom:p.nameTo]) {
		case "loop":
			a.Loop = value
		case "activated at":
			a.At = readTime(value)
		case "activated by":
			a.By = value
		case "initial summary":
			a.Summary = value
		case "confirmation":
			a.Confirmation = strings.TrimSpace(text[p.lines[0][0]:p.lines[0][1]])
			for _, l := range p.lines[1:] {
				if k, v, ok := strings.Cut(withoutMark(strings.TrimSpace(text[l[0]:l[1]])), ": "); ok {
					a.Details = append(a.Details, Detail{Name: k, Value: v})
				}
			}
		}
	}
	return a
}

// timeForms are the times that records of other tools have, beside RFC 3339.
var timeForms = []string{time.RFC3339, "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02T15:04", "2006-01-02 15:04", time.DateOnly}

func readTime(s string) time.Time {
	for _, form := range timeForms {
		if t, err := time.Parse(form, s); err == nil {
			return t
		}
	}
	return time.Time{}
}
