package harness

import (
	"slices"
	"strings"
)

// Wording is one rule for an error that a CLI tells in prose. Prose is read only where it is the CLI's own: its error
// field, or stderr of a start that failed. It is never looked for in what the agent said or its tools printed.
type Wording struct {
	Status int      // matches where the text names this HTTP status ("status 401", "last status: 429"); 0: any
	Words  []string // lower case; all of them must occur
	Stop   StopReason
	Kind   string // of the limit, or which of the reasons that share one StopReason; see advices
}

// wordings are tried in order, the first that matches wins. They were seen from Claude Code 2.1 and Codex 0.171, or are
// quoted in their issue trackers.
var wordings = []Wording{
	// What a person has to pay for.
	{Words: []string{"credit balance is too low"}, Stop: Limited, Kind: "credit"},
	{Words: []string{"quota exceeded"}, Stop: Limited, Kind: "quota"},
	{Words: []string{"exceeded your current quota"}, Stop: Limited, Kind: "quota"},
	{Words: []string{"exhausted your daily quota"}, Stop: Limited, Kind: "daily"},
	// What ends by itself.
	{Words: []string{"usage limit"}, Stop: Limited, Kind: "usage"},
	{Words: []string{"hit your", "limit"}, Stop: Limited, Kind: "usage"},
	{Words: []string{"rate limit"}, Stop: Limited, Kind: "rate"},
	{Words: []string{"limit reached"}, Stop: Limited, Kind: "usage"},
	{Words: []string{"too many requests"}, Stop: Limited, Kind: "rate"},
	{Status: 429, Stop: Limited, Kind: "rate"},
	// Cut off.
	{Words: []string{"context window"}, Stop: Truncated, Kind: "context"},
	{Words: []string{"prompt is too long"}, Stop: Truncated, Kind: "context"},
	{Words: []string{"max_output_tokens"}, Stop: Truncated, Kind: "output"},
	{Words: []string{"output token maximum"}, Stop: Truncated, Kind: "output"},
	{Words: []string{"content_filter"}, Stop: Refused},
	{Words: []string{"blocked due to safety"}, Stop: Refused},
	// Who are you.
	{Words: []string{"missing environment variable"}, Stop: Login, Kind: "variable"},
	{Words: []string{"not logged in"}, Stop: Login},
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

// verdict is what an error comes to.
type verdict struct {
	stop StopReason
	kind string
}

// judge applies the wordings to the CLI's own error text.
func judge(said string) (verdict, bool) {
	low := strings.ToLower(said)
	status := namedStatus(low)
	for _, w := range wordings {
		if w.Status != 0 && w.Status != status {
			continue
		}
		if !slices.ContainsFunc(w.Words, func(word string) bool { return !strings.Contains(low, word) }) {
			return verdict{w.Stop, w.Kind}, true
		}
	}
	return verdict{}, false
}

// judgeStatus applies the rules for a bare HTTP status that came in a field of its own.
func judgeStatus(status int) (verdict, bool) {
	for _, w := range wordings {
		if w.Status == status && status != 0 && len(w.Words) == 0 {
			return verdict{w.Stop, w.Kind}, true
		}
	}
	if status >= 500 {
		return verdict{Overloaded, ""}, true
	}
	return verdict{}, false
}

// namedStatus finds the HTTP status in "unexpected status 401 …" or "last status: 429 …"; 0 where there is none.
func namedStatus(low string) int {
	_, rest, ok := strings.Cut(low, "status")
	if !ok {
		return 0
	}
	rest = strings.TrimLeft(rest, ": ")
	if len(rest) < 3 || (len(rest) > 3 && rest[3] >= '0' && rest[3] <= '9') {
		return 0
	}
	n := 0
	for _, c := range []byte(rest[:3]) {
		if c < '0' || c > '9' {
			return 0
		}
		n = n*10 + int(c-'0')
	}
	return n
}
