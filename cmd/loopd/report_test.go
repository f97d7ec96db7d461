package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"loopd/journal"
	"loopd/supervisor"
)

// hostile is text that an agent could write to break a page or a terminal.
const hostile = `</script><script>alert(1)</script>" onload="x' <img src=https://evil.example/x> ` + "\u202ertl \x1b[2Jesc"

func sampleReport() reportJSON {
	at := time.Date(2026, 11, 3, 22, 0, 0, 0, time.UTC)
	value := func(v float64) *float64 { return &v }
	past := []supervisor.Past{}
	for n, o := range []journal.Outcome{journal.Shipped, journal.Failed, journal.Shipped, journal.Limited, journal.NoChange, journal.NoChange, journal.Failed, journal.Finished} {
		p := supervisor.Past{At: at.Add(time.Duration(n) * time.Hour), Steps: map[string]float64{"exec": 60, "verify": 5}, Value: value(float64(9 - n))}
		p.Iteration, p.Outcome, p.Counted, p.PutBack = n+1, o, o.Counts(), o == journal.Failed
		p.Agent, p.Cost, p.CostKnown, p.Tokens, p.Seconds, p.Unit = "claude", 0.5, true, 100, 65, hostile
		if n == 7 {
			p.Agent, p.Commit, p.Cost, p.CostKnown = "codex", "0123456789abcdef", 0, false
		}
		past = append(past, p)
	}
	r := reportJSON{Schema: 1, Goal: hostile, Metric: hostile, Direction: "decreasing", Required: 3, Points: pointsOf(past)}
	r.statusJSON = statusJSON{Name: "kaizen", Dialect: "native", Status: journal.Blocked, Question: hostile, Iteration: 7, Max: 20, Ratchet: value(2), Best: value(2), StallMax: 3, Parked: 2, LastRun: at.Add(7 * time.Hour), Mode: journal.ProposeOnly, Clean: 1}
	r.Figures = figuresOf(r.Points)
	r.Entries = []journal.Entry{{N: 1, Time: at, Agent: "claude", Unit: hostile, Did: hostile, Verify: []string{"`x` → exit 1 ❌ " + hostile}, Flags: []string{hostile}, Failed: true}, {N: 2, Raw: hostile}}
	r.Changes = []parkedChange{{journal.Parked{N: 2, Ref: "refs/loopd/kaizen/2", Why: hostile, Unit: hostile}, hostile}}
	return r
}

func TestFigures(t *testing.T) {
	f := sampleReport().Figures
	want := figures{
		Measured: 8, Outcomes: map[string]int{"shipped": 2, "failed": 2, "limited": 1, "no change": 2, "done": 1}, Verified: 3, PutBack: 2, Cost: 3.5, Unknown: 1, Tokens: 800, TokensPutBack: 200,
		CostPutBack: 1, Seconds: 520, Steps: map[string]float64{"exec": 480, "verify": 40}, Stalls: []span{{5, 7}},
		Vendors: []vendor{{Name: "claude", Execs: 7, Verified: 2, PutBack: 2, Away: 1, Cost: 3.5, Tokens: 700, Seconds: 455}, {Name: "codex", Execs: 1, Verified: 1, Unknown: 1, Tokens: 100, Seconds: 65}},
	}
	if d := cmp.Diff(want, f); d != "" {
		t.Error(d)
	}
	known := sampleReport().Points[:3]
	if each := figuresOf(known).CostPerVerified; each == nil || *each != 0.75 {
		t.Errorf("a verified change costs %v, want 0.75", each)
	}
	if f := figuresOf(nil); f.Measured != 0 || f.CostPerVerified != nil {
		t.Errorf("of nothing: %+v", f)
	}
}

// The case for more access is the newest clean cycles, in their order.
func TestCaseOf(t *testing.T) {
	r := sampleReport()
	for clean, want := range map[int][]int{0: nil, 1: {8}, 2: {3, 8}, 9: {1, 3, 8}} {
		r.Clean = clean
		var got []int
		for _, p := range caseOf(r) {
			got = append(got, p.N)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%d clean cycles: %s", clean, d)
		}
	}
}

func TestDollars(t *testing.T) {
	for _, c := range []struct {
		sum     float64
		unknown int
		want    string
	}{{0, 0, "$0.00"}, {1.5, 0, "$1.50"}, {0, 2, "unknown"}, {1, 1, "$1.00 and unknown"}} {
		if got := dollars(c.sum, c.unknown); got != c.want {
			t.Errorf("%v, %d: %q, want %q", c.sum, c.unknown, got, c.want)
		}
	}
}

// What agents wrote is text on the page: no tag, no attribute, no address, no control character comes of it.
func TestPageIsSafe(t *testing.T) {
	a := &app{surroundings: surroundings{Env: os.Environ()}}
	for name, loops := range map[string][]reportJSON{"one": {sampleReport()}, "two": {sampleReport(), sampleReport()}, "none": {}, "bare": {{statusJSON: statusJSON{Name: "x"}}}} {
		var b strings.Builder
		if err := a.writePage(&b, loops, time.Date(2026, 11, 4, 8, 0, 0, 0, time.UTC), nil); err != nil {
			t.Fatal(name, err)
		}
		page := b.String()
		for _, bad := range []string{"<script", "<img", "\x1b", "\u202e", " onload=\"x", "http://", "https://evil.example/x>", "<link", "@import", "url("} {
			if strings.Contains(page, bad) {
				t.Errorf("%s: the page has %q", name, bad)
			}
		}
		if name == "one" {
			for _, good := range []string{"&lt;script&gt;alert(1)", "3.50 and unknown", "Needs a person", "refs/loopd/kaizen/2", "<polyline", "put back</title>", "Time per step"} {
				if !strings.Contains(page, good) {
					t.Errorf("the page lacks %q", good)
				}
			}
			if n := len(regexp.MustCompile(`<svg `).FindAllString(page, -1)); n != 2 {
				t.Errorf("%d pictures, want 2", n)
			}
		}
	}
}

// The terminal's rollup; a person's home or key is not in it.
func TestRollup(t *testing.T) {
	r := sampleReport()
	r.Question, r.Metric = "which design?", "TODO lines"
	got := rollup([]reportJSON{r}, r.LastRun.Add(3*time.Hour))
	for _, want := range []string{"kaizen  blocked  7/20       9 → 2    3         2         $3.50 and unknown  -         3 h", "kaizen is blocked: which design? (loopd resume kaizen --answer TEXT)", "2 changes put back and kept",
		"TODO lines", "800, of these 200 on work that was put back", "claude: 7 execs, 2 verified, 2 put back, 1 away, $3.50", "codex: 1 exec, 1 verified, 0 put back, 0 away, unknown", "exec 92 %, verify 8 %"} {
		if !strings.Contains(got, want) {
			t.Errorf("lacks %q:\n%s", want, got)
		}
	}
	if got := rollup([]reportJSON{r, r}, r.LastRun); !strings.Contains(got, "2 loops, 6 changes verified, 4 put back, $7.00 and unknown") {
		t.Errorf("sums:\n%s", got)
	}
}

// scripts/check pages looks at this page in a browser.
func TestSamplePage(t *testing.T) {
	dir := os.Getenv("LOOPD_SAMPLE_PAGES")
	if dir == "" {
		t.Skip("SKIPPED: scripts/check pages runs this")
	}
	a := &app{surroundings: surroundings{Env: os.Environ()}}
	var b strings.Builder
	if err := a.writePage(&b, []reportJSON{sampleReport()}, time.Date(2026, 11, 4, 8, 0, 0, 0, time.UTC), nil); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "report.html"), []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}
