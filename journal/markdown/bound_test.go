package markdown

import (
	"slices"
	"strings"
	"testing"

	"loopd/journal"
)

func TestParseBound(t *testing.T) {
	for text, want := range map[string]Bound{
		// The protocol's own words.
		"one item":                    {Kind: BoundCount, N: 1},
		"max 3 attempts":              {Kind: BoundCount, N: 3},
		"until queue empty":           {Kind: BoundQueue},
		"until check passes":          {Kind: BoundCheck},
		"until delivery accepted":     {Kind: BoundCondition},
		"one gate":                    {Kind: BoundGate, N: 1},
		"until blocked":               {Kind: BoundGate},
		"until human decision needed": {Kind: BoundGate},
		// Other words for the same.
		"one iteration":                     {Kind: BoundCount, N: 1},
		"One bounded iteration.":            {Kind: BoundCount, N: 1},
		"a single item":                     {Kind: BoundCount, N: 1},
		"run at most one bounded iteration": {Kind: BoundCount, N: 1},
		"one item per activation":           {Kind: BoundCount, N: 1},
		"one item at a time":                {Kind: BoundCount, N: 1},
		"up to 3 items":                     {Kind: BoundCount, N: 3},
		"Up to three TODO lines":            {Kind: BoundCount, N: 3},
		"3 items":                           {Kind: BoundCount, N: 3},
		"5":                                 {Kind: BoundCount, N: 5},
		"**5 items**":                       {Kind: BoundCount, N: 5},
		"`5 items`":                         {Kind: BoundCount, N: 5},
		"maximum of 12 pull requests (a day's work)":               {Kind: BoundCount, N: 12},
		"one item or until blocked":                                {Kind: BoundCount, N: 1},
		"until the queue is empty, or until human decision needed": {Kind: BoundQueue},
		"until the review queue is empty":                          {Kind: BoundQueue},
		"until backlog is drained":                                 {Kind: BoundQueue},
		"until no open comments are left":                          {Kind: BoundQueue},
		"run until all tests pass":                                 {Kind: BoundCheck},
		"until CI is green":                                        {Kind: BoundCheck},
		"two gates":                                                {Kind: BoundGate, N: 2},
		"until a human decision is needed":                         {Kind: BoundGate},
		"until `make test` passes":                                 {Kind: BoundCheck, Check: &journal.Check{Command: "make test"}},
		"until `make test` → exits 3":                              {Kind: BoundCheck, Check: &journal.Check{Command: "make test", Want: journal.Expectation{Exit: 3}}},
		"until check passes: `grep -c TODO A` → exits 1":           {Kind: BoundCheck, Check: &journal.Check{Command: "grep -c TODO A", Want: journal.Expectation{Exit: 1}}},
		"until the changelog is agreed on":                         {Kind: BoundCondition},
	} {
		got, err := ParseBound(text)
		if err != nil || got.Kind != want.Kind || got.N != want.N || (got.Check == nil) != (want.Check == nil) {
			t.Errorf("%q: %+v, %v, want %+v", text, got, err, want)
			continue
		}
		if got.Check != nil && (got.Check.Command != want.Check.Command || got.Check.Want.Exit != want.Check.Want.Exit) {
			t.Errorf("%q: %+v, want %+v", text, got.Check, want.Check)
		}
	}
}

// What has no end, and what only looks like a bound, is never taken for one.
func TestNoBounds(t *testing.T) {
	for _, text := range []string{"", " ", "forever", "unlimited", "until stopped", "until the user stops it", "until interrupted", "until further notice", "until I say so",
		"0 items", "zero items", "-1 items", "1.5 items", "1,000 items", "3-5 items", "3 or more items", "3 items or more", "at least 3 items", "N items", "up to N items",
		"99999999999999999999 items", "one hour", "30 minutes", "as long as it takes", "items", "all items", "until", "until <condition>", "TBD", "whatever fits",
		"until done forever", "until `make test`", "until `a` and `b` → exits 0", "one item, or two where it is quick", "until a or b"} {
		if b, err := ParseBound(text); err == nil {
			t.Errorf("%q: read as %+v", text, b)
		} else if !strings.Contains(err.Error(), "want ") {
			t.Errorf("%q: %v says not what would do", text, err)
		}
	}
}

