package supervisor

import (
	"slices"
	"strings"
	"time"

	"loopd/journal"
)

// The events of which a human is told.
const (
	EventStalled      = "stalled"
	EventBlocked      = "blocked"
	EventDone         = "done"
	EventReport       = "report" // the finding of a watch loop
	EventBudget       = "budget"
	EventUnavailable  = "unavailable"
	EventDemoted      = "demoted"
	EventCharter      = "charter defect"
	EventIrreversible = "irreversible" // the agent pushed
)

// NoticeEvents lists the events that a channel of config.toml can be limited to.
func NoticeEvents() []string {
	return []string{EventStalled, EventBlocked, EventDone, EventReport, EventBudget, EventUnavailable, EventDemoted, EventCharter, EventIrreversible}
}

// Channel is a [channel.NAME] of config.toml.
type Channel struct {
	To     journal.Channel
	Events []string // only these; all where empty
	Quiet  string   // "22:00-07:00", local time: what falls into it is kept and sent at a later start; "" for never
}

// wants says whether the channel takes an event.
func (c Channel) wants(event string) bool {
	return len(c.Events) == 0 || slices.Contains(c.Events, event)
}

// quietAt says whether a time of day lies in the quiet hours, which may cross midnight.
func (c Channel) quietAt(now time.Time) bool {
	from, to, ok := strings.Cut(c.Quiet, "-")
	if !ok {
		return false
	}
	at := now.Format("15:04")
	from, to = strings.TrimSpace(from), strings.TrimSpace(to)
	if from <= to {
		return at >= from && at < to
	}
	return at >= from || at < to
}
