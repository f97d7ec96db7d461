package harness_test

import (
	"bytes"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"loopd/harness"
)

func split(pieces ...string) ([]string, bool) {
	var got []string
	l := harness.NewLines(func(line []byte) { got = append(got, string(line)) })
	for _, p := range pieces {
		l.Write([]byte(p))
	}
	l.Close()
	return got, l.Dropped()
}

func TestLines(t *testing.T) {
	for _, tt := range []struct {
		name   string
		pieces []string
		want   []string
	}{
		{"nothing", nil, nil},
		{"one", []string{"a\n"}, []string{"a"}},
		{"no final newline", []string{"a\nb"}, []string{"a", "b"}},
		{"crlf", []string{"a\r\nb\r", "\n\r\n"}, []string{"a", "b", ""}},
		{"empty lines", []string{"\n\n", "\n"}, []string{"", "", ""}},
		{"split anywhere", []string{"a", "b\nc", "", "d", "\n"}, []string{"ab", "cd"}},
		{"bom", []string{"\xef", "\xbb", "\xbfa\n\xef\xbb\xbfb"}, []string{"a", "\xef\xbb\xbfb"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, dropped := split(tt.pieces...)
			if d := cmp.Diff(tt.want, got); d != "" || dropped {
				t.Error(d, dropped)
			}
		})
	}
}

// However the output is cut into writes, the lines are the same.
func TestLinesAnyCut(t *testing.T) {
	whole := "\xef\xbb\xbf" + strings.Repeat("{\"a\":1}\r\n\n"+strings.Repeat("long ", 20000)+"\nend\r\n", 3) + "last"
	want, _ := split(whole)
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var pieces []string
		for rest := whole; rest != ""; {
			n := 1 + rng.IntN(min(len(rest), 1+rng.IntN(40000)))
			pieces, rest = append(pieces, rest[:n]), rest[n:]
		}
		if got, _ := split(pieces...); !cmp.Equal(want, got) {
			t.Fatalf("cut into %d pieces: %d lines, want %d", len(pieces), len(got), len(want))
		}
	}
}

// A line that is too long is lost, the ones around it are not, and memory stays bounded.
func TestLinesOversized(t *testing.T) {
	for _, tt := range []struct {
		name    string
		size    int
		dropped bool
	}{
		{"longest", harness.MaxLine, false}, {"one more", harness.MaxLine + 1, true}, {"64 MB", 64 << 20, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []int
			l := harness.NewLines(func(line []byte) { got = append(got, len(line)) })
			l.Write([]byte("first\n"))
			chunk := bytes.Repeat([]byte("x"), 64<<10)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			for left := tt.size; left > 0; left -= len(chunk) {
				l.Write(chunk[:min(left, len(chunk))])
			}
			runtime.ReadMemStats(&after)
			l.Write([]byte("\nlast\n"))
			runtime.GC()
			runtime.ReadMemStats(&after)
			if kept := int64(after.HeapAlloc) - int64(before.HeapAlloc); kept > 1<<20 {
				t.Errorf("keeps %d KB behind the line", kept>>10)
			}
			l.Close()
			want := []int{5, tt.size, 4}
			if tt.dropped {
				want = []int{5, 4}
			}
			if d := cmp.Diff(want, got); d != "" || l.Dropped() != tt.dropped {
				t.Error(d, l.Dropped())
			}
			if sum := after.TotalAlloc - before.TotalAlloc; sum > 24<<20 {
				t.Errorf("allocated %d MB for one line", sum>>20)
			}
		})
	}
	got, dropped := split(strings.Repeat("x", harness.MaxLine+1))
	if len(got) != 0 || !dropped {
		t.Error("an oversized last line without an end was handed over")
	}
}

// The answer behind a line that is too long still counts, and says so.
func TestAnswerBehindAFlood(t *testing.T) {
	for _, name := range []string{"claude", "codex"} {
		s := readSample(t, name, map[string]string{"claude": "ok-stream", "codex": "ok-json"}[name])
		stdout := append(bytes.Repeat([]byte("{"), harness.MaxLine+1), '\n')
		got := read(t, named(t, name), append(stdout, s.stdout...), s.exit)
		if got.Stop != harness.Complete || got.Text != "DONE-FINAL-TEXT" || len(got.Flags) != 1 || !strings.Contains(got.Flags[0], "too long") {
			t.Errorf("%s: %q %q %q", name, got.Stop, got.Text, got.Flags)
		}
	}
}

func TestReadTellsAFault(t *testing.T) {
	if _, err := harness.Read(named(t, "claude"), broken{}, harness.Exit{}); err == nil {
		t.Error("a reading fault was swallowed")
	}
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, bytes.ErrTooLarge }
