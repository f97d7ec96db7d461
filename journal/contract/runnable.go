package contract

import (
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"loopd/journal"
)

// gate reads the commands of the integration gate: those of the sentence that names it.
func (r *reader) gate() {
	if text := r.contract.IntegrationGate; text != "" {
		r.contract.GateChecks = r.checks("", value{text: text, pieces: []piece{{0, r.at[topology]}}})
	}
}

// runnable finds what the seed lets a person write and loopd cannot run: paths out of the tree, and a goal that no command
// shows.
func (r *reader) runnable() {
	c := &r.contract
	state, okState := r.path(statePath, c.StatePath)
	artifacts, okArtifacts := r.path(artifactsPath, c.ArtifactsPath)
	if okState && okArtifacts && (state == artifacts || strings.HasPrefix(artifacts, state+"/")) {
		r.add(statePath, r.at[statePath], c.StatePath, "a file beside the artifacts", "the artifacts are a folder, the state is one file: give it a path of its own")
	}
	goal, _ := c.measures()
	if v, ok := r.values[metric]; ok && len(goal) == 0 && c.Topology != MakerChecker {
		r.add(metric, v.at(0), v.text, "a command that shows it, such as `go test ./...` exits 0", "write one in back-ticks here or in Verifier, or let a checker decide (Topology: maker-checker)")
	}
}

// path gives the path of a field relative to the working tree, with slashes; ok says that loopd may write to it.
func (r *reader) path(field, written string) (clean string, ok bool) {
	v, said := r.values[field]
	if !said || r.isBad(field) {
		return "", false
	}
	clean = path.Clean(strings.TrimPrefix(filepath.ToSlash(written), "./"))
	inGit := strings.EqualFold(clean, ".git") || strings.HasPrefix(strings.ToLower(clean), ".git/")
	switch {
	case written == "" || clean == "." || !filepath.IsLocal(clean) || strings.HasPrefix(clean, "~"):
		r.add(field, v.at(0), written, "a path inside the working tree", "such as .agent/"+strings.TrimSuffix(field, " path"))
		return "", false
	case inGit || strings.ContainsFunc(clean, unicode.IsControl):
		r.add(field, v.at(0), written, "a path that is not git's", "such as .agent/"+strings.TrimSuffix(field, " path"))
		return "", false
	}
	return clean, true
}

// uncounted is a budget that nobody here can count: a defect before a run (decision 16), though a good contract.
func uncounted(c Contract, shown string) []journal.Finding {
	if len(c.Budget) == 0 || slices.ContainsFunc(c.Budget, func(a Amount) bool { return a.Unit != Credits }) {
		return nil
	}
	return []journal.Finding{{File: shown, Line: c.Lines[budget], Field: budget, Read: "credits alone", Want: "something that can be counted here: tool calls, model calls, tokens or USD",
		Fix: "add one of them: only the vendor knows credits"}}
}

// writeBack reads where the final receipt goes beside the receipts: commands get it on stdin, files get it appended.
func (r *reader) writeBack() {
	v, ok := r.values[writeBackField]
	if !ok {
		return
	}
	commands := map[string]bool{}
	for _, k := range r.checks("", v) {
		// "append to `docs/log.md`" begins no command, and neither does a path alone.
		if strings.Contains(k.Command, " ") || !strings.Contains(k.Command, "/") && path.Ext(k.Command) == "" {
			commands[k.Command] = true
			r.contract.WriteBackTo = append(r.contract.WriteBackTo, journal.Channel{Command: k.Command})
		}
	}
	for _, s := range spansOf(v.text) {
		p := path.Clean(strings.TrimPrefix(s.code, "./"))
		isPath := !strings.ContainsAny(s.code, " \t") && (strings.Contains(s.code, "/") || path.Ext(s.code) != "") && filepath.IsLocal(p)
		if isPath && !commands[s.code] && p != path.Clean(r.contract.StatePath) && !strings.HasSuffix(p, receiptsFile) && !strings.HasPrefix(p, ".git/") {
			r.contract.WriteBackTo = append(r.contract.WriteBackTo, journal.Channel{File: p})
		}
	}
}
