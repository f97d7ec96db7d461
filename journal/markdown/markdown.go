package markdown

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"loopd/journal"
	"loopd/journal/native"
)

// Markdown is the dialect of the markdown loop protocol.
type Markdown struct{}

var _ journal.Dialect = Markdown{}

// Name is "markdown".
func (Markdown) Name() string { return "markdown" }

// The files of a loop, below loops/<name>. A definition has exactly this name: loop.md is another file.
const (
	DefinitionFile = "LOOP.md"
	StateFile      = "state.md"
	RecordFile     = "record.md"
	folder         = "loops"
	fileMost       = 16 << 20 // bytes
)

// Find lists loops/*/LOOP.md under root, the name in exact case whatever the file system thinks.
func (m Markdown) Find(root string) ([]journal.Ref, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return nil, fmt.Errorf("find loops: %w", err)
	}
	base := filepath.Join(root, folder)
	entries, err := os.ReadDir(base)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		if info, serr := os.Stat(base); serr == nil && !info.IsDir() {
			return nil, nil // a file of that name is not ours
		}
		return nil, fmt.Errorf("find loops: %w", err)
	}
	var out []journal.Ref
	for _, e := range entries {
		dir := filepath.Join(base, e.Name())
		files, err := os.ReadDir(dir)
		if err != nil || journal.CheckName(e.Name()) != nil {
			continue
		}
		if slices.ContainsFunc(files, func(f fs.DirEntry) bool { return f.Name() == DefinitionFile && !f.IsDir() }) {
			out = append(out, journal.Ref{Name: e.Name(), Dialect: m.Name(), Root: root, Dir: dir, File: filepath.Join(dir, DefinitionFile)})
		}
	}
	return out, nil
}

// Misnamed gives the file that stands in the place of a definition under another case, "" for none: the protocol's text
// wants a person to be asked before it is renamed or replaced.
func Misnamed(root, name string) string {
	dir := filepath.Join(root, folder, name)
	files, err := os.ReadDir(dir)
	if err != nil {
		return ""
	}
	for _, f := range files {
		if f.Name() != DefinitionFile && strings.EqualFold(f.Name(), DefinitionFile) {
			return filepath.Join(dir, f.Name())
		}
	}
	return ""
}

// statuses says what a status of state.md is for the engine, and how it is written. Waiting is active too.
var statuses = []struct {
	here   journal.Status
	engine journal.Status
}{{Running, journal.Active}, {Waiting, journal.Active}, {Paused, journal.Blocked}, {Completed, journal.Done}, {Stopped, journal.Retired}}

