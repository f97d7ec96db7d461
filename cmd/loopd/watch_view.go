package main

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/guptarohit/asciigraph"

	"loopd/journal"
)

// View draws the screen: never wider or higher than the terminal.
func (m watchModel) View() tea.View {
	v := tea.NewView(strings.Join(m.lines(), "\n"))
	v.AltScreen = true
	return v
}

// lines are the screen's lines, each cut to its width.
func (m watchModel) lines() []string {
	head, body := m.list()
	switch {
	case m.help:
		head, body = m.paint("1", "Keys"), helpLines()
	case m.open && m.current() != nil:
		head, body = m.pageLines()
	}
	foot := m.foot()
	room := max(1, m.height-2-len(foot))
	from := 0
	if m.open || m.help {
		from = max(0, min(m.scroll, len(body)-room))
	} else if over := m.selected + 2 - room; over > 0 {
		from = over
	}
	out := []string{head}
	for i := range room {
		line := ""
		if from+i < len(body) {
			line = body[from+i]
		}
		out = append(out, line)
	}
	out = append(out, "")
	out = append(out, foot...)
	if len(out) > m.height {
		out = out[:max(1, m.height)]
	}
	for i, l := range out {
		out[i] = ansi.Truncate(l, m.width, "…")
	}
	return out
}

// paint colours a text, where there are colours.
func (m watchModel) paint(sgr, text string) string {
	if m.plain {
		return text
	}
	return "\x1b[" + sgr + "m" + text + "\x1b[0m"
}

// tidy is a text of a loop on one line, without anything that a terminal would act upon.
func tidy(s string) string { return journal.OneLine(printable(s), 400) }

// watchColumns are the columns of the list, with the width that each wants; those behind are left out where the terminal is
// narrow.
var watchColumns = []struct {
	head  string
	width int
	cell  func(w watched) string
}{
	{"LOOP", 16, func(w watched) string { return tidy(w.Name) }},
	{"STATUS", 17, func(w watched) string { return w.word() }},
	{"ITER", 7, func(w watched) string { return ofMost(w.Iteration-w.Before, w.Max, "/") }},
	{"RATCHET", 19, func(w watched) string { return pad(w.ratchet(), 7) + " " + sparkline(w.Points, 10) }},
	{"STALL", 5, func(w watched) string { return ofMost(w.Stall, w.StallMax, "/") }},
	{"IDLE", 4, func(w watched) string { return fmt.Sprint(w.Idle) }},
	{"COST", 10, func(w watched) string { return costOf(w.reportJSON) }},
	{"NEXT WAKE", 19, func(w watched) string { return w.wake() }},
}

// costOf is the cost in all, – where nobody told it.
func costOf(r reportJSON) string {
	f := r.Figures
	switch {
	case f.Measured == 0 && r.Cost == 0, f.Measured > 0 && f.Unknown == f.Measured:
		return "–"
	case f.Unknown > 0:
		return fmt.Sprintf("$%.2f+", max(r.Cost, f.Cost))
	}
	return fmt.Sprintf("$%.2f", r.Cost)
}

// sparkline draws the last readings of a ratchet.
func sparkline(points []point, most int) string {
	var values []float64
	for _, p := range points {
		if p.Value != nil && !p.PutBack {
			values = append(values, *p.Value)
		}
	}
	values = values[max(0, len(values)-most):]
	if len(values) < 2 {
		return ""
	}
	low, high := slices.Min(values), slices.Max(values)
	bars := []rune("▁▂▃▄▅▆▇█")
	var b strings.Builder
	for _, v := range values {
		i := 0
		if high > low {
			i = int((v - low) / (high - low) * float64(len(bars)-1))
		}
		b.WriteRune(bars[i])
	}
	return b.String()
}

func pad(s string, width int) string {
	s = ansi.Truncate(s, width, "…")
	return s + strings.Repeat(" ", max(0, width-ansi.StringWidth(s)))
}

// list is the list of loops.
func (m watchModel) list() (head string, body []string) {
	shown := m.shown()
	names := 0
	for _, w := range shown {
		names = max(names, ansi.StringWidth(tidy(w.Name)))
	}
	row := func(cell func(i int) string) string {
		var b strings.Builder
		for i, c := range watchColumns {
			width := c.width
			if i == 0 {
				width = max(4, min(names, 24, m.width/3))
			}
			if ansi.StringWidth(b.String())+width > m.width && i > 0 {
				break
			}
			b.WriteString(pad(cell(i), width) + "  ")
		}
		return strings.TrimRight(b.String(), " ")
	}
	head = m.paint("1", row(func(i int) string { return watchColumns[i].head }))
	for i, w := range shown {
		line := row(func(i int) string { return watchColumns[i].cell(w) })
		switch {
		case i == m.selected && m.plain:
			line = "> " + line
		case i == m.selected:
			line = m.paint("7", pad(line, m.width))
		case len(w.Defects) > 0:
			line = m.paint("31", line)
		case w.Status == journal.Blocked || w.Status == journal.Stalled:
			line = m.paint("33", line)
		case w.Running != nil:
			line = m.paint("32", line)
		}
		body = append(body, line)
	}
	switch {
	case !m.loaded:
		body = append(body, "reading …")
	case len(m.loops) == 0:
		body = append(body, "there is no loop here: loopd init NAME --archetype backlog-drain makes one")
	case len(shown) == 0:
		body = append(body, "no loop's name has "+tidy(m.filter)+" in it (esc shows all)")
	}
	return head, body
}

