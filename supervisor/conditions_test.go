package supervisor

import (
	"strings"
	"testing"

	"loopd/journal"
)

func TestWeigh(t *testing.T) {
	of := func(truths ...Truth) []Judged {
		var out []Judged
		for _, truth := range truths {
			out = append(out, Judged{Condition: journal.Condition{Text: "c"}, Truth: truth, Evidence: "seen"})
		}
		return out
	}
	for _, tt := range []struct {
		name            string
		stop, ask, goOn []Judged
		act             bool
		status          journal.Status
		why             string
		asks            bool
	}{
		{"all is well", of(False), of(False), of(True), true, "", "", false},
		{"one of several continues", of(False, False), of(False), of(False, True, Unclear), true, "", "", false},
		{"nothing is asked for", nil, nil, nil, true, "", "", false},
		{"stop beats all", of(False, True), of(True), of(True), false, journal.Done, "Stop When holds", false},
		{"stop beats what is unclear", of(Unclear, True), of(Unclear), of(True), false, journal.Done, "Stop When holds", false},
		{"ask beats continue", of(False), of(True), of(True), false, journal.Blocked, "Ask Human When holds", true},
		{"stop is unclear", of(Unclear), of(False), of(True), false, journal.Blocked, "Stop When is unclear", true},
		{"ask is unclear", of(False), of(Unclear), of(True), false, journal.Blocked, "Ask Human When is unclear", true},
		{"nothing continues", of(False), of(False), of(False), false, journal.Active, "no Continue When holds", false},
		{"continue is unclear", of(False), of(False), of(False, Unclear), false, journal.Blocked, "Continue When is unclear", true},
	} {
		got := Weigh(tt.stop, tt.ask, tt.goOn)
		if got.Act != tt.act || got.Status != tt.status || !strings.Contains(got.Why, tt.why) || (got.Asks != "") != tt.asks {
			t.Errorf("%s: %+v", tt.name, got)
		}
	}
}

func TestTruthOfACommand(t *testing.T) {
	for want, res := range map[Truth]CheckResult{True: {OK: true}, False: {}, Unclear: {Missing: true}} {
		if got := truthOf(res); got != want {
			t.Errorf("%+v: %s", res, got)
		}
	}
	if truthOf(CheckResult{Hung: true}) != Unclear {
		t.Error("a command that hangs says something")
	}
}
