package native

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"loopd/journal"
)

const bom = "\ufeff"

// stateField is one field of state.json: where it stands, what it may hold, and where its value goes.
type stateField struct {
	object, key string // object is "" at the top
	want        string // as a finding says it
	needed      bool   // without it the file is another tool's
	read        func(s *journal.State, v gjson.Result) bool
}

func (f stateField) name() string {
	if f.object == "" {
		return f.key
	}
	return f.object + "." + f.key
}

// stateFields is the schema of the loop family (spec/loop.md "state.json"). null is taken wherever it does no harm.
var stateFields = []stateField{
	{"", "name", "a string", false, func(s *journal.State, v gjson.Result) bool { return text(&s.Name, v, false) }},
	{"", "archetype", "a string", false, func(s *journal.State, v gjson.Result) bool { return text(&s.Archetype, v, true) }},
	{"", "status", "one of " + listed(statuses), true, func(s *journal.State, v gjson.Result) bool { return word(&s.Status, v, statuses) }},
	{"", "iteration", "a whole number, 0 or more", true, func(s *journal.State, v gjson.Result) bool { return whole(&s.Iteration, v) }},
	{"ratchet", "metric", "a string", false, func(s *journal.State, v gjson.Result) bool { return text(&s.Ratchet.Metric, v, true) }},
	{"ratchet", "direction", "a string", false, func(s *journal.State, v gjson.Result) bool { return text(&s.Ratchet.Direction, v, true) }},
	{"ratchet", "value", "a number or null", false, func(s *journal.State, v gjson.Result) bool { return numberOrNull(&s.Ratchet.Value, v) }},
	{"ratchet", "best", "a number or null", false, func(s *journal.State, v gjson.Result) bool { return numberOrNull(&s.Ratchet.Best, v) }},
	{"ratchet", "stall_count", "a whole number, 0 or more", false, func(s *journal.State, v gjson.Result) bool { return whole(&s.Ratchet.StallCount, v) }},
	{"ratchet", "stall_threshold", "a whole number, 0 or more", false, func(s *journal.State, v gjson.Result) bool { return whole(&s.Ratchet.Threshold, v) }},
	{"promotion", "mode", "one of " + listed(modes), false, func(s *journal.State, v gjson.Result) bool { return word(&s.Promotion.Mode, v, modes) }},
	{"promotion", "clean_cycles", "a whole number, 0 or more", false, func(s *journal.State, v gjson.Result) bool { return whole(&s.Promotion.Clean, v) }},
	{"promotion", "required_cycles", "a whole number, 0 or more", false, func(s *journal.State, v gjson.Result) bool { return whole(&s.Promotion.Required, v) }},
	{"promotion", "write_scope", "an array of strings", false, func(s *journal.State, v gjson.Result) bool { return texts(&s.Promotion.Scope, v) }},
	{"budget", "max_iterations", "a whole number, 0 or more", false, func(s *journal.State, v gjson.Result) bool { return whole(&s.Budget.MaxIterations, v) }},
	{"budget", "max_minutes_per_iteration", "a number", false, func(s *journal.State, v gjson.Result) bool { return number(&s.Budget.MaxMinutes, v) }},
	{"budget", "cadence", "a string", false, func(s *journal.State, v gjson.Result) bool { return text(&s.Budget.Cadence, v, true) }},
	{"", "last_run", "an RFC 3339 time or null", false, func(s *journal.State, v gjson.Result) bool { return moment(&s.LastRun, v) }},
	{"", "last_agent", "a string or null", false, func(s *journal.State, v gjson.Result) bool { return text(&s.LastAgent, v, true) }},
	{"", "created", "a date", false, func(s *journal.State, v gjson.Result) bool { return text(&s.Created, v, true) }},
	{"", "notes", "a string", false, func(s *journal.State, v gjson.Result) bool { return text(&s.Notes, v, true) }},
}

// privateKey is the one object that is loopd's own.
const privateKey = "loopd"

var statuses = []journal.Status{journal.Designed, journal.Active, journal.Paused, journal.Stalled, journal.Blocked, journal.Done, journal.Retired}

var modes = []journal.Mode{journal.ProposeOnly, journal.WriteScoped, journal.WriteFull}

