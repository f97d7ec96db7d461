package proc

import (
	"bytes"
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

// cgroup is one child group.
type cgroup struct {
	path   string
	dir    *os.File // for clone3
	events *os.File // cgroup.events says whether something lives in it
	killer *os.File // cgroup.kill, Linux 5.14
	killed bool     // it is not used again: since Linux 6.14 clone3 into a group that was killed once is stillborn
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

// probe starts a command that does not exist in the group, and wants to hear just that. Since Linux 6.14 clone3 compares
// the kills of the new group with those of ours, so where ours was killed at any time before, every child would die
// before its first instruction, and look like a crash of the agent.
func (g *cgroup) probe() error {
	if g.dir == nil {
		return nil // there is an error already
	}
	attr := &syscall.ProcAttr{Sys: &syscall.SysProcAttr{}}
	g.join(attr.Sys)
	pid, err := syscall.ForkExec(os.DevNull+"/none", []string{"none"}, attr)
	switch {
	case err == nil:
		_, _ = syscall.Wait4(pid, nil, 0, nil)
		return errors.New("a child in a new cgroup is killed at birth")
	case err != syscall.ENOTDIR:
		return err
	}
	return nil
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

func (g *cgroup) join(attr *syscall.SysProcAttr) {
	if g != nil {
		attr.UseCgroupFD, attr.CgroupFD = true, int(g.dir.Fd())
	}
}

func leave(attr *syscall.SysProcAttr) { attr.UseCgroupFD = false }

// kill ends all in the group, also what is forked meanwhile.
func (g *cgroup) kill() {
	if g != nil {
		g.killed = true
		_, _ = g.killer.WriteString("1")
	}
}

// empty says whether nothing lives in the group. Zombies do not count.
func (g *cgroup) empty() bool {
	if g == nil {
		return true
	}
	var buf [256]byte
	n, _ := g.events.ReadAt(buf[:], 0)
	return !bytes.Contains(buf[:n], []byte("populated 1"))
}

func (g *cgroup) remove() {
	for _, f := range []*os.File{g.dir, g.events, g.killer} {
		if f != nil {
			_ = f.Close()
		}
	}
	_ = os.Remove(g.path)
}

// ownCgroup is the folder of this process's cgroup v2, wherever it is mounted, or "".
func ownCgroup() string {
	self, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return ""
	}
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return ""
	}
	return cgroupDir(string(self), string(mounts))
}

// cgroupDir finds the folder from the texts of /proc/self/cgroup and /proc/self/mountinfo (proc(5)).
func cgroupDir(self, mounts string) string {
	own := ""
	for line := range strings.Lines(self) {
		if rest, ok := strings.CutPrefix(line, "0::"); ok {
			own = strings.TrimSuffix(rest, "\n")
		}
	}
	if own == "" {
		return ""
	}
	for line := range strings.Lines(mounts) {
		before, after, ok := strings.Cut(line, " - ")
		fields := strings.Fields(before)
		if !ok || len(fields) < 5 || !strings.HasPrefix(after, "cgroup2 ") {
			continue
		}
		root, at := fields[3], fields[4]
		rel, err := filepath.Rel(root, own)
		if err != nil || rel == ".." || strings.HasPrefix(rel, "../") {
			continue
		}
		return filepath.Join(unescape(at), rel)
	}
	return ""
}

// unescape undoes the octal escapes of mountinfo.
func unescape(s string) string {
	return strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`).Replace(s)
}
