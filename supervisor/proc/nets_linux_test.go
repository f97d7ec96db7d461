package proc

import (
	"bytes"
	"context"
	"os"
	"slices"
	"testing"
)

// hosts are Hosts with fewer and fewer nets. Without tags all that is unknown is the exec's, where all children are.
func hosts(t *testing.T) map[string]func() *Host {
	noGroups := func(h *Host) *Host {
		h.groups.find.Do(func() {})
		return h
	}
	return map[string]func() *Host{
		"all nets":  func() *Host { return newTestHost(t) },
		"no cgroup": func() *Host { return noGroups(newTestHost(t)) },
		"subreaper alone": func() *Host {
			h := noGroups(newTestHost(t))
			h.owning, h.tags.base = true, 0
			return h
		},
	}
}

func TestNets(t *testing.T) {
	h := newTestHost(t)
	run(t, h, context.Background(), Spec{Argv: []string{"true"}})
	nets := h.Nets()
	t.Log(nets)
	if !slices.Contains(nets, "subreaper") || !slices.Contains(nets, "tag") || slices.Contains(nets, "guard") {
		t.Errorf("got %v", nets)
	}
}

// Nothing is left over from many execs: no descriptor, no goroutine (see TestMain), no zombie, no cgroup.
func TestSoak(t *testing.T) {
	h := newTestHost(t)
	once := func() {
		run(t, h, context.Background(), Spec{
			Argv: []string{"sh", "-c", "(setsid sleep 0 &); cat"}, Stdin: []byte("x"), Stdout: &bytes.Buffer{}, Stderr: &bytes.Buffer{},
		})
		_, _ = h.Run(context.Background(), Spec{Argv: []string{"/no/such"}, Stdin: []byte("x"), Stdout: &bytes.Buffer{}, TTYStderr: true})
	}
	once()
	others := children(os.Getpid()) // orphans of other tests come here too
	before := openFiles(t)
	for range 100 {
		once()
	}
	if after := openFiles(t); after != before {
		t.Errorf("%d descriptors before, %d after", before, after)
	}
	for _, pid := range children(os.Getpid()) {
		if !slices.Contains(others, pid) {
			t.Errorf("child %d is left", pid)
		}
	}
	if n := len(h.groups.all); n > 1 {
		t.Errorf("%d cgroups for one exec at a time", n)
	}
}

func openFiles(t *testing.T) int {
	t.Helper()
	names, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(names)
}
