package tracking

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"loopd/journal"
)

// Tracking is the dialect of tracking documents. The document holds what the text gives it room for; what else a run has to
// know (a question, limits, spending) stands in a file beside it.
type Tracking struct{}

var _ journal.Dialect = Tracking{}

// Name is "tracking".
func (Tracking) Name() string { return "tracking" }

// The files of a loop, below .codevoyant/loops/<slug>.
const (
	documentFile = "loop.md"
	documentMost = 4 << 20 // bytes
)

// Find lists .codevoyant/loops/*/loop.md under root. The store may be a symbolic link.
func (t Tracking) Find(root string) ([]journal.Ref, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return nil, fmt.Errorf("find loops: %w", err)
	}
	base := filepath.Join(root, ".codevoyant", "loops")
	entries, err := os.ReadDir(base)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("find loops: %w", err)
	}
	var out []journal.Ref
	for _, e := range entries {
		dir := filepath.Join(base, e.Name())
		file := filepath.Join(dir, documentFile)
		if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() || journal.CheckName(e.Name()) != nil {
			continue
		}
		out = append(out, journal.Ref{Name: e.Name(), Dialect: t.Name(), Root: root, Dir: dir, File: file})
	}
	slices.SortFunc(out, func(a, b journal.Ref) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}

// Load reads the document and what is beside it.
func (t Tracking) Load(ref journal.Ref) (journal.Loop, error) {
	l := journal.Loop{Name: ref.Name, Dialect: t.Name(), Root: ref.Root, Dir: ref.Dir, HasState: true}
	src, err := os.ReadFile(ref.File)
	if err != nil {
		return l, fmt.Errorf("read tracking document of %s: %w", ref.Name, err)
	}
	shown := ref.File
	if rel, err := filepath.Rel(ref.Root, ref.File); err == nil && filepath.IsLocal(rel) {
		shown = rel
	}
	l.Charter = journal.Charter{File: ref.File, Source: src}
	if len(src) > documentMost {
		l.Findings = append(l.Findings, journal.Finding{File: shown, Line: 1, Field: documentFile, Read: fmt.Sprintf("%d bytes", len(src)), Want: fmt.Sprintf("at most %d", documentMost)})
		return l, nil
	}
	d, findings := Read(shown, src)
	for i := range findings {
		findings[i].Line = max(findings[i].Line, 1) // what is missing stands nowhere: the document as a whole
	}
	l.Findings = findings
	l.Charter = charterOf(d, l.Charter)
	l.Entries = len(d.Rows)
	for _, row := range d.Rows[max(0, len(d.Rows)-3):] {
		l.Recent = append(l.Recent, journal.Entry{N: row.N, Did: row.Result, Failed: row.Verdict != Met, Raw: renderRow(row, tableHead{number: 0, result: 1, verdict: 2, reason: 3, width: 4})})
	}
	m, finding := journal.ReadMemory(ref.Dir, filepath.Dir(shown))
	if finding != nil {
		l.Findings = append(l.Findings, *finding)
	}
	l.State = journal.State{Name: ref.Name, Status: journal.Active, Iteration: len(d.Rows), Private: m.Private}
	l.State.Promotion.Mode = journal.ProposeOnly
	switch {
	case d.Status == Complete:
		l.State.Status = journal.Done
	case m.Status != "":
		l.State.Status = m.Status
	}
	return l, nil
}

// charterOf puts the document into the engine's terms. The bound alone ends it: neither a stall nor a cadence does.
func charterOf(d Document, c journal.Charter) journal.Charter {
	c.Goal, c.Unit, c.Unmanaged, c.DoneAfter = d.Objective, d.Task, true, true
	if d.Check != "" {
		c.DoneWhen = []journal.Condition{{Check: &journal.Check{Command: d.Check}, Text: "`" + d.Check + "` exits 0"}}
	}
	c.Escalation.Stalled = mostIterations
	c.Budget = journal.Budget{MaxIterations: d.Max, Cadence: journal.Cadence{Kind: journal.Every, Text: "back to back"}}
	c.Promotion.Mode = journal.ProposeOnly
	return c
}

