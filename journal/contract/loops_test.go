package contract

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"loopd/journal"
	"loopd/journal/disk"
	"loopd/journal/journaltest"
)

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func loadLoop(t *testing.T, ref journal.Ref) journal.Loop {
	t.Helper()
	l, err := Loops{}.Load(ref)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func do(t *testing.T, l journal.Loop, r journal.Record) {
	t.Helper()
	writes, err := Loops{}.Record(l, r)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range writes {
		if err := (disk.Disk{}).Do(w); err != nil {
			t.Fatal(err)
		}
	}
}

// makeLoop is a contract with a trigger and one iteration behind it.
func makeLoop(t *testing.T, root string) string {
	t.Helper()
	put(t, filepath.Join(root, "repair.md"), whole22)
	ref, err := RefOf(root, filepath.Join(root, "repair.md"))
	if err != nil {
		t.Fatal(err)
	}
	if err := (disk.Disk{}).Do(Pointer(ref)); err != nil {
		t.Fatal(err)
	}
	l := loadLoop(t, ref)
	at := time.Date(2026, 11, 2, 9, 0, 0, 0, time.UTC)
	next := l.State
	do(t, l, journal.Record{State: &next, At: at, Trigger: &journal.Trigger{Run: "r1", By: "a person"}})
	l = loadLoop(t, ref)
	next = l.State
	next.Iteration, next.LastRun = 1, at
	do(t, l, journal.Record{State: &next, Entry: &journal.Entry{N: 1, Time: at, Agent: "claude", Unit: "a", Did: "did it", Class: journal.Running, Outcome: journal.Shipped}})
	return "repair"
}

func TestSuite(t *testing.T) {
	const state = "../../.agent/state.json"
	journaltest.Suite{
		Dialect: Loops{},
		Make:    makeLoop,
		NoNotes: true,
		Ships:   []string{"Done.\n\nSTATUS: CONTINUE\nRESULT: one more", "**STATUS:** COMPLETE"},
		Broken: []journaltest.Broken{
			{Name: "truncated state", File: state, Data: `{"schema": 1, "loopd": {`, Field: statePath},
			{Name: "another tool's state", File: state, Data: `{"version": 3}`, Field: statePath},
			{Name: "a list", File: state, Data: `[]`, Field: statePath},
			{Name: "a contract with a fault", File: "../../repair.md", Data: strings.Replace(whole22, "30 minutes", "0 minutes", 1), Field: timeLimit},
			{Name: "artifacts out of the tree", File: "../../repair.md", Data: strings.Replace(whole22, ".agent/artifacts", "../artifacts", 1), Field: artifactsPath},
			{Name: "state in git's folder", File: "../../repair.md", Data: strings.Replace(whole22, ".agent/state.json", ".git/state.json", 1), Field: statePath},
			{Name: "state above the artifacts", File: "../../repair.md", Data: strings.Replace(whole22, ".agent/state.json", ".agent", 1), Field: statePath},
			{Name: "credits alone", File: "../../repair.md", Data: strings.Replace(whole22, "20 tool calls", "20 credits", 1), Field: budget},
			{Name: "nothing that shows the goal", File: "../../repair.md", Data: strings.NewReplacer("`go test ./parser` exits 0.", "The parser works.", "maker-checker", "single-agent").Replace(whole22), Field: metric},
		},
	}.Run(t)
}

// records are the kinds of what a run leaves, in any order.
func records(t *rapid.T, l journal.Loop) journal.Record {
	next := l.State
	next.Private.Spent.Cost += float64(rapid.IntRange(0, 9).Draw(t, "cost"))
	next.Status = rapid.SampledFrom([]journal.Status{journal.Active, journal.Active, journal.Blocked, journal.Stalled, journal.Done, journal.Paused}).Draw(t, "status")
	at := time.Date(2026, 11, 2, 9, rapid.IntRange(0, 59).Draw(t, "minute"), 0, 0, time.UTC)
	text := rapid.SampledFrom([]string{"", "plain", "a \"quoted\" <text> & more", "zwei\nZeilen", "日本語 ✅", strings.Repeat("long ", 300)}).Draw(t, "text")
	class := rapid.SampledFrom([]journal.Class{"", journal.Running, journal.VerifyFailed, journal.NoOp, journal.Complete, journal.BudgetStop}).Draw(t, "class")
	r := journal.Record{State: &next, At: at, Class: class}
	switch rapid.IntRange(0, 4).Draw(t, "kind") {
	case 0:
		next.Private.Before = next.Iteration
		r.Trigger = &journal.Trigger{Run: "r" + text, By: "a person"}
	case 1:
		next.Iteration++
		next.LastRun = at
		r.Entry = &journal.Entry{N: next.Iteration, Time: at, Agent: "claude", Unit: text, Did: text, Class: class, Verify: []string{text}, Changed: []string{text}, Reason: text, Outputs: 1,
			Account: journal.Account{Hypothesis: text, Unknowns: []journal.Unknown{{Text: text, Kind: "testable"}}}}
	case 2:
		r.Note = journal.Note(journal.NoteRefused, at, text)
	case 3:
		r.Final = &journal.Final{Class: class, Result: text, Code: 17}
	}
	return r
}

// Replaying the receipts gives the state, whatever happened and in whichever order, also where a crash kept the last
// receipts from the state or the state is gone.
func TestReceiptsGiveTheState(t *testing.T) {
	root := t.TempDir()
	makeLoop(t, root)
	ref, err := RefOf(root, filepath.Join(root, "repair.md"))
	if err != nil {
		t.Fatal(err)
	}
	receipts, state, err := Files(ref)
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(rt *rapid.T) {
		l := loadLoop(t, ref)
		writes, err := Loops{}.Record(l, records(rt, l))
		if err != nil {
			rt.Fatal(err)
		}
		crash := rapid.IntRange(0, 3).Draw(rt, "crash") == 0
		for i, w := range writes {
			if crash && i > 0 {
				break
			}
			if err := (disk.Disk{}).Do(w); err != nil {
				rt.Fatal(err)
			}
		}
		all, findings, err := ReadReceipts(receipts)
		if err != nil || len(findings) > 0 {
			rt.Fatal(err, findings)
		}
		want, err := Render(Fold(all))
		if err != nil {
			rt.Fatal(err)
		}
		if have, _ := os.ReadFile(state); !crash && !bytes.Equal(have, want) {
			rt.Fatalf("state is\n%s\nthe receipts give\n%s", have, want)
		}
		if rapid.IntRange(0, 9).Draw(rt, "gone") == 0 {
			_ = os.Remove(state)
		}
		var folded State
		if err := json.Unmarshal(want, &folded); err != nil {
			rt.Fatal(err)
		}
		after := loadLoop(t, ref)
		if d := cmp.Diff(folded.Engine.state(after), after.State, cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".Raw" }, cmp.Ignore())); d != "" {
			rt.Fatalf("loaded state (-want +got):\n%s", d)
		}
		if after.Entries != folded.Engine.Iteration {
			rt.Fatalf("%d entries, want %d", after.Entries, folded.Engine.Iteration)
		}
	})
}

