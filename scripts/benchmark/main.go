// Command benchmark measures loopd against a bare shell loop and against the machine's own limits, interleaved in one
// run, and prints every row as a ratio or a comparison; scripts/bench builds loopd and calls it.
//
// Here live the rows and what they need: fixtures, personas (the same binary posing as agent, check, git and reader), and
// readers of /proc. It measures on Linux only. What may not live here: anything that the program itself uses.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"time"
)

func main() {
	if pose() { // a persona; os.Exit was not called so that it stays testable
		return
	}
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// bench is one run of the benchmark.
type bench struct {
	ctx    context.Context
	loopd  string // binary under test, absolute
	self   string // this binary, which poses as everything else
	dir    string // removed at the end
	rounds int    // of interleaved measurements a row
	quick  bool
	limits limits
}

// row is one measurement. It gives one result, or several that come from the same runs and then have names of their own.
type row struct {
	name string
	// measure fails where the row could not be measured; that fails the run.
	measure func(*bench) ([]result, error)
}

// one is a row with one result.
func one(name string, measure func(*bench) (result, error)) row {
	return row{name, func(b *bench) ([]result, error) {
		r, err := measure(b)
		return []result{r}, err
	}}
}

func run(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	loopd := flags.String("loopd", "", "loopd binary to measure")
	jsonFile := flags.String("json", "", "write the rows as JSON to `FILE`")
	only := flags.String("rows", "", "measure only rows whose name matches this `regexp`")
	rounds := flags.Int("rounds", 5, "interleaved rounds of a row")
	quick := flags.Bool("quick", false, "a tenth of the data, for a try; the figures do not count")
	measured := slices.Clone(rows)
	flags.Func("peer", "another runner to compare the gap with: a `command` that calls claude again and again (repeatable)", func(command string) error {
		measured = append(measured, peer(command))
		return nil
	})
	if err := flags.Parse(args); err != nil {
		return err
	}
	pick, err := regexp.Compile(*only)
	if err != nil {
		return fmt.Errorf("read -rows: %w", err)
	}
	if runtime.GOOS != "linux" {
		return errors.New("measures on Linux only: it reads /proc")
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	binary, err := filepath.Abs(*loopd)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "loopd-bench.")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()

	b := &bench{ctx: ctx, loopd: binary, self: self, dir: dir, rounds: *rounds, quick: *quick}
	if b.limits, err = b.measureLimits(); err != nil {
		return fmt.Errorf("measure the machine's limits: %w", err)
	}
	b.limits.print(out)
	report := report{When: time.Now().UTC().Format(time.RFC3339), CPUs: runtime.NumCPU(), Quick: *quick, Limits: b.limits}
	printHead(out)
	for _, r := range measured {
		if !pick.MatchString(r.name) {
			continue
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		results, err := r.measure(b)
		if err != nil {
			results = []result{{Note: err.Error(), Verdict: verdictBroken}}
		}
		for _, res := range results {
			res.Row = cmp.Or(res.Row, r.name)
			res.print(out)
			report.Rows = append(report.Rows, res)
		}
	}
	if *jsonFile != "" {
		if err := report.write(*jsonFile); err != nil {
			return err
		}
	}
	return report.err()
}
