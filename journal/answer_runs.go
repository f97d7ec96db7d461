package journal

import "strings"

// valueLines is how many lines of a value are kept; more do not fit anywhere.
const valueLines = 400

// runReader takes a message apart, line by line.
type runReader struct {
	form   keyedForm
	quotes map[string]bool
	runs   []run
	fence  string   // mark of the open code fence
	shown  bool     // that fence is part of a value
	gap    bool     // a blank line or a fence stands since the last line of a value
	prose  []string // paragraphs since then: of the value if another key of this run follows
	apart  bool     // there are such
	quoted bool     // a deciding key was quoted from the brief
}

// readRuns takes a message apart into runs of keys.
//
// The lines below a key go on with its value. A blank line ends a value of one word, unless it is still to come. Other
// values go on behind it with indented lines, list items and code; with plain paragraphs only if a further key of the same
// run follows, because a closing remark is none of the agent's answers. A new run begins where a key comes again behind a
// gap, or where prose stands in between and the order begins anew.
//
// A code fence that opens inside a value is shown, not said: its lines are text. Any other fence is around the answer and
// counts as a gap.
func (f keyedForm) readRuns(text, brief string) (runs []run, quoted bool) {
	r := runReader{form: f, quotes: f.quotes(strings.TrimPrefix(brief, "\ufeff"))}
	for _, l := range splitLines(strings.TrimPrefix(text, "\ufeff")) {
		r.read(l)
	}
	if s := r.last(); s != nil && f.Open != "" && s.Key == f.Open {
		s.add(r.prose...) // the options of a question
	}
	return r.runs, r.quoted
}

func (r *runReader) read(l string) {
	t := strings.TrimSpace(l)
	key, value, isKey := r.form.cut(l)
	switch mark := FenceMark(l); {
	case r.fence != "" && ClosesFence(l, r.fence):
		r.fence, r.shown, r.gap = "", false, true
	case r.fence == "" && mark != "":
		r.fence, r.shown = mark, r.open()
		r.gap = r.gap || !r.shown
	case isKey && r.quotes[key+":"+BareWord(value)]:
		r.quoted = r.quoted || key == r.form.Decides
		r.gap = true
	case isKey && r.shown:
		r.last().add(t)
		if key == r.form.Decides {
			r.insert(Said{Key: key, lines: []string{value}, Fenced: true})
		}
	case isKey:
		r.begin(Said{Key: key, lines: []string{value}})
	case t == "":
		r.gap = r.gap || !r.shown
	case r.last() == nil || r.quotes[t]:
	default:
		r.more(l, t)
	}
}

// last is the value that goes on, nil before the first key.
func (r *runReader) last() *Said {
	if len(r.runs) == 0 {
		return nil
	}
	now := r.runs[len(r.runs)-1]
	return &now[len(now)-1]
}

// open reports whether what comes now is inside a value.
func (r *runReader) open() bool {
	s := r.last()
	return s != nil && !r.apart && (!r.gap || !r.form.word(s) || s.empty())
}

// insert puts what was shown in front of the value that shows it, so that the value stays the last one.
func (r *runReader) insert(s Said) {
	now := &r.runs[len(r.runs)-1]
	at := len(*now) - 1
	*now = append(*now, (*now)[at])
	(*now)[at] = s
}

func (r *runReader) begin(s Said) {
	n := len(r.runs)
	switch {
	case n == 0, r.gap && r.runs[n-1].has(s.Key), r.apart && !r.form.continues(r.runs[n-1], s.Key):
		r.runs = append(r.runs, run{s})
	default:
		if last := r.last(); !r.form.word(last) {
			last.add(r.prose...)
		}
		r.runs[n-1] = append(r.runs[n-1], s)
	}
	r.gap, r.apart, r.prose = false, false, nil
}

func (r *runReader) more(l, t string) {
	s := r.last()
	item := Indent(l) > 0 || strings.IndexByte("-*+", t[0]) >= 0 || t[0] >= '0' && t[0] <= '9'
	switch {
	case r.shown, !r.gap && !r.apart, !r.apart && s.empty(), !r.apart && item && !r.form.word(s):
		s.add(t)
		r.gap = false
	default:
		r.apart = true
		if len(r.prose) < valueLines {
			r.prose = append(r.prose, t)
		}
	}
}

func (s *Said) add(lines ...string) {
	for _, l := range lines {
		if len(s.lines) < valueLines {
			s.lines = append(s.lines, l)
		}
	}
}
