package supervisor

import (
	"fmt"
	"testing"
	"time"

	"loopd/journal"
)

func TestOnDuty(t *testing.T) {
	all := []string{"a", "b", "c"}
	at := func(minutes ...int) map[string]time.Time {
		m := map[string]time.Time{}
		for i, n := range minutes {
			if n != 0 {
				m[all[i]] = t0.Add(time.Duration(n) * time.Minute)
			}
		}
		return m
	}
	for _, c := range []struct {
		resting map[string]time.Time
		want    string
	}{
		{nil, "a"},
		{at(5), "b"},
		{at(5, 9), "c"},
		{at(-1, 9), "a"}, // its reset is over: the first is tried again
		{at(9, 5, 7), "b"},
	} {
		if got := onDuty(all, c.resting, t0); got != c.want {
			t.Errorf("resting %v: %s, want %s", c.resting, got, c.want)
		}
	}
}

func TestRestIsForgottenByWork(t *testing.T) {
	m := rest(nil, "a", journal.Limited, t0)
	m = rest(m, "b", journal.Unavailable, t0)
	if m = rest(m, "a", journal.Shipped, time.Time{}); len(m) != 1 || m["b"] != t0 {
		t.Errorf("got %v", m)
	}
	if m = rest(m, "b", journal.Idle, time.Time{}); m != nil {
		t.Errorf("got %v", m)
	}
}

// limitedClaude is the stream of a subscriber's limit with its reset time (harnesses.md 4.1).
const limitedClaude = `echo half >> work.txt; touch ../claude.$(date +%%N)
echo '{"type":"system","subtype":"init","session_id":"s"}'
echo '{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":%d,"rateLimitType":"five_hour"},"session_id":"s"}'
echo '{"type":"result","subtype":"success","is_error":true,"api_error_status":429,"terminal_reason":"api_error","num_turns":1,"session_id":"s","total_cost_usd":0,"usage":{"input_tokens":0,"output_tokens":0},"result":"You have hit your limit"}'
exit 1
`

// On a limit of the maker the next harness takes the same iteration; the maker is tried again after its reset.
func TestFallbackTakesTheSameIteration(t *testing.T) {
	b := newBox(t, nil)
	b.agent("claude", fmt.Sprintf(limitedClaude, time.Now().Add(90*time.Minute).Unix()))
	b.agent("second", ships)
	b.want(Options{Maker: "claude", Fallback: []string{"second"}}, 0)
	b.clean()
	j := b.read(".loop/k/journal.md")
	has(t, j, "## 1 · ")
	has(t, j, " · second\n")
	st := b.state()
	if st.Iteration != 1 || st.LastAgent != "second" || st.Private.Resting["claude"].Before(time.Now().Add(time.Hour)) {
		t.Errorf("state is %+v", st)
	}
	b.want(Options{Maker: "claude", Fallback: []string{"second"}}, 0) // claude rests: it is not even asked
	if st := b.state(); st.Iteration != 2 || st.LastAgent != "second" || len(st.Private.Parked) != 1 {
		t.Errorf("state is %+v", st)
	}
}

// Where all are limited the earliest is waited for, and --once says until when.
func TestAllLimited(t *testing.T) {
	b := newBox(t, nil)
	b.agent("claude", fmt.Sprintf(limitedClaude, time.Now().Add(90*time.Minute).Unix()))
	b.agent("second", "exit 127")
	end := b.want(Options{Maker: "claude", Fallback: []string{"second"}}, 15)
	if time.Until(end.Wake) > 2*time.Minute {
		t.Errorf("wakes at %s", end.Wake)
	}
}
