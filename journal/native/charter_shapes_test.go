package native

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"loopd/journal"
)

// shape is one way in which people write a charter: one change of wholeCharter, the findings it leads to as
// "line field: part" ("?" before it for a warning), and what is read.
type shape struct {
	name, old, new string
	findings       []string
	value          func(journal.Charter) any
	want           any
}

const (
	cadenceLine = "- Cadence: on-demand"
	inboxWords  = "append via `cat >> \"/tmp/inbox.txt\"`"
	doneWords   = "`grep -c TODO work.txt` exits 1"
	checkWords  = "`sh check.sh` → exits 0"
	readWords   = "`grep -c TODO work.txt || true`"
)

var (
	iterations = func(c journal.Charter) any { return c.Budget.MaxIterations }
	perOne     = func(c journal.Charter) any { return c.Budget.PerIteration }
	dollars    = func(c journal.Charter) any { return c.Budget.Cost }
	tokens     = func(c journal.Charter) any { return c.Budget.Tokens }
	review     = func(c journal.Charter) any { return [2]int{c.Budget.ReviewLines, c.Budget.ReviewFiles} }
	stalled    = func(c journal.Charter) any { return c.Escalation.Stalled }
	channels   = func(c journal.Charter) any { return fmt.Sprint(c.Escalation.Channels) }
	protected  = func(c journal.Charter) any { return strings.Join(c.Protected, "|") }
	scope      = func(c journal.Charter) any { return strings.Join(c.Promotion.Scope, "|") }
	required   = func(c journal.Charter) any { return c.Promotion.Required }
	goal       = func(c journal.Charter) any { return c.Goal }
	unit       = func(c journal.Charter) any { return c.Unit }
	file       = func(c journal.Charter) any { return c.Ratchet.File }
	env        = func(c journal.Charter) any { return strings.Join(c.Harness.Env, "|") }
	commands   = func(c journal.Charter) any {
		var out []string
		for _, k := range c.Verification {
			out = append(out, fmt.Sprintf("%s = %d", k.Command, k.Want.Exit))
		}
		return strings.Join(out, " | ")
	}
	conditions = func(c journal.Charter) any {
		var out []string
		for _, d := range c.DoneWhen {
			if d.File != nil {
				out = append(out, d.File.Path+" "+string(d.File.Want))
			} else {
				out = append(out, fmt.Sprintf("%s = %d", d.Check.Command, d.Check.Want.Exit))
			}
		}
		return strings.Join(out, " | ")
	}
)

