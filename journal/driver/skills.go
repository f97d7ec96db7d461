package driver

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"loopd/journal"
)

// skillFile defines a skill.
const skillFile = "SKILL.md"

// skillMax bounds, in bytes, a skill's text: all of it may stand in a prompt.
const skillMax = 1 << 20

// skillFolders hold the skills of the agent CLIs, below a repository and below a home folder, in the order in which they
// are looked through. An entry with a star holds plugins.
var skillFolders = []string{".claude/skills", ".agents/skills", ".codex/skills", ".gemini/skills", ".claude/plugins/*/skills", ".agents/plugins/*/skills"}

// Skill is one skill that was found.
type Skill struct {
	Name        string
	Description string
	File        string // absolute
	Hidden      bool   // another one of this name comes first
}

// Skills lists the skills below root and home ("" for none), the repository's first; of several with one name the first
// counts. A folder that cannot be read holds none.
func Skills(root, home string) []Skill {
	var out []Skill
	seen := map[string]bool{}
	for _, base := range []string{root, home} {
		if base == "" || base == home && home == root && len(out) > 0 {
			continue
		}
		for _, folder := range skillFolders {
			files, err := filepath.Glob(filepath.Join(globbed(base), folder, "*", skillFile))
			if err != nil {
				continue // only a bad pattern is an error
			}
			slices.Sort(files)
			for _, file := range files {
				name := filepath.Base(filepath.Dir(file))
				info, err := os.Stat(file)
				if err != nil || !info.Mode().IsRegular() || journal.CheckName(name) != nil {
					continue
				}
				out = append(out, Skill{Name: name, Description: description(file), File: file, Hidden: seen[name]})
				seen[name] = true
			}
		}
	}
	return out
}

// globbed keeps what stands in a folder's name from being taken for a pattern.
func globbed(path string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}

// description is what the front matter says of a skill, on one line; "" where it says nothing that can be read.
func description(file string) string {
	src, err := os.ReadFile(file)
	if err != nil || len(src) > skillMax {
		return ""
	}
	front, _ := frontMatter(src)
	var meta struct {
		Description string `yaml:"description"`
	}
	if yaml.Unmarshal(front, &meta) != nil {
		return ""
	}
	return journal.OneLine(meta.Description, 300)
}

// frontMatter parts a skill's file into the YAML between two lines "---" at its start and the text behind.
func frontMatter(src []byte) (front, body []byte) {
	src = bytes.ReplaceAll(bytes.TrimPrefix(src, []byte("\ufeff")), []byte("\r\n"), []byte("\n"))
	rest, ok := bytes.CutPrefix(src, []byte("---\n"))
	if !ok {
		return nil, src
	}
	front, body, ok = bytes.Cut(rest, []byte("\n---\n"))
	if !ok {
		return nil, src
	}
	return front, body
}
