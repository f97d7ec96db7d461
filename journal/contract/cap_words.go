package contract

import (
	"strings"
	"time"
)

// capRule is what one of the four caps is read by.
type capRule struct {
	units map[string]string // words, and what they count
	bare  string            // the unit of a number without one, "" where it needs one
	folds bool              // "k" and "M" multiply
}

// manyfold multiply a number.
var manyfold = map[string]float64{"k": 1e3, "thousand": 1e3, "hundred": 100, "m": 1e6, "mio": 1e6, "million": 1e6, "b": 1e9, "bn": 1e9, "billion": 1e9}

// numerals are small numbers in words, for a value that has none in digits.
var numerals = map[string]float64{"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12,
	"fifteen": 15, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "ninety": 90}

// breaks end the words between a number and its unit.
var breaks = map[string]bool{"of": true, "per": true, "in": true, "at": true, "for": true, "on": true, "with": true, "and": true, "or": true, "to": true, "then": true, "each": true,
	"every": true, "a": true, "an": true, "by": true, "until": true, "after": true, "if": true, "is": true, "are": true, "across": true, "over": true, "within": true}

// bareTails may stand behind a number that has no unit.
var bareTails = map[string]bool{"max": true, "maximum": true, "total": true, "tops": true, "overall": true, "altogether": true, "hard": true, "at": true}

// times are the units of Time limit.
var times = map[string]time.Duration{"s": time.Second, "sec": time.Second, "secs": time.Second, "second": time.Second, "seconds": time.Second,
	"m": time.Minute, "min": time.Minute, "mins": time.Minute, "minute": time.Minute, "minutes": time.Minute,
	"h": time.Hour, "hr": time.Hour, "hrs": time.Hour, "hour": time.Hour, "hours": time.Hour, "d": 24 * time.Hour, "day": 24 * time.Hour, "days": 24 * time.Hour,
	"week": 7 * 24 * time.Hour, "weeks": 7 * 24 * time.Hour, "ms": time.Millisecond, "millisecond": time.Millisecond, "milliseconds": time.Millisecond}

const iterations, reviewLines, reviewFiles, reviewOthers = "iterations", "changed lines", "files", "reviews"

// capRules says in what each cap is counted.
func capRules() map[string]capRule {
	ofTime := map[string]string{}
	for w, d := range times {
		ofTime[w] = d.String()
	}
	return map[string]capRule{
		maxIter:   {unitsOf(iterations, "iteration iterations iter iters run runs cycle cycles attempt attempts round rounds pass passes loop loops try tries turn turns tick ticks time times x × experiment experiments trial trials"), iterations, true},
		timeLimit: {ofTime, "", false},
		budget: {join(unitsOf(string(ToolCalls), "call calls use uses invocation invocations"), unitsOf(string(ModelCalls), "request requests prompt prompts"), unitsOf(string(Tokens), "token tokens tok"),
			unitsOf(string(USD), "$ usd dollar dollars"), unitsOf(string(Credits), "credit credits")), "", true},
		review: {join(unitsOf(reviewLines, "line lines loc sloc"), unitsOf(reviewFiles, "file files"), unitsOf(reviewOthers, "diff diffs review reviews pr prs pull")), "", true},
	}
}

func unitsOf(unit, words string) map[string]string {
	out := map[string]string{}
	for w := range strings.FieldsSeq(words) {
		out[w] = unit
	}
	return out
}

func join(all ...map[string]string) map[string]string {
	out := map[string]string{}
	for _, m := range all {
		for k, v := range m {
			out[k] = v
		}
	}
	return out
}
