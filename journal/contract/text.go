package contract

import "strings"

// texts stores the fields that are read as they are written.
func (r *reader) texts() {
	c := &r.contract
	for field, to := range map[string]*string{
		objective: &c.Objective, trigger: &c.Trigger, scope: &c.Scope, "non-goals": &c.NonGoals, "owner": &c.Owner, "inputs": &c.Inputs,
		"work clock": &c.WorkClock, metric: &c.SuccessMetric, "evidence": &c.Evidence, verifier: &c.Verifier, stop: &c.StopCondition,
		"write-back": &c.WriteBack, boundary: &c.Boundary, recovery: &c.Recovery,
	} {
		*to = r.values[field].text
	}
	c.ArtifactsPath, c.StatePath = pathOf(r.values["artifacts path"].text), pathOf(r.values["state path"].text)
}

// pathOf takes the path out of a value: what is back-ticked, or the first word that looks like a path, or the whole.
func pathOf(text string) string {
	for _, s := range spansOf(text) {
		if s.code != "" {
			return s.code
		}
	}
	text = strings.TrimSpace(strings.Trim(text, "*_"))
	if fields := strings.Fields(text); len(fields) > 1 {
		for _, w := range fields {
			if w = strings.Trim(w, ",;:()\"'"); strings.ContainsAny(strings.TrimRight(w, "."), "/.") {
				text = w
				break
			}
		}
	}
	switch {
	case text == ".", strings.HasSuffix(text, ".."), strings.HasSuffix(text, "./."): // folders
	case strings.HasSuffix(text, "/."), strings.HasSuffix(text, "."):
		text = text[:len(text)-1]
	}
	return text
}
