package harness

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Wording is one rule for an error that a CLI tells in prose. Prose is read only where it is the CLI's own: its error
// field, or stderr of a start that failed. It is never looked for in what the agent said or its tools printed.
type Wording struct {
	Harness string   // only from this CLI; "": any
	Status  int      // matches where the text names this HTTP status ("status 401", "last status: 429"); 0: any
	Words   []string // lower case; all of them must occur
	Stop    StopReason
	Kind    string // of the limit, or which of the reasons that share one StopReason; see advices
	Origin  string // file:line where a user wrote it, "" for loopd's own
}

// wordings are tried in order, the first that matches wins. They were seen from Claude Code 2.1 and Codex 0.171, or are
// quoted in their issue trackers.
var wordings = []Wording{
	// Cut off. These come first: they may speak of a limit too, and no wait ends them.
	{Words: []string{"context limit"}, Stop: Truncated, Kind: "context"},
	{Words: []string{"context length"}, Stop: Truncated, Kind: "context"},
	{Words: []string{"context_length_exceeded"}, Stop: Truncated, Kind: "context"},
	{Words: []string{"context window"}, Stop: Truncated, Kind: "context"},
	{Words: []string{"prompt is too long"}, Stop: Truncated, Kind: "context"},
	{Words: []string{"prompt as too long"}, Stop: Truncated, Kind: "context"},
	{Words: []string{"max_output_tokens"}, Stop: Truncated, Kind: "output"},
	{Words: []string{"output token maximum"}, Stop: Truncated, Kind: "output"},
	{Words: []string{"content_filter"}, Stop: Refused},
	{Words: []string{"blocked due to safety"}, Stop: Refused},
	// What a person has to pay for.
	{Words: []string{"credit balance is too low"}, Stop: Limited, Kind: "credit"},
	{Words: []string{"quota exceeded"}, Stop: Limited, Kind: "quota"},
	{Words: []string{"exceeded your current quota"}, Stop: Limited, Kind: "quota"},
	{Words: []string{"exhausted your daily quota"}, Stop: Limited, Kind: "daily"},
	{Words: []string{"insufficient_quota"}, Stop: Limited, Kind: "quota"},
	{Words: []string{"billing hard limit"}, Stop: Limited, Kind: "credit"},
	// What ends by itself.
	{Words: []string{"usage limit"}, Stop: Limited, Kind: "usage"},
	{Words: []string{"quota will reset"}, Stop: Limited, Kind: "usage"},
	{Words: []string{"exhausted your capacity"}, Stop: Limited, Kind: "usage"},
	{Words: []string{"hit your", "limit"}, Stop: Limited, Kind: "usage"},
	{Words: []string{"rate limit"}, Stop: Limited, Kind: "rate"},
	{Words: []string{"limit reached"}, Stop: Limited, Kind: "usage"},
	{Words: []string{"too many requests"}, Stop: Limited, Kind: "rate"},
	{Status: 429, Stop: Limited, Kind: "rate"},
	// Who are you.
	{Words: []string{"missing environment variable"}, Stop: Login, Kind: "variable"},
	{Words: []string{"not logged in"}, Stop: Login},
	{Words: []string{"invalid auth method"}, Stop: Login}, // gemini, exit 41
	{Words: []string{"set an auth method"}, Stop: Login},
	{Words: []string{"please run /login"}, Stop: Login},
	{Words: []string{"invalid api key"}, Stop: Login},
	{Words: []string{"api key not valid"}, Stop: Login},
	{Words: []string{"incorrect api key"}, Stop: Login},
	{Words: []string{"failed to authenticate"}, Stop: Login},
	{Words: []string{"token has expired"}, Stop: Login},
	{Words: []string{"refresh token"}, Stop: Login},
	{Status: 401, Stop: Login},
	{Status: 403, Stop: Login},
	// Cannot start like this.
	{Words: []string{"cannot be used with root"}, Stop: Misused, Kind: "root"},
	{Words: []string{"not inside a trusted directory"}, Stop: Misused, Kind: "folder"},
	{Words: []string{"error loading config"}, Stop: Misused, Kind: "config"},
	{Words: []string{"unknown argument"}, Stop: Misused, Kind: "flag"},
	{Words: []string{"show help", "show version number"}, Stop: Misused, Kind: "flag"}, // yargs prints its help and no more
	{Words: []string{"unknown option"}, Stop: Misused, Kind: "flag"},
	{Words: []string{"invalid command format"}, Stop: Misused, Kind: "flag"},
	{Words: []string{"unexpected argument"}, Stop: Misused, Kind: "flag"},
	{Words: []string{"invalid value", "for '"}, Stop: Misused, Kind: "flag"},
	{Words: []string{"is not found for api version"}, Stop: Misused, Kind: "model"},
	{Words: []string{"model", "does not exist"}, Stop: Misused, Kind: "model"},
	{Words: []string{"model", "is not supported"}, Stop: Misused, Kind: "model"},
	{Words: []string{"issue with the selected model"}, Stop: Misused, Kind: "model"},
	{Status: 404, Stop: Misused, Kind: "model"},
	// Not our fault, and it passes.
	{Words: []string{"high demand"}, Stop: Overloaded},
	{Words: []string{"overloaded"}, Stop: Overloaded},
	{Words: []string{"stream disconnected"}, Stop: Overloaded, Kind: "network"},
	{Words: []string{"waiting for network"}, Stop: Overloaded, Kind: "network"},
	{Words: []string{"api error: terminated"}, Stop: Overloaded, Kind: "network"},
	{Words: []string{"failed native model http request"}, Stop: Overloaded, Kind: "network"},
	{Words: []string{"cannot connect to api"}, Stop: Overloaded, Kind: "network"},
	{Words: []string{"socket connection was closed"}, Stop: Overloaded, Kind: "network"},
	{Words: []string{"connection reset"}, Stop: Overloaded, Kind: "network"},
	{Words: []string{"connection refused"}, Stop: Overloaded, Kind: "network"},
	{Words: []string{"connection failed"}, Stop: Overloaded, Kind: "network"},
	{Words: []string{"connection error"}, Stop: Overloaded, Kind: "network"},
	{Words: []string{"unable to connect"}, Stop: Overloaded, Kind: "network"},
	{Words: []string{"error sending request"}, Stop: Overloaded, Kind: "network"},
	{Words: []string{"econnrefused"}, Stop: Overloaded, Kind: "network"},
	{Words: []string{"econnreset"}, Stop: Overloaded, Kind: "network"},
	{Words: []string{"enotfound"}, Stop: Overloaded, Kind: "network"},
	{Words: []string{"etimedout"}, Stop: Overloaded, Kind: "network"},
	{Status: 500, Stop: Overloaded},
	{Status: 502, Stop: Overloaded},
	{Status: 503, Stop: Overloaded},
	{Status: 504, Stop: Overloaded},
	{Status: 529, Stop: Overloaded},
}

