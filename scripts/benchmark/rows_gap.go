package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// gaps drains n+1 iterations and returns the n gaps between agents in milliseconds.
func (f *fixture) gaps(n int, env ...string) ([]float64, error) {
	cmd := f.loop("", 0, "--drain", "--max", fmt.Sprint(n+1))
	cmd.Env = append(cmd.Env, env...)
	if err := finish(cmd, 0); err != nil {
		return nil, err
	}
	events, err := f.events()
	return between(events, "end", "start"), err
}

// history compares a young loop with one of 100,000 entries, a backlog of 2.4 MB and 10,000 transcripts.
func history(b *bench) (result, error) {
	young, err := b.newFixture(charter{}, 0)
	if err != nil {
		return result{}, err
	}
	old, err := b.newFixture(charter{}, 0)
	if err != nil {
		return result{}, err
	}
	if err := young.age(10, 0, 10); err != nil {
		return result{}, err
	}
	if err := old.age(b.size(100_000), b.size(30_000), b.size(10_000)); err != nil {
		return result{}, err
	}
	var short, long []float64
	for range b.rounds {
		s, err := young.gaps(8)
		if err != nil {
			return result{}, err
		}
		l, err := old.gaps(8)
		if err != nil {
			return result{}, err
		}
		short, long = append(short, s...), append(long, l...)
	}
	r := ratio(sampleOf("100,000 entries ms", long), sampleOf("10 entries ms", short), 1.1, 1.02)
	return r, nil
}

