package contract

import (
	"strings"
	"testing"
)

func TestTriggersOfAnAutomation(t *testing.T) {
	automation := with(t, mode, "Automation")
	const manual = "Manual start."
	for _, s := range []string{
		"cron 0 6 * * *", "`0 6 * * 1-5`", "Nightly at 02:00.", "Every 30 minutes", "every 2 hours", "Scheduled by systemd", "daily 06:30", "A webhook of the tracker", "New event in the queue", "On push to main",
		"When a PR is opened", "CI failure on main", "Each pull request", "GitHub Actions workflow", "When an issue is labelled", "timer", "Manual start or nightly", "Manual start, or on push to main", "@daily", "an alert of the monitor", "Not manual: every morning",
	} {
		t.Run(s, func(t *testing.T) { judged(t, strings.Replace(automation, manual, s, 1)) })
	}
	for _, s := range []string{
		"Manual start.", "manual", "By hand.", "When needed.", "On demand", "The operator starts it.", "Manual start after a CI failure", "Manual start with the failing log", "No schedule yet; manual.", "Started by the owner on push", "user request", "whenever", "Goal",
	} {
		t.Run(s, func(t *testing.T) {
			judged(t, strings.Replace(automation, manual, s, 1), "4 trigger: what starts an automation from outside")
		})
	}
	judged(t, with(t, trigger, "When needed.")) // of no other mode anything is asked
}

func TestIntegrationGates(t *testing.T) {
	for _, c := range []struct{ field, value, gate string }{
		{recovery, "Integration gate: the manager verifies the merged diff and tests before completion.", "Integration gate: the manager verifies the merged diff and tests before completion"},
		{recovery, "Restore the branch; the integration gate is `make verify`.", "the integration gate is `make verify`"},
		{topology, "manager-workers, with a merge gate", "manager-workers, with a merge gate"},
		{verifier, "go test is the gate before merging", "go test is the gate before merging"},
		{boundary, "Results are merged only through the gate.", "Results are merged only through the gate"},
		{topology, "manager-workers\n- Integration gate: `go test ./...` exits 0", "Integration gate: `go test ./...` exits 0"},
		{topology, "manager-workers\n- **Merge gate**: rebase and test", "Merge gate: rebase and test"},

		{recovery, "Retry failed worker output after integration test evidence is collected.", ""},
		{recovery, "No integration gate.", ""},
		{recovery, "Works without an integration gate.", ""},
		{recovery, "Integration gate: none.", ""},
		{topology, "manager-workers\n- Integration gate: tbd", ""},
		{recovery, "The gate keeper restores the merge base.", ""},
	} {
		t.Run(c.value, func(t *testing.T) {
			src := with(t, c.field, c.value)
			if c.field != topology {
				src = strings.Replace(src, "Topology: maker-checker", "Topology: manager-workers", 1)
			}
			if c.gate != "" {
				if got := judged(t, src).IntegrationGate; got != c.gate {
					t.Errorf("gate %q, want %q", got, c.gate)
				}
			} else {
				judged(t, src, "15 topology: an integration gate")
			}
		})
	}
}
