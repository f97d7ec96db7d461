package contract

import (
	"strings"
	"sync"
	"time"
)

// capRule is what one of the four caps is read by.
type capRule struct {
	units map[string]string // words, and what they count
	bare  string            // the unit of a number without one, "" where it needs one
	folds bool              // "k" and "M" multiply
}

// What is counted beside the units of Budget.
const (
	iterations   = "iterations"
	reviewLines  = "changed lines"
	reviewFiles  = "files"
	reviewOthers = "reviews"
)

// capRules says in what each cap is counted.
var capRules = sync.OnceValue(func() map[string]capRule {
	ofTime := map[string]string{}
	for w, d := range times {
		ofTime[w] = d.String()
	}
	return map[string]capRule{
		maxIter: {units(
			iterations, "iteration iterations iter iters run runs cycle cycles attempt attempts round rounds pass passes loop loops",
			iterations, "try tries turn turns tick ticks time times x × experiment experiments trial trials",
		), iterations, true},
		timeLimit: {ofTime, "", false},
		budget: {units(
			string(ToolCalls), "call calls use uses invocation invocations",
			string(ModelCalls), "request requests prompt prompts",
			string(Tokens), "token tokens tok",
			string(USD), "$ usd dollar dollars",
			string(Credits), "credit credits",
		), "", true},
		review: {units(
			reviewLines, "line lines loc sloc",
			reviewFiles, "file files",
			reviewOthers, "diff diffs review reviews pr prs pull",
		), "", true},
	}
})

// units makes a map of pairs of a unit and its words.
func units(pairs ...string) map[string]string {
	out := map[string]string{}
	for i := 0; i+1 < len(pairs); i += 2 {
		for w := range strings.FieldsSeq(pairs[i+1]) {
			out[w] = pairs[i]
		}
	}
	return out
}

// times are the units of Time limit.
var times = map[string]time.Duration{
	"ms": time.Millisecond, "millisecond": time.Millisecond, "milliseconds": time.Millisecond,
	"s": time.Second, "sec": time.Second, "secs": time.Second, "second": time.Second, "seconds": time.Second,
	"m": time.Minute, "min": time.Minute, "mins": time.Minute, "minute": time.Minute, "minutes": time.Minute,
	"h": time.Hour, "hr": time.Hour, "hrs": time.Hour, "hour": time.Hour, "hours": time.Hour,
	"d": 24 * time.Hour, "day": 24 * time.Hour, "days": 24 * time.Hour,
	"week": 7 * 24 * time.Hour, "weeks": 7 * 24 * time.Hour,
}

// manyfold multiply a number.
var manyfold = map[string]float64{
	"hundred": 100, "k": 1e3, "thousand": 1e3, "m": 1e6, "mio": 1e6, "million": 1e6, "b": 1e9, "bn": 1e9, "billion": 1e9,
}

// numerals are small numbers in words, for a value that has none in digits.
var numerals = map[string]float64{
	"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
	"ten": 10, "eleven": 11, "twelve": 12, "fifteen": 15, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60,
	"ninety": 90,
}

var (
	// breaks end the words between a number and its unit.
	breaks = sync.OnceValue(func() table {
		return phrases("of|per|in|at|for|on|with|and|or|to|then|each|every|a|an|by|until|after|if|is|are|across|over|within")
	})
	// bareTails may stand behind a number that has no unit.
	bareTails = sync.OnceValue(func() table { return phrases("max|maximum|total|tops|overall|altogether|hard|at") })
	// eachOf are what comes once in an iteration: a cap for each of them is one for each iteration.
	eachOf = sync.OnceValue(func() table {
		return phrases("iteration|iterations|iter|attempt|cycle|round|pass|turn|try|experiment|trial|change|commit|diff|pr|review|pull|step")
	})
	// allOf are other words for the whole run.
	allOf = sync.OnceValue(func() table {
		return phrases("run|activation|session|invocation|execution|trigger|job|contract|loop|start|total")
	})
	// rates begin what a cap is given for.
	rates = sync.OnceValue(func() table {
		return phrases("per|each|every|/|a|an ?each|every|single|one|full|whole ?one|full|whole", "for each|every ?single|one|full|whole")
	})
)