var shapes = []shape{
	// Limits: never a smaller or larger number than the person wrote.
	{"a limit that is none", "Max iterations: 20", "Max iterations: 4, otherwise unlimited", []string{"36 Budget Max iterations: whole number"}, iterations, 0},
	{"a range", "Max iterations: 20", "Max iterations: 20-30", []string{"36 Budget Max iterations: whole number"}, iterations, 0},
	{"two numbers", "Max iterations: 20", "Max iterations: 20, then 30", []string{"36 Budget Max iterations: whole number"}, iterations, 0},
	{"an exponent", "Max iterations: 20", "Max iterations: 1e3", []string{"36 Budget Max iterations: whole number"}, iterations, 0},
	{"a percentage", "Max iterations: 20", "Max iterations: 20%", []string{"36 Budget Max iterations: whole number"}, iterations, 0},
	{"dollars for iterations", "Max iterations: 20", "Max iterations: $20", []string{"36 Budget Max iterations: whole number"}, iterations, 0},
	{"zero", "Max iterations: 20", "Max iterations: 0", []string{"36 Budget Max iterations: whole number"}, iterations, 0},
	{"too many", "Max iterations: 20", "Max iterations: 99999999999999999999", []string{"36 Budget Max iterations: whole number"}, iterations, 0},
	{"in words", "Max iterations: 20", "Max iterations: twenty", []string{"36 Budget Max iterations: whole number"}, iterations, 0},
	{"with its unit and a remark", "Max iterations: 20", "Max iterations: 20 iterations (was 50)", nil, iterations, 20},
	{"with a remark behind a dash", "Max iterations: 20", "Max iterations: 20 — a hard stop", nil, iterations, 20},
	{"bold value", "Max iterations: 20", "Max iterations: **20**", nil, iterations, 20},
	{"back-ticked value", "Max iterations: 20", "Max iterations: `20`", nil, iterations, 20},
	{"one limit twice", cadenceLine, "- max iterations: 500\n" + cadenceLine, []string{"38 Budget Max iterations: the bullet once"}, iterations, 20},
	{"misspelt limit", cadenceLine, "- Max costs: $5\n" + cadenceLine, []string{"?38 Budget Max costs: did you mean Max cost?"}, dollars, 0.0},
	{"unknown limit", cadenceLine, "- Max dogs: 5\n" + cadenceLine, []string{"?38 Budget Max dogs: nothing enforces"}, iterations, 20},
	{"another currency", cadenceLine, "- Max cost: 5 EUR\n" + cadenceLine, []string{"38 Budget Max cost: USD above 0"}, dollars, 0.0},
	{"another currency's sign", cadenceLine, "- Max cost: €5\n" + cadenceLine, []string{"38 Budget Max cost: USD above 0"}, dollars, 0.0},
	{"no cost at all", cadenceLine, "- Max cost: 0\n" + cadenceLine, []string{"38 Budget Max cost: USD above 0"}, dollars, 0.0},
	{"USD first", cadenceLine, "- Max cost: USD 5\n" + cadenceLine, nil, dollars, 5.0},
	{"USD last", cadenceLine, "- Max cost: 2.50 USD (a day)\n" + cadenceLine, nil, dollars, 2.5},
	{"thousands of tokens", cadenceLine, "- Max tokens: 500k tokens\n" + cadenceLine, nil, tokens, int64(500_000)},
	{"separated tokens", cadenceLine, "- Max tokens: 2,000,000\n" + cadenceLine, nil, tokens, int64(2_000_000)},
	{"a million and a half", cadenceLine, "- Max tokens: 1.5 million\n" + cadenceLine, nil, tokens, int64(1_500_000)},
	{"apples", cadenceLine, "- Max tokens: 2 apples\n" + cadenceLine, []string{"38 Budget Max tokens: whole number"}, tokens, int64(0)},
	{"a decimal comma", cadenceLine, "- Max tokens: 1,5 M\n" + cadenceLine, []string{"38 Budget Max tokens: whole number"}, tokens, int64(0)},
	{"lines only", cadenceLine, "- Review budget: 400 lines\n" + cadenceLine, nil, review, [2]int{400, 0}},
	{"files first", cadenceLine, "- Review budget: 6 files and 1,000 changed lines (soft)\n" + cadenceLine, nil, review, [2]int{1000, 6}},
	{"a bare review budget", cadenceLine, "- Review budget: 400\n" + cadenceLine, []string{"38 Budget Review budget: N changed lines"}, review, [2]int{}},
	{"lines twice", cadenceLine, "- Review budget: 400 lines, 6 lines\n" + cadenceLine, []string{"38 Budget Review budget: N changed lines"}, review, [2]int{}},
	{"a review budget without an end", cadenceLine, "- Review budget: 400 lines, unlimited files\n" + cadenceLine, []string{"38 Budget Review budget: N changed lines"}, review, [2]int{}},
	{"more minutes than there are", "per iteration: 1", "per iteration: 99999999999999", []string{"37 Budget Max wall-clock per iteration: a time above 0"}, perOne, time.Duration(0)},
	{"negative minutes", "per iteration: 1", "per iteration: -5", []string{"37 Budget Max wall-clock per iteration: a time above 0"}, perOne, time.Duration(0)},
	{"no minutes", "per iteration: 1", "per iteration: 0", []string{"37 Budget Max wall-clock per iteration: a time above 0"}, perOne, time.Duration(0)},
	{"minutes without an end", "per iteration: 1", "per iteration: 30 or more", []string{"37 Budget Max wall-clock per iteration: a time above 0"}, perOne, time.Duration(0)},
	{"hours and minutes", "per iteration: 1", "per iteration: 1h 30m", nil, perOne, 90 * time.Minute},
	{"a decimal", "per iteration: 1", "per iteration: 1.5", nil, perOne, 90 * time.Second},
	{"cadence with a remark", "on-demand", "daily 06:30 (local time)", nil, func(c journal.Charter) any { return c.Budget.Cadence.Hour }, 6},
	{"cadence in back-ticks", "on-demand", "`*/30 9-17 * * 1-5`", nil, func(c journal.Charter) any { return c.Budget.Cadence.Kind }, journal.Cron},

	// Counts in phrases.
	{"a stall in words", "Stalled: 2 iterations", "Stalled: five iterations", nil, stalled, 5},
	{"a stall after", "Stalled: 2 iterations", "Stalled: after 5 iterations", nil, stalled, 5},
	{"a stall by letter", "Stalled: 2 iterations", "Stalled: K=4 iterations", nil, stalled, 4},
	{"a silent stall", "Stalled: 2 iterations without movement", "Stalled: no movement", nil, stalled, 3},
	{"half a stall", "Stalled: 2 iterations", "Stalled: 1.5 iterations", []string{"32 Escalation Stalled: whole number"}, stalled, 3},
	{"a negative stall", "Stalled: 2 iterations", "Stalled: -2 iterations", []string{"32 Escalation Stalled: whole number"}, stalled, 3},
	{"cycles in words", "4 consecutive clean cycles", "five clean cycles, reviewed by 2 people", nil, required, 5},
	{"no cycles", "4 consecutive clean cycles", "0 clean cycles", []string{"42 Promotion Write access requires: whole number"}, required, 3},

	// Channels.
	{"prose is no channel", inboxWords, "stop and tell the owner", nil, channels, "[]"},
	{"several channels", inboxWords, "`cat >> /tmp/a`, file:/tmp/b and team", nil, channels, "[`cat >> /tmp/a` file:/tmp/b team]"},
	{"a URL with commas", inboxWords, "smtp://h/?to=a@x.test,b@x.test", nil, channels, "[smtp://…]"},
	{"a channel per case", "Blocked on a decision: stop.", "Blocked on a decision: stop → file:/tmp/q", nil, channels, "[`cat >> \"/tmp/inbox.txt\"` file:/tmp/q]"},
	{"channels in a list", inboxWords, "all of\n  - `cat >> /tmp/a`\n  - file:/tmp/b", nil, channels, "[`cat >> /tmp/a` file:/tmp/b]"},
	{"an absolute path into the loop", inboxWords, "file:/r/.loop/k/x", []string{"32 Escalation Stalled: outside of .loop/"}, channels, "[]"},
	{"a roundabout path into the loop", inboxWords, "`file:src/../.loop/x`", []string{"32 Escalation Stalled: outside of .loop/"}, channels, "[]"},
	{"a tilde", inboxWords, "file:~/inbox", []string{"32 Escalation Stalled: no shell reads this"}, channels, "[]"},

	// Globs.
	{"protected prose", "Protected: check.sh", "Protected: everything under tests", []string{"29 Guardrails Protected: words match no path"}, protected, ""},
	{"protected with a remark", "Protected: check.sh", "Protected: check.sh (the judge), b.sh.", nil, protected, "check.sh|b.sh"},
	{"protected by and", "Protected: check.sh", "Protected: check.sh and tests/**", nil, protected, "check.sh|tests/**"},
	{"protected in a list", "Protected: check.sh", "Protected:\n  - check.sh\n  - `b c.sh`", nil, protected, "check.sh|b c.sh"},
	{"protected outside", "Protected: check.sh", "Protected: ../x", []string{"29 Guardrails Protected: inside the working tree"}, protected, ""},
	{"an exception", "Protected: check.sh", "Protected: *.go, !a.go", []string{"29 Guardrails Protected: exception"}, protected, "*.go"},
	{"an open bracket", "Protected: check.sh", "Protected: a[", []string{"29 Guardrails Protected: brackets close"}, protected, ""},
	{"no write scope", "promoted: work.txt", "promoted: none", nil, scope, ""},
	{"a write scope in words", "promoted: work.txt", "promoted: the whole tree", []string{"43 Promotion Write scope when promoted: words match no path"}, scope, ""},

	// Checks.
	{"two commands in a bullet", checkWords, "`go vet` and `go test` → exits 1", []string{"19 Verification: nothing may stand"}, commands, ""},
	{"two commands behind an arrow", checkWords, "`go vet` → passes, `go test` too", []string{"19 Verification: one command each"}, commands, ""},
	{"a label", checkWords, "Tests: `sh check.sh` → exits 1", nil, commands, "sh check.sh = 1"},
	{"a bold label", checkWords, "**Tests:** `sh check.sh` → exits 1", nil, commands, "sh check.sh = 1"},
	{"a quoted word is no command", checkWords, "no `TODO` is left", []string{"19 Verification: begin with the command"}, commands, ""},
	{"no arrow", checkWords, "`sh check.sh` exits 2", nil, commands, "sh check.sh = 2"},
	{"no expectation", checkWords, "`sh check.sh`", nil, commands, "sh check.sh = 0"},
	{"an arrow in the command", checkWords, "`echo a -> b` -> exits 0", nil, commands, "echo a -> b = 0"},
	{"a comment in the command", checkWords, "`grep '<!-- x -->' f` → exits 0", nil, commands, "grep '<!-- x -->' f = 0"},
	{"a comment behind the command", checkWords, "`true` <!-- `false` --> → exits 0", nil, commands, "true = 0"},
	{"nested under a heading bullet", checkWords, "Checks:\n  - `a` → exits 0\n  - `b` → exits 1", nil, commands, "a = 0 | b = 1"},
	{"check boxes", checkWords, "[ ] `a` → exits 0", nil, commands, "a = 0"},
	{"numbered", "- " + checkWords, "1. `a` → exits 0\n2) `b` → exits 1", nil, commands, "a = 0 | b = 1"},
	{"a table", "- " + checkWords, "| command | want |\n|---|---|\n| `a` | exits 0 |", []string{"18 Verification: at least one bullet"}, commands, ""},
	{"a template", checkWords, "`<test command>` → exits 0", []string{"19 Verification: only a person"}, commands, ""},
	{"a redirection is no template", checkWords, "`sort <a >b` → exits 0", nil, commands, "sort <a >b = 0"},

	// Done-when: a condition left out would end the loop too early.
	{"a quoted word is no condition", doneWords, "no `TODO` is left", []string{"7 Done-when: begin with the command"}, conditions, ""},
	{"OR", doneWords, "`a` exits 1 OR `b` exits 0", []string{"7 Done-when: OR is not understood"}, conditions, ""},
	{"or", doneWords, "`a` exits 1 or it is late", []string{"7 Done-when: a condition that nothing checks"}, conditions, ""},
	{"and", doneWords, "`a` exits 1 and backlog.md has no unchecked items.", nil, conditions, "a = 1 | backlog.md has no unchecked items"},
	{"and prose", doneWords, "`a` exits 1 and everybody is happy", []string{"7 Done-when: a condition that nothing checks"}, conditions, ""},
	{"commas", doneWords, "`a` exits 1, `b` exits 0, and `c` exits 2", nil, conditions, "a = 1 | b = 0 | c = 2"},
	{"a list with its head", doneWords, "All of these hold:\n- `a` exits 1\n- `x.md` exists\n- AND y.md is empty", nil, conditions, "a = 1 | x.md exists | y.md is empty"},
	{"never", doneWords, "never; an operator retires it", nil, conditions, ""},
	{"wrapped", doneWords, "`a` exits 1\nAND `b`\nexits 0", nil, conditions, "a = 1 | b = 0"},
	{"an absolute file", doneWords, "/etc/x exists", []string{"7 Done-when: relative path"}, conditions, ""},
	{"a file above", doneWords, "../x exists", []string{"7 Done-when: relative path"}, conditions, ""},
	{"indented", doneWords, "\t`a` exits 1", nil, conditions, "a = 1"},
	{"a sentence is no file", doneWords, "everything exists", []string{"7 Done-when: prose"}, conditions, ""},

	// The ratchet.
	{"none with a remark", "Metric: TODO lines", "Metric: none (a watch)", nil, func(c journal.Charter) any { return c.Ratchet.Present() }, false},
	{"two readings", "Read via: " + readWords, "Read via: `a` or `b`", []string{"24 Ratchet Read via: one command"}, file, ""},
	{"a file of another place", "Read via: " + readWords, "Read via: /etc/x", []string{"24 Ratchet Read via: inside the working tree"}, file, ""},
	{"a marked file", "Read via: " + readWords, "Read via: `file:build/n.txt`", nil, file, "build/n.txt"},
	{"direction with a remark", "decreasing", "Decreasing (to 0)", nil, func(c journal.Charter) any { return c.Ratchet.Direction }, journal.Decreasing},

	// Markdown as it comes.
	{"bullets behind a tab", "- Unit: one TODO line\n", "\t- Unit: one TODO line\n", nil, unit, "one TODO line"},
	{"a rule behind the goal", "left in work.txt.\n", "left in work.txt.\n---\n", nil, goal, "No TODO line is left in work.txt."},
	{"front matter", "# Loop: k", "---\nname: k\n---\n# Loop: k", nil, goal, "No TODO line is left in work.txt."},
	{"an open comment", "## Guardrails", "<!-- oops\n\n## Guardrails", []string{"27 LOOP.md: ends in -->"}, protected, "check.sh"},
	{"a second title", "## Promotion", "# Loop: other\n\n## Promotion", []string{"40 title: one loop a charter"}, goal, "No TODO line is left in work.txt."},
	{"a template's goal", "No TODO line is left in work.txt.", "<one sentence>", []string{"4 Goal: only a person"}, goal, "<one sentence>"},
	{"other languages", "one TODO line", "一つの TODO 行を消す — не больше", nil, unit, "一つの TODO 行を消す — не больше"},
	{"a wide colon", "Unit: one TODO line", "Unit：one TODO line", nil, unit, "one TODO line"},
	{"a value in the list below", "Unit: one TODO line", "Unit:\n  - one TODO line\n  - no more", nil, unit, "one TODO line; no more"},
	{"bold archetype with a colon", "ratchet-climb of the usual kind", "**Ratchet-climb**: of the usual kind", nil, func(c journal.Charter) any { return string(c.Archetype) + "|" + c.ArchetypeNote }, "ratchet-climb|of the usual kind"},
	{"variables", "promoted: work.txt\n", "promoted: work.txt\n\n## Harness\n- Env: $DB_URL, `CI_TOKEN`\n", nil, env, "DB_URL|CI_TOKEN"},
	{"a value among the variables", "promoted: work.txt\n", "promoted: work.txt\n\n## Harness\n- Env: A=1, B\n", []string{"46 Harness Env: never written into a charter"}, env, "B"},
}

