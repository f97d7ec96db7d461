package native

import (
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"loopd/journal"
)

func (r *charterReader) escalation(s *section) {
	e := &r.charter.Escalation
	if b, ok := s.find("Stalled"); ok && !unsaid(b.value) {
		when, _, _ := cutArrow(b.value)
		e.Stalled = r.cycles("D7", "Escalation Stalled", b, when, defaultStalled)
	}
	if b, ok := s.find("Blocked on a decision"); ok {
		e.Blocked = b.value
	}
	seen := map[journal.Channel]bool{}
	for _, b := range append(append([]bullet(nil), s.bullets...), s.texts...) {
		if unsaid(b.value) {
			continue
		}
		for _, c := range channelsIn(b.text) {
			if !seen[c] {
				seen[c] = true
				r.channel(b, c)
			}
		}
	}
}

// channel adds a channel, unless its message would never leave the loop's folder.
func (r *charterReader) channel(b bullet, c journal.Channel) {
	field := strings.TrimSpace("Escalation " + b.key)
	switch {
	case c.File != "" && strings.Contains("/"+filepath.ToSlash(filepath.Clean(c.File))+"/", "/.loop/"):
		r.defect("D7", field, b.at, c.File, "a file outside of .loop/", "an escalation must leave the loop's own folder")
	case strings.HasPrefix(c.File, "~"):
		r.defect("D7", field, b.at, c.File, "an absolute path, or one relative to the working tree", "no shell reads this: write the home directory out")
	default:
		r.charter.Escalation.Channels = append(r.charter.Escalation.Channels, c)
	}
}

// parts are what channels stand between.
var parts = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[,;]\s+|\s+(?:and|or|then)\s+|\s+\+\s+`) })

// channelsIn finds the channels of a bullet: back-ticked commands, file:PATH and URLs anywhere; bare names only behind the
// arrow, and only where everything there is a channel: "stop and tell me" names none.
func channelsIn(text string) []journal.Channel {
	var out, named []journal.Channel
	add := func(s string) {
		if c, ok := journal.ParseChannel(s); ok {
			out = append(out, c)
		}
	}
	_, behind, arrow := cutArrow(text)
	if !arrow {
		behind = text
	}
	prose := false
	for _, part := range partsOf(behind) {
		found := len(out)
		for rest := part; ; {
			_, code, after, ok := codeSpan(rest)
			if !ok {
				break
			}
			add("`" + code + "`")
			rest = after
		}
		for _, word := range strings.Fields(outsideCode(part)) {
			if word = strings.Trim(word, "()<>,;"); strings.HasPrefix(word, "file:") || strings.Contains(word, "://") {
				add(word)
			}
		}
		if c, ok := journal.ParseChannel(part); ok && len(out) == found {
			named = append(named, c)
		} else if len(out) == found && part != "" {
			prose = true
		}
	}
	if arrow && !prose {
		out = append(out, named...)
	}
	return out
}

func partsOf(text string) []string {
	var out []string
	from := 0
	for _, cut := range parts().FindAllStringIndex(outsideCode(text), -1) {
		out = append(out, strings.TrimSpace(text[from:cut[0]]))
		from = cut[1]
	}
	return append(out, strings.TrimSpace(text[from:]))
}
