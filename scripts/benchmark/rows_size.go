package main

import (
	"debug/elf"
	"fmt"
	"os"
	"syscall"
	"time"
)

// coldStart compares the time from exec to the agent's first instruction with a shell that does the same.
func coldStart(bare bool) func(*bench) (result, error) {
	return func(b *bench) (result, error) {
		f, err := b.newFixture(charter{}, 0)
		if err != nil {
			return result{}, err
		}
		flags := []string{"--once"}
		if bare {
			flags = append(flags, "--no-git")
		}
		first := func(run func() error) (float64, error) {
			began := time.Now()
			if err := run(); err != nil {
				return 0, err
			}
			events, err := f.events()
			if err != nil {
				return 0, err
			}
			return ms(events[0].at.Sub(began)), nil
		}
		var ours, shell []float64
		for range 4 * b.rounds {
			o, err := first(func() error { return finish(f.loop("", 0, flags...), 0) })
			if err != nil {
				return result{}, err
			}
			s, err := first(func() error {
				cmd := f.command("sh", "-c", "while :; do claude -p </dev/null >/dev/null; break; done")
				cmd.Env = append(cmd.Env, envAct+"=idle")
				return finish(cmd, 0)
			})
			if err != nil {
				return result{}, err
			}
			ours, shell = append(ours, o), append(shell, s)
		}
		r := ratio(sampleOf("loopd ms", ours), sampleOf("bare shell loop ms", shell), 4, 2)
		if !bare {
			r.Verdict, r.Note = verdictNone, "the gate and the pin ask git first"
		}
		return r, nil
	}
}

// observed starts a loop, waits for an event of the agent, and hands loopd and its guard to look.
func observed(b *bench, act, cadence, event string, look func(f *fixture, pids []int) (result, error)) (result, error) {
	f, err := b.newFixture(charter{cadence: cadence}, 0)
	if err != nil {
		return result{}, err
	}
	cmd := f.loop(act, 0)
	if err := cmd.Start(); err != nil {
		return result{}, err
	}
	defer func() {
		_ = f.write("go", "")
		_ = cmd.Process.Signal(syscall.SIGINT)
		_ = cmd.Wait() // 130
	}()
	if err := f.await(event); err != nil {
		return result{}, err
	}
	time.Sleep(3 * time.Second) // recording is over and the runtime has settled
	pids := family(cmd.Process.Pid)
	if len(pids) == 0 {
		return result{}, fmt.Errorf("loopd is not there any more")
	}
	return look(f, pids)
}

func memory(_ *fixture, pids []int) (result, error) {
	mb := pss(pids)
	r := absolute(mb, "MB", 24, 12, sampleOf("PSS MB", []float64{mb}))
	r.Note = fmt.Sprintf("%d processes; a bare shell loop: about 3 MB, it wins", len(pids))
	return r, nil
}

func memoryRunning(b *bench) (result, error) { return observed(b, "wait", "every 1h", "ready", memory) }
func memoryAsleep(b *bench) (result, error)  { return observed(b, "", "every 1h", "end", memory) }

// asleep watches a sleeping loop.
func asleep(b *bench) ([]result, error) {
	seconds := 60.0
	if b.quick {
		seconds = 6
	}
	var cpu, switches float64
	_, err := observed(b, "", "every 1h", "end", func(_ *fixture, pids []int) (result, error) {
		cpuBefore, switchesBefore := effort(pids)
		select {
		case <-b.ctx.Done():
			return result{}, b.ctx.Err()
		case <-time.After(time.Duration(seconds * float64(time.Second))):
		}
		cpu, switches = effort(pids)
		cpu, switches = (cpu-cpuBefore)*60/seconds, (switches-switchesBefore)/seconds
		return result{}, nil
	})
	used := absolute(cpu, "ms", 10, 0.05, sampleOf("CPU ms in 60 s", []float64{cpu}))
	used.Row = "asleep for 60 s: CPU"
	woken := absolute(switches, "1/s", 2, 1, sampleOf("context switches a second", []float64{switches}))
	woken.Row = "asleep for 60 s: switches a second"
	return []result{used, woken}, err
}

func binarySize(b *bench) (result, error) {
	info, err := os.Stat(b.loopd)
	if err != nil {
		return result{}, err
	}
	mb := float64(info.Size()) / (1 << 20)
	r := absolute(mb, "MB", 20, 12, sampleOf("MB", []float64{mb}))
	if bin, err := elf.Open(b.loopd); err == nil {
		defer bin.Close()
		if libs, _ := bin.ImportedLibraries(); len(libs) > 0 {
			r.Verdict, r.Note = verdictMissed, fmt.Sprintf("not static: %v", libs)
		} else {
			r.Note = "static"
		}
	}
	return r, nil
}

func versionTime(b *bench) (result, error) {
	f, err := b.newFixture(charter{}, 0)
	if err != nil {
		return result{}, err
	}
	s := timed(30, func() error { return f.command(b.loopd, "version").Run() })
	s.What = "loopd ms"
	r := absolute(s.Median, "ms", 10, 5, s)
	r.Note = "fork+exec+wait alone " + number(b.limits.Exec.Median)
	return r, nil
}
