package native

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"loopd/journal"
)

func (r *charterReader) budget(s *section) {
	g := &r.charter.Budget
	if b, ok := s.find("Max iterations"); ok {
		g.MaxIterations = int(r.count("Budget Max iterations", b, "iteration", "run"))
	} else {
		r.defect("D9", "Budget Max iterations", s.at, "", "a bullet - Max iterations: N", "every loop ends")
	}
	if b, ok := s.find("Max wall-clock per iteration"); ok {
		g.PerIteration = r.minutes("Budget Max wall-clock per iteration", b)
	} else {
		r.warn("D9", "Budget Max wall-clock per iteration", s.at, "", "minutes", "60 is taken")
	}
	if b, ok := s.find("Cadence"); ok {
		c, err := journal.ParseCadence(note().ReplaceAllString(b.value, ""))
		if err != nil && !unsaid(b.value) {
			r.defect("D9", "Budget Cadence", b.at, b.value, err.Error(), "")
		}
		g.Cadence = c
	} else {
		r.defect("D9", "Budget Cadence", s.at, "", "a bullet - Cadence: on-demand, auto, every 30m, daily HH:MM, or five cron fields", "")
	}
	if b, ok := s.find("Max total wall-clock"); ok {
		g.Total = r.minutes("Budget Max total wall-clock", b)
	}
	if b, ok := s.find("Max cost"); ok {
		g.Cost = r.cost("Budget Max cost", b)
	}
	if b, ok := s.find("Max tokens"); ok {
		g.Tokens = r.count("Budget Max tokens", b, "token")
	}
	if b, ok := s.find("Max tool calls"); ok {
		g.ToolCalls = r.count("Budget Max tool calls", b, "call", "tool")
	}
	if b, ok := s.find("Review budget"); ok {
		r.review(b)
	}
}

// proposals are ways to propose a change that loopd has not.
var proposals = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(staged[ -]diff|pull[ -]request|merge[ -]request)s?\b`)
})

func (r *charterReader) promotion(s *section) {
	p := &r.charter.Promotion
	modes := []string{string(journal.ProposeOnly), string(journal.WriteScoped), string(journal.WriteFull)}
	if b, ok := s.find("Current mode"); ok && slices.Contains(modes, firstWord(b.value)) {
		p.Mode = journal.Mode(firstWord(b.value))
		if p.Mode != journal.ProposeOnly {
			r.warn("D8", "Promotion Current mode", b.at, b.value, "propose-only", "a loop starts there; what is in force is in state.json, by a recorded approval")
		}
	} else {
		r.defect("D8", "Promotion Current mode", orAt(b.at, s.at), b.value, "propose-only, write-scoped or write-full", near(firstWord(b.value), modes))
	}
	if b, ok := s.find("Write access requires"); ok {
		p.Required = r.cycles("D8", "Promotion Write access requires", b, b.value, defaultRequired)
	}
	if b, ok := s.first("Write scope when promoted"); ok {
		p.Scope = r.globs("D8", "Promotion Write scope when promoted", b)
	}
	if m := proposals().FindString(r.doc.body(s) + "\n" + r.charter.End); m != "" {
		r.warn("D8", "Promotion", s.at, m, "a commit on a branch", "proposals by "+m+" are not supported: loopd commits on loop/<name>")
	}
}

func (r *charterReader) harness(s *section) {
	h := &r.charter.Harness
	for _, f := range []struct {
		key string
		to  *string
	}{{"Maker", &h.Maker}, {"Checker", &h.Checker}, {"Escalate to", &h.EscalateTo}, {"Model", &h.Model}, {"Sandbox", &h.Sandbox}, {"OK token", &h.OKToken}} {
		if b, ok := s.find(f.key); ok && !strings.EqualFold(b.value, "none") {
			*f.to = strings.Trim(b.value, "` ")
		}
	}
	if b, ok := s.find("Setup"); ok {
		if _, code, _, ok := codeSpan(b.value); ok {
			h.Setup = code
		} else {
			r.defect("D3", "Harness Setup", b.at, b.value, "a back-ticked command", "")
		}
	}
	if b, ok := s.first("Env"); ok {
		h.Env = r.variables(b)
	}
	if b, ok := s.find("On needs-work"); ok {
		switch firstWord(b.value) {
		case "keep":
			h.KeepOnNeedsWork = true
		case "park":
		default:
			r.defect("D3", "Harness On needs-work", b.at, b.value, "park or keep", "")
		}
	}
	if h.OKToken == "" || strings.ContainsAny(h.OKToken, " \t") {
		r.defect("D1", "Harness OK token", s.at, h.OKToken, "one word", fmt.Sprintf("leave the bullet out for %s", defaultOKToken))
	}
}

// variables reads names of environment variables.
func (r *charterReader) variables(b bullet) []string {
	var out []string
	for _, w := range listOf(b) {
		for _, name := range strings.Fields(w.text) {
			name = strings.TrimPrefix(name, "$")
			if strings.Trim(strings.ToUpper(name), "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != "" || name == "" || name[0] <= '9' {
				r.defect("D3", "Harness Env", b.at, name, "names of variables, with commas between", "a value is never written into a charter")
				continue
			}
			out = append(out, name)
		}
	}
	return out
}

// near is the fix that names a near word, "" where none is near.
func near(word string, known []string) string {
	if n := journal.Nearest(word, known); n != "" {
		return "did you mean " + n + "?"
	}
	return ""
}