// pageLines are a loop's page.
func (m watchModel) pageLines() (head string, body []string) {
	r := m.page.report
	add := func(format string, args ...any) { body = append(body, fmt.Sprintf(format, args...)) }
	section := func(name string) { body = append(body, "", m.paint("1", name)) }
	add("%s", tidy(r.Goal))
	if r.Question != "" {
		add("%s", m.paint("33", "waits for: "+tidy(r.Question)))
	}
	for _, d := range r.Defects {
		add("%s", m.paint("31", tidy(d)))
	}
	add("iteration %s · stall %s · idle %d · %s · %d of %d clean · parked %d", ofMost(r.Iteration-r.Before, r.Max, "/"), ofMost(r.Stall, r.StallMax, "/"), r.Idle, r.Mode, r.Clean, r.Required, r.Parked)
	add("%d verified, %d put back · %s · next wake %s %s", r.Figures.Verified, r.Figures.PutBack, costOf(r), r.wake(), tidy(r.WakeWhy))
	if len(m.page.transcript) > 0 {
		section("Now, at " + r.Running.Step)
		for _, l := range m.page.transcript[max(0, len(m.page.transcript)-8):] {
			add("  %s", tidy(l))
		}
	}
	var values []float64
	for _, p := range r.Points {
		if p.Value != nil && !p.PutBack {
			values = append(values, *p.Value)
		}
	}
	if len(values) > 1 && m.height >= 16 {
		section("Ratchet: " + tidy(r.Metric))
		plot := asciigraph.Plot(values, asciigraph.Height(5), asciigraph.Width(max(10, min(m.width-12, 2*len(values)))), asciigraph.Precision(0))
		body = append(body, strings.Split(plot, "\n")...)
	}
	section("Last entries")
	for _, e := range slices.Backward(r.Entries[max(0, len(r.Entries)-8):]) {
		mark := m.paint("32", "✓")
		if e.Failed {
			mark = m.paint("31", "✗")
		}
		add("%s %d %s", mark, e.N, tidy(e.Unit))
		for _, v := range e.Verify {
			add("    %s", tidy(v))
		}
		for _, f := range e.Flags {
			add("    %s", m.paint("33", tidy(f)))
		}
	}
	for _, c := range slices.Backward(r.Changes) {
		section(fmt.Sprintf("Put back %d: %s (%s)", c.N, tidy(c.Why), c.Ref))
		for i, l := range strings.Split(c.Diff, "\n") {
			if i == 40 {
				add("  … loopd parked %s show %d", r.Name, c.N)
				break
			}
			add("  %s", tidy(l))
		}
	}
	return m.paint("1", tidy(r.Name)) + "  " + r.word(), body
}

// foot is what the last command said, or what is asked, and the keys.
func (m watchModel) foot() []string {
	switch {
	case m.asks != nil && m.asks.text != "":
		return []string{m.paint("1", m.asks.text+": ") + m.input + "█", "enter does it, esc does not"}
	case m.asks != nil:
		return []string{m.paint("1", fmt.Sprintf("%s: %s? y does it, any other key does not", tidy(m.current().Name), m.asks.sure))}
	}
	var out []string
	for _, l := range strings.Split(strings.TrimSpace(m.said), "\n") {
		if l != "" && len(out) < 3 {
			out = append(out, tidy(l))
		}
	}
	keys := "enter opens · / filters · ? keys · q quits"
	if m.open {
		keys = "s steer · p pause · r resume · x stop · n run now · ? keys · esc back"
	}
	return append(out, m.paint("2", keys))
}

func helpLines() []string {
	out := []string{"  ↑ ↓      choose a loop, or scroll its page", "  enter    its page        esc  back", "  /        only names that hold a text", "  q        quit: no loop is touched by that", ""}
	for _, k := range watchKeys {
		what := k.sure
		if what == "" {
			what = k.text
		}
		out = append(out, fmt.Sprintf("  %-8s %s: %s", k.key, k.name, what))
	}
	return out
}