// wordingStops are the stop reasons that a wording may lead to.
var wordingStops = []StopReason{Limited, Truncated, Refused, Login, Misused, Overloaded}

// Defects are what is wrong with a wording of a user's: each begins with the key that it is about.
func (w Wording) Defects() error {
	var all []error
	bad := func(key, format string, args ...any) {
		all = append(all, fmt.Errorf("%s: "+format, append([]any{key}, args...)...))
	}
	if w.Status == 0 && len(w.Words) == 0 {
		bad("words", "is missing: what does the CLI say? e.g. words = [\"weekly limit\"]")
	}
	if w.Status != 0 && (w.Status < 400 || w.Status > 599) {
		bad("status", "is %d, want an HTTP status of an error, 400 to 599", w.Status)
	}
	for _, word := range w.Words {
		if len(strings.TrimSpace(word)) < 4 {
			bad("words", "%q is too short: it would be found in anything", word)
		}
	}
	if !slices.Contains(wordingStops, w.Stop) {
		names := make([]string, len(wordingStops))
		for i, stop := range wordingStops {
			names[i] = string(stop)
		}
		bad("stop", "is %q, want one of %s", w.Stop, strings.Join(names, ", "))
	}
	switch known := []string{"usage", "rate", "quota", "credit"}; {
	case w.Kind != "" && w.Stop != Limited:
		bad("kind", "is for stop = \"limited\" only")
	case w.Kind != "" && !slices.Contains(known, w.Kind):
		bad("kind", "is %q, want one of %s", w.Kind, strings.Join(known, ", "))
	}
	return errors.Join(all...)
}