func (m Markdown) shown(ref journal.Ref, name string) string {
	path := filepath.Join(ref.Dir, name)
	if rel, err := filepath.Rel(ref.Root, path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return path
}

// Load reads definition, state and record.
func (m Markdown) Load(ref journal.Ref) (journal.Loop, error) {
	l := journal.Loop{Name: ref.Name, Dialect: m.Name(), Root: ref.Root, Dir: ref.Dir}
	read := func(name string) ([]byte, error) {
		src, err := os.ReadFile(filepath.Join(ref.Dir, name))
		if err == nil && len(src) > fileMost {
			l.Findings = append(l.Findings, journal.Finding{File: m.shown(ref, name), Line: 1, Field: name, Read: fmt.Sprintf("%d bytes", len(src)), Want: fmt.Sprintf("at most %d", fileMost)})
			src = nil
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("read loop %s: %w", ref.Name, err)
		}
		return src, nil
	}
	src, err := read(DefinitionFile)
	if err != nil {
		return l, err
	}
	d, findings := Read(m.shown(ref, DefinitionFile), src)
	l.Findings = append(l.Findings, findings...)
	l.Charter = charterOf(d, journal.Charter{File: ref.File, Source: src})
	if d.Verification != "" || d.Ratchet != "" {
		var more []journal.Finding
		l.Charter.Verification, l.Charter.Ratchet, more = native.Measures(m.shown(ref, DefinitionFile), src)
		l.Charter.Unmanaged = false // it declares what loopd checks: then git is loopd's too (spec/dialects.md)
		l.Findings = append(l.Findings, more...)
	}
	l.State = journal.State{Name: ref.Name, Status: journal.Designed}
	l.State.Promotion.Mode = journal.ProposeOnly
	raw, err := read(StateFile)
	if err != nil {
		return l, err
	}
	if raw != nil {
		s, findings := ReadState(m.shown(ref, StateFile), raw)
		l.Findings = append(l.Findings, findings...)
		l.HasState, l.State.Raw, l.State.Iteration = true, raw, s.Iterations
		for _, known := range statuses {
			if known.here == s.Status {
				l.State.Status = known.engine
			}
		}
		l.State.Private = remembered(raw)
		l.State.Private.Question = "" // a person may have taken it out of the file that they read
		if l.State.Status == journal.Blocked {
			l.State.Private.Question = s.Get(FieldReview)
		}
		l.State.Private.Answer = s.Get(FieldInstruction)
	}
	if l.History, err = read(RecordFile); err != nil {
		return l, err
	}
	entries, findings := ReadRecord(m.shown(ref, RecordFile), l.History)
	l.Findings = append(l.Findings, findings...)
	l.Entries = l.State.Iteration
	for _, e := range entries[max(0, len(entries)-3):] {
		l.Recent = append(l.Recent, journal.Entry{N: l.Entries, Raw: e.Text})
	}
	for _, e := range slices.Backward(entries) {
		if e.IsActivation() { // it has the details that hold for this activation (decision 28)
			l.Confirmed = e.Text
			break
		}
	}
	for i := range l.Findings {
		l.Findings[i].Line = max(l.Findings[i].Line, 1)
	}
	return l, nil
}

// charterOf puts a definition into the engine's terms. Its own conditions end it: neither a stall nor a cadence does.
func charterOf(d Definition, c journal.Charter) journal.Charter {
	c.Goal, c.Unit, c.Unmanaged, c.HoldOnEdit = d.Purpose, d.Policy.Unit, true, true
	c.StopWhen, c.AskWhen, c.ContinueWhen = conditionsOf(d.StopWhen), conditionsOf(d.AskWhen), conditionsOf(d.ContinueWhen)
	c.Escalation.Stalled = 1_000_000
	c.Budget.Cadence = journal.Cadence{Kind: journal.Every, Text: "the activation bound"}
	c.Promotion.Mode = journal.ProposeOnly
	return c
}

func conditionsOf(list []Condition) []journal.Condition {
	var out []journal.Condition
	for _, c := range list {
		out = append(out, journal.Condition{Check: c.Check, Text: c.Text, Line: c.Line})
	}
	return out
}

// Brief is the prompt of one iteration: the definition, where the loop stands, and how to answer.
func (Markdown) Brief(l journal.Loop, b journal.Brief) string {
	var out strings.Builder
	fmt.Fprintf(&out, "You do one bounded iteration of a loop. Its stop, ask and continue conditions were checked: it may go on. Do one iteration unit within Direction and Allowed Actions, and no more. Do not edit %s, %s or %s of the loop: the supervisor writes them from what you say.\n\n", DefinitionFile, StateFile, RecordFile)
	fmt.Fprintf(&out, "## The definition\n\n%s\n\n## The state\n\n%s\n\n", strings.TrimSpace(string(l.Charter.Source)), strings.TrimSpace(string(l.State.Raw)))
	if l.Confirmed != "" {
		fmt.Fprintf(&out, "## What was confirmed\n\n%s\n\n", strings.TrimSpace(l.Confirmed))
	}
	for i, e := range l.Recent {
		if i == 0 {
			out.WriteString("## The last entries of the record\n\n")
		}
		out.WriteString(strings.TrimSpace(e.Raw) + "\n\n")
	}
	if b.Answer != "" {
		fmt.Fprintf(&out, "The operator's last word: %s\n\n", b.Answer)
	}
	out.WriteString(`## How to answer
Your last message is the record entry of this iteration, in the shape that "Record Each Iteration" asks for, and below it these three lines:
Status: <running | waiting | paused | completed | stopped>
Direction: within|outside
Next: <the next action, in one line>
`)
	return out.String()
}

// Parse reads the answer. What lies outside of the direction, and a wish to be paused, is a question for a person.
func (Markdown) Parse(_ journal.Loop, text, brief string) journal.Report {
	a := ReadAnswer(text, brief)
	r := a.Report
	r.Text, r.Next = a.Entry, a.Next
	switch {
	case a.Entry == "" || a.Status == "" && r.Status == "":
		r.Status, r.Violation = "", strings.Join(a.Faults, "; ")
	case !a.Within:
		r.Question = "the iteration was outside of the loop's Direction, or does not say: " + journal.OneLine(a.Next, 200)
	case a.Status == Paused && r.Question == "":
		r.Question = "the agent asks to pause: " + journal.OneLine(a.Next, 200)
	case r.Status == "":
		r.Status = journal.ReportShipped
	}
	if r.Did == "" {
		r.Did = journal.OneLine(a.Entry, 200)
	}
	return r
}

// Record renders the entry, which always comes first, and the state.
func (m Markdown) Record(l journal.Loop, r journal.Record) ([]journal.Write, error) {
	if d := l.Defects(); len(d) > 0 && (r.Entry != nil || r.State != nil) {
		return nil, fmt.Errorf("record loop %s: %s", l.Name, d[0])
	}
	if r.Entry == nil && r.State == nil {
		return nil, nil
	}
	d, _ := Read(DefinitionFile, l.Charter.Source)
	before, _ := ReadState(StateFile, l.State.Raw)
	next := l.State
	if r.State != nil {
		next = *r.State
	}
	bound, err := ParseBound(before.Get(FieldBound))
	if err != nil {
		bound = d.Policy.Default
	}
	done, _ := ReadProgress(before.Get(FieldProgress))
	acted := r.Entry != nil && !r.Entry.NoAction
	if acted {
		if bound.Kind == BoundCount && done >= bound.N {
			done = 0 // an earlier activation's, or tick's
		}
		done++
	}
	status := statusAfter(d, before.Status, next.Status, bound, done, acted, r.Entry != nil)
	var out []journal.Write
	if text := m.entry(d, l, r, next, status); text != nil {
		out = append(out, journal.Write{Label: "journal", Path: filepath.Join(l.Dir, RecordFile), Kind: journal.WriteAppend, Data: Append(l.History, text)})
	}
	fields := []Field{{Name: FieldStatus, Value: string(status)}, {Name: FieldCount, Value: strconv.Itoa(next.Iteration)}, {Name: FieldReview, Value: next.Private.Question}}
	if e := r.Entry; e != nil {
		fields = append(fields, Field{Name: FieldUpdated, Value: e.Time.Format(time.RFC3339)})
		if e.NoAction {
			fields = append(fields, Field{Name: FieldStop, Value: strings.Join(e.StopTrue, "; ")}, Field{Name: FieldContinue, Value: strings.Join(e.ContinueTrue, "; ")}, Field{Name: FieldBlockers, Value: next.Private.Question})
		} else {
			fields = append(fields, Field{Name: FieldNext, Value: e.Next}, Field{Name: FieldDirection, Value: map[bool]string{true: "within", false: "not within, or not told"}[e.Outcome != journal.Held && !e.Failed]}, Field{Name: FieldProgress, Value: bound.Progress(done)}, Field{Name: FieldBlockers, Value: next.Private.Question})
		}
	}
	if next.Private.Answer != l.State.Private.Answer && next.Private.Answer != "" {
		fields = append(fields, Field{Name: FieldInstruction, Value: next.Private.Answer})
	}
	data, err := remember(SetFields(l.State.Raw, fields...), next.Private)
	if err != nil {
		return nil, fmt.Errorf("record loop %s: %w", l.Name, err)
	}
	return append(out, journal.Write{Label: "state", Path: filepath.Join(l.Dir, StateFile), Kind: journal.WriteReplace, Data: data}), nil
}

// statusAfter is the status of state.md. A loop that goes on waits where its bound is reached and something outside starts
// it, has stopped where nothing does; without an entry it is as the engine says.
func statusAfter(d Definition, was, engine journal.Status, bound Bound, done int, acted, ticked bool) journal.Status {
	reached := acted && bound.Kind == BoundCount && done >= bound.N
	switch engine {
	case journal.Done:
		return Completed
	case journal.Retired:
		return Stopped
	case journal.Blocked, journal.Stalled, journal.Paused:
		return Paused
	}
	switch {
	case reached && !d.External:
		return Stopped
	case reached, ticked && !acted:
		return Waiting
	case was == Waiting && !ticked:
		return Waiting
	}
	return Running
}

// entry is the one entry of a tick, or of a person's act; nil for none.
func (m Markdown) entry(d Definition, l journal.Loop, r journal.Record, next journal.State, status journal.Status) []byte {
	e := r.Entry
	switch {
	case e == nil && next.Status == l.State.Status:
		return nil
	case e == nil:
		act := map[journal.Status]Act{Paused: Pause, Running: Resume, Waiting: Resume, Stopped: Stop, Completed: Stop}[status]
		return Decision(Decided{Act: act, By: "a person", Question: l.State.Private.Question, Decision: next.Private.Answer, Status: status})
	case e.NoAction:
		return NoAction(Skipped{At: e.Time, By: "loopd", Considered: d.Trigger, Why: e.Reason, Next: string(status), Question: next.Private.Question})
	case e.Text == "" && e.Did != "" && !e.Failed:
		return Iteration(e.N, e.Time, e.Agent, e.Did)
	case e.Text == "":
		return NoAction(Skipped{At: e.Time, By: e.Agent, Considered: d.Trigger, Acted: "yes, without an entry of its own", Why: strings.Join(append([]string{string(e.Outcome)}, e.Flags...), "; "), Next: string(status), Question: next.Private.Question})
	}
	return Iteration(e.N, e.Time, e.Agent, e.Text)
}
