package main

import (
	"loopd/journal/driver"
)

// skillJSON is the shape of `skills --json`.
type skillJSON struct {
	Schema      int    `json:"schema"` // of this shape
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	File        string `json:"file"`
	Hidden      bool   `json:"hidden"` // another one of this name comes first
}

// Run lists the skills that `run` could drive, where each lies, and which are hidden by another one of their name.
func (c *skillsCmd) Run(a *app) error {
	skills := driver.Skills(a.Root, lookup(a.Env, "HOME"))
	if len(skills) == 0 {
		a.Print.Notice("no skill is here", "looked in", ".claude/skills .agents/skills .codex/skills .gemini/skills of "+a.Root+" and of the home folder")
		return nil
	}
	rows := [][]string{{"SKILL", "FILE", "DESCRIPTION"}}
	for _, s := range skills {
		if c.JSON {
			if err := a.Print.JSON(skillJSON{1, s.Name, s.Description, s.File, s.Hidden}); err != nil {
				return err
			}
			continue
		}
		file := a.show(s.File)
		if s.Hidden {
			file += " (hidden by the one above)"
		}
		rows = append(rows, []string{s.Name, file, orDash(s.Description)})
	}
	if c.JSON {
		return nil
	}
	return a.Print.Table(rows)
}