// readState reads state.json. What is not valid JSON, or has another tool's schema, or says one of loopd's fields twice is
// a defect with line and byte offset: such a file is never overwritten. A mode wider than what a person approved reads as
// the approved one, with a warning.
func readState(file string, raw []byte) (journal.State, []journal.Finding) {
	r := stateReader{file: file, text: string(raw)}
	r.state.Raw = raw
	body := strings.TrimPrefix(r.text, bom)
	r.shift = len(r.text) - len(body)
	var any json.RawMessage
	var syntax *json.SyntaxError
	if err := json.Unmarshal([]byte(body), &any); errors.As(err, &syntax) {
		at := max(0, int(syntax.Offset)-1)
		if at == len(body)-1 && strings.HasPrefix(syntax.Error(), "unexpected end") {
			at++
		}
		r.defect("JSON", at, "", "valid JSON: "+syntax.Error())
		return r.state, r.findings
	}
	root := gjson.Parse(body)
	if !root.IsObject() {
		r.defect("JSON", root.Index, root.Raw, "an object")
		return r.state, r.findings
	}
	objects := map[string]map[string]gjson.Result{"": r.members("", root)}
	for _, name := range []string{"ratchet", "promotion", "budget", privateKey} {
		v, ok := objects[""][name]
		switch {
		case ok && v.IsObject():
			objects[name] = r.members(name, v)
		case ok && (v.Type != gjson.Null || name != privateKey):
			r.defect(name, v.Index, v.Raw, "an object")
			objects[name] = nil
		}
	}
	var missing []string
	for _, f := range stateFields {
		v, ok := objects[f.object][f.key]
		switch {
		case !ok && f.needed:
			r.defect(f.name(), 0, "", f.want+"; the field is missing")
		case !ok:
			missing = append(missing, f.name())
		case !f.read(&r.state, v):
			r.defect(f.name(), v.Index, v.Raw, f.want)
		}
	}
	r.private(objects[privateKey])
	if len(r.findings) == 0 && len(missing) > 0 {
		r.findings = append(r.findings, journal.Finding{File: file, Line: 1, Field: strings.Join(missing, ", "), Want: "all fields of the schema; the missing ones read as 0, empty or null", Warning: true})
	}
	r.clamp(objects["promotion"])
	return r.state, r.findings
}

type stateReader struct {
	file     string
	text     string
	shift    int // bytes of a byte order mark
	state    journal.State
	findings []journal.Finding
}

// defect adds a finding at an offset of the text behind the byte order mark.
func (r *stateReader) defect(field string, at int, read, want string) {
	at = min(at+r.shift, len(r.text))
	line, column := position(r.text, at)
	if len(read) > 60 {
		read = strings.ToValidUTF8(read[:60], "") + "…"
	}
	r.findings = append(r.findings, journal.Finding{File: r.file, Line: line, Column: column, Field: field, Read: read, Want: fmt.Sprintf("%s (byte %d)", want, at),
		Fix: "repair it by hand, or move the file away and let loopd make a new one from the charter; loopd does not overwrite it"})
}

// members lists an object's fields. One that loopd reads must not stand there twice: readers of JSON disagree on which of
// them counts, so that no edit could be right.
func (r *stateReader) members(object string, v gjson.Result) map[string]gjson.Result {
	out := map[string]gjson.Result{}
	v.ForEach(func(key, value gjson.Result) bool {
		name := keyText(key)
		if _, twice := out[name]; twice && known(object, name) {
			r.defect(stateField{object: object, key: name}.name(), key.Index, key.Raw, "the field once, it stands here a second time")
		}
		out[name] = value
		return true
	})
	return out
}

func known(object, key string) bool {
	if object == privateKey {
		return slices.Contains(privateKeys(), key)
	}
	if object == "" && key == privateKey {
		return true
	}
	return slices.ContainsFunc(stateFields, func(f stateField) bool {
		return f.object == object && f.key == key || object == "" && key != "" && f.object == key
	})
}

// private reads loopd's own object field by field: names are compared exactly, unlike encoding/json does.
func (r *stateReader) private(members map[string]gjson.Result) {
	v := reflect.ValueOf(&r.state.Private).Elem()
	for i, key := range privateKeys() {
		m, ok := members[key]
		if !ok {
			continue
		}
		if err := json.Unmarshal([]byte(m.Raw), v.Field(i).Addr().Interface()); err != nil {
			field, at := privateKey+"."+key, m.Index
			var wrong *json.UnmarshalTypeError
			if errors.As(err, &wrong) {
				if wrong.Field != "" {
					field += "." + wrong.Field
				}
				at += max(0, int(wrong.Offset)-1)
			}
			r.defect(field, at, m.Raw, "what loopd writes there: "+err.Error())
		}
	}
}

// privateKeys lists the JSON names of journal.Private's fields, in their order.
func privateKeys() []string {
	t := reflect.TypeFor[journal.Private]()
	out := make([]string, t.NumField())
	for i := range out {
		out[i], _, _ = strings.Cut(t.Field(i).Tag.Get("json"), ",")
	}
	return out
}

// clamp enforces that the mode in force is never wider than what a recorded approval allowed (spec/loop.md).
func (r *stateReader) clamp(promotion map[string]gjson.Result) {
	allowed := journal.ProposeOnly
	if r.state.Private.Approved.Wider(allowed) {
		allowed = r.state.Private.Approved
	}
	mode := r.state.Promotion.Mode
	if !mode.Wider(allowed) {
		if mode == "" {
			r.state.Promotion.Mode = journal.ProposeOnly
		}
		return
	}
	line, column := position(r.text, promotion["mode"].Index+r.shift)
	r.findings = append(r.findings, journal.Finding{File: r.file, Line: line, Column: column, Field: "promotion.mode", Read: string(mode),
		Want: fmt.Sprintf("no more than %s: nothing wider was approved, it reads as %s", allowed, allowed), Fix: "loopd promote NAME --by WHO", Warning: true})
	r.state.Promotion.Mode = allowed
}

// position gives line and column of a byte offset, both from 1; the column counts bytes.
func position(text string, at int) (line, column int) {
	before := text[:at]
	return strings.Count(before, "\n") + 1, at - strings.LastIndexByte(before, '\n')
}

func listed[S ~string](words []S) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = string(w)
	}
	return strings.Join(out, ", ")
}
