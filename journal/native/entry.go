package native

import (
	"fmt"
	"strings"
	"time"

	"loopd/journal"
)

// entryMax is how large one entry may get, in bytes (spec/iteration.md, limits where nothing is said).
const entryMax = 8 << 10

// The room of an entry's texts in characters, and of its lists in items, before anything is halved to fit entryMax.
const (
	agentRoom   = 60
	unitRoom    = 200
	didRoom     = 1000
	nextRoom    = 300
	steerRoom   = 1000
	ratchetRoom = 100
	verifyRoom  = 400
	flagRoom    = 300
	mostChecks  = 12
	mostFlags   = 12
)

const (
	passed = "✅"
	failed = "❌"
	// nothing stands for an empty field, so that an entry always has the same bullets.
	nothing = "none"
)

// renderEntry writes one journal entry as spec/loop.md gives it, with a blank line behind it. Every text is one line and
// cut to size: none can open a heading or pass for another entry. An entry that is Failed carries a ❌ whatever its checks
// say.
func renderEntry(e journal.Entry, newline string) string {
	for share := 1; ; share *= 2 {
		s := entryLines(e, newline, share)
		if len(s) <= entryMax || share >= 1<<10 {
			return s
		}
	}
}

// entryLines renders with 1/share of the room.
func entryLines(e journal.Entry, newline string, share int) string {
	line := func(s string, room int) string {
		if s = journal.OneLine(s, max(room/share, 16)); s == "" {
			return nothing
		}
		return s
	}
	var b strings.Builder
	put := func(format string, args ...any) { fmt.Fprintf(&b, format, args...); b.WriteString(newline) }
	put("## %d · %s · %s", e.N, e.Time.Format(time.RFC3339), strings.ReplaceAll(line(e.Agent, agentRoom), "·", "-"))
	put("- Unit: %s", line(e.Unit, unitRoom))
	put("- Did: %s", line(e.Did, didRoom))
	for _, v := range checkLines(e.Verify, max(mostChecks/share, 2)) {
		// The mark at the end is the result: it is never what is cut off.
		mark := ""
		for _, m := range []string{passed, failed} {
			if cut, ok := strings.CutSuffix(strings.TrimSpace(v), m); ok {
				v, mark = cut, " "+m
			}
		}
		put("- Verify: %s%s", line(v, verifyRoom), mark)
	}
	put("- Ratchet: %s", line(e.Ratchet, ratchetRoom))
	if e.Steer != "" {
		put("- Steer: %s", line(e.Steer, steerRoom))
	}
	put("- Next: %s", line(e.Next, nextRoom))
	put("- Flags: %s", flagLine(e, line, max(mostFlags/share, 2)))
	b.WriteString(newline)
	return b.String()
}

// checkLines keeps at most n lines, failed ones before the others, and says how many it left out.
func checkLines(all []string, n int) []string {
	if len(all) == 0 {
		return []string{nothing}
	}
	if len(all) <= n {
		return all
	}
	var bad, good []string
	for _, v := range all {
		if strings.Contains(v, failed) {
			bad = append(bad, v)
		} else {
			good = append(good, v)
		}
	}
	kept := append(append([]string(nil), bad...), good...)[:n-1]
	if len(bad) > n-1 {
		return append(kept, fmt.Sprintf("%d more checks, %d of them failed %s", len(all)-n+1, len(bad)-n+1, failed))
	}
	return append(kept, fmt.Sprintf("%d more checks passed %s", len(all)-n+1, passed))
}

func flagLine(e journal.Entry, line func(string, int) string, n int) string {
	var flags []string
	marked := strings.Contains(strings.Join(e.Verify, ""), failed)
	for _, f := range e.Flags {
		marked = marked || strings.Contains(f, failed)
	}
	if e.Failed && !marked {
		flags = append(flags, failed)
	}
	for i, f := range e.Flags {
		if i == n {
			flags = append(flags, fmt.Sprintf("%d more", len(e.Flags)-n))
			break
		}
		if f = line(strings.ReplaceAll(f, "|", "/"), flagRoom); f != nothing {
			flags = append(flags, f)
		}
	}
	if len(flags) == 0 {
		return nothing
	}
	return strings.Join(flags, " | ")
}

