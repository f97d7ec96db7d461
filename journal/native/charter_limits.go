package native

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"loopd/journal"
)

// leadingNumber is the number that a value begins with, and what follows it.
var leadingNumber = regexp.MustCompile(`^\$?\s*([0-9]+(?:[_,][0-9]{3})*(?:\.[0-9]+)?)\s*(.*)$`)

// leading reads the number that a value begins with.
func leading(value string) (n float64, rest string, ok bool) {
	m := leadingNumber.FindStringSubmatch(strings.Trim(strings.TrimSpace(value), "`*"))
	if m == nil {
		return 0, "", false
	}
	n, err := strconv.ParseFloat(strings.NewReplacer("_", "", ",", "").Replace(m[1]), 64)
	return n, strings.TrimSpace(m[2]), err == nil
}

// count reads a whole positive number, with k or M behind it.
func (r *charterReader) count(field string, b bullet) int64 {
	n, rest, ok := leading(b.value)
	switch firstWord(rest) {
	case "k":
		n *= 1e3
	case "m", "million":
		n *= 1e6
	}
	if !ok || n < 1 || n != float64(int64(n)) {
		r.defect("D9", field, b.at, b.value, "a whole number above 0", "")
		return 0
	}
	return int64(n)
}

// units of time; a bare number is minutes.
var units = map[string]time.Duration{"": time.Minute, "m": time.Minute, "min": time.Minute, "mins": time.Minute, "minute": time.Minute, "minutes": time.Minute,
	"s": time.Second, "sec": time.Second, "second": time.Second, "seconds": time.Second, "h": time.Hour, "hour": time.Hour, "hours": time.Hour, "d": 24 * time.Hour, "day": 24 * time.Hour, "days": 24 * time.Hour}

func (r *charterReader) minutes(field string, b bullet) time.Duration {
	n, rest, ok := leading(b.value)
	word := firstWord(rest)
	unit, known := units[word]
	if !known && strings.HasPrefix(rest, "(") {
		unit, known = time.Minute, true // a note
	}
	if d, err := time.ParseDuration(strings.TrimSpace(b.value)); err == nil && d > 0 {
		return d
	}
	if !ok || !known || n <= 0 {
		r.defect("D9", field, b.at, b.value, "a time above 0, in minutes where nothing else is said", "")
		return 0
	}
	return time.Duration(n * float64(unit))
}

func (r *charterReader) budget(s *section) {
	g := &r.charter.Budget
	if b, ok := s.find("Max iterations"); ok {
		g.MaxIterations = int(r.count("Budget Max iterations", b))
	} else {
		r.defect("D9", "Budget Max iterations", s.at, "", "a bullet - Max iterations: N", "every loop ends")
	}
	if b, ok := s.find("Max wall-clock per iteration"); ok {
		g.PerIteration = r.minutes("Budget Max wall-clock per iteration", b)
	} else {
		r.warn("D9", "Budget Max wall-clock per iteration", s.at, "", "minutes", "60 is taken")
	}
	if b, ok := s.find("Cadence"); ok {
		c, err := journal.ParseCadence(b.value)
		if err != nil {
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
		n, _, good := leading(b.value)
		if !good || n <= 0 {
			r.defect("D9", "Budget Max cost", b.at, b.value, "USD above 0", "")
		}
		g.Cost = n
	}
	if b, ok := s.find("Max tokens"); ok {
		g.Tokens = r.count("Budget Max tokens", b)
	}
	if b, ok := s.find("Max tool calls"); ok {
		g.ToolCalls = r.count("Budget Max tool calls", b)
	}
	if b, ok := s.find("Review budget"); ok {
		r.review(b)
	}
}

func (r *charterReader) review(b bullet) {
	for _, part := range strings.Split(b.value, ",") {
		n, rest, ok := leading(part)
		word := strings.ToLower(rest)
		switch {
		case !ok || n < 1:
		case strings.Contains(word, "file"):
			r.charter.Budget.ReviewFiles = int(n)
			continue
		case strings.Contains(word, "line"):
			r.charter.Budget.ReviewLines = int(n)
			continue
		}
		r.defect("D9", "Budget Review budget", b.at, b.value, "N changed lines, M files", "")
		return
	}
}

func (r *charterReader) escalation(s *section) {
	e := &r.charter.Escalation
	if b, ok := s.find("Stalled"); ok {
		if n, _, ok := leading(b.value); ok {
			if n < 1 || n != float64(int(n)) {
				r.defect("D7", "Escalation Stalled", b.at, b.value, "a whole number of iterations above 0", "")
			}
			e.Stalled = int(n)
		}
	}
	if b, ok := s.find("Blocked on a decision"); ok {
		e.Blocked = b.value
	}
	seen := map[journal.Channel]bool{}
	for _, b := range append(append([]bullet(nil), s.bullets...), s.texts...) {
		c, ok := channelIn(b.value)
		if !ok || seen[c] {
			continue
		}
		seen[c] = true
		if c.File != "" && strings.Contains("/"+filepath.ToSlash(filepath.Clean(c.File))+"/", "/.loop/") {
			r.defect("D7", "Escalation "+b.key, b.at, c.File, "a file outside of .loop/", "an escalation must leave the loop's own folder")
			continue
		}
		e.Channels = append(e.Channels, c)
	}
}

// channelIn finds the channel in a bullet: a back-ticked command, file:PATH or a URL anywhere, else a bare name alone
// behind the arrow.
func channelIn(value string) (journal.Channel, bool) {
	if strings.Contains(value, onlyYou) {
		return journal.Channel{}, false // told once already
	}
	if _, code, _, ok := codeSpan(value); ok {
		return journal.ParseChannel("`" + code + "`")
	}
	for _, word := range strings.Fields(value) {
		if strings.HasPrefix(word, "file:") || strings.Contains(word, "://") {
			return journal.ParseChannel(strings.Trim(word, "()<>,;"))
		}
	}
	for _, arrow := range []string{"→", "->"} {
		if _, after, ok := strings.Cut(value, arrow); ok {
			return journal.ParseChannel(after)
		}
	}
	return journal.Channel{}, false
}

// proposals are ways to propose a change that loopd has not.
var proposals = regexp.MustCompile(`(?i)\b(staged diff|pull request|merge request)s?\b`)

func (r *charterReader) promotion(s *section) {
	p := &r.charter.Promotion
	modes := []string{string(journal.ProposeOnly), string(journal.WriteScoped), string(journal.WriteFull)}
	if b, ok := s.find("Current mode"); ok && indexOf(modes, firstWord(b.value)) >= 0 {
		p.Mode = journal.Mode(firstWord(b.value))
		if p.Mode != journal.ProposeOnly {
			r.warn("D8", "Promotion Current mode", b.at, b.value, "propose-only", "a loop starts there; what is in force is in state.json, by a recorded approval")
		}
	} else {
		r.defect("D8", "Promotion Current mode", orAt(b.at, s.at), b.value, "propose-only, write-scoped or write-full", "")
	}
	if b, ok := s.find("Write access requires"); ok {
		if n, _, ok := leading(b.value); ok {
			if n < 1 || n != float64(int(n)) {
				r.defect("D8", "Promotion Write access requires", b.at, b.value, "a whole number of clean cycles above 0", "")
			}
			p.Required = int(n)
		}
	}
	if b, ok := s.find("Write scope when promoted"); ok {
		p.Scope = globs(b.value)
	}
	if m := proposals.FindString(r.doc.body(s)); m != "" {
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
	if b, ok := s.find("Env"); ok {
		h.Env = globs(b.value)
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
