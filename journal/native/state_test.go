package native

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"
	"pgregory.net/rapid"

	"loopd/journal"
)

// familyState is a state file as the family's designer writes it, with another tool's field in it.
const familyState = `{
  "name": "k",
  "archetype": "ratchet-climb",
  "status": "active",
  "iteration": 0,
  "ratchet": {"metric": "TODO lines", "direction": "decreasing", "value": null, "best": null, "stall_count": 0, "stall_threshold": 3},
  "promotion": {"mode": "propose-only", "clean_cycles": 0, "required_cycles": 3, "write_scope": []},
  "budget": {"max_iterations": 20, "max_minutes_per_iteration": 1, "cadence": "on-demand"},
  "last_run": null, "last_agent": null, "created": "2026-11-01", "notes": "kept as it is",
  "other_tool": {"z": 1, "a": [1, 2]}
}
`

func readGood(t interface {
	Helper()
	Fatalf(string, ...any)
}, raw string) journal.State {
	t.Helper()
	s, findings := readState("state.json", []byte(raw))
	for _, f := range findings {
		if !f.Warning {
			t.Fatalf("defect in %s: %s", raw, f)
		}
	}
	return s
}

func num(n float64) *float64 { return &n }

// ran is what one good iteration changes.
func ran(s *journal.State) {
	s.Iteration = 1
	s.Ratchet.Value, s.Ratchet.Best = num(4), num(4)
	s.Promotion.Clean = 1
	s.LastRun, s.LastAgent = time.Date(2026, 11, 2, 10, 30, 0, 123, time.UTC), "claude"
}

