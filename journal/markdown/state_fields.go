package markdown

import (
	"sync"

	"loopd/journal"
)

// The statuses of the protocol.
const (
	Running   journal.Status = "running"   // a bounded iteration may proceed
	Waiting   journal.Status = "waiting"   // active, until something external or a later tick
	Paused    journal.Status = "paused"    // a person has to look
	Completed journal.Status = "completed" // the purpose is satisfied
	Stopped   journal.Status = "stopped"   // before completion, by a person or a policy
)

// Statuses lists them in the order of the protocol's text.
func Statuses() []journal.Status {
	return []journal.Status{Running, Waiting, Paused, Completed, Stopped}
}

// The fields of state.md.
const (
	FieldStatus      = "Status"
	FieldLoop        = "Loop"
	FieldFocus       = "Current focus"
	FieldNext        = "Next action"
	FieldBlockers    = "Blockers"
	FieldContinue    = "Continue conditions currently true"
	FieldStop        = "Stop conditions currently true"
	FieldInstruction = "Last human instruction"
	FieldDirection   = "Last direction check"
	FieldReview      = "Pending human review"
	FieldBound       = "Activation bound"
	FieldProgress    = "Activation bound progress"
	FieldCount       = "Iteration count"
	FieldUpdated     = "Updated at"
)

// StateFields lists the fields of the template in its order.
func StateFields() []string {
	return []string{FieldStatus, FieldLoop, FieldFocus, FieldNext, FieldBlockers, FieldContinue, FieldStop, FieldInstruction, FieldDirection,
		FieldReview, FieldBound, FieldProgress, FieldCount, FieldUpdated}
}

// templateIndexes are the places of the fields in the template.
var templateIndexes = sync.OnceValue(func() map[string]int {
	out := map[string]int{}
	for i, f := range StateFields() {
		out[plainWords(f)] = i
	}
	return out
})

// templateIndex is a field's place in the template, -1 for one that is not in it.
func templateIndex(name string) int {
	if i, ok := templateIndexes()[plainWords(name)]; ok {
		return i
	}
	return -1
}

func isTemplateField(name string) bool { return templateIndex(name) >= 0 }
