package main_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"loopd/harness"
	"loopd/harness/fakemodel"
)

// wrong is one way in which a run of a CLI goes, and what loopd must make of it.
type wrong struct {
	name string
	step fakemodel.Step
	idle string // --idle-timeout
	want harness.StopReason
	// but are the CLIs of which it cannot be told, with what is made of it there.
	but map[string]harness.StopReason
}

// patient lets the slowest CLI come to the end of its own retries; brief ends one that never would.
const (
	patient = "150s"
	brief   = "25s"
)

// wrongs are the rows of section 6 of spec/harnesses.md.
var wrongs = []wrong{
	{"a good answer", fakemodel.Say("READY"), patient, harness.Complete, nil},
	{"401", fakemodel.Fail(401), patient, harness.Login, nil},
	{"403", fakemodel.Fail(403), patient, harness.Login, nil},
	{"429, again in 2 s", fakemodel.RateLimit(2 * time.Second), patient, harness.Limited, nil},
	{"429, no time", fakemodel.RateLimit(0), patient, harness.Limited, nil},
	// pi (unless its settings say retry.provider.maxRetries = 0), opencode and qwen wait without a word.
	{"429, again in an hour", fakemodel.RateLimit(time.Hour), brief, harness.Limited, map[string]harness.StopReason{"pi": harness.Stalled, "opencode": harness.Stalled, "qwen": harness.Stalled}},
	{"quota", fakemodel.Quota(), patient, harness.Limited, nil},
	{"500", fakemodel.Fail(500), patient, harness.Overloaded, nil},
	{"529", fakemodel.Fail(529), patient, harness.Overloaded, nil},
	{"stream dropped", fakemodel.Step{Text: "partial text and no more", Delivery: fakemodel.Drop}, patient, harness.Overloaded, nil},
	{"stream stalled", fakemodel.Step{Text: "partial text and no more", Delivery: fakemodel.Stall}, brief, harness.Stalled, nil},
	{"never answered", fakemodel.Step{Delivery: fakemodel.Hang}, brief, harness.Stalled, nil},
	{"context too long", fakemodel.TooLong(), patient, harness.Truncated, nil},
	{"unknown model", fakemodel.Fail(404), patient, harness.Misused, nil},
	{"empty answer", fakemodel.Step{}, patient, harness.None, nil},
	// Here a refusal cannot be told from an empty answer.
	{"refusal", fakemodel.Step{Stop: fakemodel.StopRefusal}, patient, harness.Refused, map[string]harness.StopReason{"codex": harness.None, "qwen": harness.None}},
	// These do not say that it was cut.
	{"cut at max tokens", fakemodel.Step{Text: "cut off he", Stop: fakemodel.StopMaxTokens}, patient, harness.Truncated, map[string]harness.StopReason{"copilot": harness.Complete, "gemini": harness.Complete, "qwen": harness.Complete}},
}

// TestVerdicts makes the table of section 6 of spec/harnesses.md anew, for loopd's verdicts. It takes minutes for a CLI,
// so only scripts/e2e --harness runs it.
func TestVerdicts(t *testing.T) {
	clis, loopd := realCLIs(t)
	for _, cli := range clis {
		t.Run(cli.name, func(t *testing.T) {
			table := &strings.Builder{}
			fmt.Fprintf(table, "%s\n%-24s %-12s %5s %7s %9s  %s\n", cli.name, "case", "verdict", "exit", "seconds", "requests", "by")
			defer func() { t.Log(table) }()
			for _, w := range wrongs {
				b := newBox(t, cli, loopd)
				b.answer(func(fakemodel.Request) fakemodel.Step { return w.step })
				_, wait := b.start("harness", "test", cli.name, "--json", "--timeout", "280s", "--idle-timeout", w.idle)
				e := wait()
				if left := b.alive(); len(left) > 0 {
					t.Errorf("%s: alive: %s", w.name, left)
				}
				run := gjson.Get(e.out, "run")
				requests := 0
				for _, r := range b.model.Requests() {
					if r.N > 0 {
						requests++
					}
				}
				fmt.Fprintf(table, "%-24s %-12s %5d %7.1f %9d  %s\n", w.name, run.Get("stop"), e.code, run.Get("seconds").Num, requests, run.Get("rule"))
				want := w.want
				if other, ok := w.but[cli.name]; ok {
					want = other
				}
				if got := harness.StopReason(run.Get("stop").Str); got != want {
					t.Errorf("%s: %q, want %q: %s\n%s", w.name, got, want, e.out, e.stderr)
				}
				code := map[harness.StopReason]int{harness.Complete: 0, harness.Limited: 16}
				if c, ok := code[want]; (ok && e.code != c) || (!ok && e.code != 15) {
					t.Errorf("%s: exit %d", w.name, e.code)
				}
			}
		})
	}
}
