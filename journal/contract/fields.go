package contract

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// The fields that something more is asked of than to be there.
const (
	objective = "objective"
	mode      = "mode"
	trigger   = "trigger"
	metric    = "success metric"
	verifier  = "verifier"
	topology  = "topology"
	maxIter   = "max iterations"
	timeLimit = "time limit"
	budget    = "budget"
	review    = "review budget"
	stop      = "stop condition"
	boundary  = "permission boundary"
	recovery  = "recovery"
	scope     = "scope"

	artifactsPath  = "artifacts path"
	statePath      = "state path"
	writeBackField = "write-back"

	// whole is the field of a finding about the contract as such.
	whole = "contract"
)

// required are the 22 fields in the order of the seed, with an example of each.
var required = []struct{ name, example string }{
	{objective, "what shall be true in the end"},
	{mode, "Goal"},
	{trigger, "manual start"},
	{scope, "`parser/**` and its tests"},
	{"non-goals", "no new dependency"},
	{"owner", "the build team"},
	{"inputs", "the failing log"},
	{artifactsPath, ".agent/artifacts"},
	{statePath, ".agent/state.json"},
	{"work clock", ".agent/clock.md"},
	{metric, "`go test ./...` exits 0"},
	{"evidence", "fresh command output"},
	{verifier, "`go test ./...` exits 0"},
	{topology, "single-agent"},
	{maxIter, "4"},
	{timeLimit, "30 minutes"},
	{budget, "20 tool calls"},
	{review, "400 changed lines, 6 files"},
	{stop, "the command passes or a cap fires"},
	{writeBackField, "append a receipt to the state path"},
	{boundary, "local writes only; no push, no deploy"},
	{recovery, "restore the last good commit after a regression"},
}

// aliases are other names of a field (spec/dialects.md).
var aliases = map[string]string{"global work clock": "work clock", "change budget": review, "review bandwidth": review}

// Fields are the names of the 22 fields, in the order of the seed.
func Fields() []string {
	out := make([]string, len(required))
	for i, f := range required {
		out[i] = f.name
	}
	return out
}

// allNames are all names that a field may have.
func allNames() []string {
	out := Fields()
	for _, f := range required { // in order, not that of the map
		for alias, name := range aliases {
			if name == f.name {
				out = append(out, alias)
			}
		}
	}
	return out
}

// plain makes two ways to write a name equal: case, blanks, "-" and "_" do not count.
func plain(name string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(name), func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune("-_‐‑–", r)
	}), " ")
}

// byName are the fields by their plain names and aliases.
var byName = sync.OnceValue(func() map[string]string {
	out := map[string]string{}
	for _, f := range required {
		out[plain(f.name)] = f.name
	}
	for alias, f := range aliases {
		out[plain(alias)] = f
	}
	return out
})

// fieldOf is the field that has a name, "" for none.
func fieldOf(name string) string {
	if name == "" || len(name) > nameMax {
		return ""
	}
	return byName()[plain(name)]
}

// shape is how a field is written, with an example.
func shape(field string) string {
	for _, f := range required {
		if f.name == field {
			return titled(field) + ": " + f.example
		}
	}
	return titled(field) + ":"
}

func titled(field string) string {
	r, size := utf8.DecodeRuneInString(field)
	return string(unicode.ToUpper(r)) + field[size:]
}
