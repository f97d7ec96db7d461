package harness_test

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"loopd/harness"
)

// recorded is when the samples with a reset time were made.
var recorded = time.Date(2026, 11, 30, 4, 43, 14, 0, time.UTC)

// sample is one real output: what a CLI printed and how it ended.
type sample struct {
	stdout []byte
	exit   harness.Exit
}

func readSample(t *testing.T, cli, name string) sample {
	t.Helper()
	read := func(ext string) []byte {
		data, err := os.ReadFile(filepath.Join("testdata", cli, name+ext))
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	s := sample{stdout: read(".stdout"), exit: harness.Exit{Stderr: read(".stderr"), End: recorded}}
	switch word := strings.TrimSpace(string(read(".exit"))); word {
	case "timeout(killed)":
		s.exit.Code, s.exit.Signal, s.exit.Stopped = -1, "KILL", "idle"
	case "-9":
		s.exit.Code, s.exit.Signal = -1, "KILL"
	case "-2":
		s.exit.Code, s.exit.Signal = -1, "INT"
	default:
		code, err := strconv.Atoi(word)
		if err != nil {
			t.Fatal(err)
		}
		s.exit.Code = code
	}
	return s
}

// sampleNames lists the cases of a CLI, so that none can lie there untested.
func sampleNames(t *testing.T, cli string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("testdata", cli, "*.stdout"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no samples of %s: %v", cli, err)
	}
	var names []string
	for _, p := range paths {
		names = append(names, strings.TrimSuffix(filepath.Base(p), ".stdout"))
	}
	return names
}

func read(t *testing.T, h harness.Harness, stdout []byte, exit harness.Exit) harness.Reply {
	t.Helper()
	reply, err := harness.Read(h, bytes.NewReader(stdout), exit)
	if err != nil {
		t.Fatal(err)
	}
	return reply
}

func known(t *testing.T, config map[string]harness.Command) harness.Set {
	t.Helper()
	set, err := harness.Named(config)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func named(t *testing.T, name string) harness.Harness {
	t.Helper()
	h, err := known(t, nil).Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// expected is the part of a Reply that the tables state.
type expected struct {
	stop  harness.StopReason
	text  string
	usage harness.Usage
	turns int
	cost  float64
	limit *harness.Limit
	cause string // a part of it
	deny  string
}

func checkSamples(t *testing.T, cli string, table map[string]expected) {
	h := named(t, cli)
	for _, name := range sampleNames(t, cli) {
		t.Run(name, func(t *testing.T) {
			want, ok := table[name]
			if !ok {
				t.Fatal("this sample is not in the table")
			}
			s := readSample(t, cli, name)
			got := read(t, h, s.stdout, s.exit)
			if got.Stop != want.stop || got.Text != want.text || got.HasText != (want.text != "") {
				t.Errorf("stop %q, text %q (%v); want %q, %q; cause: %s", got.Stop, got.Text, got.HasText, want.stop, want.text, got.Cause)
			}
			if got.Usage != want.usage || got.Turns != want.turns || math.Abs(got.Cost-want.cost) > 1e-9 {
				t.Errorf("usage %+v, turns %d, cost %v; want %+v, %d, %v", got.Usage, got.Turns, got.Cost, want.usage, want.turns, want.cost)
			}
			switch {
			case (got.Limit == nil) != (want.limit == nil):
				t.Errorf("limit %+v, want %+v", got.Limit, want.limit)
			case want.limit != nil && (got.Limit.Kind != want.limit.Kind || got.Limit.Known != want.limit.Known || !got.Limit.Reset.Equal(want.limit.Reset)):
				t.Errorf("limit %+v, want %+v", *got.Limit, *want.limit)
			}
			if (want.cause == "") != (got.Cause == "") || !strings.Contains(got.Cause, want.cause) {
				t.Errorf("cause %q, want %q in it", got.Cause, want.cause)
			}
			if strings.Join(got.Denied, " ") != want.deny {
				t.Errorf("denied %q, want %q", got.Denied, want.deny)
			}
		})
	}
	for name := range table {
		if _, err := os.Stat(filepath.Join("testdata", cli, name+".stdout")); err != nil {
			t.Errorf("no sample for the row %q", name)
		}
	}
}