// rule says which wording it is, for a person who asks why.
func (w Wording) rule() string {
	var parts []string
	if w.Status != 0 {
		parts = append(parts, "status "+itoa(w.Status))
	}
	for _, word := range w.Words {
		parts = append(parts, strconv.Quote(word))
	}
	where := w.Origin
	if where == "" {
		where = "built in"
	}
	return "wording " + strings.Join(parts, " and ") + " (" + where + ")"
}

// ending is how a run ended and which of the reasons that share one stop reason it was.
type ending struct {
	stop StopReason
	kind string
}

// verdict is what a run comes to, and by which rule.
type verdict struct {
	ending
	rule string
}

// is is the verdict of what a CLI's own fields, its end or its exit code say.
func is(stop StopReason, kind string) verdict { return verdict{ending: ending{stop, kind}} }

// rules judge what a CLI says in prose: a user's wordings first, then loopd's own.
type rules []Wording

// judge applies the wordings to the CLI's own error text.
func (r rules) judge(said string) (verdict, bool) { return judgeBy(said, r, wordings) }

func judgeBy(said string, lists ...[]Wording) (verdict, bool) {
	low := strings.ToLower(said)
	status := namedStatus(low)
	for _, list := range lists {
		for _, w := range list {
			if w.Status != 0 && w.Status != status {
				continue
			}
			if !slices.ContainsFunc(w.Words, func(word string) bool { return !strings.Contains(low, strings.ToLower(word)) }) {
				return verdict{ending{w.Stop, w.Kind}, w.rule()}, true
			}
		}
	}
	return verdict{}, false
}

// judgeStatus applies the rules for a bare HTTP status that came in a field of its own.
func (r rules) judgeStatus(status int) (verdict, bool) {
	for _, list := range [][]Wording{r, wordings} {
		for _, w := range list {
			if w.Status == status && status != 0 && len(w.Words) == 0 {
				return verdict{ending{w.Stop, w.Kind}, w.rule()}, true
			}
		}
	}
	if status >= 500 {
		return verdict{ending{Overloaded, ""}, "status " + itoa(status)}, true
	}
	return verdict{}, false
}

// judgeLed reads an error that begins with the HTTP status ("429 Rate limit …"): the words first, then the status.
func (r rules) judgeLed(said string) (verdict, string) {
	if v, ok := r.judge(said); ok {
		return v, said
	}
	first, _, _ := strings.Cut(said, " ")
	if status, err := strconv.Atoi(first); err == nil {
		if v, ok := r.judgeStatus(status); ok {
			return v, said
		}
	}
	if said == "terminated" { // node's word for a connection that broke
		return is(Overloaded, "network"), said
	}
	return is(Crashed, ""), said
}

// statusForm is an HTTP status as errors name it: "unexpected status 401 …", "status code 429", "HTTP error: 429", "last
// status: 429", and a text that is nothing else.
var statusForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:\b(?:status|http)(?: status)?(?: code| error)?[:= ]+|^)([45][0-9]{2})(?:$|[^0-9])`)
})

// namedStatus finds the last HTTP status of an error that a text names, 0 where there is none.
func namedStatus(low string) int {
	all := statusForm().FindAllStringSubmatch(strings.TrimSpace(low), -1)
	if len(all) == 0 {
		return 0
	}
	n, err := strconv.Atoi(all[len(all)-1][1])
	if err != nil {
		return 0
	}
	return n
}
