package supervisor

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"loopd/harness"
	"loopd/journal"
)

// Truth is whether a condition holds.
type Truth string

// The truths. What cannot be told is unclear, and a person is asked.
const (
	True    Truth = "true"
	False   Truth = "false"
	Unclear Truth = "unclear"
)

// Judged is a condition with what was seen of it.
type Judged struct {
	journal.Condition
	Truth    Truth
	Evidence string
}

// Tick is what the conditions of a loop come to before an iteration.
type Tick struct {
	Act    bool
	Status journal.Status // where it does not act
	Why    string
	Asks   string // the question to a person, "" for none
}

// Weigh decides whether an iteration may be made (the markdown loop protocol, "Iteration Flow"): Stop When beats Ask Human
// When, both beat Continue When; of that list one that holds is enough, and an empty one forbids nothing. What is unclear is
// a question.
func Weigh(stop, ask, goOn []Judged) Tick {
	says := func(j Judged) string { return fmt.Sprintf("%s (%s)", j.Text, j.Evidence) }
	for _, list := range []struct {
		of   []Judged
		name string
		tick func(j Judged) Tick
	}{
		{stop, "Stop When", func(j Judged) Tick {
			return Tick{Status: journal.Done, Why: "Stop When holds: " + says(j)}
		}},
		{ask, "Ask Human When", func(j Judged) Tick {
			return Tick{Status: journal.Blocked, Why: "Ask Human When holds: " + says(j), Asks: "what shall be done? " + j.Text}
		}},
	} {
		for _, j := range list.of {
			if j.Truth == True {
				return list.tick(j)
			}
		}
		for _, j := range list.of {
			if j.Truth == Unclear {
				return Tick{Status: journal.Blocked, Why: list.name + " is unclear: " + says(j), Asks: "does this hold? " + j.Text}
			}
		}
	}
	var unclear *Judged
	for i, j := range goOn {
		switch j.Truth {
		case True:
			return Tick{Act: true}
		case Unclear:
			unclear = &goOn[i]
		}
	}
	switch {
	case unclear != nil:
		return Tick{Status: journal.Blocked, Why: "Continue When is unclear: " + says(*unclear), Asks: "does this hold? " + unclear.Text}
	case len(goOn) == 0:
		return Tick{Act: true}
	}
	return Tick{Status: journal.Active, Why: "no Continue When holds: " + says(goOn[0])}
}

// conditions weighs what a loop's definition asks for before every iteration; nothing else runs before it. A tick that does
// not act leaves exactly one entry.
func (r *run) conditions(ctx context.Context, it *iteration) (Decision, error) {
	c := it.loop.Charter
	if len(c.StopWhen)+len(c.AskWhen)+len(c.ContinueWhen) == 0 {
		return Decision{Action: GateGo}, nil
	}
	r.step(it, "conditions", 0)
	var lists [3][]Judged
	for i, list := range [][]journal.Condition{c.StopWhen, c.AskWhen, c.ContinueWhen} {
		for _, one := range list {
			j := Judged{Condition: one, Truth: Unclear, Evidence: "nobody has looked yet"}
			if one.Check != nil {
				res, err := r.check(ctx, *one.Check, min(checkLimit, it.wall))
				if err != nil {
					return Decision{}, fmt.Errorf("look at condition %q: %w", one.Text, err)
				}
				j.Truth, j.Evidence = truthOf(res), "`"+res.Command+"` → "+res.Got
			}
			lists[i] = append(lists[i], j)
		}
		// A stop or a question that holds already spares the judge.
		if t := Weigh(lists[0], lists[1], nil); !t.Act && strings.Contains(t.Why, " holds: ") {
			return r.noAction(it, t, lists)
		}
	}
	if err := r.judge(ctx, it, &lists); err != nil {
		return Decision{}, err
	}
	t := Weigh(lists[0], lists[1], lists[2])
	if t.Act {
		return Decision{Action: GateGo}, nil
	}
	return r.noAction(it, t, lists)
}

// truthOf is what a condition's command says. One that cannot run or hangs says nothing.
func truthOf(res CheckResult) Truth {
	switch {
	case res.Missing || res.Hung:
		return Unclear
	case res.OK:
		return True
	}
	return False
}

// noAction records a tick that makes no iteration.
func (r *run) noAction(it *iteration, t Tick, lists [3][]Judged) (Decision, error) {
	l := it.loop
	next := held(l.State, t.Status, r.redact.String(t.Asks), "")
	e := &journal.Entry{N: it.number, Time: time.Now(), Agent: "loopd", NoAction: true, Reason: r.redact.String(journal.OneLine(t.Why, 600))}
	for _, j := range lists[0] {
		if j.Truth == True {
			e.StopTrue = append(e.StopTrue, j.Text)
		}
	}
	for _, j := range lists[2] {
		if j.Truth == True {
			e.ContinueTrue = append(e.ContinueTrue, j.Text)
		}
	}
	if err := r.write(l, journal.Record{Entry: e, State: &next}); err != nil {
		return Decision{}, err
	}
	d := Decision{Action: GateRefuse, Silent: true, Code: CodeOK, Why: t.Why}
	if t.Status == journal.Blocked {
		d.Code, d.Fix = CodeHeld, HoldFix(next)
	}
	return d, nil
}

