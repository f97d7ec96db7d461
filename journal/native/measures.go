package native

import "loopd/journal"

// Measures reads the sections Verification and Ratchet of another convention's definition, as a charter's are read. file
// is the name that findings show. Without the sections there is nothing, and nothing is missing.
func Measures(file string, src []byte) (checks []journal.Check, ratchet journal.Ratchet, findings []journal.Finding) {
	r := &charterReader{file: file, doc: parseCharter(src), byName: map[string]*section{}}
	r.text = string(r.doc.src)
	if r.doc.deep >= 0 {
		return nil, journal.Ratchet{}, nil // told by the convention's own reader
	}
	for _, s := range r.doc.sections {
		switch {
		case r.byName[s.name] != nil:
		case s.name == "Verification":
			r.byName[s.name] = s
			r.verification(s)
			r.placeholders(s.name, s)
		case s.name == "Ratchet":
			r.byName[s.name] = s
			r.ratchet(s)
			r.keys(s.name, s)
			r.placeholders(s.name, s)
		}
	}
	return r.charter.Verification, r.charter.Ratchet, r.findings
}