func TestEditStateTouchesOnlyWhatChanged(t *testing.T) {
	for _, c := range []struct {
		name   string
		raw    string
		change func(*journal.State)
		want   []string // old, new, old, new …: what differs from raw
	}{
		{"one iteration", familyState, ran, []string{
			`"iteration": 0`, `"iteration": 1`, `"value": null`, `"value": 4`, `"best": null`, `"best": 4`, `"clean_cycles": 0`, `"clean_cycles": 1`,
			`"last_run": null`, `"last_run": "2026-11-02T10:30:00Z"`, `"last_agent": null`, `"last_agent": "claude"`}},
		{"first private field", familyState, func(s *journal.State) { s.Private.Idle = 2; s.Private.Question = "a < b?" }, []string{
			`"a": [1, 2]}` + "\n", `"a": [1, 2]},` + "\n  \"loopd\": {\n    \"idle\": 2,\n    \"question\": \"a < b?\"\n  }\n"}},
		{"CRLF and tabs", "{\r\n\t\"status\": \"active\",\r\n\t\"iteration\": 1\r\n}\r\n", func(s *journal.State) { s.Private.Refusal = &journal.Refusal{Reason: "STOP", Count: 1} }, []string{
			"1\r\n", "1,\r\n\t\"loopd\": {\r\n\t\t\"refusal\": {\"reason\": \"STOP\", \"count\": 1}\r\n\t}\r\n"}},
		{"compact", `{"status":"active","iteration":1,"x":[1,2]}`, func(s *journal.State) { s.Private.Idle = 1; s.Promotion.Scope = []string{"a", "b"} }, []string{
			`2]}`, `2],"promotion":{"write_scope":["a","b"]},"loopd":{"idle":1}}`}},
		{"one line", `{ "status": "active", "iteration": 1 }`, func(s *journal.State) { s.Private.Idle = 1; s.Private.Drift = true }, []string{
			`1 }`, `1, "loopd": {"idle": 1, "drift": true} }`}},
		{"one member", `{"status": "active", "iteration": 1, "loopd": {"idle": 1}}`, func(s *journal.State) { s.Private.Drift = true }, []string{
			`"idle": 1`, `"idle": 1, "drift": true`}},
		{"leading commas", "{ \"status\": \"active\"\n, \"iteration\": 1\n}", func(s *journal.State) { s.Notes = "n" }, []string{
			"1\n", "1\n, \"notes\": \"n\"\n"}},
		{"an empty object", `{"status": "active", "iteration": 1, "loopd": { }}`, func(s *journal.State) { s.Private.Idle = 1 }, []string{
			`{ }`, `{"idle": 1 }`}},
		{"null in loopd's place", `{"status": "active", "iteration": 1, "loopd": null}`, func(s *journal.State) { s.Private.Idle = 1 }, []string{
			`null`, `{"idle": 1}`}},
		{"unknown sub-keys stay", `{"status": "active", "iteration": 1, "loopd": {"idle": 3, "spent": {"cost": 1.50, "theirs": 1e3}, "future": [ 1 ]}}`,
			func(s *journal.State) { s.Private.Idle = 0; s.Private.Spent.Cost = 2 }, []string{`"idle": 3, `, ``, `1.50`, `2`}},
		{"last sub-key goes", `{"status": "active", "iteration": 1, "loopd": {"future": 1, "idle": 3}}`, func(s *journal.State) { s.Private.Idle = 0 }, []string{`, "idle": 3`, ``}},
		{"only sub-key goes", `{"status": "active", "iteration": 1, "loopd": {"idle": 3}}`, func(s *journal.State) { s.Private.Idle = 0 }, []string{`"idle": 3`, ``}},
		{"numbers and escapes as written", bom + `{"status": "act\u0069ve", "iteration": 1e3, "notes": "caf\u00e9", "budget": {"max_minutes_per_iteration": 0.50}, "ratchet": {"value": 1.0}}`,
			func(s *journal.State) { s.Ratchet.Best = num(0.1) }, []string{`"value": 1.0`, `"value": 1.0, "best": 0.1`}},
		{"keys that look like paths", `{"ratchet.value": 7, "status": "active", "iteration": 1, "*": {"#": 1}, "ratchet": {"value": 5, "a.b": "@this|x"}}`,
			func(s *journal.State) { s.Ratchet.Value = num(4) }, []string{`"value": 5`, `"value": 4`}},
		{"escaped keys", `{"st\u0061tus": "active", "iteration": 1, "ratchet": {"v\u0061lue": 5}}`, func(s *journal.State) { s.Status = journal.Done; s.Ratchet.Value = nil }, []string{
			`"active"`, `"done"`, `5`, `null`}},
		{"other case is another field", `{"status": "active", "iteration": 1, "Status": "x", "loopd": {"IDLE": 9}}`, func(s *journal.State) { s.Private.Idle = 1; s.Status = journal.Paused }, []string{
			`"IDLE": 9`, `"IDLE": 9, "idle": 1`, `"active"`, `"paused"`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			old := readGood(t, c.raw)
			next := old
			c.change(&next)
			got, err := EditState([]byte(c.raw), old, next)
			if err != nil {
				t.Fatal(err)
			}
			want := c.raw
			for i := 0; i < len(c.want); i += 2 {
				if strings.Count(want, c.want[i]) != 1 {
					t.Fatalf("%q is not once in %q", c.want[i], want)
				}
				want = strings.Replace(want, c.want[i], c.want[i+1], 1)
			}
			if diff := cmp.Diff(want, string(got)); diff != "" {
				t.Error(diff)
			}
			same(t, readGood(t, string(got)), next)
		})
	}
}

// same compares what is written of two states.
func same(t interface {
	Helper()
	Fatalf(string, ...any)
}, got, want journal.State) {
	t.Helper()
	a, err := canonical(got)
	if err != nil {
		t.Fatalf("%v", err)
	}
	b, err := canonical(want)
	if err != nil {
		t.Fatalf("%v", err)
	}
	if !bytes.Equal(a, b) {
		t.Fatalf("reads as\n%s\nwant\n%s", a, b)
	}
}

func TestEditStateRefuses(t *testing.T) {
	s := readGood(t, familyState)
	next := s
	next.Iteration++
	for _, raw := range []string{"", "[]", `{"a":`, "null"} {
		if got, err := EditState([]byte(raw), s, next); err == nil {
			t.Errorf("%q became %q", raw, got)
		}
	}
	next.Ratchet.Value = num(math.NaN())
	if _, err := EditState([]byte(familyState), s, next); err == nil {
		t.Error("a number that JSON cannot hold was written")
	}
}

