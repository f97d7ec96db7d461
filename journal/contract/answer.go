package contract

import (
	"fmt"
	"slices"
	"strings"

	"loopd/journal"
)

// The keys of an answer (the seed, "Output Contract" and "Execute").
const (
	statusKey     = "STATUS"
	resultKey     = "RESULT"
	hypothesisKey = "HYPOTHESIS"
	actionKey     = "ACTION"
	evidenceKey   = "EVIDENCE"
	unknownsKey   = "UNKNOWNS"
	diagnosisKey  = "DIAGNOSIS"
	changedKey    = "CHANGED"
	proposedKey   = "PROPOSED"
	nextKey       = "NEXT_ACTION"
)

var form = journal.Keyed{
	Keys:    []string{statusKey, resultKey, hypothesisKey, actionKey, evidenceKey, unknownsKey, diagnosisKey, changedKey, proposedKey, nextKey},
	Decides: statusKey,
	Begins:  []string{statusKey},
	Words:   []string{statusKey, nextKey},
}

// said are the words that an agent may give as its status, and what they mean to the engine.
var said = []struct {
	word   string
	status journal.ReportStatus
	class  journal.Class
	met    bool
}{
	{"COMPLETE", journal.ReportShipped, "", true}, // it says so; the verifier decides
	{"CONTINUE", journal.ReportShipped, "", false},
	{"NO_OP", journal.ReportEmpty, journal.NoOp, false},
	{"TOOL_REQUEST", journal.ReportBlocked, journal.BlockedPermission, false},
	{"BLOCKED_PERMISSION", journal.ReportBlocked, journal.BlockedPermission, false},
	{"NEEDS_INPUT", journal.ReportBlocked, journal.NeedsInput, false},
	{"NO_PROGRESS", journal.ReportBlocked, journal.NoProgress, false},
}

func words() string {
	var out []string
	for _, s := range said {
		out = append(out, s.word)
	}
	return strings.Join(out, " | ")
}

// The room of an answer's texts, in characters.
const (
	textRoom     = 1000
	unknownsMost = 20
)

// Parse reads the dictated lines. The last block with a STATUS counts, and its status must be exactly one of the words;
// nothing is inferred from prose.
func (Loops) Parse(_ journal.Loop, text, brief string) journal.Report {
	block, quoted := form.Read(text, brief)
	var r journal.Report
	var status []string
	for _, s := range block {
		if s.Fenced {
			continue
		}
		value := told(s.Text())
		switch s.Key {
		case statusKey:
			if word := journal.OneLine(journal.BareWord(s.Text()), 80); !slices.Contains(status, word) {
				status = append(status, word)
			}
		case resultKey:
			r.Did = value
		case hypothesisKey:
			r.Account.Hypothesis = value
		case actionKey:
			r.Account.Action = value
		case evidenceKey:
			r.Account.Evidence = value
		case unknownsKey:
			r.Account.Unknowns = unknowns(s.Lines())
		case diagnosisKey:
			r.Account.Diagnosis = value
		case changedKey:
			r.Account.Changed = value
		case proposedKey:
			r.Account.Proposed = value
		case nextKey:
			r.Next = value
		}
	}
	r.Unit, r.Detail = r.Account.Action, r.Did
	switch {
	case strings.TrimSpace(text) == "":
		return journal.Report{Violation: "the final message is empty, it has no STATUS line"}
	case len(status) == 0 && quoted:
		return journal.Report{Violation: "the only STATUS lines are quoted from the brief"}
	case len(status) == 0:
		return journal.Report{Violation: "the final message has no STATUS line"}
	case len(status) > 1:
		r.Violation = fmt.Sprintf("two STATUS lines contradict each other: %s and %s", status[0], status[1])
		return r
	}
	for _, s := range said {
		if s.word == status[0] {
			r.Status, r.Class, r.Met = s.status, s.class, s.met
			if s.class == journal.BlockedPermission && r.Account.Proposed != "" {
				r.Detail = "asks for leave: " + r.Account.Proposed
			}
			return r
		}
	}
	r.Violation = fmt.Sprintf("the STATUS line says %q, want one of %s", status[0], words())
	return r
}

// told is a value on one line; words for nothing, and what is still the brief's template, are "".
func told(value string) string {
	v := journal.OneLine(value, textRoom)
	switch bare := strings.ToLower(strings.Trim(v, "*_`().—–- ")); {
	case bare == "none", bare == "n/a", bare == "nothing", bare == "…":
		return ""
	case strings.HasPrefix(v, "<") && strings.HasSuffix(v, ">") && strings.Count(v, "<") == 1:
		return ""
	}
	return v
}

// unknowns reads one unknown a line or clause, each with its kind before a colon.
func unknowns(lines []string) []journal.Unknown {
	var out []journal.Unknown
	for _, l := range lines {
		for part := range strings.SplitSeq(l, ";") {
			part = told(strings.TrimLeft(strings.TrimSpace(part), "-*+• "))
			if part == "" || len(out) == unknownsMost {
				continue
			}
			u := journal.Unknown{Text: part}
			if kind, text, ok := strings.Cut(part, ":"); ok {
				if kind = strings.ToLower(strings.Trim(kind, "*_`[]() ")); slices.Contains(journal.UnknownKinds(), kind) {
					u = journal.Unknown{Kind: kind, Text: strings.TrimSpace(strings.TrimLeft(text, "*_` "))}
				}
			}
			out = append(out, u)
		}
	}
	return out
}
