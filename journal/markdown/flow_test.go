package markdown

import (
	"regexp"
	"strings"
	"testing"
)

// Acceptance case 18 as bytes: an activation, one iteration, a tick that finds a stop condition true.
func TestOneActivation(t *testing.T) {
	d, findings := read(triage)
	details, bad := d.Fill(nil)
	if len(findings)+len(bad) > 0 || d.Policy.Allows(d.Policy.Default) != nil {
		t.Fatalf("%v %v", findings, bad)
	}
	ignore := AddIgnores(nil)
	var record []byte
	add := func(entry []byte) { record = append(record, Append(record, entry)...) }
	add(Activation(Activated{Loop: "triage", At: noon, By: "ann", Confirmation: ActivateAndRun.String(), Summary: d.Purpose, Details: details}))
	state := NewState(d.Track, Field{Name: FieldLoop, Value: "triage"}, Field{Name: FieldBound, Value: d.Policy.Default.String()}, Field{Name: FieldProgress, Value: d.Policy.Default.Progress(0)}, Field{Name: FieldCount, Value: "0"})

	a := ReadAnswer(signals+"\n\nStatus: waiting\nDirection: within\nNext: the next TODO\n\nLOOP-OUTCOME: shipped — removed one\n- Unit: TODO\n", testPrompt)
	add(Iteration(1, noon, "claude", a.Entry))
	state = SetFields(state, Field{Name: FieldStatus, Value: string(a.Status)}, Field{Name: FieldNext, Value: a.Next}, Field{Name: FieldCount, Value: "1"}, Field{Name: FieldProgress, Value: d.Policy.Default.Progress(1)})
	add(NoAction(Skipped{At: noon, Considered: d.Trigger, Why: d.StopWhen[0].Text, Next: string(Completed)}))
	state = SetFields(state, Field{Name: FieldStatus, Value: string(Completed)})

	for text, patterns := range map[string][]string{
		string(ignore): {`^/loops/\*/state\.md$`, `^/loops/\*/record\.md$`},
		string(record): {`^## Activation$`, `^Action: removed it$`, `^## Iteration 1 `, `^Next: the next one$`, `^## No action `, `^Next: completed$`},
		string(state):  {`^Status: completed$`, `^Iteration count: 1$`, `^Next action: the next TODO$`, `^Activation bound: one iteration$`, `^Activation bound progress: 1 of 1$`},
	} {
		for _, p := range patterns {
			if n := len(regexp.MustCompile("(?m)"+p).FindAllString(text, -1)); n != 1 {
				t.Errorf("%d times %s in\n%s", n, p, text)
			}
		}
	}
	if strings.Contains(string(record), "LOOP-OUTCOME") {
		t.Errorf("the outcome line is in the record:\n%s", record)
	}
	s, findings := ReadState("state.md", state)
	entries, _ := ReadRecord("record.md", record)
	if len(findings) > 0 || s.Status != Completed || s.Iterations != 1 || len(entries) != 3 {
		t.Errorf("%+v %v %d entries", s, findings, len(entries))
	}
	if b, err := ParseBound(s.Get(FieldBound)); err != nil || b.Kind != BoundCount || b.N != 1 {
		t.Errorf("the bound came back as %+v, %v", b, err)
	}
}