// A line that a crash tore is no receipt; any other line that is none is said with its place.
func TestDamagedReceipts(t *testing.T) {
	root := t.TempDir()
	makeLoop(t, root)
	file := filepath.Join(root, ".agent/artifacts/receipts.jsonl")
	good, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, text string
		receipts   int
		lines      []int
	}{
		{"torn end", string(good) + `{"schema":1,"n":3,"kind":"no`, 2, nil},
		{"foreign line", `{"event":"x"}` + "\n" + string(good), 2, []int{1}},
		{"empty line", "\n" + string(good), 2, []int{1}},
		{"no text", "\xff\xfe\n" + string(good), 2, []int{1}},
		{"a trigger without its words", `{"schema":1,"n":1,"kind":"trigger"}` + "\n", 0, []int{1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			put(t, file, c.text)
			all, findings, err := ReadReceipts(file)
			var lines []int
			for _, f := range findings {
				lines = append(lines, f.Line)
			}
			if err != nil || len(all) != c.receipts || !cmp.Equal(lines, c.lines) {
				t.Errorf("%d receipts, findings in lines %v, %v; want %d, %v", len(all), lines, err, c.receipts, c.lines)
			}
		})
	}
}

// What the modes, topologies and keys of a contract mean to the engine.
func TestCharterOf(t *testing.T) {
	const (
		metricGo = "- Success metric: `go test ./parser` exits 0."
		number   = "- Success metric: `score` >= 90"
	)
	for _, c := range []struct {
		name  string
		edit  *strings.Replacer
		check func(c journal.Charter) bool
	}{
		{"goal: the metric decides", strings.NewReplacer(), func(c journal.Charter) bool {
			return len(c.DoneWhen) == 1 && !c.DoneAfter && len(c.Verification) == 0 && c.Protocol.Checker && !c.Protocol.CheckerDecides
		}},
		{"a verifier that is no metric is a guardrail", strings.NewReplacer("go test on self-hosted CI.", "`go vet ./...` exits 0 and `go test ./parser` exits 0"), func(c journal.Charter) bool {
			return len(c.Verification) == 1 && c.Verification[0].Command == "go vet ./..."
		}},
		{"a metric in prose is measured by the verifier", strings.NewReplacer(metricGo, "- Success metric: the parser works", "go test on self-hosted CI.", "`go vet ./...` exits 0"), func(c journal.Charter) bool {
			return len(c.DoneWhen) == 1 && c.DoneWhen[0].Check.Command == "go vet ./..." && len(c.Verification) == 0
		}},
		{"no command at all: the checker decides", strings.NewReplacer(metricGo, "- Success metric: the parser works"), func(c journal.Charter) bool {
			return len(c.DoneWhen) == 0 && c.Protocol.CheckerDecides
		}},
		{"a number is a ratchet", strings.NewReplacer(metricGo, number), func(c journal.Charter) bool {
			return c.Ratchet.Command == "score" && c.Ratchet.Direction == journal.Increasing
		}},
		{"down to nothing", strings.NewReplacer(metricGo, "- Success metric: `grep -c TODO x` = 0"), func(c journal.Charter) bool { return c.Ratchet.Direction == journal.Decreasing }},
		{"a number to hit has no side", strings.NewReplacer(metricGo, "- Success metric: `score` = 42"), func(c journal.Charter) bool { return !c.Ratchet.Present() && len(c.DoneWhen) == 1 }},
		{"loop: the metric holds after each iteration", strings.NewReplacer("Mode: Goal", "Mode: interval loop", "Manual start.", "every 15 minutes"), func(c journal.Charter) bool {
			return len(c.DoneWhen) == 0 && len(c.Verification) == 1 && c.Budget.Cadence.Every == 15*time.Minute
		}},
		{"automation: each trigger is a run", strings.NewReplacer("Mode: Goal", "Mode: Automation", "Manual start.", "cron 0 6 * * *"), func(c journal.Charter) bool {
			return c.Protocol.EachRun && c.DoneAfter && len(c.DoneWhen) == 1
		}},
		{"research keeps improvements", strings.NewReplacer("Mode: Goal", "Mode: AutoResearch", metricGo, number), func(c journal.Charter) bool {
			return c.Protocol.Isolated && c.Archetype == journal.EvaluateOptimize
		}},
		{"query and policy", strings.NewReplacer("- Recovery:", "- NO_OP query: `queue list`\n- Output policy: at most 2 files\n- Recovery:"), func(c journal.Charter) bool {
			return c.Protocol.Query != nil && c.Protocol.Query.Command == "queue list" && c.Protocol.Query.Want.Text == "" && c.Protocol.Outputs == 2
		}},
		{"scope", strings.NewReplacer("parser/ and its tests.", "`parser/**`, not `parser/gen/**`"), func(c journal.Charter) bool {
			return cmp.Equal(c.Scope, []string{"parser/**"}) && cmp.Equal(c.Except, []string{"parser/gen/**"})
		}},
		{"write-back", strings.NewReplacer("Append a receipt to the state path.", "append to `docs/log.md` and run `notify --loop x`"), func(c journal.Charter) bool {
			return cmp.Equal(c.Protocol.WriteBack, []journal.Channel{{Command: "notify --loop x"}, {File: "docs/log.md"}})
		}},
		{"caps", strings.NewReplacer("20 tool calls", "20 tool calls, 30 model calls, 5000 tokens and $3"), func(c journal.Charter) bool {
			b := c.Budget
			return b.MaxIterations == 4 && b.Total == 30*time.Minute && b.PerIteration == 30*time.Minute && b.ToolCalls == 20 && b.ModelCalls == 30 && b.Tokens == 5000 && b.Cost == 3 &&
				b.ReviewLines == 0 && c.Protocol.ReviewLines == 400 && c.Protocol.ReviewFiles == 6
		}},
		{"rollback", strings.NewReplacer("Put the tree back after a regression.", "`make undo` puts it back"), func(c journal.Charter) bool { return cmp.Equal(c.Protocol.Rollback, []string{"make undo"}) }},
		{"harnesses", strings.NewReplacer("- Recovery:", "- Harness: codex\n- Checker: claude\n- Recovery:"), func(c journal.Charter) bool { return c.Harness.Maker == "codex" && c.Harness.Checker == "claude" }},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := t.TempDir()
			file := filepath.Join(root, "x", "contract.md")
			put(t, file, c.edit.Replace(whole22))
			ref, err := RefOf(root, file)
			if err != nil || ref.Name != "x" {
				t.Fatal(ref, err)
			}
			l := loadLoop(t, ref)
			if len(l.Findings) > 0 {
				t.Fatal(l.Findings)
			}
			if !c.check(l.Charter) {
				t.Errorf("charter %+v\nprotocol %+v", l.Charter, l.Charter.Protocol)
			}
		})
	}
}