// Brief is the prompt of one iteration: the task, the objective, and how to answer.
func (Tracking) Brief(l journal.Loop, b journal.Brief) string {
	var out strings.Builder
	fmt.Fprintf(&out, "You are the loop agent: do one iteration of a task, then judge whether the objective is met. This is iteration %d of at most %d.\n\n", b.Iteration, l.Charter.Budget.MaxIterations)
	fmt.Fprintf(&out, "Task: %s\nObjective: %s\n", l.Charter.Unit, l.Charter.Goal)
	if len(l.Charter.DoneWhen) > 0 {
		fmt.Fprintf(&out, "After you the supervisor runs a check that decides, whatever you say: %s\n", l.Charter.DoneWhen[0].Text)
	}
	if n := len(l.Recent); n > 0 {
		fmt.Fprintf(&out, "The iteration before you reported: %s\n", l.Recent[n-1].Did)
	}
	if b.Answer != "" {
		fmt.Fprintf(&out, "\nThe operator's answer to the question of the last try: %s\n", b.Answer)
	}
	if l.Steer != "" {
		fmt.Fprintf(&out, "\nThe operator adds:\n%s\n", strings.TrimSpace(l.Steer))
	}
	out.WriteString(`
Judge strictly, from the actual state of the repository, never from your own claim. Do not edit ` + Path(l.Name) + `: the supervisor writes it.
End your last message with these lines, each with your own words:
STATUS: <OK | NEEDS_INPUT>
RESULT: <what you did, in one line; with NEEDS_INPUT the question>
EVIDENCE: <what you looked at>
VERDICT: <MET | NOT_MET>
REASON: <why>
MISSING: <what is missing, or (none)>
`)
	return out.String()
}

// Parse reads the answer. A message that cannot be read is an iteration that did not meet the objective.
func (Tracking) Parse(_ journal.Loop, text, brief string) journal.Report {
	a := ReadAnswer(text, brief)
	switch {
	case a.Question != "":
		return journal.Report{Question: a.Question}
	case a.Violation != "" && a.Status == "" && a.Result == "":
		return journal.Report{Violation: a.Violation, Reason: a.Violation} // nothing of an answer
	}
	return journal.Report{Status: journal.ReportShipped, Did: a.Result, Detail: a.Result, Unit: "the task", Met: a.Verdict == Met, Reason: journal.OneLine(strings.TrimSpace(a.Reason+" "+a.Violation), 300)}
}

// Record renders the row of an iteration and the status that follows from it, in one write: then what is beside the
// document. A question writes no row (the seed: a NEEDS_INPUT re-run counts once).
func (Tracking) Record(l journal.Loop, r journal.Record) ([]journal.Write, error) {
	if d := l.Defects(); len(d) > 0 {
		return nil, fmt.Errorf("record loop %s: %s", l.Name, d[0])
	}
	src := l.Charter.Source
	var err error
	if e := r.Entry; e != nil && e.Outcome != journal.Held {
		flags := strings.Join(e.Flags, "; ")
		row := Row{Result: cmp.Or(e.Did, string(e.Outcome)), Verdict: NotMet, Reason: cmp.Or(e.Reason, flags)}
		switch {
		case e.Outcome == journal.Finished:
			row.Verdict = Met
		case e.Failed: // what loopd saw says more than what the agent thinks
			row.Reason = cmp.Or(flags, e.Reason)
		}
		if src, err = AppendRow(src, row); err != nil {
			return nil, fmt.Errorf("record loop %s: %w", l.Name, err)
		}
	}
	d, _ := Read(l.Charter.File, src)
	status := d.Status
	switch n := len(d.Rows); {
	case r.Entry != nil && n > 0 && d.Rows[n-1].Verdict == Met && r.Entry.Outcome == journal.Finished:
		status = Complete
	case n >= d.Max && d.Status != Complete:
		status = MaxReached
	case r.State != nil && r.State.Status != journal.Done:
		status = Running
	}
	if status != d.Status {
		if src, err = SetStatus(src, status); err != nil {
			return nil, fmt.Errorf("record loop %s: %w", l.Name, err)
		}
	}
	var out []journal.Write
	if string(src) != string(l.Charter.Source) {
		out = append(out, journal.Write{Label: "journal", Path: l.Charter.File, Kind: journal.WriteReplace, Data: src})
	}
	if r.State != nil {
		m := journal.Memory{Private: r.State.Private}
		if s := r.State.Status; s != journal.Done && s != journal.Active {
			m.Status = s
		}
		w, err := m.Write(l.Dir)
		if err != nil {
			return nil, fmt.Errorf("record loop %s: %w", l.Name, err)
		}
		out = append(out, w)
	}
	return out, nil
}
