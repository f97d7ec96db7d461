package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const gib = 1 << 30

func (b *bench) size(n int) int {
	if b.quick {
		return n / 10
	}
	return n
}

// drained runs an act interleaved under loopd and in a shell pipeline, and returns both times and loopd's peak in MB. The
// time under loopd ends with the event until, that of the pipeline with its end.
func (b *bench) drained(act string, size int, pipeline, until string) (loopd, against sample, peaks sample, err error) {
	var ours, theirs, memory []float64
	for range min(3, b.rounds) {
		f, err := b.newFixture(charter{check: "bench-check"}, 0)
		if err != nil {
			return loopd, against, peaks, err
		}
		mb, err := peak(f.loop(act, size, "--once"), 0)
		if err != nil {
			return loopd, against, peaks, err
		}
		events, err := f.events()
		if err != nil {
			return loopd, against, peaks, err
		}
		if journal, err := os.ReadFile(filepath.Join(f.repo, ".loop/k/journal.md")); err != nil || !strings.Contains(string(journal), "- Unit: one step") {
			return loopd, against, peaks, fmt.Errorf("the result line was not kept: %s", journal)
		}
		ours, memory = append(ours, between(events, "start", until)...), append(memory, mb)

		cmd := f.command("sh", "-c", pipeline)
		cmd.Env = append(cmd.Env, envAct+"="+act, fmt.Sprintf("%s=%d", envSize, size))
		began := time.Now()
		if err := finish(cmd, 0); err != nil {
			return loopd, against, peaks, err
		}
		theirs = append(theirs, ms(time.Since(began)))
		if err := os.RemoveAll(f.dir); err != nil { // a transcript may be large
			return loopd, against, peaks, err
		}
	}
	return sampleOf("loopd ms", ours), sampleOf(pipeline+" ms", theirs), sampleOf("peak MB", memory), nil
}

func flood(b *bench) ([]result, error) {
	l, a, p, err := b.drained("flood", b.size(gib), "claude -p </dev/null | bench-gjson", "check")
	memory := absolute(p.High, "MB", 48, 32, p)
	memory.Row = "1 GiB of stream-json: peak memory"
	return []result{ratio(l, a, 2.5, 1.5), memory}, err
}

func longLine(b *bench) ([]result, error) {
	l, a, p, err := b.drained("longline", b.size(gib), "claude -p </dev/null | cat >/dev/null", "end")
	r := result{Unit: "×", Must: 0.6, Beyond: 0.9, Larger: true, Loopd: l, Against: a, Note: "speed, not time"}
	if l.Median > 0 {
		r.Value = a.Median / l.Median
	}
	memory := absolute(p.High, "MB", 64, 64, p)
	memory.Row = "a line of 64 MB, then 1 GiB: peak memory"
	return []result{r.judged(), memory}, err
}

// bigPrompt: neither side may wait for the other.
func bigPrompt(b *bench) (result, error) {
	f, err := b.newFixture(charter{extra: strings.Repeat("- A rule that is only long. "+strings.Repeat("x", 971)+"\n", 1<<10)}, 0)
	if err != nil {
		return result{}, err
	}
	began := time.Now()
	if err := finish(f.loop("talkfirst", 1<<20, "--once", "--timeout", "30s"), 0); err != nil {
		return result{}, err
	}
	took := ms(time.Since(began))
	r := absolute(took, "ms", 30_000, 30_000, sampleOf("loopd ms", []float64{took}))
	r.Note = "it works or it hangs"
	return r, nil
}