func TestStateDefects(t *testing.T) {
	const fine = `"status": "active", "iteration": 1`
	for _, c := range []struct {
		raw, field, read, want string
		line, byte             int
	}{
		{"", "JSON", "", "valid JSON", 1, 0},
		{"{\n  \"a\": 1,\n}", "JSON", "", "valid JSON", 3, 12},
		{bom + "{\n!", "JSON", "", "valid JSON", 2, 5},
		{"{" + fine, "JSON", "", "end of JSON", 1, 35},
		{"{" + fine + "} x", "JSON", "", "valid JSON", 1, 37},
		{" [1]", "JSON", "[1]", "an object", 1, 1},
		{"\"text\"", "JSON", `"text"`, "an object", 1, 0},
		{`{"iteration": 1}`, "status", "", "missing", 1, 0},
		{`{"status": "active"}`, "iteration", "", "missing", 1, 0},
		{"{\n\"status\": \"running\", \"iteration\": 1}", "status", `"running"`, "one of designed, active", 2, 12},
		{"{" + fine + `, "ratchet": {"value": "12"}}`, "ratchet.value", `"12"`, "a number or null", 1, 58},
		{"{" + fine + `, "ratchet": {"best": true}}`, "ratchet.best", "true", "a number or null", 1, 57},
		{"{" + fine + `, "ratchet": [1]}`, "ratchet", "[1]", "an object", 1, 48},
		{"{" + fine + `, "ratchet": {"stall_count": -1}}`, "ratchet.stall_count", "-1", "whole number", 1, 64},
		{"{" + fine + `, "promotion": {"mode": "yolo"}}`, "promotion.mode", `"yolo"`, "propose-only", 1, 59},
		{"{" + fine + `, "promotion": {"write_scope": ["a", 1]}}`, "promotion.write_scope", `["a", 1]`, "array of strings", 1, 66},
		{"{" + fine + `, "budget": {"max_minutes_per_iteration": 1e999}}`, "budget.max_minutes_per_iteration", "1e999", "a number", 1, 77},
		{`{"status": "active", "iteration": 1.5}`, "iteration", "1.5", "whole number", 1, 34},
		{`{"status": "active", "iteration": "1"}`, "iteration", `"1"`, "whole number", 1, 34},
		{"{" + fine + `, "last_run": "yesterday"}`, "last_run", `"yesterday"`, "RFC 3339", 1, 49},
		{"{" + fine + `, "notes": {"a": 1}}`, "notes", `{"a": 1}`, "a string", 1, 46},
		{"{" + fine + `, "status": "done"}`, "status", `"status"`, "once", 1, 37},
		{"{" + fine + `, "st\u0061tus": "done"}`, "status", `"st\u0061tus"`, "once", 1, 37},
		{"{" + fine + `, "loopd": {"idle": 1, "idle": 2}}`, "loopd.idle", `"idle"`, "once", 1, 58},
		{"{" + fine + `, "loopd": {"idle": "many"}}`, "loopd.idle", `"many"`, "string", 1, 0},
		{"{" + fine + `, "loopd": {"not_before": "soon"}}`, "loopd.not_before", `"soon"`, "time", 1, 61},
		{"{" + fine + `, "loopd": {"failure": {"row": "x"}}}`, "loopd.failure.row", `{"row": "x"}`, "string", 1, 0},
		{"{" + fine + `, "loopd": 5}`, "loopd", "5", "an object", 1, 46},
		{strings.Repeat(`[`, 20000), "JSON", "", "depth", 1, 10000},
	} {
		_, findings := readState("state.json", []byte(c.raw))
		var f journal.Finding
		n := 0
		for _, x := range findings {
			if !x.Warning {
				f = x
				n++
			}
		}
		if n != 1 || f.Field != c.field || f.Read != c.read || !strings.Contains(f.Want, c.want) || f.Line != c.line || f.Fix == "" {
			t.Errorf("%.80q gives %v, want %+v", c.raw, findings, c)
			continue
		}
		if at := fmt.Sprintf("(byte %d)", c.byte); c.byte > 0 && !strings.HasSuffix(f.Want, at) {
			t.Errorf("%.80q: %q, want %s", c.raw, f.Want, at)
		}
	}
}

func TestDuplicatesOfUnknownFieldsAreLeftAlone(t *testing.T) {
	raw := `{"x": 1, "status": "active", "iteration": 1, "x": 2, "other": {"value": 1, "value": 2}}`
	s := readGood(t, raw)
	next := s
	next.Iteration = 2
	got, err := EditState([]byte(raw), s, next)
	if err != nil || string(got) != strings.Replace(raw, `"iteration": 1`, `"iteration": 2`, 1) {
		t.Errorf("%s, %v", got, err)
	}
}

