package contract

import "testing"

// The two closed sets: a member in any case with a remark behind it, and nothing else.
func TestClosedSets(t *testing.T) {
	for _, c := range []struct{ field, value, read, finding string }{
		{mode, "goal", "goal", ""},
		{mode, "GOAL.", "goal", ""},
		{mode, "**Goal**", "goal", ""},
		{mode, "`goal`", "goal", ""},
		{mode, "_Goal_", "goal", ""},
		{mode, "Goal (until met or cap)", "goal", ""},
		{mode, "Goal: run until a defined end state or cap", "goal", ""},
		{mode, "Goal — not a loop", "goal", ""},
		{mode, "Goal mode", "goal", ""},
		{mode, "A goal-oriented agent", "goal", ""},
		{mode, "goal-oriented agent", "goal", ""},
		{mode, "Goal-Oriented Agent, bounded", "goal", ""},
		{mode, "interval loop", "loop", ""},
		{mode, "Interval-loop (every morning)", "loop", ""},
		{mode, "Loop while eligible work exists", "loop", ""},
		{mode, "Loop, goal is an empty queue", "loop", ""},
		{mode, "AutoResearch", "autoresearch", ""},
		{mode, "auto-research", "autoresearch", ""},
		{mode, "Auto Research in a sandbox", "autoresearch", ""},
		{topology, "single-agent.", "single-agent", ""},
		{topology, "Single agent", "single-agent", ""},
		{topology, "single_agent", "single-agent", ""},
		{topology, "Maker-Checker with another model as checker", "maker-checker", ""},
		{topology, "maker–checker", "maker-checker", ""},
		{topology, "single-agent (no maker-checker is needed)", "single-agent", ""},
		{topology, "the single-agent topology", "single-agent", ""},

		{mode, "Goal | Loop | Automation | AutoResearch", "", "choose one"},
		{mode, "Goal or Loop", "", "choose one"},
		{mode, "Goal/Loop", "", "choose one"},
		{mode, "Goal, Loop", "", "choose one"},
		{mode, "Goal, then Automation", "", "choose one"},
		{mode, "Gaol", "", "did you mean goal?"},
		{mode, "goals", "", "did you mean goal?"},
		{mode, "Autoresarch", "", "did you mean autoresearch?"},
		{mode, "goal-driven", "", "goal, loop"},
		{mode, "not a loop", "", "goal, loop"},
		{mode, "continuous", "", "goal, loop"},
		{mode, "Ziel", "", "goal, loop"},
		{mode, "scheduled", "", "goal, loop"},
		{topology, "Maker-checker only if diagnosis is ambiguous; otherwise single-agent", "", "choose one"},
		{topology, "single-agent | maker-checker | manager-workers", "", "choose one"},
		{topology, "manager-worker", "", "did you mean manager-workers?"},
		{topology, "maker/checker", "", "did you mean maker-checker?"},
		{topology, "swarm", "", "single-agent, maker-checker"},
		{topology, "multi-agent", "", "single-agent, maker-checker"},
		{topology, "single-agents", "", "did you mean single-agent?"},
	} {
		line := "3 "
		if c.field == topology {
			line = "15 "
		}
		var want []string
		if c.finding != "" {
			want = []string{line + c.field + ": " + c.finding}
		}
		t.Run(c.value, func(t *testing.T) {
			k := judged(t, with(t, c.field, c.value), want...)
			got := string(k.Mode)
			if c.field == topology {
				got = string(k.Topology)
			}
			if got != c.read {
				t.Errorf("read %q, want %q", got, c.read)
			}
		})
	}
	c, findings := Read("c.md", []byte(with(t, mode, "Scheduled loop")), false)
	if c.Mode != Automation || len(findings) > 0 {
		t.Errorf("%v, %v", c.Mode, findings)
	}
}