func TestShapesOfCharters(t *testing.T) {
	for _, s := range shapes {
		t.Run(s.name, func(t *testing.T) {
			if !strings.Contains(wholeCharter, s.old) {
				t.Fatalf("the charter lacks %q", s.old)
			}
			c, findings := readText(strings.Replace(wholeCharter, s.old, s.new, 1))
			rest := slices.Clone(s.findings)
			for _, f := range findings {
				i := slices.IndexFunc(rest, func(want string) bool { return tells(f, want) })
				if i < 0 {
					t.Errorf("not wanted: %s (warning %v)", f, f.Warning)
					continue
				}
				rest = slices.Delete(rest, i, i+1)
			}
			if len(rest) > 0 {
				t.Errorf("not found: %q", rest)
			}
			if got := s.value(c); got != s.want {
				t.Errorf("read %#v, want %#v", got, s.want)
			}
		})
	}
}

func tells(f journal.Finding, want string) bool {
	want, warning := strings.CutPrefix(want, "?")
	place, part, _ := strings.Cut(want, ": ")
	return fmt.Sprintf("%d %s", f.Line, f.Field) == place && strings.Contains(f.String(), part) && f.Warning == warning && f.Column > 0
}

// A section that stands in the wrong place is one finding, not one for each that it passed.
func TestAMovedSectionIsOneFinding(t *testing.T) {
	at := strings.Index(wholeCharter, "## Promotion")
	head := strings.Index(wholeCharter, "## Goal")
	_, findings := readText(wholeCharter[:head] + wholeCharter[at:] + "\n" + wholeCharter[head:at])
	if len(findings) != 1 || findings[0].Field != "Promotion" || findings[0].Line != 3 {
		t.Errorf("findings: %v", findings)
	}
}