// What String writes ParseBound reads: state.md keeps the bound in words.
func TestBoundsComeBack(t *testing.T) {
	for _, b := range []Bound{Count(1), Count(2), Count(100000), UntilQueueEmpty(), UntilCheck("make test"), UntilCheck("echo `date` ``x``"), UntilCheck("a → b"), OneGate(),
		{Kind: BoundGate}, {Kind: BoundGate, N: 3}, {Kind: BoundCheck}} {
		got, err := ParseBound(b.String())
		if err != nil || got.Kind != b.Kind || got.N != b.N || (b.Check == nil) != (got.Check == nil) || b.Check != nil && got.Check.Command != b.Check.Command {
			t.Errorf("%q: %+v, %v, want %+v", b, got, err, b)
		}
	}
}

func TestAllows(t *testing.T) {
	policy := func(lines string) Policy {
		d, _ := read(strings.Replace(triage, boundLine, boundLine+"\n"+lines, 1))
		return d.Policy
	}
	list := "Allowed activation bounds:\n- one item\n- up to 5 items\n- until queue empty\n- one gate\n"
	for _, c := range []struct {
		name   string
		policy Policy
		bound  string
		ok     bool
	}{
		{"listed", policy(list), "one item", true},
		{"fewer than listed", policy(list), "4 attempts", true},
		{"as many as listed", policy(list), "up to 5 items", true},
		{"more than listed", policy(list), "6 items", false},
		{"another condition", policy(list), "until the inbox is empty", true},
		{"a gate", policy(list), "one gate", true},
		{"two gates", policy(list), "two gates", false},
		{"without a number", policy(list), "until blocked", false},
		{"a check that is not listed", policy(list), "until check passes", false},
		{"on one line", policy("Allowed activation bounds: one item, up to 5 items, or until queue empty"), "5 items", true},
		{"on one line, last", policy("Allowed activation bounds: one item, up to 5 items, or until queue empty"), "until queue empty", true},
		{"with slashes", policy("Allowed activation bounds: one item / one gate"), "one gate", true},
		{"indented", policy("Allowed activation bounds:\n  one item\n  until queue empty"), "until queue empty", true},
		{"the text's letter", policy("Allowed activation bounds: one item, up to N items"), "70 items", true},
		{"any check", policy("Allowed activation bounds: one item; until check passes"), "until `x` passes", true},
		{"one check", policy("Allowed activation bounds:\n- one item\n- until `x` passes"), "until `x` passes", true},
		{"another check", policy("Allowed activation bounds:\n- one item\n- until `x` passes"), "until `y` passes", false},
		{"prose", policy("Allowed activation bounds:\n- one item\n- until delivery accepted"), "Until delivery accepted", true},
		{"other prose", policy("Allowed activation bounds:\n- one item\n- until delivery accepted"), "until delivery sent", false},
		{"words that allow nothing", policy("Allowed activation bounds:\n- one item\n- whatever fits"), "9 items", false},
		{"a silent list", policy(""), "9 items", true},
		{"no policy", Policy{Default: Count(1)}, "one item", true},
		{"no policy and more", Policy{Default: Count(1)}, "2 items", false},
		{"no policy and a queue", Policy{Default: Count(1)}, "until queue empty", false},
	} {
		b, err := ParseBound(c.bound)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.policy.Allows(b); (err == nil) != c.ok {
			t.Errorf("%s: %q: %v", c.name, c.bound, err)
		}
	}
	for _, b := range []Bound{{}, Count(0), Count(-1)} {
		if policy("").Allows(b) == nil {
			t.Errorf("%+v is allowed: an activation needs a bound", b)
		}
	}
}

func TestProgress(t *testing.T) {
	for _, c := range []struct {
		bound Bound
		done  int
		want  string
	}{{Count(3), 0, "0 of 3"}, {Count(3), 3, "3 of 3"}, {UntilQueueEmpty(), 1, "1 iteration"}, {OneGate(), 12, "12 iterations"}} {
		got := c.bound.Progress(c.done)
		if n, ok := ReadProgress(got); got != c.want || !ok || n != c.done {
			t.Errorf("%q read as %d, want %q", got, n, c.want)
		}
	}
	for text, want := range map[string]int{"2/5": 2, " 7": 7, "": -1, "none": -1, "99999999999": -1} {
		if n, ok := ReadProgress(text); ok != (want >= 0) || ok && n != want {
			t.Errorf("%q: %d, %v", text, n, ok)
		}
	}
}

func TestIsExternal(t *testing.T) {
	for text, want := range map[string]bool{
		"A manual tick.": true, "cron, every 30 minutes": true, "A new review comment on the PR.": true, "launchd": true, "When tests fail in CI.": true, "the user says so": true,
		"Each morning a GitHub Actions workflow ticks the loop.": true, "A file changes in inbox/.": true,
		"": false, "The previous iteration ended.": false, "Another item is left in the queue.": false, "No external trigger; the next item starts at once.": false,
		"Immediately after a push of the previous iteration": false, "前の作業が終わったら": false,
	} {
		if got := IsExternal(text); got != want {
			t.Errorf("%q: external %v", text, got)
		}
	}
}

