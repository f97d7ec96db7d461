package harness

import (
	"fmt"
	"strings"
)

// SeeTranscript is the advice where nothing is known but what the CLI printed.
const SeeTranscript = "see the transcript (`loopd log NAME --transcript N`)"

// advices say what a person does next, by stop reason and kind; kind "" is for all others. %[1]s is the harness.
var advices = map[ending]string{
	{Refused, ""}:           "split the unit or say it in other words",
	{Truncated, ""}:         "make the unit smaller",
	{Truncated, "context"}:  "the context is full: make the unit or what it has to read smaller",
	{TurnLimit, ""}:         "make the unit smaller or raise the turn limit",
	{CostLimit, ""}:         "make the unit smaller or raise the cost limit",
	{Limited, ""}:           "wait for the reset",
	{Limited, "credit"}:     "add credit to the account, or use another key",
	{Limited, "quota"}:      "raise the quota or add credit, or use another key",
	{Overloaded, ""}:        "the vendor is overloaded: try again later",
	{Overloaded, "network"}: "check the network, the proxy and the base URL; then try again",
	{Misused, ""}:           "run `loopd harness test %[1]s` to see the exact command",
	{Misused, "root"}:       "run loopd as an ordinary user; or, inside a sandbox of your own, declare it: IS_SANDBOX=1 in the environment or `env = { IS_SANDBOX = \"1\" }` under [harness.%[1]s] in config.toml",
	{Misused, "model"}:      "name a model that this account may use (--model, or `Model:` in the charter)",
	{Misused, "missing"}:    "install it, or set its path: argv under [harness.%[1]s] in config.toml",
	{Misused, "flag"}:       "update %[1]s: it does not know a flag that loopd needs (`loopd harness test %[1]s` shows the command)",
	{Misused, "config"}:     "correct the configuration file of %[1]s",
	{Misused, "folder"}:     "run it inside a git repository",
	{Login, "variable"}:     "set that variable; where it is another vendor's key, the charter's `Env:` must name it",
	{Interrupted, ""}:       "start the loop again when you are ready",
	{Stalled, ""}:           "raise the limit or make the unit smaller; the transcript shows where it stood",
	{Crashed, ""}:           SeeTranscript,
	{None, ""}:              SeeTranscript,
}

// saidMax bounds, in bytes, how much of the CLI's own words stands in a cause.
const saidMax = 240

// cause is one sentence: who, what it said or did, what to do next. login is the harness's own advice for Login.
func cause(name, login string, v verdict, said string) string {
	if v.stop == Complete {
		return ""
	}
	advice, ok := advices[v.ending]
	if v.stop == Login && !ok {
		advice, ok = login, true
	}
	if !ok {
		advice = advices[ending{v.stop, ""}]
	}
	if strings.Contains(advice, "%") {
		advice = fmt.Sprintf(advice, name)
	}
	said = strings.TrimRight(clip(said, saidMax), " .;:")
	if said == "" {
		said = string(v.stop)
	}
	return name + ": " + said + "; " + advice
}

// byLoopd is the stop reason of a run that loopd ended before there was an answer.
func byLoopd(exit Exit) (verdict, string, bool) {
	switch exit.Stopped {
	case "":
		return verdict{}, "", false
	case "wall":
		return is(Stalled, "wall"), "ended at the wall-clock limit", true
	case "idle":
		return is(Stalled, "idle"), "ended at the idle limit", true
	case "turns":
		return is(TurnLimit, ""), "ended by loopd at the turn limit", true
	default:
		return is(Interrupted, ""), "interrupted before it answered", true
	}
}

// failedStart judges a process that ended without one event: exit code first, then its stderr.
func (r rules) failedStart(exit Exit) (verdict, string) {
	said := firstError(exit.Stderr)
	switch exit.Code {
	case 127:
		return is(Misused, "missing"), or(said, "no such program (exit 127)")
	case 126:
		return is(Misused, "missing"), or(said, "not executable (exit 126)")
	}
	if exit.Code == 0 && exit.Signal == "" {
		return is(None, ""), "exit 0 and no output"
	}
	if v, ok := r.judge(said); ok { // the line that is quoted says most; warnings stand above it
		return v, said
	}
	if v, ok := r.judge(string(exit.Stderr)); ok {
		return v, or(said, exit.words())
	}
	return is(Crashed, ""), or(said, exit.words()+" and no output")
}

// words names the end of the process.
func (e Exit) words() string {
	if e.Signal != "" {
		return "ended by SIG" + e.Signal
	}
	return "exit " + itoa(e.Code)
}

// firstError is the line of stderr that says most: the first that begins with "error", else the last that is not empty.
func firstError(stderr []byte) string {
	last := ""
	for line := range strings.Lines(string(stderr)) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		if strings.HasPrefix(strings.ToLower(line), "error") {
			return line
		}
		last = line
	}
	return last
}

func or(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// RefusesRoot says why the harness would not start for root with every permission in its environment (Environ), and what
// to do; "" where it would.
func RefusesRoot(h Harness, environ []string) string {
	name := h.Caps().RootNeeds
	if value, _ := lookup(environ, name); name == "" || value != "" {
		return ""
	}
	return cause(h.Name(), "", is(Misused, "root"), "it refuses every permission to root")
}
