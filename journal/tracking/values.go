package tracking

import (
	"fmt"
	"strconv"
	"strings"

	"loopd/journal"
)

// missing reports a field that is not there, with the bullet that may have been meant.
func (p *page) missing(all []field, name, want string, warning bool) {
	f := journal.Finding{Field: name, Want: want, Fix: fmt.Sprintf("add the bullet \"- **%s:** …\" above the table", name), Warning: warning}
	for _, other := range all {
		if !other.known && journal.Nearest(other.name, fieldNames()) == name {
			f.Read = other.name
			f.Fix = "spell it " + name
			p.defect(other.line, p.lines[other.line].at, f)
			return
		}
	}
	p.defect(-1, 0, f)
}

func (p *page) prose(all []field, name, want string) string {
	f, ok := p.fields[name]
	text := journal.OneLine(f.text(), 0)
	switch {
	case !ok:
		p.missing(all, name, want, false)
	case text == "":
		p.defect(f.line, f.at, journal.Finding{Field: name, Want: want + "; the field is empty", Fix: "write it behind the colon"})
	}
	return text
}

func (p *page) readCheck(all []field) {
	f, ok := p.fields[checkField]
	if !ok {
		p.missing(all, checkField, "a command, or "+noCheck+", as it reads now", true)
		return
	}
	value := f.value
	fenced := ""
	if value == "" {
		next := f.next
		for next < len(p.lines) && blank(p.lines[next].text) {
			next++
		}
		if next < len(p.lines) {
			fenced, _ = fencedCheck(p.lines, next)
		}
		if fenced == "" && len(f.more) == 1 {
			value, f.more = f.more[0], nil
		}
	}
	switch {
	case fenced != "":
		p.doc.Check = fenced
	case value == "" && len(f.more) == 0:
		p.defect(f.line, f.at, journal.Finding{Field: checkField, Want: "a command, or " + noCheck + ", as it reads now", Warning: true})
	case len(f.more) > 0:
		p.defect(f.line, f.at, journal.Finding{Field: checkField, Read: f.text(), Want: "a command on one line", Fix: "join the lines, or put them into a code fence below the bullet"})
	default:
		p.doc.Check = readCheck(value)
	}
	if !visible(p.doc.Check) {
		p.defect(f.line, f.at, journal.Finding{Field: checkField, Read: p.doc.Check, Want: "a command without control or invisible characters", Fix: "put it into a script"})
		p.doc.Check = ""
	}
}

func (p *page) readMax(all []field) {
	f, ok := p.fields[maxField]
	if !ok {
		p.missing(all, maxField, "how many iterations at most", false)
		return
	}
	word, at := f.word()
	n, err := strconv.Atoi(word)
	if len(f.more) > 0 || word == "" || strings.Trim(word, "0123456789") != "" || err != nil || n < 1 || n > mostIterations {
		p.defect(f.line, at, journal.Finding{Field: maxField, Read: f.text(), Want: fmt.Sprintf("a whole number from 1 to %d and nothing else", mostIterations)})
		return
	}
	p.doc.Max = n
}

func (p *page) readStatus(all []field) {
	f, ok := p.fields[statusField]
	if !ok {
		p.missing(all, statusField, statusWords, false)
		return
	}
	word, at := f.word()
	s := Status(strings.ToLower(word))
	if !s.known() || len(f.more) > 0 {
		p.defect(f.line, at, journal.Finding{Field: statusField, Read: f.text(), Want: statusWords + " and nothing else"})
		return
	}
	p.doc.Status = s
}
