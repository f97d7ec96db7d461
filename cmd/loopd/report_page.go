package main

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"
	"sync"
	"time"
	"unicode"

	"loopd/journal"
)

//go:embed pages/report.html
var reportHTML string

// pageData is what the page is made of.
type pageData struct {
	Title string
	Made  string
	Loops []reportJSON
	Needs []string
	// Live is set where the page is served: the path that tells of changes.
	Live string
	// Nonce is what the page's own script is allowed by.
	Nonce string
	// Links: the loops have pages of their own.
	Links bool
	// Control: what a person may do from the page, by the names of serve's controls; nothing where reading is all.
	Control []string
}

// reportTemplate is parsed when the first page is made: nothing is paid for it at the start.
var reportTemplate = sync.OnceValues(func() (*template.Template, error) {
	return template.New("report").Funcs(template.FuncMap{
		"ratchet": ratchetSVG, "steps": stepsSVG, "legend": legendOf, "bars": outcomeBars, "dollars": dollars, "seconds": seconds, "ofMost": ofMost, "many": many, "clean": printable,
		"number": func(v *float64) string {
			if v == nil {
				return "–"
			}
			return journal.FormatNumber(*v)
		},
		"time": func(t time.Time) string {
			if t.IsZero() {
				return "never"
			}
			return t.Local().Format("2006-01-02 15:04")
		},
		"each": func(v *float64) string {
			if v == nil {
				return "unknown"
			}
			return dollars(*v, 0)
		},
		"shortOID": func(s string) string { return s[:min(len(s), 12)] },
		"red":      func(line string) bool { return strings.Contains(line, "❌") },
		"percent":  func(f float64) template.CSS { return template.CSS(fmt.Sprintf("width:%.1f%%", f)) },
		"newest":   newestFirst,
		"caseOf":   caseOf,
		"put":      func(r reportJSON) string { return dollars(r.Figures.CostPutBack, 0) },
	}).Parse(reportHTML)
})

// newestFirst turns entries round.
func newestFirst(in []journal.Entry) []journal.Entry {
	out := make([]journal.Entry, len(in))
	for i, e := range in {
		out[len(in)-1-i] = e
	}
	return out
}

// printable takes out of a text what a page would act upon though it is escaped: control characters, and those that turn
// the direction of what follows.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "�"))
}

// writePage renders the page; what is secret in this environment is masked first. live is nil for a file.
func (a *app) writePage(w io.Writer, loops []reportJSON, now time.Time, live func(*pageData)) error {
	t, err := reportTemplate()
	if err != nil {
		return fmt.Errorf("make page: %w", err)
	}
	d := pageData{Title: "Loops", Made: now.Local().Format("2006-01-02 15:04"), Loops: loops, Needs: needsPerson(loops)}
	if len(loops) == 1 {
		d.Title = "Report of " + loops[0].Name
	}
	if live != nil {
		live(&d)
	}
	var b strings.Builder
	if err := t.Execute(&b, d); err != nil {
		return fmt.Errorf("make page: %w", err)
	}
	_, err = io.WriteString(w, a.hide(b.String()))
	return err
}
