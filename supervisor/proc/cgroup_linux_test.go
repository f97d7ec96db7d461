package proc

import (
	"context"
	"os"
	"testing"
)

func TestCgroupDir(t *testing.T) {
	const hybrid = "30 23 0:27 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n31 30 0:28 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw\n"
	for _, c := range []struct{ name, self, mounts, want string }{
		{"v2", "0::/user.slice/a.scope\n", "31 30 0:28 / /sys/fs/cgroup rw shared:9 - cgroup2 cgroup2 rw\n", "/sys/fs/cgroup/user.slice/a.scope"},
		{"hybrid", "5:pids:/x\n0::/\n", hybrid, "/sys/fs/cgroup/unified"},
		{"v1 only", "5:pids:/x\n", hybrid, ""},
		{"not mounted", "0::/a\n", "30 23 0:27 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n", ""},
		{"a part is mounted", "0::/docker/1/a\n", "31 30 0:28 /docker/1 /sys/fs/cgroup rw - cgroup2 cgroup rw\n", "/sys/fs/cgroup/a"},
		{"another part is mounted", "0::/docker/2\n", "31 30 0:28 /docker/1 /sys/fs/cgroup rw - cgroup2 cgroup rw\n", ""},
		{"space in the path", "0::/a b\n", `31 30 0:28 / /mnt/c\040g rw - cgroup2 cgroup rw` + "\n", "/mnt/c g/a b"},
		{"nothing", "", "", ""},
	} {
		if got := cgroupDir(c.self, c.mounts); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

// A group that was killed once is not used again, and all are removed in the end.
func TestCgroupsAreReusedAndRemoved(t *testing.T) {
	h := NewHost()
	run(t, h, context.Background(), Spec{Argv: []string{"true"}})
	if !h.groups.on() {
		h.Close()
		t.Skip("our cgroup is not writable here")
	}
	var paths []string
	for range 3 {
		run(t, h, context.Background(), Spec{Argv: []string{"true"}})
		g := h.groups.idle[0]
		if paths = append(paths, g.path); len(h.groups.idle) != 1 {
			t.Errorf("%d groups", len(h.groups.idle))
		}
	}
	r := newRoll(t)
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		<-r.lines
		cancel()
	}()
	run(t, h, ctx, Spec{Argv: persona("deaf", r.path), Grace: -1})
	if len(h.groups.idle) != 0 {
		t.Error("a killed group is kept")
	}
	if res := run(t, h, context.Background(), Spec{Argv: []string{"true"}}); res.Exit != 0 {
		t.Errorf("after a kill: %+v", res)
	}
	paths = append(paths, h.groups.idle[0].path)
	h.Close()
	for _, path := range paths {
		if _, err := os.Stat(path); !os.IsNotExist(err) {
			t.Errorf("%s is left", path)
		}
	}
	if paths[0] != paths[2] || paths[2] == paths[3] {
		t.Errorf("groups: %v", paths)
	}
}
