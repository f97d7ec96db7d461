package driver

import (
	"fmt"
	"path/filepath"
	"strings"

	"loopd/journal"
)

// DraftPath is where a drafted skill lies below root: the folder that Claude Code looks into; others get its text.
func DraftPath(root, name string) string {
	return filepath.Join(root, filepath.FromSlash(skillFolders[0]), name, skillFile)
}

// Draft writes an iteration skill: one unit a call, ended by the outcome line that the driver reads. What only a person can
// say is marked journal.OnlyYou.
func Draft(name, goal string) []byte {
	if goal = strings.TrimSpace(goal); goal == "" {
		goal = journal.OnlyYou + ": what one run of this skill does, in one sentence."
	}
	return fmt.Appendf(nil, `---
name: %s
description: %s
---
# %s

Do one iteration, then stop. Never begin a second one.

1. Look for the next piece of work: %s: where it is found, and what makes it eligible.
2. If there is none, say so and change nothing.
3. Do it, within: %s: the files and commands that it may touch and run.
4. Check it: %s: `+"`your command`"+` must pass. If it does not, take the change back.
5. Commit it, if %s: when a commit is allowed.

End your last message with exactly one line:

    LOOP-OUTCOME: <%s> — <one-line detail>

shipped: it is done. filed: it is written down for a person. rejected: looked at and not worth it. empty: there was nothing.
gate_killed: a check forbade it. blocked: a person has to decide.
`, name, yamlLine(goal), name, journal.OnlyYou, journal.OnlyYou, journal.OnlyYou, journal.OnlyYou, strings.Join(words(), " | "))
}

// yamlLine quotes a text for the front matter.
func yamlLine(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}
