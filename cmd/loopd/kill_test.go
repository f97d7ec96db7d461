package main

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"testing"
	"time"
)

// killsVar asks for so many kills; without it a few.
const killsVar = "LOOPD_KILLS"

// kill -9 of the worker or of the guard at random moments of real runs; while a person edits a file that is nobody's unit;
// while another loop of the repository runs in a working tree of its own, and dies as well. Every next start reaches one of
// the two states.
func TestRandomKills(t *testing.T) {
	if _, err := os.Stat("/proc/self/fd"); err != nil {
		t.Skip("SKIPPED: it looks into /proc")
	}
	kills := 12
	if text := os.Getenv(killsVar); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		kills = n
	} else {
		t.Parallel()
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	chance := rand.New(rand.NewPCG(seed, 0))
	todo := 100 + 20*kills
	y := newYard(t, todo)
	loops := []struct {
		name, tree string
		flags      []string
	}{{"k", "repo", nil}, {"other", "repo/.git/loopd/worktrees/other", []string{"--worktree"}}}
	for i := range kills {
		one := loops[i%len(loops)]
		beside := loops[(i+1)%len(loops)]
		start := func(name string, flags []string) *exec.Cmd {
			c := exec.Command("loopd", append([]string{"run", name, "--drain", "--now", "--max", "50", "--harness", "maker"}, flags...)...)
			c.Dir, c.Env = y.repo, y.env
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			return c
		}
		c, other := start(one.name, one.flags), start(beside.name, beside.flags)
		time.Sleep(time.Duration(chance.Int64N(int64(900 * time.Millisecond)))) // the moment is what is tried
		if i%3 == 0 {
			y.write("repo/notes.cache", strconv.Itoa(i)) // ignored: a person's
		}
		for _, c := range []*exec.Cmd{c, other} {
			victim := c.Process.Pid
			if worker, err := strconv.Atoi(workerOf(strconv.Itoa(victim))); err == nil && chance.IntN(2) == 0 {
				victim = worker
			}
			_ = syscall.Kill(victim, syscall.SIGKILL) // it may have ended by itself
			_ = c.Wait()
		}
		for _, l := range loops {
			if out, code := y.loopd(append([]string{"run", l.name, "--once", "--now", "--harness", "maker"}, l.flags...)...); code != 0 {
				t.Fatalf("kill %d: the next start of %s ended with %d:\n%s", i+1, l.name, code, out)
			}
		}
		for _, l := range loops {
			y.agree(l.name, l.tree, todo)
			if t.Failed() {
				t.Fatalf("after kill %d; journal:\n%s\nstate:\n%s", i+1, y.read("repo/.loop/"+l.name+"/journal.md"), y.read("repo/.loop/"+l.name+"/state.json"))
			}
		}
		if i%3 == 0 && y.read("repo/notes.cache") != strconv.Itoa(i) {
			t.Fatalf("after kill %d a person's file is gone", i+1)
		}
	}
	y.tidy()
}
