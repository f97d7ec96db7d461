package supervisor

import (
	"strings"
	"testing"

	"loopd/journal"
)

// Whatever held a loop, the next start names the same next step, and it is one that ends this hold.
func TestHoldNamesItsNextStep(t *testing.T) {
	cases := []struct {
		name  string
		agent string
		spoil func(b *box)
		runs  int // until it is held
		fix   string
	}{
		{"a question", "echo 'LOOP-OUTCOME: blocked — which one?'", nil, 1, "answer it: loopd resume k --answer TEXT"},
		{"no outcome line", "echo all is well", nil, 1, "loopd log k --transcript 1 shows what it said; then loopd resume k --answer TEXT"},
		{"debris", ships, func(b *box) { b.write("mine.txt", "x") }, 1, "loopd adjudicate k --park"},
		{"a stall", "echo 'LOOP-OUTCOME: shipped'", nil, 3, "look at loopd log k and the backlog, then loopd resume k"},
		{"a check that cannot run", ships, func(b *box) {
			b.write(".loop/k/LOOP.md", strings.Replace(charterText, "`sh check.sh`", "`no-such-tool`", 1))
			b.git("commit", "-qam", "x")
		}, 1, "mend that, then loopd resume k"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			b := newBox(t, nil)
			b.agent("maker", c.agent)
			if c.spoil != nil {
				c.spoil(b)
			}
			var first Ending
			for range c.runs {
				var err error
				if first, err = b.run(Options{Once: true}); err != nil {
					t.Fatal(err)
				}
			}
			again := b.want(Options{}, 13)
			if first.Code != 13 || first.Fix != again.Fix || !strings.HasPrefix(again.Fix, c.fix) {
				t.Errorf("first %d %q\nthen %q\nwant %q", first.Code, first.Fix, again.Fix, c.fix)
			}
			if strings.Contains(again.Why, "adjudicate") || again.Fix == "" {
				t.Errorf("why %q, fix %q", again.Why, again.Fix)
			}
		})
	}
}

func TestHoldFixOfIdle(t *testing.T) {
	s := held(journal.State{Name: "k"}, journal.Blocked, "idle 3 times in a row", idleFix("k"))
	if got := HoldFix(s); !strings.HasPrefix(got, "loopd resume k keeps it going") {
		t.Errorf("got %q", got)
	}
	if got := HoldFix(resumed(s, "")); got != "answer it: loopd resume k --answer TEXT" {
		t.Errorf("a resumed loop still has the old fix: %q", got)
	}
}

// A CLI that is not installed: the next step is named, and nothing waits for what no wait brings.
func TestMissingCLINamesTheNextStep(t *testing.T) {
	b := newBox(t, nil)
	end := b.want(Options{}, 15) // maker is not on PATH
	if end.Why != "maker is not on PATH" || !strings.Contains(end.Fix, "loopd harness list") {
		t.Errorf("why %q, fix %q", end.Why, end.Fix)
	}
	if st := b.state(); !st.Private.NotBefore.IsZero() {
		t.Errorf("it backs off until %s", st.Private.NotBefore)
	}
	b.agent("maker", ships)
	if end, err := b.run(Options{Max: 1}); err != nil || end.Code != 0 {
		t.Errorf("once it is installed: %d (%s), %v", end.Code, end.Why, err)
	}
}

// The result line of an iteration stands above what a person is told because of it.
func TestResultComesBeforeItsNotices(t *testing.T) {
	for name, agent := range map[string]string{"done": "sed -i d work.txt; echo 'LOOP-OUTCOME: shipped'", "blocked": "echo 'LOOP-OUTCOME: blocked — which?'"} {
		b := newBox(t, nil)
		b.agent("maker", agent)
		if _, err := b.run(Options{Once: true}); err != nil {
			t.Fatal(err)
		}
		ended := false
		told := false
		for _, e := range b.events {
			ended = ended || e.Kind == EventEnd
			if e.Kind == EventWarning && strings.HasPrefix(e.Text, "loopd: k "+name) {
				told = true
				if !ended {
					t.Errorf("%q came before the result", e.Text)
				}
			}
		}
		if !told || !ended {
			t.Errorf("%s: told %v, ended %v", name, told, ended)
		}
	}
}

func TestExplainSaysNothingTwice(t *testing.T) {
	b := newBox(t, nil)
	b.agent("maker", "echo 'LOOP-OUTCOME: shipped'")
	b.want(Options{}, 0)
	for _, e := range b.events {
		if e.Kind == EventEnd && e.Text != "claim without change" {
			t.Errorf("explains %q", e.Text)
		}
	}
}
