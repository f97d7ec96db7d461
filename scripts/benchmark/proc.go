package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// living reports whether a process runs; a zombie does not.
func living(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	rest := stat[bytes.LastIndexByte(stat, ')')+1:]
	state := strings.TrimSpace(string(rest[:min(3, len(rest))]))
	return state != "Z" && state != "X"
}

// field reads a number in kB or a count from a "Name:  123 kB" file of /proc.
func field(file, name string) float64 {
	raw, err := os.ReadFile(file)
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(raw)) {
		if rest, ok := strings.CutPrefix(line, name+":"); ok {
			if words := strings.Fields(rest); len(words) > 0 {
				v, _ := strconv.ParseFloat(words[0], 64)
				return v
			}
		}
	}
	return 0
}

// peak runs a command and returns the highest resident memory of that one process in MB, its children left out.
func peak(cmd *exec.Cmd, codes ...int) (float64, error) {
	stop, done := make(chan struct{}), make(chan float64)
	go func() {
		highest := 0.0
		for {
			select {
			case <-stop:
				done <- highest / 1024
				return
			case <-time.After(5 * time.Millisecond):
				if p := cmd.Process; p != nil {
					highest = max(highest, field(fmt.Sprintf("/proc/%d/status", p.Pid), "VmHWM"))
				}
			}
		}
	}()
	err := finish(cmd, codes...)
	close(stop)
	return <-done, err
}

// family lists the processes below and including pid that run the same program: loopd and its guard.
func family(pid int) []int {
	exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
	if err != nil {
		return nil
	}
	out := []int{pid}
	all, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range all {
		child := pidOf(dir)
		if other, err := os.Readlink(dir + "/exe"); err == nil && other == exe && child != pid {
			out = append(out, child)
		}
	}
	return out
}

// pidOf is the number in the name of a folder of /proc.
func pidOf(dir string) int {
	pid, _ := strconv.Atoi(filepath.Base(dir))
	return pid
}

// pss is the memory of processes in MB, shared pages counted by share.
func pss(pids []int) float64 {
	kb := 0.0
	for _, pid := range pids {
		kb += field(fmt.Sprintf("/proc/%d/smaps_rollup", pid), "Pss")
	}
	return kb / 1024
}

// effort is the CPU time in milliseconds and the number of context switches of processes, all threads.
func effort(pids []int) (cpu, switches float64) {
	for _, pid := range pids {
		tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*", pid))
		for _, task := range tasks {
			raw, err := os.ReadFile(task + "/schedstat")
			if err != nil {
				continue
			}
			ns, _ := strconv.ParseFloat(strings.Fields(string(raw))[0], 64)
			cpu += ns / 1e6
			switches += field(task+"/status", "voluntary_ctxt_switches") + field(task+"/status", "nonvoluntary_ctxt_switches")
		}
	}
	return cpu, switches
}
