package markdown

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"loopd/journal"
)

// badShape is one change of triage, and the findings that it leads to as "line field: part" ("?" before it for a warning).
type badShape struct {
	name, old, new string
	findings       []string
}

const (
	stopBullet = "- no TODO is left: `grep -c TODO work.txt` → exits 1"
	stopWords  = "no TODO is left: `grep -c TODO work.txt` → exits 1"
	unitLine   = "Iteration unit: one TODO line"
	boundLine  = "Default activation bound: one iteration"
)

var badShapes = []badShape{
	// Missing.
	{"no title", "# Triage Loop\n\n", "", []string{"?1 title: # <Name> Loop"}},
	{"another title", "# Triage Loop", "# LOOP: triage", []string{"?1 title: # <Name> Loop"}},
	{"no purpose", "## Purpose\nKeep removing TODO lines.\n", "", []string{"34 Purpose: a section ## Purpose"}},
	{"no stop condition", "## Stop When\n" + stopBullet, "", []string{"35 Stop When: must not run without an end"}},
	{"no allowed actions", "## Allowed Actions\n- edit work.txt\n", "", []string{"34 Allowed Actions: what the agent may do"}},
	{"no state", "## State To Track\n- current focus\n", "", []string{"34 State To Track: what state.md must keep"}},
	{"no record", "## Record Each Iteration\nSignal, action, result, next.\n", "", []string{"34 Record Each Iteration: smallest shape"}},
	{"no trigger", "## Trigger\nA manual tick.\n", "", []string{"?34 Trigger: what starts the next iteration"}},
	{"no continue condition", "## Continue When\n- work.txt has a TODO line: `grep -c TODO work.txt` → exits 0\n", "", []string{"?34 Continue When: the trigger alone"}},
	{"no direction", "## Direction\nwork.txt only.\n", "", []string{"?34 Direction: stay focused"}},
	{"no use", "## Use For\nRemoving TODO lines.\n", "", []string{"?34 Use For: what workflow"}},
	{"no policy", "## Run Policy\n" + unitLine + "\n" + boundLine + "\n", "", nil},

	// There, and not filled in.
	{"an empty section", "Keep removing TODO lines.", "", []string{"6 Purpose: your own words"}},
	{"the template's words", "Keep removing TODO lines.", "What is this loop trying to keep doing?", []string{"6 Purpose: your own words"}},
	{"the template's words as a list", stopBullet, "- What conditions require the loop to stop or complete?\n- Stop conditions override continue conditions.", []string{"22 Stop When: an end"}},
	{"TBD", "Keep removing TODO lines.", "TBD.", []string{"6 Purpose: your own words"}},
	{"a placeholder", "- edit work.txt", "- <what it may do>", []string{"25 Allowed Actions: your own words"}},
	{"a placeholder among others", "- edit work.txt", "- edit work.txt\n- TODO(you): what else", []string{"27 Allowed Actions: only a person"}},
	{"dots", stopBullet, "- ...", []string{"22 Stop When: an end"}},
	{"a comment alone", stopBullet, "<!-- never -->", []string{"22 Stop When: an end"}},
	{"nothing stops it", stopBullet, "- none", []string{"22 Stop When: an end"}},
	{"never stops", stopBullet, "- never", []string{"22 Stop When: an end"}},
	{"never continues", "- work.txt has a TODO line: `grep -c TODO work.txt` → exits 0", "- never", nil},
	{"no need to ask", "- the file is missing: `test -e work.txt` → exits 1", "- none", nil},
	{"never asks", "- the file is missing: `test -e work.txt` → exits 1", "Never.", nil},
	{"a command's placeholder", stopWords, "`<your command>` → exits 0", []string{"23 Stop When: only a person"}},

	// Doubled, misspelt, misplaced.
	{"a section twice", "## Allowed Actions", "## Stop When\n- later\n\n## Allowed Actions", []string{"25 Stop When: each section once"}},
	{"a section twice in other case", "## Allowed Actions", "## stop when\n- later\n\n## Allowed Actions", []string{"25 Stop When: each section once"}},
	{"a misspelt heading", "## Stop When", "## Stop Wehn", []string{"22 Stop When: write the heading so"}},
	{"a heading run together", "## Ask Human When", "## AskHumanWhen", []string{"28 Ask Human When: write the heading so"}},
	{"a misspelt second section", "## Allowed Actions", "## Stop Whem\n- later\n\n## Allowed Actions", []string{"?25 Stop When: only handed to the agent"}},
	{"a heading of another level", "## Stop When", "### Stop When", []string{"22 Stop When: two #"}},
	{"a title for a section", "## Stop When", "# Stop When", []string{"22 Stop When: two #"}},
	{"a section inside another", "## Allowed Actions", "### Stop When\n- later\n\n## Allowed Actions", []string{"25 Stop When: two #"}},
	{"an open comment", "## Allowed Actions", "<!-- oops\n\n## Allowed Actions", []string{"25 LOOP.md: close it", "?23 Stop When: judged as prose"}},

	// The policy.
	{"a policy without keys", unitLine + "\n" + boundLine, "Automatic, one round each.", []string{"?15 Run Policy Iteration unit: what counts", "?15 Run Policy Default activation bound: one iteration is run"}},
	{"a key twice", boundLine, boundLine + "\nDefault activation bound: 5 items", []string{"18 Run Policy Default activation bound: the key once"}},
	{"a misspelt key", boundLine, "Default activaton bound: 5 items", []string{"17 Run Policy Default activation bound: write the key so", "?15 Run Policy Default activation bound: one iteration is run"}},
	{"a bound that is none", boundLine, "Default activation bound: as long as it takes", []string{"17 Run Policy Default activation bound: never runs without a bound"}},
	{"a bound without an end", boundLine, "Default activation bound: until stopped", []string{"17 Run Policy Default activation bound: never runs without a bound"}},
	{"a default that is not allowed", boundLine, "Default activation bound: until queue empty\nAllowed activation bounds: one item, up to 5 items", []string{"17 Run Policy Default activation bound: add it to"}},
	{"an allowed bound that is none", boundLine, boundLine + "\nAllowed activation bounds:\n- one item\n- whatever fits", []string{"?20 Run Policy Allowed activation bounds: allow nothing"}},

	// Details.
	{"an open detail", "## Direction", "## Required Activation Details\n- Target branch:\n- the pull request to watch\n\n## Direction", []string{"?10 Required Activation Details: Target branch", "?11 Required Activation Details: --detail"}},
	{"a filled detail", "## Direction", "## Required Activation Details\nConfirm these first.\n\n- Target branch: main\n\n## Direction", nil},
	{"a detail that asks", "## Direction", "## Required Activation Details\n- Target branch: which one?\n\n## Direction", []string{"?10 Required Activation Details: Target branch"}},
	{"no detail", "## Direction", "## Required Activation Details\nNone.\n\n## Direction", nil},

	// Conditions that a machine reads half are judged whole.
	{"prose", stopWords, "nobody objects any more", nil},
	{"a quoted name", stopWords, "`main` is green again", nil},
	{"a file's name", stopWords, "the file `work.txt` is gone", nil},
	{"no arrow", stopWords, "`grep -c TODO work.txt` exits 1", nil},
	{"words and no arrow", stopWords, "stop if `grep -c TODO work.txt` exits 1", []string{"?23 Stop When: put → before"}},
	{"no expectation", stopWords, "`grep -c TODO work.txt`", []string{"?23 Stop When: does not say what is expected"}},
	{"an empty expectation", stopWords, "`grep -c TODO work.txt` →", []string{"?23 Stop When: does not say what is expected"}},
	{"more words", stopWords, "`grep -c TODO work.txt` → exits 1 and nobody objects", []string{"?23 Stop When: nothing tests the words and nobody objects"}},
	{"two commands", stopWords, "`a` and `b` → exits 0", []string{"?23 Stop When: one command a bullet"}},
	{"two whole conditions", stopWords, "`a` → exits 0 or `b` → exits 0", []string{"?23 Stop When: nothing tests the words or"}},
	{"words for a result", stopWords, "`make test` → all is well", []string{"?23 Stop When: nothing tests the words all is well"}},
	{"a status that is none", stopWords, "`a` → exits 256", []string{"23 Stop When: 0 to 255"}},
	{"an expression that is none", stopWords, "`a` → matches /(/", []string{"23 Stop When: missing closing"}},
	{"nested", stopBullet, "- any of:\n  - `a` → exits 0\n  - `b` → exits 0", []string{"?23 Stop When: judged as prose"}},
	{"a table", stopBullet, "| when | command |\n|---|---|\n| done | `a` → exits 0 |", []string{"?25 Stop When: judged as prose"}},
	{"a code block", stopBullet, "```sh\n`a` → exits 0\n```", []string{"?24 Stop When: judged as prose"}},
	{"a paragraph", stopBullet, "`a` → exits 0", nil},

	// State.
	{"a long state", "- current focus", "- everything that a later iteration has to know about the work that was done before it and the like", []string{"?32 State To Track: a short name"}},
	{"other languages", "Keep removing TODO lines.", "TODO 行を消し続ける — не больше.", nil},
}

