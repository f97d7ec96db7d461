package proc

import (
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// tagBits is how many bits of a tag count execs; those above name the supervisor.
const tagBits = 20

// tags marks an exec's processes by their soft RLIMIT_LOCKS: base<<tagBits + number. See the package comment.
type tags struct {
	base uint64 // 0 where the limit cannot be set
	used uint64
	self unix.Rlimit // the limit of this process
}

// newTags begins tags with a base of their own or, in a worker, with the one that its guard gave it.
func newTags(inherit bool) tags {
	t := tags{}
	if unix.Prlimit(0, unix.RLIMIT_LOCKS, nil, &t.self) != nil {
		return t
	}
	t.base = newBase()
	if given := t.self.Cur; inherit && given != unix.RLIM_INFINITY && given&(1<<tagBits-1) == 0 && given>>tagBits != 0 {
		t.base = given >> tagBits
	}
	if t.self.Max < (t.base+1)<<tagBits {
		t.base = 0
	}
	return t
}

// newBase is a random number of 40 bits, not 0: supervisors may be nested.
func newBase() uint64 {
	var b [8]byte
	_, _ = rand.Read(b[:])
	return binary.LittleEndian.Uint64(b[:])>>24 | 1
}

func (t *tags) on() bool { return t.base != 0 }

// next is a tag that none of execs has, or 0 where there are no tags.
func (t *tags) next(execs map[int]*execution) uint64 {
	if t.base == 0 {
		return 0
	}
	for {
		t.used = t.used%(1<<tagBits-1) + 1
		tag := t.base<<tagBits + t.used
		free := true
		for _, x := range execs {
			free = free && x.tag != tag
		}
		if free {
			return tag
		}
	}
}

// set gives the tag to what is forked until restore is called.
func (t *tags) set(tag uint64) (restore func()) {
	if tag == 0 {
		return func() {}
	}
	if unix.Prlimit(0, unix.RLIMIT_LOCKS, &unix.Rlimit{Cur: tag, Max: t.self.Max}, nil) != nil {
		return func() {}
	}
	return func() { _ = unix.Prlimit(0, unix.RLIMIT_LOCKS, &t.self, nil) }
}

// of reads the tag of a process or zombie; ok only for one of an exec of ours.
func (t *tags) of(pid int) (tag uint64, ok bool) {
	if t.base == 0 {
		return 0, false
	}
	tag = readTag(pid)
	return tag, tag>>tagBits == t.base && tag != t.family()
}

// family is the tag of the worker itself, and of nothing else.
func (t *tags) family() uint64 { return t.base << tagBits }

// related says whether a process is the worker or has the tag of one of its execs.
func (t *tags) related(pid int) bool { return t.base != 0 && readTag(pid)>>tagBits == t.base }

func readTag(pid int) uint64 {
	var limit unix.Rlimit
	if unix.Prlimit(pid, unix.RLIMIT_LOCKS, nil, &limit) != nil {
		return locksLimit(pid) // another user's, by setuid
	}
	return limit.Cur
}

// locksLimit reads the limit from the file that everybody may read.
func locksLimit(pid int) uint64 {
	text, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/limits")
	for line := range bytes.Lines(text) {
		if rest, ok := bytes.CutPrefix(line, []byte("Max file locks")); ok {
			if f := bytes.Fields(rest); len(f) > 0 {
				n, _ := strconv.ParseUint(string(f[0]), 10, 64)
				return n
			}
		}
	}
	return 0
}
