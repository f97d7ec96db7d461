package native

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"loopd/journal"
)

func briefLoop() (journal.Loop, journal.Brief) {
	c, _ := readText(wholeCharter)
	five := 5.0
	l := journal.Loop{Name: "k", Charter: c, Signs: "- 2026-11-01 · never touch gen/ (it is generated, it.3)\n",
		State:  journal.State{Iteration: 6, Ratchet: journal.RatchetState{Value: &five, Best: &five, StallCount: 1}},
		Recent: []journal.Entry{{Raw: "## 5 · 2026-11-01T00:00:00Z · claude\n- Unit: five\n"}, {Raw: "## 6 · 2026-11-01T01:00:00Z · claude\n- Unit: six\n- Next: seven\n"}},
		Steer:  "start from the bottom\n"}
	for i := range 60 {
		l.Backlog = append(l.Backlog, journal.Item{Text: fmt.Sprintf("unit %d", i+1), Done: i == 0})
	}
	return l, journal.Brief{Iteration: 7, Mode: journal.ProposeOnly, LastFailure: "$ sh check.sh\nFAIL x\n→ exit 1", FailedIteration: 6, Forbidden: []string{"the first way", "the second way"},
		Hypothesis: "it is generated\nlook at gen.go", HypothesisBy: "codex", Findings: "remove the blank line", Answer: "take the left one", Smaller: true, Checks: []string{"sh check.sh"}, Limit: 45 * time.Minute}
}

func TestBriefSaysAllOfIt(t *testing.T) {
	l, b := briefLoop()
	text := renderBrief(l, b)
	for _, part := range []string{
		wholeCharter[:len(wholeCharter)-1], "- 2026-11-01 · never touch gen/ (it is generated, it.3)",
		"This is iteration 7 of at most 20; you have 45m0s.", "Ratchet TODO lines (decreasing): 5, best 5; 1 of 2 iterations without movement",
		"- `sh check.sh`", "- Next: seven", "- [B2] unit 2\n", "- [B51] unit 51\n", "(9 more are not shown)", "operator steering: start from the bottom", "operator steering: take the left one",
		"# Iteration 6 failed and was put back", "FAIL x", "- the first way\n- the second way\n", "codex was asked", "> it is generated\n> look at gen.go", "> remove the blank line", "choose a smaller one",
		"Do not push, publish, send, deploy or spend", "LOOP_OK",
	} {
		if !strings.Contains(text, part) {
			t.Errorf("the brief lacks %q", part)
		}
	}
	for _, part := range []string{"[B1] unit 1\n", "unit 52"} {
		if strings.Contains(text, part) {
			t.Errorf("the brief has %q", part)
		}
	}
}

// The same loop gives the same brief, and what stays the same between iterations comes before what does not: a prompt
// cache holds the first part.
func TestBriefKeepsItsBeginning(t *testing.T) {
	l, b := briefLoop()
	first := renderBrief(l, b)
	if first != renderBrief(l, b) {
		t.Error("two briefs of the same loop differ")
	}
	four := 4.0
	l.State.Iteration, l.State.Ratchet.Value, l.Recent, l.Steer = 7, &four, l.Recent[1:], ""
	b = journal.Brief{Iteration: 8, Mode: journal.ProposeOnly}
	second := renderBrief(l, b)
	same := 0
	for same < len(second) && first[same] == second[same] {
		same++
	}
	if at := strings.Index(first, "# Where the loop stands"); same < at {
		t.Errorf("they part after %d bytes, before the volatile part at %d", same, at)
	}
}

// Echoed whole, or in part, a brief is never a report.
func TestBriefIsNoReport(t *testing.T) {
	l, b := briefLoop()
	text := renderBrief(l, b)
	if r := journal.ParseReport(text, text, "LOOP_OK"); r.Status != "" || r.OK {
		t.Errorf("the echoed brief reads as %+v", r)
	}
	if r := journal.ParseReport(text, "", "LOOP_OK"); r.Status != "" {
		t.Errorf("the brief of another loopd reads as %+v", r)
	}
}

// No text of the loop can leave its fence.
func TestBriefFences(t *testing.T) {
	got := fenced("a\n```\nb\n````\n")
	if got != "`````\na\n```\nb\n````\n`````\n" {
		t.Errorf("got %q", got)
	}
}

func TestBriefCutsLongFailuresAtTheFront(t *testing.T) {
	l, b := briefLoop()
	b.LastFailure = strings.Repeat("noise\n", 5000) + "the cause"
	text := renderBrief(l, b)
	if !strings.Contains(text, "the cause") || !strings.Contains(text, "[cut]\n") || len(text) > 40<<10 {
		t.Errorf("%d bytes, cause %v", len(text), strings.Contains(text, "the cause"))
	}
}
