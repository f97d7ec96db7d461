package contract

import (
	"strings"
	"testing"
)

const restore = "Roll back to the last release."

// Boundaries that deny what they name, or name nothing.
func TestBoundaryDenies(t *testing.T) {
	for _, s := range []string{
		"Local writes only; no push and no deploy.",
		"Local branch writes only; no push, merge, deploy, external issue update, or shared-state mutation.",
		"Local-only writes; no production or external changes.",
		"Writes below parser/ only.",
		"Never deploys.",
		"The agent never deploys or publishes.",
		"Works without deploying.",
		"Works locally, without deploying or publishing anything.",
		"No push, no deploy, no writes outside the repository.",
		"No deploy, push, or writes outside the worktree.",
		"No writes outside the repository, external calls, or deploys.",
		"Do not push, deploy or publish.",
		"Don't deploy; don't publish.",
		"Must not touch production.",
		"May not deploy.",
		"Cannot publish.",
		"The loop may edit parser/ but must never deploy.",
		"Production is off-limits.",
		"Production is out of scope.",
		"Production, external and shared systems are off limits.",
		"Production must not be touched.",
		"Production is never touched.",
		"Production must stay untouched.",
		"Deploys are forbidden.",
		"Publishing is not allowed.",
		"Deploys to production or staging are forbidden.",
		"External calls are denied; shared state is not modified.",
		"External network access: none.",
		"Deploy: no.",
		"Deploy: never. Publish: never.",
		"Push/deploy: denied.",
		"Forbidden: production, deploy, publish.",
		"Denied: deploy, publish and external or shared writes.",
		"Never:\n  - deploy\n  - publish\n  - touch shared state",
		"Rules:\n  - no push\n  - no deploy\n  - no external calls",
		"Nothing external, nothing shared.",
		"Neither production nor external systems.",
		"Zero external calls.",
		"Deny production, deploys and publishing.",
		"Stays away from production.",
		"Keeps out of production and shared folders.",
		"Non-production only.",
		"Local sandbox, isolated from production.",
		"No worker may deploy.",
		"Nobody may publish.",
		"No push or deploy may happen.",
		"No pushes or deploys allowed.",
		"No push, deploy, or other external mutation.",
		"No deploy, without exception.",
		"No deploy, not even if asked.",
		"Publishes nothing.",
		"Publishes no packages.",
		"No production access, ask the owner instead.",
		"No deploy, and if a test fails, stop.",
		"No deploy; if in doubt, stop and ask.",
		"Avoid production and external systems.",
		"Only local writes. Production: no access.",
		"Local writes; deployment is blocked by the sandbox.",
		"May edit production code below src/, never deploys it.",
		"Kein Push.",
		"Read the logs, not production.",
		"No `deploy.sh`, no `npm publish`.",
		"no-deploy, no-publish",
		"Everything else, including production and shared infrastructure, is off-limits.",
		"Edits to `parser/**` are allowed; deploys are not.",
		"The agent is not permitted to publish or deploy.",
		"It is forbidden to deploy or publish.",
		"Allowed: edit parser/. Not allowed: push, deploy, external calls.",
		"Never push to shared branches.",
		"Nothing leaves this machine: no push, deploy or publish.",
		"The loop does not deploy, publish, or call external services.",
		"Filesystem: workspace only; Network: none; Production: none.",
		"Local only, i.e. no push, no deploy and no publish.",
		"Sandbox with deploys disabled.",
		"No push, merge, etc. or deploys.",
		"Push: no. Deploys: no. Shared state: no.",
		"Deployments are not part of this loop.",
		"Production data is never read or written.",
		"Changes stay local; nothing goes to production.",
		"No production, staging or shared environment may be changed.",
	} {
		t.Run(s, func(t *testing.T) { judged(t, with(t, boundary, s)) })
	}
}

