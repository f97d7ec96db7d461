package main

import (
	"fmt"
	"html/template"
	"maps"
	"math"
	"slices"
	"strings"

	"loopd/journal"
)

// The size of a plot, in its own units: the page scales it.
const (
	plotWidth, plotHeight = 720.0, 220.0
	plotLeft, plotBottom  = 56.0, 28.0
	plotTop, plotRight    = 14.0, 14.0
	pointsShown           = 400 // the newest; more cannot be told apart
)

// svg builds a picture; texts are made printable and escaped.
type svg struct{ strings.Builder }

func (s *svg) add(format string, args ...any) {
	for i, a := range args {
		if text, ok := a.(string); ok {
			args[i] = template.HTMLEscapeString(printable(text))
		}
	}
	fmt.Fprintf(&s.Builder, format+"\n", args...)
}

// ratchetSVG plots the ratchet over iterations; failures and what was put back are marked. Fewer than two readings are no
// plot.
func ratchetSVG(r reportJSON) template.HTML {
	var points []point
	low, high := math.Inf(1), math.Inf(-1)
	for _, p := range r.Points {
		if p.Value != nil && p.Counted {
			points = append(points, p)
			low, high = min(low, *p.Value), max(high, *p.Value)
		}
	}
	points = points[max(0, len(points)-pointsShown):]
	if len(points) < 2 {
		return ""
	}
	if low == high {
		low, high = low-1, high+1
	}
	x := func(i int) float64 {
		return plotLeft + (plotWidth-plotLeft-plotRight)*float64(i)/float64(len(points)-1)
	}
	y := func(v float64) float64 {
		return plotTop + (plotHeight-plotTop-plotBottom)*(high-v)/(high-low)
	}
	var s svg
	s.add(`<svg viewBox="0 0 %.0f %.0f" role="img" aria-label="%s over iterations"><title>%s over iterations</title>`, plotWidth, plotHeight, r.Metric, r.Metric)
	for _, v := range []float64{low, (low + high) / 2, high} {
		s.add(`<line class="grid" x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f"/><text class="axis" x="%.1f" y="%.1f" text-anchor="end">%s</text>`, plotLeft, y(v), plotWidth-plotRight, y(v), plotLeft-6, y(v)+4, short(v))
	}
	// What was put back is no part of the line: the value after it is the one before.
	var line []string
	for i, p := range points {
		if !p.PutBack {
			line = append(line, fmt.Sprintf("%.1f,%.1f", x(i), y(*p.Value)))
		}
	}
	s.add(`<polyline class="line" points="%s"/>`, strings.Join(line, " "))
	for i, p := range points {
		title := fmt.Sprintf("iteration %d: %s, %s, %s", p.N, journal.FormatNumber(*p.Value), p.Outcome, journal.OneLine(p.Unit, 80))
		switch {
		case p.PutBack:
			s.add(`<g class="back"><title>%s, put back</title><path d="M%.1f %.1fl8 8m0 -8l-8 8"/></g>`, title, x(i)-4, y(*p.Value)-4)
		case p.Failed:
			s.add(`<circle class="bad" cx="%.1f" cy="%.1f" r="4"><title>%s</title></circle>`, x(i), y(*p.Value), title)
		default:
			s.add(`<circle class="dot" cx="%.1f" cy="%.1f" r="%.1f"><title>%s</title></circle>`, x(i), y(*p.Value), dotSize(len(points)), title)
		}
	}
	s.add(`<text class="axis" x="%.1f" y="%.1f">%s</text><text class="axis" x="%.1f" y="%.1f" text-anchor="end">%s</text>`, plotLeft, plotHeight-8, fmt.Sprintf("iteration %d", points[0].N), plotWidth-plotRight, plotHeight-8, fmt.Sprint(points[len(points)-1].N))
	s.add(`</svg>`)
	return template.HTML(s.String()) // every text went through add
}

// short is a number for an axis.
func short(v float64) string {
	switch a := math.Abs(v); {
	case a >= 1e6:
		return fmt.Sprintf("%.1fM", v/1e6)
	case a >= 1e4:
		return fmt.Sprintf("%.0fk", v/1e3)
	case v == math.Trunc(v):
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.2g", v)
}

func dotSize(n int) float64 {
	if n > 120 {
		return 1.5
	}
	return 3
}

// stepOrder is the order of an iteration's steps.
var stepOrder = []string{"gate", "conditions", "pin", "manager", "exec", "join", "verify", "check", "judge", "record", "hand off"}

// stepsSVG shows the time that each step of the newest iterations took, one bar an iteration.
func stepsSVG(r reportJSON) template.HTML {
	points := r.Points[max(0, len(r.Points)-60):]
	most := 0.0
	for _, p := range points {
		sum := 0.0
		for _, s := range p.Steps {
			sum += s
		}
		most = max(most, sum)
	}
	if most == 0 {
		return ""
	}
	width := (plotWidth - plotLeft - plotRight) / float64(len(points))
	height := plotHeight - plotTop - plotBottom
	var s svg
	s.add(`<svg viewBox="0 0 %.0f %.0f" role="img" aria-label="time per step"><title>Time per step of each iteration</title>`, plotWidth, plotHeight)
	for _, v := range []float64{most / 2, most} {
		at := plotTop + height*(1-v/most)
		s.add(`<line class="grid" x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f"/><text class="axis" x="%.1f" y="%.1f" text-anchor="end">%s</text>`, plotLeft, at, plotWidth-plotRight, at, plotLeft-6, at+4, seconds(v))
	}
	for i, p := range points {
		from := plotTop + height
		for k, name := range stepOrder {
			h := height * p.Steps[name] / most
			if h <= 0 {
				continue
			}
			from -= h
			s.add(`<rect class="s%d" x="%.1f" y="%.1f" width="%.1f" height="%.2f"><title>%s</title></rect>`, k, plotLeft+float64(i)*width, from, max(1, width-2), h, fmt.Sprintf("iteration %d, %s: %.1f s", p.N, name, p.Steps[name]))
		}
	}
	s.add(`</svg>`)
	return template.HTML(s.String())
}

// legendOf names the steps that took time, with the class of their colour.
func legendOf(r reportJSON) (out []struct{ Class, Name, Took string }) {
	for k, name := range stepOrder {
		if t := r.Figures.Steps[name]; t > 0 {
			out = append(out, struct{ Class, Name, Took string }{fmt.Sprintf("s%d", k), name, seconds(t)})
		}
	}
	return out
}

// bar is one outcome with its share.
type bar struct {
	Name  string
	N     int
	Share float64 // percent of the most frequent
	Bad   bool
}

func outcomeBars(f figures) []bar {
	most := 0
	for _, n := range f.Outcomes {
		most = max(most, n)
	}
	var out []bar
	for _, k := range slices.SortedFunc(maps.Keys(f.Outcomes), func(a, b string) int { return f.Outcomes[b] - f.Outcomes[a] }) {
		o := journal.Outcome(k)
		out = append(out, bar{k, f.Outcomes[k], 100 * float64(f.Outcomes[k]) / float64(most), o == journal.Failed || o == journal.Held || !o.Counts()})
	}
	return out
}