// parseEntry reads an entry with its heading. Other tools' bullets, bold keys, continuation lines and line ends are taken
// as they come; what it does not know is passed over. ❌ counts where a result stands, not in what an agent dictated.
func parseEntry(raw string) (journal.Entry, bool) {
	first, rest, _ := strings.Cut(raw, "\n")
	n, at, agent, ok := parseHeading(first)
	if !ok {
		return journal.Entry{}, false
	}
	e := journal.Entry{N: n, Time: at, Agent: agent, Raw: raw, Failed: strings.Contains(first, failed)}
	var into *string // where a continuation line goes
	var flags string
	for l := range strings.Lines(rest) {
		key, value, bullet := cutBullet(l)
		if !bullet {
			if text := strings.TrimSpace(l); into != nil && text != "" && strings.ContainsAny(l[:1], " \t") {
				*into += " " + text
			}
			continue
		}
		if value == nothing {
			value = ""
		}
		switch key {
		case "unit":
			e.Unit, into = value, &e.Unit
		case "did":
			e.Did, into = value, &e.Did
		case "next":
			e.Next, into = value, &e.Next
		case "steer":
			e.Steer, into = value, &e.Steer
		case "ratchet":
			e.Ratchet, into = value, &e.Ratchet
		case "flags":
			flags, into = value, &flags
		case "verify":
			if value != "" {
				e.Verify = append(e.Verify, value)
				into = &e.Verify[len(e.Verify)-1]
			}
		default:
			into = nil
			e.Failed = e.Failed || strings.Contains(value, failed)
		}
	}
	for f := range strings.SplitSeq(flags, "|") {
		if f = strings.TrimSpace(f); f != "" {
			e.Flags = append(e.Flags, f)
		}
	}
	for _, s := range append([]string{e.Ratchet, flags}, e.Verify...) {
		e.Failed = e.Failed || strings.Contains(s, failed)
	}
	return e, true
}

// cutBullet splits "- Key: value"; the key comes in lower case, without emphasis.
func cutBullet(l string) (key, value string, ok bool) {
	if len(l) < 2 || !strings.ContainsRune("-*+", rune(l[0])) || l[1] != ' ' && l[1] != '\t' {
		return "", "", false
	}
	key, value, ok = strings.Cut(l[2:], ":")
	if !ok {
		return "", strings.TrimSpace(l[2:]), true
	}
	value = strings.TrimSpace(strings.TrimLeft(value, "*_"))
	return strings.ToLower(strings.Trim(key, " \t*_")), value, true
}

// timeForms are the times that journals of other tools were seen with, beside RFC 3339.
var timeForms = []string{time.RFC3339, "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02"}

// parseHeading reads "## <N> · <time> · <agent>". It must begin at the first column.
func parseHeading(l string) (n int, at time.Time, agent string, ok bool) {
	l, ok = strings.CutPrefix(strings.TrimRight(l, " \t\r\n"), "##")
	if !ok || l == "" || l[0] != ' ' && l[0] != '\t' {
		return 0, at, "", false
	}
	parts := strings.SplitN(l, "·", 3)
	if len(parts) < 3 {
		return 0, at, "", false
	}
	number := strings.TrimSpace(parts[0])
	if number == "" || len(number) > 9 || strings.Trim(number, "0123456789") != "" {
		return 0, at, "", false
	}
	for _, d := range number {
		n = 10*n + int(d-'0')
	}
	if agent = strings.TrimSpace(parts[2]); n == 0 || agent == "" {
		return 0, at, "", false
	}
	for _, form := range timeForms {
		if t, err := time.Parse(form, strings.TrimSpace(parts[1])); err == nil {
			return n, t, agent, true
		}
	}
	return 0, at, "", false
}
