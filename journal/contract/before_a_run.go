package contract

import (
	"strconv"
	"strings"
	"sync"
)

// reviewMost is how many changed lines a person is asked to read at most.
const reviewMost = 1000

var (
	// gates are names of an integration gate. "After integration tests" is none: a gate is what work must pass to be joined.
	gates = sync.OnceValue(func() table {
		return phrases(
			"integration|merge|join|joining|merging ?- gate|gates|gated",
			"gate|gates|gated ?for|before|on|at ?every|each|any|the integration|integrating|merge|merging|joining",
			"integrate|integrates|integrated|merged|merge|merges|joined ?only ?through|behind|by ?a|an|the gate",
		)
	})
	// clocks start an automation by themselves.
	clocks = sync.OnceValue(func() table {
		return phrases(
			"cron|crontab|cronjob", "schedule|schedules|scheduled|scheduler", "webhook|webhooks|hook|callback",
			"timer|timers|systemd|launchd|airflow", "hourly|daily|nightly|weekly|monthly|overnight",
			"every ?# ?other minute|minutes|min|hour|hours|day|days|night|week|weeks|morning|evening|month|"+
				"weekday|m|h|s|second|seconds|monday|tuesday|wednesday|thursday|friday|saturday|sunday",
		)
	})
	// events start one unless a person stands between ("manual start after a failed CI run").
	events = sync.OnceValue(func() table {
		return phrases(
			"event|events", "queue|queues|topic|mailbox|inbox", "ci|pr|prs|mr|mrs",
			"pull|merge ?- request|requests", "# : #",
			"push|pushes|commit|commits|merge|release|tag to|on|event|hits|lands|arrives",
			"on|upon|each|every|whenever|when|after ?a|an|any|new|every|each ?new|failed|failing push|commit|"+
				"merge|release|issue|alert|message|email|mail|file|ticket|tag|comment|failure|build|upload|order|"+
				"record",
			"issue|alert|message|email|ticket|file|build|pipeline|workflow|job ?is opened|created|filed|labelled|"+
				"labeled|fires|fired|arrives|received|fails|failed|finishes|completes|appears|changes|changed|lands|"+
				"posted",
			"github|gitlab|actions|jenkins|buildkite", "alert|alerts|alarm|pager",
		)
	})
	// byHand is a person who starts it.
	byHand = sync.OnceValue(func() table {
		return phrases(
			"manual|manually", "by hand", "on ?- demand", "on request", "ad ?- hoc",
			"person|human|operator|owner|user|somebody|someone|i|we start|starts|asks|runs|triggers|decides",
			"started|run by ?the ?a person|human|operator|owner|user",
		)
	})
)

// beforeARun is what strict adds.
func (r *reader) beforeARun() {
	c := &r.contract
	if v, ok := r.values[review]; ok && !r.isBad(review) {
		lines := c.ReviewEach.Lines
		if lines == 0 {
			lines = c.ReviewBudget.Lines
		}
		switch {
		case c.ReviewBudget.Lines == 0:
			r.add(review, v.at(0), v.text, "a number of changed lines, at most "+strconv.Itoa(reviewMost),
				"say how many lines a person reads, such as 400 changed lines")
		case lines > reviewMost:
			r.add(review, v.at(0), v.text, "at most "+strconv.Itoa(reviewMost)+" changed lines", "nobody reads more with care: make the work smaller")
		}
	}
	if v := r.values[topology]; c.Topology == ManagerWorkers && c.IntegrationGate == "" {
		r.add(topology, v.at(0), v.text, "an integration gate: what the workers' results must pass together before they are kept",
			"add to Recovery, such as: Integration gate: `go test ./...` exits 0 on the joined work")
	}
	if v, ok := r.values[trigger]; ok && c.Mode == Automation && !startsItself(v.text) {
		r.add(trigger, v.at(0), v.text, "what starts an automation from outside: a schedule, webhook, event, queue, CI, PR or timer",
			"name it, such as: cron 0 6 * * *, or choose another mode")
	}
}

// integrationGate finds the clause that names a gate, in whatever field or key of the contract it stands.
func (r *reader) integrationGate() {
	c := &r.contract
	for _, f := range []string{recovery, boundary, topology, verifier, metric, stop, "write-back", "evidence", scope, objective} {
		if c.IntegrationGate == "" {
			c.IntegrationGate = gateIn(r.values[f].text)
		}
	}
	for _, o := range c.Others {
		if c.IntegrationGate == "" && !unsaid(o.Text) {
			c.IntegrationGate = gateIn(o.Name + ": " + o.Text)
		}
	}
}

// gateIn is the sentence of a text that names an integration gate and does not deny it, "" for none.
func gateIn(text string) string {
	for _, s := range sentencesOf(tokensOf(text)) {
		for i := range s {
			n := find(s, i, gates())
			if n > 0 && !deniedBefore(s, i) && !deniedBehind(s, i) && find(s, i+n, answers()) == 0 {
				from, to := s[0].at, s[len(s)-1].end
				if from > 0 && text[from-1] == '`' {
					from--
				}
				if strings.HasPrefix(text[to:], "`") {
					to++
				}
				return text[from:to]
			}
		}
	}
	return ""
}

// startsItself reports whether a trigger names an event that no person makes.
func startsItself(text string) bool {
	for _, c := range spansOf(text) {
		if f := strings.Fields(c.code); len(f) == 5 && strings.Trim(c.code, "0123456789*/,- \tABCDEFGHIJKLMNOPQRSTUVWXYZ") == "" {
			return true // five cron fields
		}
	}
	for _, sign := range []string{"* *", "@daily", "@hourly", "@weekly", "@monthly"} {
		if strings.Contains(text, sign) {
			return true
		}
	}
	for _, t := range alternatives(tokensOf(text)) {
		hand, _ := first(t, byHand())
		byHand := hand >= 0 && !deniedBefore(t, hand)
		for i := range t {
			if (find(t, i, clocks()) > 0 || !byHand && find(t, i, events()) > 0) && !deniedBefore(t, i) {
				return true
			}
		}
	}
	return false
}

// alternatives cuts a text at "or", commas and the ends of sentences.
func alternatives(t []token) [][]token {
	var out [][]token
	from := 0
	for i := range t {
		if isAny(t[i].s, []string{",", ";", ".", "or"}) {
			out = append(out, t[from:i])
			from = i + 1
		}
	}
	return append(out, t[from:])
}

// isBad reports whether a field has a finding already.
func (r *reader) isBad(field string) bool {
	for _, f := range r.findings {
		if f.Field == field {
			return true
		}
	}
	return false
}