func TestDetails(t *testing.T) {
	text := strings.Replace(triage, "## Direction", "## Required Activation Details\n- Target branch: main\n- **Pull request:** <number>\n- the scope of the work\n\n## Direction", 1)
	d, _ := read(text)
	values := func(all []Detail) string {
		var out []string
		for _, x := range all {
			out = append(out, x.Name+"="+x.Value)
		}
		return strings.Join(out, "|")
	}
	if got := values(d.Details); got != "Target branch=main|Pull request=|the scope of the work=" {
		t.Fatalf("details %q", got)
	}
	for _, c := range []struct {
		name  string
		given []Given
		want  string
		bad   []string
	}{
		{"nothing given", nil, "Target branch=main|Pull request=|the scope of the work=", []string{"11 Required Activation Details: Pull request", "12 Required Activation Details: the scope of the work=…"}},
		{"all given", []Given{{"pull Request", "12"}, {"scope of the work", "docs/"}}, "Target branch=main|Pull request=12|the scope of the work=docs/", nil},
		{"by number", []Given{{"2", "12"}, {"3", "docs/"}, {"1", "dev"}}, "Target branch=dev|Pull request=12|the scope of the work=docs/", nil},
		{"an unknown one", []Given{{"2", "12"}, {"3", "x"}, {"Pul request", "13"}}, "Target branch=main|Pull request=12|the scope of the work=x", []string{"1 Required Activation Details: did you mean \"Pull request\""}},
		{"an empty value", []Given{{"2", "12"}, {"3", " TBD "}}, "Target branch=main|Pull request=12|the scope of the work=TBD", []string{"12 Required Activation Details: a value"}},
		{"two lines", []Given{{"2", "12\n## Activation"}, {"3", "x"}}, "Target branch=main|Pull request=12 ## Activation|the scope of the work=x", nil},
	} {
		got, bad := d.Fill(c.given)
		if values(got) != c.want {
			t.Errorf("%s: %q, want %q", c.name, values(got), c.want)
		}
		compare(t, bad, c.bad)
	}
	if plain, _ := read(triage); true {
		_, bad := plain.Fill([]Given{{"x", "y"}})
		compare(t, bad, []string{"1 Required Activation Details: LOOP.md asks for none"})
	}
}

func TestTrack(t *testing.T) {
	for text, want := range map[string]string{
		"- current focus": "",
		"- Status\n- Next action: what to do\n- iteration count":                       "",
		"- queue: the open pull requests":                                              "queue",
		"- **Open reviews** — by id\n- last PR (a number)\n- `head` commit":            "Open reviews|last PR|head commit",
		"1. a b\n2. a B\n3. c":                                                         "a b|c",
		"Current PR:\nLast comment:":                                                   "Current PR|Last comment",
		"```\nCurrent PR:\nStatus:\n```":                                               "Current PR",
		"| name | why |\n|---|---|\n| handled ids | dedup |":                           "handled ids",
		"Status, current focus, next action (state.md, replace values, never append).": "",
		"- none": "",
	} {
		d, findings := read(strings.Replace(triage, "- current focus", text, 1))
		var got []string
		for _, x := range d.Track {
			got = append(got, x.Name)
		}
		if strings.Join(got, "|") != want || len(findings) > 0 {
			t.Errorf("%q: %q, want %q; %v", text, got, want, findings)
		}
	}
}

func FuzzParseBound(f *testing.F) {
	for _, s := range []string{"one item", "up to N items", "until `a` → exits 1", "until check passes: ``a`b``", "one item, or until blocked", "(((", "`", "**"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		b, err := ParseBound(text)
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n\r") {
				t.Fatalf("an error of several lines: %q", err)
			}
			return
		}
		if (b.Kind == BoundCount && (b.N < 1 || b.N > boundMax)) || b.Check != nil && b.Check.Command == "" || !slices.Contains([]BoundKind{BoundCount, BoundQueue, BoundCheck, BoundCondition, BoundGate}, b.Kind) {
			t.Fatalf("%q: %+v", text, b)
		}
		again, err := ParseBound(b.String())
		if err != nil || again.Kind != b.Kind || again.N != b.N {
			t.Fatalf("%q came back from %q as %+v, %v", b, text, again, err)
		}
	})
}
