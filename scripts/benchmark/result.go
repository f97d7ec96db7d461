package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"
)

// verdict says where a figure stands between what must be reached and what is beyond that.
type verdict string

const (
	verdictBeyond verdict = "beyond"
	verdictMust   verdict = "must"
	verdictMissed verdict = "MISSED"
	verdictBroken verdict = "NOT MEASURED"
	verdictNone   verdict = "to compare" // a row without a bound
)

// result is one measured row. Value, Must and Beyond have the same unit.
type result struct {
	Row     string  `json:"row"`
	Value   float64 `json:"value"`
	Unit    string  `json:"unit"` // "×" for a ratio, else ms, MB, …
	Must    float64 `json:"must"`
	Beyond  float64 `json:"beyond"`
	Larger  bool    `json:"larger_is_better,omitempty"`
	Verdict verdict `json:"verdict"`
	// Loopd and Against are the two samples behind a ratio, in AgainstUnit; Against is empty for an absolute figure.
	Loopd   sample `json:"loopd"`
	Against sample `json:"against"`
	Note    string `json:"note,omitempty"`
}

// sample is a series of measurements in milliseconds where nothing else is said.
type sample struct {
	What   string  `json:"what,omitempty"`
	Median float64 `json:"median"`
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
	N      int     `json:"n"`
}

// sampleOf summarises values; the zero sample where there are none.
func sampleOf(what string, values []float64) sample {
	if len(values) == 0 {
		return sample{What: what}
	}
	v := slices.Sorted(slices.Values(values))
	return sample{What: what, Median: v[len(v)/2], Low: v[0], High: v[len(v)-1], N: len(v)}
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// judged compares the value with its two bounds.
func (r result) judged() result {
	within := func(bound float64) bool {
		if r.Larger {
			return r.Value >= bound
		}
		return r.Value <= bound
	}
	switch {
	case within(r.Beyond):
		r.Verdict = verdictBeyond
	case within(r.Must):
		r.Verdict = verdictMust
	default:
		r.Verdict = verdictMissed
	}
	return r
}

// ratio is a row of loopd against something measured beside it.
func ratio(loopd, against sample, must, beyond float64) result {
	r := result{Unit: "×", Must: must, Beyond: beyond, Loopd: loopd, Against: against}
	if against.Median > 0 {
		r.Value = loopd.Median / against.Median
	}
	return r.judged()
}

// absolute is a row that stands for itself.
func absolute(value float64, unit string, must, beyond float64, s sample) result {
	return result{Value: value, Unit: unit, Must: must, Beyond: beyond, Loopd: s}.judged()
}

func printHead(out io.Writer) {
	fmt.Fprintf(out, "\n%-46s %12s %10s %10s  %-13s %s\n", "row", "measured", "must", "beyond", "verdict", "behind it (median, low to high)")
}

func (r result) print(out io.Writer) {
	sign := "≤"
	if r.Larger {
		sign = "≥"
	}
	must, beyond := sign+number(r.Must), sign+number(r.Beyond)
	if r.Verdict == verdictNone {
		must, beyond = "", ""
	}
	var behind []string
	for _, s := range []sample{r.Loopd, r.Against} {
		if s.N > 0 {
			behind = append(behind, fmt.Sprintf("%s %s (%s to %s, n=%d)", s.What, number(s.Median), number(s.Low), number(s.High), s.N))
		}
	}
	if r.Note != "" {
		behind = append(behind, r.Note)
	}
	fmt.Fprintf(out, "%-46s %12s %10s %10s  %-13s %s\n", r.Row, number(r.Value)+" "+r.Unit,
		must, beyond, r.Verdict, strings.Join(behind, "; "))
}

// number prints three digits that mean something.
func number(v float64) string {
	switch {
	case v >= 100 || v == float64(int64(v)):
		return fmt.Sprintf("%.0f", v)
	case v >= 10:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.2f", v)
}

// report is the JSON file.
type report struct {
	When   string   `json:"when"`
	CPUs   int      `json:"cpus"`
	Quick  bool     `json:"quick"`
	Limits limits   `json:"limits"`
	Rows   []result `json:"rows"`
}

func (r report) write(file string) error {
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return fmt.Errorf("encode report: %w", err)
	}
	return os.WriteFile(file, append(data, '\n'), 0o644)
}

// err is set where a row missed what it must reach, or was not measured.
func (r report) err() error {
	var bad []string
	for _, res := range r.Rows {
		if res.Verdict == verdictMissed || res.Verdict == verdictBroken {
			bad = append(bad, res.Row)
		}
	}
	if len(bad) == 0 {
		return nil
	}
	return errors.New("not reached: " + strings.Join(bad, "; "))
}
