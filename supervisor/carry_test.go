package supervisor

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"loopd/journal"
)

func TestCarry(t *testing.T) {
	for _, tt := range []struct{ name, current, add, drop, want string }{
		{"nothing", "--auto", "", "", "--auto"},
		{"add", "--auto", "--skip-audit", "", "--auto --skip-audit"},
		{"add what is there", "--auto", "--auto", "", "--auto"},
		{"drop", "--auto --skip-audit", "", "--skip-audit", "--auto"},
		{"drop what is not there", "--auto", "", "--skip-audit", "--auto"},
		{"add and drop", "--auto", "--a", "--a --auto", ""},
	} {
		got := Carry(strings.Fields(tt.current), strings.Fields(tt.add), strings.Fields(tt.drop))
		if d := cmp.Diff(tt.want, strings.Join(got, " ")); d != "" {
			t.Errorf("%s: %s", tt.name, d)
		}
	}
}

// The command line's flags are those of the first iteration of a run, and a carry is applied once.
func TestFlagsOfASkill(t *testing.T) {
	r := &run{s: &Supervisor{Options: Options{Flags: []string{"--new"}, GivenFlags: true, IdleCount: 2}}}
	s := journal.State{Private: journal.Private{Flags: []string{"--old"}, CarryAdd: []string{"--carried"}}}
	for range 2 { // a loop is loaded twice where its branch changes it
		got := r.carry(s).Private
		if d := cmp.Diff([]string{"--new", "--carried"}, got.Flags); d != "" || got.CarryAdd != nil || got.Idle != 2 {
			t.Errorf("%s, carry %v, idle %d", d, got.CarryAdd, got.Idle)
		}
	}
	r.launched = true
	if got := r.carry(s).Private; strings.Join(got.Flags, " ") != "--old --carried" || got.Idle != 0 {
		t.Errorf("after the first: %+v", got)
	}
}