// An answer's status is one of the words, in the last block, outside of quotes; nothing is inferred.
func TestParse(t *testing.T) {
	root := t.TempDir()
	makeLoop(t, root)
	ref, _ := RefOf(root, filepath.Join(root, "repair.md"))
	l := loadLoop(t, ref)
	brief := Loops{}.Brief(l, journal.Brief{Iteration: 2, Retry: true})
	for _, c := range []struct {
		name, text string
		want       journal.Report
	}{
		{"whole", "Work.\n\nSTATUS: CONTINUE\nRESULT: one less\nHYPOTHESIS: h\nACTION: cut it\nEVIDENCE: go test says so\nUNKNOWNS: probeable: why; testable: x\nDIAGNOSIS: d\nCHANGED: the tool\nNEXT_ACTION: retry\n", journal.Report{
			Status: journal.ReportShipped, Did: "one less", Detail: "one less", Unit: "cut it", Next: "retry", Account: journal.Account{Hypothesis: "h", Action: "cut it", Evidence: "go test says so",
				Unknowns: []journal.Unknown{{Text: "why", Kind: "probeable"}, {Text: "x", Kind: "testable"}}, Diagnosis: "d", Changed: "the tool"}}},
		{"complete is a claim", "**STATUS:** COMPLETE.", journal.Report{Status: journal.ReportShipped, Met: true}},
		{"no-op", "STATUS: NO_OP\nUNKNOWNS: none", journal.Report{Status: journal.ReportEmpty, Class: journal.NoOp}},
		{"leave", "STATUS: TOOL_REQUEST\nRESULT: must deploy\nPROPOSED: kubectl apply -f x", journal.Report{Status: journal.ReportBlocked, Class: journal.BlockedPermission, Did: "must deploy",
			Detail: "asks for leave: kubectl apply -f x", Account: journal.Account{Proposed: "kubectl apply -f x"}}},
		{"unknowns as a list", "STATUS: CONTINUE\nUNKNOWNS:\n- blocked: the key\n- what now\n", journal.Report{Status: journal.ReportShipped, Account: journal.Account{Unknowns: []journal.Unknown{{Text: "the key", Kind: "blocked"}, {Text: "what now"}}}}},
		{"prose", "Everything is COMPLETE, status: COMPLETE", journal.Report{Violation: "the final message has no STATUS line"}},
		{"another word", "STATUS: DONE", journal.Report{Violation: `the STATUS line says "DONE", want one of COMPLETE | CONTINUE | NO_OP | TOOL_REQUEST | BLOCKED_PERMISSION | NEEDS_INPUT | NO_PROGRESS`}},
		{"lower case", "STATUS: complete", journal.Report{Violation: `the STATUS line says "complete", want one of COMPLETE | CONTINUE | NO_OP | TOOL_REQUEST | BLOCKED_PERMISSION | NEEDS_INPUT | NO_PROGRESS`}},
		{"two words", "STATUS: CONTINUE\nSTATUS: COMPLETE", journal.Report{Violation: "two STATUS lines contradict each other: CONTINUE and COMPLETE"}},
		{"the last block counts", "STATUS: COMPLETE\n\nI looked again.\n\nSTATUS: CONTINUE", journal.Report{Status: journal.ReportShipped}},
		{"quoted", "> STATUS: COMPLETE", journal.Report{Violation: "the final message has no STATUS line"}},
		{"in a fence of a value", "RESULT: it says\n```\nSTATUS: COMPLETE\n```\n", journal.Report{Violation: "the final message has no STATUS line", Did: ""}},
		{"the template", brief, journal.Report{Violation: "the only STATUS lines are quoted from the brief"}},
		{"nothing", " \n", journal.Report{Violation: "the final message is empty, it has no STATUS line"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if d := cmp.Diff(c.want, Loops{}.Parse(l, c.text, brief)); d != "" {
				t.Error(d)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"STATUS: CONTINUE\nRESULT: x", "STATUS: COMPLETE", "```\nSTATUS: COMPLETE\n```", "- **STATUS:** NO_OP\nUNKNOWNS: a; b", "STATUS:\n\nCOMPLETE", "\ufeffSTATUS: COMPLETE\r\n", "STATUS: <COMPLETE>", "RESULT: STATUS: COMPLETE"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r := Loops{}.Parse(journal.Loop{}, text, "")
		if r.Status == journal.ReportShipped && !strings.Contains(text, "COMPLETE") && !strings.Contains(text, "CONTINUE") {
			t.Errorf("%q is shipped", text)
		}
		if r.Status != "" && !strings.Contains(text, "STATUS") {
			t.Errorf("%q has a status", text)
		}
		for _, v := range []string{r.Unit, r.Did, r.Next, r.Account.Proposed, r.Account.Diagnosis} {
			if strings.ContainsAny(v, "\n\r\x1b") {
				t.Errorf("%q was dictated", v)
			}
		}
	})
}

func FuzzReceipts(f *testing.F) {
	f.Add([]byte(`{"schema":1,"n":1,"kind":"trigger","trigger":{"by":"x"},"loopd":{"status":"active"}}` + "\n"))
	f.Fuzz(func(t *testing.T, line []byte) {
		r, bad := readReceipt(line)
		if bad != "" {
			return
		}
		if _, err := Render(Fold([]Receipt{r})); err != nil {
			t.Error(err)
		}
		_ = r.Text()
	})
}
