package proc

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// cgroup is one child group.
type cgroup struct {
	path   string
	dir    *os.File // for clone3
	events *os.File // cgroup.events says whether something lives in it
	killer *os.File // cgroup.kill, Linux 5.14
	killed bool     // it is not used again: since Linux 6.14 clone3 into a group that was killed once is stillborn
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

// members lists who lives in the group; ok is false where there is none. It is one read, where a walk through /proc
// takes 40 µs for each process.
func (g *cgroup) members() (pids []int, ok bool) {
	if g == nil {
		return nil, false
	}
	text, err := os.ReadFile(filepath.Join(g.path, "cgroup.procs"))
	if err != nil {
		return nil, false
	}
	for _, field := range strings.Fields(string(text)) {
		if pid, err := strconv.Atoi(field); err == nil && pid != 0 {
			pids = append(pids, pid)
		}
	}
	return pids, true
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