// Boundaries that allow something of it, in whole or under a condition, without the approval or the rollback it needs.
func TestBoundaryNeeds(t *testing.T) {
	for _, s := range []string{
		"May deploy to production.",
		"Deploys to production.",
		"Production.",
		"No push; may deploy to production.",
		"No push. Deploys to production when green.",
		"No push, may deploy to production.",
		"No push and may deploy to production.",
		"No push, but may deploy.",
		"No push; deploy is fine.",
		"No push, deploys are allowed.",
		"No push and deploys are allowed.",
		"No push — deploys allowed.",
		"No push, the agent may deploy.",
		"No force push, it deploys after the tests.",
		"Does not push and deploys to production.",
		"Deploy to production is not forbidden.",
		"Deploying is not off limits.",
		"Deploy is allowed, push is forbidden.",
		"Deploy to production is automatic and push is forbidden.",
		"Deploys run nightly and push is forbidden.",
		"No deploy unless the tests pass.",
		"No deploy until the tests pass.",
		"Never deploys before the tests pass.",
		"No deploys if tests fail.",
		"No deploys except to staging.",
		"No external calls except to the registry.",
		"No external calls other than GitHub.",
		"No writes outside the shared folder.",
		"No changes to anything but the shared cache.",
		"No run without deploying.",
		"No unapproved deploys.",
		"No other external systems.",
		"Not only deploys.",
		"Never writes outside shared/.",
		"External issue updates.",
		"Read-only access to the shared cache.",
		"Publishes the package.",
		"Publish: yes.",
		"Deploy: no approval needed.",
		"Deploy to production, not to staging.",
		"Deploy to non-production and to production.",
		"Allowed: deploy. Denied: push.",
		"Rules:\n  - no push\n  - deploy to production",
		"Run `deploy.sh`.",
		"No push, merge or rebase; redeploys the site.",
		"Unless asked, no deploys.",
		"No limits: deploy as you like.",
		"There is no restriction on external calls.",
		"Nothing is off limits, production included.",
		"Don't forget to deploy.",
		"Never fails to deploy.",
		"Instead of deploying by hand, publish with CI.",
		"Zero-downtime deploys.",
		"Push: no. Deploys to production.",
		"No push etc. Deploys nightly.",
		"No longer blocked from deploying.",
		"Everything except production.",
		"Local writes and, if green, deploy.",
		"Not limited to local writes: deploys too.",
		"Publishing is no problem.",
		"We never forbid deploys.",
		"Local writes only (deploys are allowed).",
		"Deploy, but not to production.",
		"Never deploy on Fridays.",
		"No need to ask before deploying.",
		"It can't deploy but it can publish.",
		"Do not stop before deploying to production.",
		"Deploys with no downtime.",
		"Deploys what is not experimental.",
		"Only deploys.",
		"Never pushes; otherwise external systems are fine.",
		"No deploy without approval, and shared state may change.",
	} {
		t.Run(s, func(t *testing.T) {
			line := "22"
			if strings.HasPrefix(s, "Rules") {
				line = "24" // where the deploy stands
			}
			judged(t, with(t, boundary, s), line+" permission boundary: approval and rollback")
		})
	}
}

// Approval and rollback, in the boundary or in Recovery, in earnest.
func TestBoundaryGranted(t *testing.T) {
	for _, c := range []struct{ boundary, recovery, finding string }{
		{"May deploy to production with approval and rollback.", "", ""},
		{"May deploy to production with the owner's approval.", restore, ""},
		{"May deploy to production once approved by the owner; rollback by `git revert`.", "", ""},
		{"May deploy to production.", "Needs approval of the owner; rolls back with `make rollback`.", ""},
		{"No deploy without approval.", restore, ""},
		{"No deploy unless approved.", restore, ""},
		{"No unapproved deploys.", restore, ""},
		{"Production changes require sign-off.", restore, ""},
		{"Ask before any external call.", "Revert the last commit.", ""},
		{"No push, deploy, or publish without explicit approval.", "Restore the last backup.", ""},
		{"Publishing needs the owner's approval.", "Undo the release.", ""},
		{"Shared state: with human approval.", "Changes are rolled back.", ""},

		{"May deploy to production with approval.", "", "how it is rolled back"},
		{"No deploy without approval.", "", "how it is rolled back"},
		{"May deploy to production.", restore, "whose approval"},
		{"May deploy to production without approval.", restore, "whose approval"},
		{"May deploy to production; no approval needed.", restore, "whose approval"},
		{"Deploys; approval is not required.", restore, "whose approval"},
		{"Deploys; approval is optional.", restore, "whose approval"},
		{"Deploys need no approval.", restore, "whose approval"},
		{"Unapproved deploys.", restore, "whose approval"},
		{"Deploys with approval; no rollback.", "Call the owner.", "how it is rolled back"},
		{"Deploys with approval, but rollback is not possible.", "Call the owner.", "how it is rolled back"},
		{"Deploys with approval; they cannot be rolled back.", "", "how it is rolled back"},
		{"Deploys with approval.", "Irreversible.", "how it is rolled back"},
		{"Deploys after CI confirms.", restore, "whose approval"},
	} {
		t.Run(c.boundary+"/"+c.recovery, func(t *testing.T) {
			src := with(t, boundary, c.boundary)
			if c.recovery != "" {
				src = strings.Replace(src, "Put the tree back after a regression.", c.recovery, 1)
			}
			if c.finding == "" {
				judged(t, src)
			} else {
				judged(t, src, "22 permission boundary: "+c.finding)
			}
		})
	}
}
