package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

// plainLoop is a loop without git and checks: the tracking convention, whose iterations only keep their document.
func (f *fixture) plainLoop(n int) *exec.Cmd {
	cmd := f.command(f.b.loopd, "loop", "Count down", "--until", "it is zero", "--max", fmt.Sprint(n), "--harness", "claude", "--yes")
	cmd.Env = append(cmd.Env, envAct+"=idle")
	return cmd
}

// plainGap compares the gap of such a loop with the least that an iteration can be: exec, one append and one replace.
func plainGap(b *bench) (result, error) {
	f, err := b.newFixture(charter{}, 0)
	if err != nil {
		return result{}, err
	}
	var ours, bare, least []float64
	for range b.rounds {
		// Where the bound is used up the goal is not met: 17.
		if err := finish(f.plainLoop(11), 17); err != nil {
			return result{}, err
		}
		events, err := f.events()
		if err != nil {
			return result{}, err
		}
		ours = append(ours, between(events, "end", "start")...)
		if err := finish(f.shellLoop(11), 0); err != nil {
			return result{}, err
		}
		if events, err = f.events(); err != nil {
			return result{}, err
		}
		bare = append(bare, between(events, "end", "start")...)
		now, err := b.measureLimits()
		if err != nil {
			return result{}, err
		}
		least = append(least, now.Exec.Median+now.Append.Median+now.Replace.Median)
	}
	r := ratio(sampleOf("gap ms", ours), sampleOf("exec, append, replace ms", least), 2.5, 1.2)
	r.Note = "bare shell loop " + number(sampleOf("", bare).Median) + " ms"
	return r, nil
}

// shellLoop calls the agent n times and keeps nothing.
func (f *fixture) shellLoop(n int) *exec.Cmd {
	cmd := f.command("sh", "-c", fmt.Sprintf("i=0; while [ $i -lt %d ]; do claude -p </dev/null >/dev/null; i=$((i+1)); done", n))
	cmd.Env = append(cmd.Env, envAct+"=idle")
	return cmd
}

// hundred runs 100 loops at once, in 100 trees, against 100 shell loops.
func hundred(b *bench) ([]result, error) {
	trees, each := b.size(100), 5
	fixtures := make([]*fixture, trees)
	for i := range fixtures {
		f, err := b.newFixture(charter{}, 0)
		if err != nil {
			return nil, err
		}
		fixtures[i] = f
	}
	all := func(start func(f *fixture) *exec.Cmd, code int) (float64, error) {
		var wg sync.WaitGroup
		errs := make([]error, trees)
		began := time.Now()
		for i, f := range fixtures {
			wg.Go(func() { errs[i] = finish(start(f), code) })
		}
		wg.Wait()
		took := time.Since(began)
		for i, f := range fixtures {
			if errs[i] != nil {
				return 0, errs[i]
			}
			events, err := f.events()
			if err != nil {
				return 0, err
			}
			if n := count(events, "end"); n != each {
				return 0, fmt.Errorf("a loop made %d iterations, not %d", n, each)
			}
		}
		return float64(trees*each) / took.Seconds(), nil
	}
	var ours, bare []float64
	highest := 0.0
	for range max(1, b.rounds/2) {
		stop, done := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(done)
			for {
				select {
				case <-stop:
					return
				case <-time.After(50 * time.Millisecond):
					highest = max(highest, pss(running(b.loopd)))
				}
			}
		}()
		o, err := all(func(f *fixture) *exec.Cmd { return f.plainLoop(each) }, 17)
		close(stop)
		<-done
		if err != nil {
			return nil, err
		}
		s, err := all(func(f *fixture) *exec.Cmd { return f.shellLoop(each) }, 0)
		if err != nil {
			return nil, err
		}
		ours, bare = append(ours, o), append(bare, s)
	}
	rate := result{Row: "100 loops at once: iterations a second", Unit: "×", Must: 0.5, Beyond: 1, Larger: true, Loopd: sampleOf("iterations/s", ours), Against: sampleOf("100 bare shell loops/s", bare)}
	if rate.Against.Median > 0 {
		rate.Value = rate.Loopd.Median / rate.Against.Median
	}
	memory := absolute(highest, "MB", 1024, 300, sampleOf("PSS MB in all", []float64{highest}))
	memory.Row = "100 loops at once: memory"
	return []result{rate.judged(), memory}, nil
}

func count(events []event, kind string) int {
	n := 0
	for _, e := range events {
		if e.kind == kind {
			n++
		}
	}
	return n
}

// running lists the processes of a program.
func running(program string) []int {
	var out []int
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range dirs {
		if exe, err := filepath.EvalSymlinks(dir + "/exe"); err == nil && exe == program {
			out = append(out, pidOf(dir))
		}
	}
	return out
}

// peer is another runner, given as a command that calls the agent again and again.
func peer(command string) row {
	return one("gap: "+command, func(b *bench) (result, error) {
		f, err := b.newFixture(charter{}, 0)
		if err != nil {
			return result{}, err
		}
		var ours, theirs []float64
		for range b.rounds {
			if err := finish(f.plainLoop(6), 17); err != nil {
				return result{}, err
			}
			events, err := f.events()
			if err != nil {
				return result{}, err
			}
			ours = append(ours, between(events, "end", "start")...)
			if events, err = f.until(6, command); err != nil {
				return result{}, err
			}
			theirs = append(theirs, between(events, "end", "start")...)
		}
		r := ratio(sampleOf("loopd ms", ours), sampleOf("peer ms", theirs), 0, 0)
		r.Verdict = verdictNone
		return r, nil
	})
}

// until runs a command in a session of its own until the agent ended n times, at most a minute, and ends it.
func (f *fixture) until(n int, command string) ([]event, error) {
	cmd := f.command("sh", "-c", command)
	cmd.Env = append(cmd.Env, envAct+"=idle")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	var all []event
	var err error
	for end := time.Now().Add(time.Minute); time.Now().Before(end) && count(all, "end") < n && err == nil; {
		select {
		case <-f.b.ctx.Done():
			err = f.b.ctx.Err()
		case <-time.After(5 * time.Millisecond):
		}
		if more, none := f.events(); none == nil {
			all = append(all, more...)
		}
	}
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	_ = cmd.Wait()
	if err == nil && count(all, "end") < n {
		err = fmt.Errorf("%s called the agent %d times in a minute", command, count(all, "end"))
	}
	return all, err
}