// The mode in force is never wider than what a recorded approval allowed.
func TestModeIsClamped(t *testing.T) {
	for _, c := range []struct {
		mode, approved string
		want           journal.Mode
		warns          bool
	}{
		{"propose-only", "", journal.ProposeOnly, false},
		{"write-full", "", journal.ProposeOnly, true},
		{"write-scoped", "", journal.ProposeOnly, true},
		{"write-full", "write-scoped", journal.WriteScoped, true},
		{"write-scoped", "write-scoped", journal.WriteScoped, false},
		{"propose-only", "write-full", journal.ProposeOnly, false},
		{"write-full", "root", journal.ProposeOnly, true},
	} {
		raw := strings.Replace(familyState, `"mode": "propose-only"`, fmt.Sprintf(`"mode": %q`, c.mode), 1)
		raw = strings.Replace(raw, `"other_tool"`, fmt.Sprintf(`"loopd": {"approved": %q}, "other_tool"`, c.approved), 1)
		s, findings := readState("state.json", []byte(raw))
		warned := len(findings) == 1 && findings[0].Warning && findings[0].Field == "promotion.mode" && findings[0].Line == 7
		if s.Promotion.Mode != c.want || warned != c.warns || !c.warns && len(findings) > 0 {
			t.Errorf("%+v reads as %s with %v", c, s.Promotion.Mode, findings)
		}
	}
}

func TestMissingFieldsAreSaid(t *testing.T) {
	s, findings := readState("state.json", []byte(`{"status": "active", "iteration": 1}`))
	if len(findings) != 1 || !findings[0].Warning || !strings.Contains(findings[0].Field, "ratchet.value") || findings[0].Line == 0 {
		t.Errorf("%v", findings)
	}
	if s.Promotion.Mode != journal.ProposeOnly {
		t.Errorf("without a mode the loop may %q", s.Promotion.Mode)
	}
}

func TestNewState(t *testing.T) {
	c := journal.Charter{Archetype: journal.RatchetClimb}
	c.Ratchet = journal.Ratchet{Metric: "TODO lines", Direction: journal.Decreasing, Command: "true"}
	c.Escalation.Stalled = 3
	c.Promotion = journal.Promotion{Mode: journal.WriteFull, Required: 3, Scope: []string{"work.txt", "a b/**"}}
	c.Budget = journal.Budget{MaxIterations: 20, PerIteration: 90 * time.Second, Cadence: journal.Cadence{Kind: journal.OnDemand, Text: "on-demand"}}
	got, err := NewState(c, "k", time.Date(2026, 11, 1, 23, 0, 0, 0, time.UTC))
	if err != nil {
		t.Fatal(err)
	}
	want := `{
  "name": "k",
  "archetype": "ratchet-climb",
  "status": "designed",
  "iteration": 0,
  "ratchet": {"metric": "TODO lines", "direction": "decreasing", "value": null, "best": null, "stall_count": 0, "stall_threshold": 3},
  "promotion": {"mode": "propose-only", "clean_cycles": 0, "required_cycles": 3, "write_scope": ["work.txt", "a b/**"]},
  "budget": {"max_iterations": 20, "max_minutes_per_iteration": 1.5, "cadence": "on-demand"},
  "last_run": null,
  "last_agent": null,
  "created": "2026-11-01",
  "notes": ""
}
`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Error(diff)
	}
	if _, findings := readState("state.json", got); len(findings) > 0 {
		t.Errorf("a fresh state has findings: %v", findings)
	}
}

