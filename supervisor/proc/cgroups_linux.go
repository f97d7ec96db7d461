package proc

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
)

// groupPrefix begins the name of each of our cgroups; then come the supervisor's pid and a number.
const groupPrefix = "loopd-"

// cgroups makes child groups of our own cgroup and keeps the empty ones for the next exec. It is used under Host.mu.
// Where the cgroup is not writable, or anything fails, there are none: acquire returns nil, and a nil *cgroup does
// nothing.
type cgroups struct {
	find sync.Once
	dir  string // our own cgroup; "" where it cannot be used
	made int
	idle []*cgroup
	all  map[*cgroup]bool
}

func newCgroups() *cgroups { return &cgroups{all: map[*cgroup]bool{}} }

func (c *cgroups) on() bool { return c.dir != "" }

func (c *cgroups) disable() { c.dir = "" }

// acquire is an empty cgroup, or nil.
func (c *cgroups) acquire() *cgroup {
	c.find.Do(func() {
		c.dir = ownCgroup()
		c.removeStale()
	})
	if c.dir == "" {
		return nil
	}
	if n := len(c.idle); n > 0 {
		g := c.idle[n-1]
		c.idle = c.idle[:n-1]
		return g
	}
	g, err := c.make()
	if err != nil {
		c.disable()
		return nil
	}
	c.all[g] = true
	return g
}

func (c *cgroups) make() (*cgroup, error) {
	c.made++
	g := &cgroup{path: filepath.Join(c.dir, groupPrefix+strconv.Itoa(os.Getpid())+"-"+strconv.Itoa(c.made))}
	if err := os.Mkdir(g.path, 0o755); err != nil {
		return nil, err
	}
	var errs [3]error
	g.dir, errs[0] = os.Open(g.path)
	g.events, errs[1] = os.Open(filepath.Join(g.path, "cgroup.events"))
	g.killer, errs[2] = os.OpenFile(filepath.Join(g.path, "cgroup.kill"), os.O_WRONLY, 0)
	if err := errors.Join(append(errs[:], g.probe())...); err != nil {
		g.remove()
		return nil, err
	}
	return g, nil
}

// release keeps an empty group for the next exec. One that is not empty is removed when the Host is closed, if it can be.
func (c *cgroups) release(g *cgroup) {
	switch {
	case g == nil || !g.empty():
	case g.killed:
		g.remove()
		delete(c.all, g)
	case c.dir != "":
		c.idle = append(c.idle, g)
	}
}

// close removes the groups. Nothing may live in them.
func (c *cgroups) close() {
	for g := range c.all {
		g.remove()
	}
	c.all, c.idle, c.dir = nil, nil, ""
}

// kill ends all that lives in any of the groups.
func (c *cgroups) kill() {
	for g := range c.all {
		g.kill()
	}
}

// removeStaleCgroups does for a guard what its dead worker cannot.
func removeStaleCgroups() {
	c := &cgroups{dir: ownCgroup()}
	c.removeStale()
}

// removeStale removes the empty groups of supervisors that were killed.
func (c *cgroups) removeStale() {
	if c.dir == "" {
		return
	}
	stale, _ := filepath.Glob(filepath.Join(c.dir, groupPrefix+"*"))
	for _, path := range stale {
		pid, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(path), groupPrefix), "-")
		if n, err := strconv.Atoi(pid); err == nil && syscall.Kill(n, 0) == syscall.ESRCH {
			_ = os.Remove(path) // refused while something lives in it
		}
	}
}