func TestOtherEncodings(t *testing.T) {
	for name, src := range map[string]string{
		"UTF-16":  "\xff\xfe#\x00 \x00L\x00",
		"Latin-1": strings.Replace(wholeCharter, "No TODO", "Caf\xe9", 1),
		"binary":  wholeCharter + "\x00",
		"comment": wholeCharter + "\n<!-- Caf\xe9 -->\n",
	} {
		c, findings := readText(src)
		if len(findings) != 1 || !strings.Contains(findings[0].Fix, "UTF-8") || c.Harness.OKToken != defaultOKToken {
			t.Errorf("%s: %v", name, findings)
		}
	}
	for name, src := range map[string]string{"old line ends": strings.ReplaceAll(wholeCharter, "\n", "\r"), "mixed line ends": strings.Replace(wholeCharter, "\n", "\r\n", 9)} {
		if _, findings := readText(src); len(findings) != 0 {
			t.Errorf("%s: %v", name, findings)
		}
	}
}

// Positions are those of the file, whatever stands before them.
func TestPositions(t *testing.T) {
	bad := strings.Replace(wholeCharter, "Max iterations: 20", "Max iterations: no", 1)
	for name, src := range map[string]string{
		"plain": bad, "BOM": "\ufeff" + bad, "CRLF": strings.ReplaceAll(bad, "\n", "\r\n"), "BOM and CRLF": "\ufeff" + strings.ReplaceAll(bad, "\n", "\r\n"),
		"comment": strings.Replace(bad, "\n\n## Goal", "<!--\n--> \n## Goal", 1),
	} {
		_, findings := readText(src)
		if len(findings) != 1 || findings[0].Line != 36 || findings[0].Column != 3 {
			t.Errorf("%s: %v", name, findings)
		}
	}
}

// Hostile input costs no more than large input: what is not linear does not end within the time of a test.
func TestHostileCharters(t *testing.T) {
	for name, s := range map[string]string{"quotes": ">", "quoted": "> ", "lists": "- + ", "numbers": "1. ", "back-ticks": "`", "spans": "` `` ", "comments": "<!--",
		"titles": "# \n", "sections": "## Goal\n", "bullets": "- Max iterations: 1\n", "rules": "---\nx\n", "arrows": "->", "ands": " AND a", "parentheses": " (("} {
		flood := strings.Repeat(s, 256<<10/len(s))
		for _, src := range []string{wholeCharter + "- Unit: " + flood, flood} {
			_, findings := readText(src)
			if len(findings) > findingsMax+1 {
				t.Errorf("%s: %d findings", name, len(findings))
			}
		}
	}
}