// age gives a loop a past: entries in the journal, struck backlog items, transcripts.
func (f *fixture) age(entries, items, transcripts int) error {
	if err := finish(f.loop("", 0, "--once"), 0); err != nil { // loopd itself lays out its folders
		return err
	}
	if _, err := f.events(); err != nil {
		return err
	}
	loop := filepath.Join(f.repo, ".loop/k")
	journal, err := os.Create(filepath.Join(loop, "journal.md"))
	if err != nil {
		return err
	}
	defer journal.Close()
	w := bufio.NewWriter(journal)
	for i := 1; i <= entries; i++ {
		fmt.Fprintf(w, "## %d · 2026-01-01T00:00:00Z · claude\n- Unit: step %d\n- Did: counted down\n- Verify: true → exit 0 ✅\n- Ratchet: 9 → 8\n- Next: the next step\n- Flags: none\n\n", i, i)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	var backlog strings.Builder
	for i := range items {
		fmt.Fprintf(&backlog, "- [x] ~~a unit that was done long ago, number %06d, and stays~~\n", i)
	}
	if err := os.WriteFile(filepath.Join(loop, "backlog.md"), []byte(backlog.String()), 0o644); err != nil {
		return err
	}
	state := filepath.Join(loop, "state.json")
	text, err := os.ReadFile(state)
	if err != nil {
		return err
	}
	aged := strings.Replace(string(text), `"iteration": 1`, `"iteration": `+strconv.Itoa(entries), 1)
	if aged == string(text) {
		return fmt.Errorf("state.json has no iteration 1: %s", text)
	}
	if err := os.WriteFile(state, []byte(aged), 0o644); err != nil {
		return err
	}
	if out, err := f.command("git", "commit", "-qam", "a past").CombinedOutput(); err != nil && items > 0 {
		return fmt.Errorf("git commit: %w: %s", err, out)
	}
	kept, err := filepath.Glob(filepath.Join(f.repo, ".git/loopd/k/*/*"))
	if err != nil || len(kept) == 0 {
		return fmt.Errorf("find loopd's transcripts: %d files, %v", len(kept), err)
	}
	folder, ext := filepath.Dir(kept[0]), filepath.Ext(kept[0])
	for i := range transcripts {
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprint(i+1)+ext), []byte("old\n"), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// fullProtocol compares the gap with the sum of its own parts measured alone: the git processes that a shim sees in it, the
// check, and one append and two replaces.
func fullProtocol(b *bench) (result, error) {
	f, err := b.newFixture(charter{}, 0)
	if err != nil {
		return result{}, err
	}
	var whole []float64
	for range b.rounds {
		g, err := f.gaps(10)
		if err != nil {
			return result{}, err
		}
		whole = append(whole, g...)
	}
	names, alone, err := f.gitCosts(10)
	if err != nil {
		return result{}, err
	}
	check := timed(20, func() error { return f.command("sh", "-c", "true").Run() })
	own := alone + check.Median + b.limits.Append.Median + 2*b.limits.Replace.Median
	r := ratio(sampleOf("gap ms", whole), sample{What: "own git, check and fsync ms", Median: own, Low: own, High: own, N: 1}, 2, 1.3)
	r.Note = fmt.Sprintf("%d git processes: %s", len(names), strings.Join(names, ", "))
	if syncs, ok := f.syncs(4); ok {
		r.Note += fmt.Sprintf("; %s fsyncs", number(syncs))
	} else {
		r.Note += "; fsyncs not counted, strace is not here"
	}
	return r, nil
}

// gitCosts runs n iterations with a shim in the place of git. It returns the git commands of the last whole iteration, and
// how long they take alone in milliseconds.
func (f *fixture) gitCosts(n int) ([]string, float64, error) {
	real, err := exec.LookPath("git")
	if err != nil {
		return nil, 0, err
	}
	shim := filepath.Join(f.dir, "bin", "git")
	if err := os.Symlink(f.b.self, shim); err != nil {
		return nil, 0, err
	}
	defer os.Remove(shim)
	count := func(iterations int) ([]string, float64, error) {
		log := filepath.Join(f.dir, "git")
		_ = os.Remove(log)
		cmd := f.loop("", 0, "--drain", "--max", fmt.Sprint(iterations))
		cmd.Env = append(cmd.Env, "BENCH_GIT="+real)
		if err := finish(cmd, 0); err != nil {
			return nil, 0, err
		}
		raw, err := os.ReadFile(log)
		if err != nil {
			return nil, 0, err
		}
		var names []string
		total := 0.0
		for line := range strings.Lines(string(raw)) {
			ns, args, _ := strings.Cut(strings.TrimSpace(line), " ")
			took, _ := strconv.ParseFloat(ns, 64)
			names, total = append(names, subcommand(args)), total+took/1e6
		}
		return names, total, nil
	}
	// What a start and an end cost is not part of the gap: the difference of a long and a short run is.
	short, shortCost, err := count(2)
	if err != nil {
		return nil, 0, err
	}
	long, longCost, err := count(2 + n)
	if err != nil {
		return nil, 0, err
	}
	each := (len(long) - len(short)) / n
	middle := len(long) / 2
	return long[middle : middle+each], (longCost - shortCost) / float64(n), nil
}

// subcommand is git's command without the options before it.
func subcommand(args string) string {
	words := strings.Fields(args)
	for i := 0; i < len(words); i++ {
		switch {
		case words[i] == "-c" || words[i] == "-C":
			i++
		case !strings.HasPrefix(words[i], "-"):
			return words[i]
		}
	}
	return args
}

// syncs counts the fsyncs of loopd in one iteration, git's left out, where strace is installed.
func (f *fixture) syncs(n int) (float64, bool) {
	strace, err := exec.LookPath("strace")
	if err != nil {
		return 0, false
	}
	count := func(iterations int) int {
		log := filepath.Join(f.dir, "strace")
		cmd := f.loop("", 0, "--drain", "--max", fmt.Sprint(iterations))
		traced := f.command(strace, append([]string{"-f", "-qq", "-o", log, "-e", "trace=fsync,fdatasync,execve"}, append([]string{f.b.loopd}, cmd.Args[1:]...)...)...)
		traced.Env = cmd.Env
		if finish(traced, 0) != nil {
			return -1
		}
		raw, _ := os.ReadFile(log)
		other, total := map[string]bool{}, 0
		for line := range strings.Lines(string(raw)) {
			pid, call, _ := strings.Cut(line, " ")
			if strings.Contains(call, "execve(") && !strings.Contains(call, f.b.loopd) {
				other[pid] = true
			}
			if strings.Contains(call, "sync(") && !other[pid] {
				total++
			}
		}
		return total
	}
	short, long := count(2), count(2+n)
	if _, err := f.events(); err != nil || short < 0 || long < 0 {
		return 0, false
	}
	return float64(long-short) / float64(n), true
}

// againstShell says what the bare loop, which keeps nothing, would be: a comparison, no limit.
func againstShell(b *bench) (result, error) {
	f, err := b.newFixture(charter{}, 0)
	if err != nil {
		return result{}, err
	}
	var ours, bare []float64
	for range b.rounds {
		g, err := f.gaps(10)
		if err != nil {
			return result{}, err
		}
		if err := finish(f.shellLoop(11), 0); err != nil {
			return result{}, err
		}
		events, err := f.events()
		if err != nil {
			return result{}, err
		}
		ours, bare = append(ours, g...), append(bare, between(events, "end", "start")...)
	}
	r := ratio(sampleOf("loopd ms", ours), sampleOf("bare shell loop ms", bare), 0, 0)
	r.Verdict, r.Note = verdictNone, "the shell loop wins: it checks, commits and records nothing"
	return r, nil
}

// manyFiles compares the gap on 50,000 files with one git status there.
func manyFiles(b *bench) (result, error) {
	f, err := b.newFixture(charter{}, b.size(50_000))
	if err != nil {
		return result{}, err
	}
	var gap, status []float64
	for range b.rounds {
		g, err := f.gaps(2)
		if err != nil {
			return result{}, err
		}
		s := timed(2, func() error { return f.command("git", "status", "--porcelain").Run() })
		gap, status = append(gap, g...), append(status, s.Low, s.High)
	}
	return ratio(sampleOf("gap ms", gap), sampleOf("git status ms", status), 3, 1.5), nil
}

// timed measures n calls in milliseconds; an error leaves the call out.
func timed(n int, once func() error) sample {
	var times []float64
	for range n {
		began := time.Now()
		if once() == nil {
			times = append(times, ms(time.Since(began)))
		}
	}
	return sampleOf("", times)
}