// judgeLine is one line of a judge's answer: "2: false — the queue has three items".
var judgeLine = regexp.MustCompile(`^[-*\s]*\**(\d{1,3})[.:)]\**\s*\**(true|false|unclear)\**\s*(?:[—–:-]+\s*(.*))?$`)

// judge puts the conditions in prose to an agent that may only read, all in one exec.
func (r *run) judge(ctx context.Context, it *iteration, lists *[3][]Judged) error {
	var open []*Judged
	for i := range lists {
		for k := range lists[i] {
			if lists[i][k].Check == nil {
				open = append(open, &lists[i][k])
			}
		}
	}
	if len(open) == 0 {
		return nil
	}
	if err := r.harnesses(it); err != nil {
		return err
	}
	var b strings.Builder
	b.WriteString("You judge conditions of a supervised loop, from the actual state of this repository. You may read everything and change nothing.\n\n")
	fmt.Fprintf(&b, "## The definition\n\n%s\n\n## The state\n\n%s\n\n## The conditions\n", strings.TrimSpace(string(it.loop.Charter.Source)), strings.TrimSpace(string(it.loop.State.Raw)))
	for n, j := range open {
		fmt.Fprintf(&b, "%d. %s\n", n+1, j.Text)
	}
	b.WriteString("\nAnswer with exactly one line for each: its number, a colon, one of true, false or unclear, a dash and what you saw, such as\n<number>: <true | false | unclear> — <evidence>\nSay unclear where you cannot tell; a person is asked then.\n")
	by, model := it.maker, it.model
	if it.judge != nil {
		by, model = it.judge, it.judgeModel
	}
	x, err := r.exec(ctx, task{harness: by, model: model, readOnly: true, prompt: r.redact.String(b.String()), wall: it.wall, idle: it.idle, iteration: it.number, label: "judge"})
	if err != nil {
		return err
	}
	for _, j := range open {
		j.Evidence = orElse(x.NotStarted, "the judge did not say")
	}
	seen := map[int]bool{}
	for line := range strings.Lines(x.Reply.Text) {
		m := judgeLine.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil {
			continue
		}
		n, err := strconv.Atoi(m[1])
		if err != nil || n < 1 || n > len(open) {
			continue
		}
		j := open[n-1]
		if seen[n] && j.Truth != Truth(m[2]) { // two answers are none
			j.Truth, j.Evidence = Unclear, "the judge says two things"
			continue
		}
		seen[n] = true
		j.Truth, j.Evidence = Truth(m[2]), journal.OneLine(orElse(m[3], "no evidence given"), 300)
	}
	return nil
}

// judgeObjective lets another agent, which may only read, say whether the objective is met; the maker's own word does not
// count then. What cannot be read is not met.
func (r *run) judgeObjective(ctx context.Context, it *iteration) error {
	r.step(it, "judge", it.wall)
	prompt := fmt.Sprintf("You judge whether the objective of a repeated task is met, from the actual state of this repository and never from what anyone claims. You may read everything and change nothing.\n\nTask: %s\nObjective: %s\nThe agent that worked on it says: %s\n\nAnswer in the last line with exactly one of:\nMET: <what you saw>\nNOT_MET: <what is missing>\n",
		it.loop.Charter.Unit, it.loop.Charter.Goal, it.report.Did)
	x, err := r.exec(ctx, task{harness: it.judge, model: it.judgeModel, readOnly: true, prompt: r.redact.String(prompt), wall: it.wall, idle: it.idle, iteration: it.number, label: "judge"})
	if err != nil {
		return err
	}
	it.checkCost.Cost += x.Cost
	met, why := objectiveOf(x.Reply.Text)
	if !x.HasText || x.Reply.Stop != harness.Complete {
		met, why = false, "the judge gave no verdict: "+orElse(orElse(x.NotStarted, x.Reply.Cause), string(x.Reply.Stop))
	}
	it.report.Met, it.report.Reason = met, journal.OneLine("judge: "+why, 300)
	return r.controlFiles(it)
}

// objectiveOf reads a judge's last line: exactly MET or NOT_MET, and why.
func objectiveOf(text string) (met bool, why string) {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	last := strings.Trim(strings.TrimSpace(lines[len(lines)-1]), "*`> ")
	word, rest, _ := strings.Cut(last, ":")
	why = strings.TrimSpace(rest)
	switch strings.Trim(word, "*` .") {
	case "MET":
		return true, orElse(why, "met")
	case "NOT_MET":
		return false, orElse(why, "not met")
	}
	return false, fmt.Sprintf("the verdict cannot be read: %q", journal.OneLine(last, 80))
}
