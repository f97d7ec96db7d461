package markdown

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"loopd/journal"
)

// boundForms is what an error about a bound says.
const boundForms = "one item, up to 3 items, until queue empty, until check passes, until `command` → exits 0, one gate, or until blocked"

// boundMax bounds a count: more is a slip of the pen.
const boundMax = 100_000

// anyNumber is the letter that the protocol's text has for a number: "N items".
const anyNumber = "n"

var numberWords = []string{"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"}

var (
	// counted is a number with its unit. The unit is a few words: more would be a sentence, and its number another one.
	counted = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:run )?(?:(?:at most|up to|no more than|not more than|exactly|only|just|max\.?|maximum|a maximum of|max of|maximum of):? )?` +
			`(?:a |an )?(single|[0-9]+|n|zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)(?: (?:bounded|single))?(?: ([\p{L}][\p{L}\p{N}_-]*(?: [\p{L}\p{N}_-]+){0,3}))?$`)
	})
	queueEmpty = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:the |its )?(?:[\p{L}-]+ )?(?:queue|backlog|list|inbox)(?: is| has been)? (?:empty|emptied|drained|exhausted|cleared|clear|worked off)$` +
			`|^(?:there are )?no (?:more )?(?:[\p{L}-]+ ){0,2}[\p{L}-]+ (?:is |are )?(?:left|remains?|remaining)$`)
	})
	checkPasses = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:the |all |all the |its )?(?:[\p{L}-]+ )?(?:checks?|tests?|test suite|suite|build|ci|verification|verifier)(?: is| are)? (?:pass|passes|passed|succeeds?|green|goes green)$`)
	})
	gateReached = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:it is |the loop is )?blocked$|^(?:the |a |an |the next )?(?:human |user |operator )?(?:decision|gate|review|approval|input|answer)(?: is)? (?:needed|required|reached|pending)$` +
			`|^(?:the |a |the next )?(?:human )?gate$|^a (?:human|person|user) (?:is needed|must decide|has to decide)$`)
	})
	// endless are conditions that are none: nothing ever makes them true but a person's patience.
	endless = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:it is |the loop is |i am |the user is )?(?:stopped|interrupted|cancell?ed|killed|told otherwise|further notice)$` +
			`|^(?:the |a )?(?:user|operator|human|person|somebody|i) (?:stops?|interrupts?|cancels?|says?|tells?)\b.*$|\b(?:forever|never|indefinite\w*|unlimited|infinit\w*)\b`)
	})
	perActivation = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(` (?:per|each|every|in one|for each|an) (?:activation|run|tick|time|session)$| at a time$`)
	})
)

// ParseBound reads an activation bound from words, such as "one item", "up to 3 items", "max 3 attempts", "until queue
// empty", "until check passes", "until `make test` → exits 0", "one gate", "until blocked" and "until delivery accepted".
// A remark in parentheses does not count. "… or until blocked" adds nothing: that ends every activation. What has no end,
// and what is no bound at all, is an error that says what would do.
func ParseBound(text string) (Bound, error) {
	b, err := parseBound(text)
	if err == nil && b.Kind == BoundCount && b.N == 0 {
		return Bound{}, fmt.Errorf("bound %q: how many? want %s", b.Text, boundForms)
	}
	return b, err
}

func parseBound(text string) (Bound, error) {
	written := journal.OneLine(strings.TrimSpace(text), 300)
	written = strings.TrimSpace(strings.Trim(written, "*_"))
	written = strings.TrimRight(written, " .;,")
	if spans := spansOf(written); len(spans) == 1 && spans[0].from == 0 && spans[0].to == len(written) {
		written = spans[0].code
	}
	b, err := parseWords(written)
	if err != nil {
		// Two bounds of which one is a gate are the other one.
		for _, joint := range []string{", or until ", " or until ", ", until "} {
			first, gate, ok := strings.Cut(written, joint)
			if !ok {
				continue
			}
			one, err1 := parseWords(first)
			if two, err2 := parseWords("until " + gate); err1 == nil && err2 == nil && two.Kind == BoundGate && two.N == 0 {
				b, err = one, nil
				break
			}
		}
	}
	if err != nil {
		return Bound{}, err
	}
	b.Text = written
	return b, nil
}

func parseWords(written string) (Bound, error) {
	s := strings.ToLower(strings.Join(strings.Fields(withoutRemark(written)), " "))
	s = perActivation().ReplaceAllString(strings.TrimRight(s, " .;,"), "")
	bad := fmt.Errorf("bound %q: want %s", written, boundForms)
	if s == "" {
		return Bound{}, fmt.Errorf("no bound, want %s", boundForms)
	}
	if rest, ok := strings.CutPrefix(strings.TrimPrefix(s, "run "), "until "); ok {
		return parseUntil(written, rest)
	}
	m := counted().FindStringSubmatch(s)
	if m == nil {
		return Bound{}, bad
	}
	n, unit := 0, m[2]
	switch i := slices.Index(numberWords, m[1]); {
	case m[1] == anyNumber:
		n = -1
	case m[1] == "single":
		n = 1
	case i >= 0:
		n = i
	default:
		n, _ = strconv.Atoi(m[1]) // too large a number is 0 or too large here as well
	}
	switch words := strings.Fields(unit); {
	case n == 0 || n > boundMax:
		return Bound{}, fmt.Errorf("bound %q: want a number from 1 to %d", written, boundMax)
	case slices.ContainsFunc(words, func(w string) bool {
		return slices.Contains([]string{"or", "and", "until", "minutes", "minute", "hours", "hour", "days", "seconds"}, w)
	}):
		return Bound{}, bad // "3 items or more", "one hour": not a number of units
	case len(words) > 0 && (words[len(words)-1] == "gate" || words[len(words)-1] == "gates"):
		return Bound{Kind: BoundGate, N: max(n, 0)}, nil
	}
	return Bound{Kind: BoundCount, N: max(n, 0)}, nil
}

// parseUntil reads what stands behind "until", in lower case; a command is taken from the words as written.
func parseUntil(written, s string) (Bound, error) {
	switch {
	case strings.Contains(written, "`"):
		at := strings.IndexByte(written, '`')
		between := strings.TrimSpace(strings.ToLower(written[:at]))
		cmd := readCommand(written[at:])
		if cmd.code == "" || cmd.want.Fault != "" || !strings.HasSuffix(between, "until") && !strings.HasSuffix(between, ":") {
			return Bound{}, fmt.Errorf("bound %q: want until `command` → exits 0", written)
		}
		return Bound{Kind: BoundCheck, Check: &journal.Check{Command: cmd.code, Want: cmd.want}}, nil
	case endless().MatchString(s):
		return Bound{}, fmt.Errorf("bound %q has no end, want %s", written, boundForms)
	case queueEmpty().MatchString(s):
		return Bound{Kind: BoundQueue}, nil
	case checkPasses().MatchString(s):
		return Bound{Kind: BoundCheck}, nil
	case gateReached().MatchString(s):
		return Bound{Kind: BoundGate}, nil
	case strings.Contains(s, " or ") || unsaid(s):
		return Bound{}, fmt.Errorf("bound %q: want one of %s", written, boundForms)
	}
	return Bound{Kind: BoundCondition}, nil
}

// remark finds parentheses, outside of which a bound is read.
var remark = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\s*\([^()]*\)`) })

func withoutRemark(s string) string {
	if strings.Contains(s, "`") {
		return s
	}
	return remark().ReplaceAllString(s, "")
}