func TestBadDefinitions(t *testing.T) {
	for _, s := range badShapes {
		t.Run(s.name, func(t *testing.T) {
			if !strings.Contains(triage, s.old) {
				t.Fatalf("the definition lacks %q", s.old)
			}
			_, findings := read(strings.Replace(triage, s.old, s.new, 1))
			compare(t, findings, s.findings)
		})
	}
}

// compare holds findings against what they should be, in any order.
func compare(t *testing.T, got []journal.Finding, want []string) {
	t.Helper()
	rest := slices.Clone(want)
	for _, f := range got {
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
}

func tells(f journal.Finding, want string) bool {
	want, warning := strings.CutPrefix(want, "?")
	place, part, _ := strings.Cut(want, ": ")
	return fmt.Sprintf("%d %s", f.Line, f.Field) == place && strings.Contains(f.String(), part) && f.Warning == warning && f.Column > 0
}

// The trigger or the continue condition has to be clear; without both nobody knows when an iteration may start.
func TestNeitherTriggerNorContinueWhen(t *testing.T) {
	text := strings.Replace(triage, "A manual tick.", "TBD", 1)
	at, end := strings.Index(text, "## Continue When"), strings.Index(text, "## Stop When")
	_, findings := read(text[:at] + text[end:])
	compare(t, findings, []string{"12 Trigger: ## Continue When"})
}

// Another file under this name is one finding.
func TestOtherFiles(t *testing.T) {
	native := "# Loop: k\n\n## Goal\nNo TODO is left.\n\n## Done-when\n`true` exits 0\n\n## Archetype\nratchet-climb\n\n## Iteration contract\n- Unit: one\n\n" +
		"## Verification\n- `true` → exits 0\n\n## Ratchet\n- Metric: none\n\n## Guardrails\n- none\n\n## Escalation\n- Stalled: 3\n\n## Budget\n- Max iterations: 2\n"
	for name, c := range map[string]struct{ text, want string }{
		"a native charter":       {native, "1 LOOP.md: .loop/NAME/LOOP.md"},
		"nothing":                {"", "1 LOOP.md: the protocol's sections"},
		"blanks":                 {"\n \n\t\n", "1 LOOP.md: the protocol's sections"},
		"a README":               {"# Project\n\n## Install\nnpm i\n\n## Usage\nrun it\n", "1 LOOP.md: the protocol's sections"},
		"headings in Russian":    {"# Цикл\n\n## Назначение\nУдалять.\n\n## Остановка\n- нет\n", "1 LOOP.md: the protocol's sections"},
		"no Markdown":            {`{"name": "triage"}`, "1 LOOP.md: the protocol's sections"},
		"a definition in a code": {"```\n" + triage + "```\n", "1 LOOP.md: the protocol's sections"},
		"UTF-16":                 {"\xff\xfe#\x00 \x00L\x00", "1 LOOP.md: UTF-8"},
		"Latin-1":                {strings.Replace(triage, "A manual", "Caf\xe9", 1), "13 LOOP.md: UTF-8"},
		"binary":                 {triage + "\x00", "36 LOOP.md: UTF-8"},
		"quotes without end":     {triage + strings.Repeat("> ", 60) + "x\n", "36 LOOP.md: without end"},
	} {
		t.Run(name, func(t *testing.T) {
			_, findings := read(c.text)
			compare(t, findings, []string{c.want})
		})
	}
}

// The protocol's own shape, with nothing filled in, is unclear in everything that must be clear.
func TestTheTemplateItself(t *testing.T) {
	d, findings := read(seedShape(t))
	for _, name := range []string{purpose, trigger, stopWhen, allowed, askWhen, stateToTrack, recordEach} {
		if !slices.ContainsFunc(findings, func(f journal.Finding) bool { return f.Field == name && !f.Warning }) {
			t.Errorf("%s is not told: %v", name, findings)
		}
	}
	if len(d.ContinueWhen)+len(d.StopWhen)+len(d.AskWhen)+len(d.Allowed)+len(d.Details)+len(d.Track) != 0 || d.Policy.Unit != "" || d.Policy.Default.N != 1 {
		t.Errorf("read %+v", d)
	}
}

func seedShape(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("# <Name> Loop\n\n")
	texts := map[string]string{runPolicy: "Iteration unit:\n  What counts as one iteration?\n\nDefault activation bound:\n  How far should one activation run if the user does not specify otherwise?\n\n" +
		"Allowed activation bounds:\n  What bounds are valid for this loop?\n\nOptional:\n  Auto-continue:\n    When may the agent continue within the same activation?\n  Stop-after-each:\n" +
		"    When should the agent stop after one unit even if continuation is possible?",
		useFor: templateWords[0], purpose: templateWords[1], detailsName: "Optional. What concrete target, command, artifact, scope, or limit must be\nconfirmed before activation?",
		direction: templateWords[3] + "\n" + templateWords[4], trigger: templateWords[5] + "\n\nIf this depends on time, events, files, reviews, tests, or an external runner,\nsay so here.\n\n" + templateWords[21] + "\n\n" + templateWords[22],
		pattern: templateWords[7], continueWhen: templateWords[13], stopWhen: templateWords[14] + "\n" + templateWords[15], allowed: templateWords[16], askWhen: templateWords[17],
		stateToTrack: templateWords[18], recordEach: templateWords[19] + "\nWhat must the next iteration know to avoid repeating work, losing context, or\ncontinuing when it should pause?"}
	for _, name := range sectionNames {
		if text := texts[name]; text != "" {
			fmt.Fprintf(&b, "## %s\n\n%s\n\n", name, text)
		}
	}
	return b.String()
}

// Positions are those of the file, whatever stands before them.
func TestPositions(t *testing.T) {
	bad := strings.Replace(triage, "→ exits 1\n\n## Allowed", "→ exits 999\n\n## Allowed", 1)
	for name, src := range map[string]string{
		"plain": bad, "BOM": "\ufeff" + bad, "CRLF": strings.ReplaceAll(bad, "\n", "\r\n"), "BOM and CRLF": "\ufeff" + strings.ReplaceAll(bad, "\n", "\r\n"),
		"comment": strings.Replace(bad, "\n\n## Use For", "<!--\n--> \n## Use For", 1),
	} {
		_, findings := read(src)
		if len(findings) != 1 || findings[0].Line != 23 || findings[0].Column != 3 {
			t.Errorf("%s: %v", name, findings)
		}
	}
}

// A large definition reads like a small one, a hostile one costs no more than a large one: what is not linear does not end
// within the time of a test.
func TestLargeAndHostileDefinitions(t *testing.T) {
	prose := strings.Repeat("- one more thing that may be done\n", 2000) // 66 KB
	if d, findings := read(strings.Replace(triage, "- edit work.txt\n", prose, 1)); len(findings) != 0 || len(d.Allowed) != 2000 || len(d.AskWhen) != 1 {
		t.Errorf("%d actions, %v", len(d.Allowed), findings)
	}
	long := strings.Repeat("word ", 13000) // one line of 65 KB
	if d, findings := read(strings.Replace(triage, "edit work.txt", long, 1)); len(findings) != 0 || len(d.Allowed[0].Text) < 64000 {
		t.Errorf("%v", findings)
	}
	for name, s := range map[string]string{"quotes": ">", "quoted": "> ", "lists": "- + ", "numbers": "1. ", "back-ticks": "`", "spans": "` `` ", "comments": "<!--",
		"closed comments": "<!---->", "titles": "# \n", "sections": "## Stop When\n", "bullets": "- `a` → exits 0\n", "nested": "- a:\n  - b\n", "rules": "---\nx\n", "arrows": "->",
		"stars": "*", "keys": "Iteration unit: x\n", "colons": "a: ", "rows": "|a|\n|-|\n", "fences": "```\n", "tildes": "~~~ x\n", "tabs": "\t- a\n", "templates": templateWords[1] + " "} {
		flood := strings.Repeat(s, 128<<10/len(s))
		for _, src := range []string{triage + flood, strings.Replace(triage, "no TODO is left", flood, 1), strings.Replace(triage, "one TODO line\n", "one\n"+flood+"\n", 1), flood} {
			if _, findings := read(src); len(findings) > 2*findingsMax {
				t.Errorf("%s: %d findings", name, len(findings))
			}
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(triage))
	for _, s := range badShapes {
		f.Add([]byte(strings.Replace(triage, s.old, s.new, 1)))
	}
	f.Add([]byte("\ufeff# K Loop\r\n## Stop When\r\n```\n## Run Policy"))
	f.Fuzz(func(t *testing.T, src []byte) {
		d, findings := Read("LOOP.md", src)
		lines := strings.Count(string(src), "\n") + strings.Count(string(src), "\r") + 1
		for _, x := range findings {
			if x.Line < 1 || x.Line > lines || x.Column < 1 || x.Field == "" || strings.ContainsAny(x.String(), "\n\r\x1b") {
				t.Fatalf("a finding without position or with more than a line: %+v", x)
			}
		}
		for _, c := range slices.Concat(d.ContinueWhen, d.StopWhen, d.AskWhen) {
			if c.Text == "" || c.Line < 1 || c.Line > lines || c.Check != nil && c.Check.Command == "" {
				t.Fatalf("a condition of nothing: %+v", c)
			}
		}
		if d.Policy.Allows(d.Policy.Default) != nil && len(findings) == 0 {
			t.Fatalf("the default bound is not allowed: %+v", d.Policy)
		}
		Confirmation(d, Proposal{Name: "k", Bound: d.Policy.Default})
	})
}

func BenchmarkRead(b *testing.B) {
	for _, size := range []int{1, 40} {
		text := triage + strings.Repeat("\n## More\n- key: value with `code` and words\n", 40*(size-1))
		b.Run(fmt.Sprintf("%dKiB", len(text)>>10), func(b *testing.B) {
			for b.Loop() {
				read(text)
			}
		})
	}
}