// document draws a state file in any style: order, spacing, line ends, escapes, unknown fields, missing fields.
func document(t *rapid.T) string {
	newline := rapid.SampledFrom([]string{"\n", "\r\n", "", " "}).Draw(t, "newline")
	colon := rapid.SampledFrom([]string{":", ": ", " : ", ":\t"}).Draw(t, "colon")
	space := rapid.SampledFrom([]string{"", " ", "  ", "\t"}).Draw(t, "space")
	key := rapid.SampledFrom([]string{"x", "a.b", "*", "#", "@this", "é", `q\"uote`, "ratchet.value", "loop", "Status", "|", `back\\slash`})
	scrap := rapid.SampledFrom([]string{`1e3`, `0.50`, `-0`, `"\u00e9"`, `"é"`, `[ 1,2 ]`, `{ }`, `{"status" : "x"}`, `null`, `true`, `""`, `"<&>"`, `[]`, `"{\"a\":1}"`})
	known := func(pairs ...string) []string {
		var out []string
		for i := 0; i < len(pairs); i += 2 {
			if !rapid.Bool().Draw(t, "has "+pairs[i]) {
				continue
			}
			out = append(out, fmt.Sprintf("%q", pairs[i])+colon+pairs[i+1])
		}
		for i := range rapid.IntRange(0, 2).Draw(t, "unknown") {
			out = append(out, fmt.Sprintf(`"%s%d"`, key.Draw(t, "key"), i)+colon+scrap.Draw(t, "value"))
		}
		return out
	}
	object := func(members []string, newline string) string {
		members = rapid.Permutation(members).Draw(t, "order")
		return "{" + newline + space + strings.Join(members, ","+newline+space) + newline + "}"
	}
	inner := rapid.SampledFrom([]string{"", newline}).Draw(t, "inner")
	members := known("name", `"k"`, "archetype", `"pipeline"`,
		"ratchet", object(known("metric", `"m\u00e9"`, "value", "5.0", "best", "null", "stall_count", "0e0"), inner),
		"promotion", object(known("clean_cycles", "1", "write_scope", `[ "a" , "b"]`, "mode", `"propose-only"`), inner),
		"budget", object(known("max_iterations", "20", "cadence", `"auto"`), inner),
		"last_run", `"2026-11-01T10:00:00.50+01:00"`, "last_agent", "null", "notes", `"a\/b"`,
		"loopd", object(known("idle", "2", "question", `"q"`, "spent", `{"cost": 0.10, "theirs": 1}`), inner))
	members = append(members, `"status"`+colon+`"active"`, `"iteration"`+colon+`1e1`)
	return rapid.SampledFrom([]string{"", bom, "\n"}).Draw(t, "lead") + object(members, newline) + rapid.SampledFrom([]string{"", "\n", "\r\n", " "}).Draw(t, "end")
}

// change draws a change of a state.
func change(t *rapid.T, s journal.State) journal.State {
	b := func(what string) bool { return rapid.Bool().Draw(t, "change "+what) }
	if b("iteration") {
		s.Iteration = rapid.IntRange(0, 1e6).Draw(t, "iteration")
	}
	if b("status") {
		s.Status = rapid.SampledFrom(statuses).Draw(t, "status")
	}
	if b("value") {
		s.Ratchet.Value = num(rapid.Float64().Filter(func(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }).Draw(t, "value"))
	}
	if b("no value") {
		s.Ratchet.Value = nil
	}
	if b("scope") {
		s.Promotion.Scope = rapid.SliceOfN(rapid.StringMatching(`[a-z*/"\\ ]{0,8}`), 0, 3).Draw(t, "scope")
	}
	if b("run") {
		s.LastRun = time.Unix(rapid.Int64Range(0, 4e9).Draw(t, "run"), 7).UTC()
		s.LastAgent = rapid.StringMatching(`[a-z]{0,5}`).Draw(t, "agent")
	}
	if b("notes") {
		s.Notes = rapid.StringMatching(`[ -~éß\n\t]{0,20}`).Draw(t, "notes")
	}
	if b("idle") {
		s.Private.Idle = rapid.IntRange(0, 3).Draw(t, "idle")
	}
	if b("spent") {
		s.Private.Spent = journal.Spent{Cost: float64(rapid.IntRange(0, 9).Draw(t, "cost")) / 4, Tokens: rapid.Int64Range(0, 1e9).Draw(t, "tokens")}
	}
	if b("question") {
		s.Private.Question = rapid.StringMatching(`[ -~é]{0,10}`).Draw(t, "question")
	}
	if b("failure") {
		s.Private.Failure = &journal.Failure{Iteration: 1, Signature: "s", Output: "line\nline"}
	}
	if b("harness") {
		s.Private.Harness = map[string]journal.Tally{"claude:o.p|us": {Good: 1}, "*": {Failed: 2}}
	}
	return s
}

func TestEditStateProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		raw := document(t)
		old := readGood(t, raw)
		if got, err := EditState([]byte(raw), old, old); err != nil || string(got) != raw {
			t.Fatalf("no change made %q of %q, %v", got, raw, err)
		}
		next := change(t, old)
		got, err := EditState([]byte(raw), old, next)
		if err != nil {
			t.Fatal(err)
		}
		if !json.Valid(bytes.TrimPrefix(got, []byte(bom))) {
			t.Fatalf("%q became invalid: %q", raw, got)
		}
		read := readGood(t, string(got))
		same(t, read, next)
		untouched(t, raw, string(got))
		// The way back changes nothing but loopd's own fields either.
		back, err := EditState(got, read, old)
		if err != nil {
			t.Fatal(err)
		}
		same(t, readGood(t, string(back)), old)
		untouched(t, raw, string(back))
	})
}

// untouched checks that every byte of before that is not a value of a field that loopd writes stands in after, in order:
// after may only have additional members.
func untouched(t interface{ Fatalf(string, ...any) }, before, after string) {
	for _, part := range foreign(before) {
		i := strings.Index(after, part)
		if i < 0 {
			t.Fatalf("%q is gone from\n%q, which was\n%q", part, after, before)
		}
		after = after[i+len(part):]
	}
	if strings.HasPrefix(before, bom) && len(foreign(before)) == 0 {
		t.Fatalf("nothing to compare")
	}
}

// foreign gives the stretches of a state file between the values that loopd may write. Members that loopd may remove (those
// of its own object) go with their commas.
func foreign(text string) []string {
	body := strings.TrimPrefix(text, bom)
	shift := len(text) - len(body)
	var out []string
	last := 0
	var walk func(object gjson.Result, name string)
	walk = func(object gjson.Result, name string) {
		for _, m := range fields(object) {
			switch {
			case name == "" && m.key == privateKey:
				out = append(out, text[last:m.valueStart+shift])
				for _, own := range fields(m.value) {
					if !known(privateKey, own.key) {
						out = append(out, text[own.start+shift:own.valueEnd+shift])
					}
				}
				last = m.valueEnd + shift
			case m.value.IsObject() && name == "" && known("", m.key):
				out = append(out, text[last:m.valueStart+shift])
				last = m.valueStart + shift
				walk(m.value, m.key)
				// Members may have been added before the closing brace.
				out = append(out, text[last:lastEnd(m)+shift])
				last = lastEnd(m) + shift
			case known(name, m.key):
				out = append(out, text[last:m.valueStart+shift])
				last = m.valueEnd + shift
			}
		}
	}
	root := gjson.Parse(body)
	walk(root, "")
	members := fields(root)
	end := members[len(members)-1].valueEnd + shift
	return append(out, text[last:max(last, end)], text[end:])
}

func lastEnd(m field) int {
	inner := fields(m.value)
	if len(inner) == 0 {
		return m.valueStart + 1
	}
	return inner[len(inner)-1].valueEnd
}

func FuzzState(f *testing.F) {
	f.Add([]byte(familyState), uint8(3))
	f.Add([]byte(bom+`{"status":"active","iteration":1e0,"loopd":{"idle":1,"x":{}}}`), uint8(255))
	f.Add([]byte(`{"status":"active","iteration":1,"iteration":2}`), uint8(1))
	f.Add([]byte(`{"":0,"":1}`), uint8(0))
	f.Add([]byte("\xff\xfe{\x00}\x00"), uint8(0))
	f.Fuzz(func(t *testing.T, raw []byte, what uint8) {
		s, findings := readState("state.json", raw)
		for _, x := range findings {
			if x.Line < 1 || x.Field == "" || x.Want == "" {
				t.Fatalf("a finding without position or words: %+v", x)
			}
			if !x.Warning {
				return
			}
		}
		if got, err := EditState(raw, s, s); err != nil || !bytes.Equal(got, raw) {
			t.Fatalf("no change made %q of %q, %v", got, raw, err)
		}
		next := s
		if what&1 != 0 {
			next.Iteration++
		}
		if what&2 != 0 {
			ran(&next)
		}
		if what&4 != 0 {
			next.Private.Idle++
			next.Private.Question = "why?"
		}
		if what&8 != 0 {
			next.Private = journal.Private{}
			next.Promotion.Mode = journal.ProposeOnly
		}
		if what&16 != 0 {
			next.Notes, next.Promotion.Scope = "n", []string{"a", "b"}
		}
		got, err := EditState(raw, s, next)
		if err != nil {
			t.Fatal(err)
		}
		if !json.Valid(bytes.TrimPrefix(got, []byte(bom))) {
			t.Fatalf("%q became invalid: %q", raw, got)
		}
		same(t, readGood(t, string(got)), next)
	})
}
