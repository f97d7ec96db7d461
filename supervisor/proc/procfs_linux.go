package proc

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"strconv"
	"strings"
)

// children lists the children of all threads of pid, zombies too. For a process other than ours it may miss one while
// others end.
func children(pid int) []int {
	dir := "/proc/" + strconv.Itoa(pid) + "/task/"
	task, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer task.Close()
	threads, _ := task.Readdirnames(-1)
	var pids []int
	for _, tid := range threads {
		text, err := os.ReadFile(dir + tid + "/children")
		if errors.Is(err, fs.ErrNotExist) && exists("/proc/"+strconv.Itoa(pid)) && !exists("/proc/thread-self/children") {
			return childrenByScan(pid) // a kernel without CONFIG_PROC_CHILDREN
		}
		for _, field := range strings.Fields(string(text)) {
			if n, err := strconv.Atoi(field); err == nil {
				pids = append(pids, n)
			}
		}
	}
	return pids
}

func childrenByScan(parent int) []int {
	var pids []int
	for _, pid := range processes() {
		if st, err := stat(pid); err == nil && st.parent == parent {
			pids = append(pids, pid)
		}
	}
	return pids
}

// descendants lists what lives below pid, parents before children.
func descendants(pid int) []int {
	var all []int
	for _, kid := range children(pid) {
		if st, err := stat(kid); err == nil && st.parent == pid && st.state != 'Z' && st.state != 'X' {
			all = append(append(all, kid), descendants(kid)...)
		}
	}
	return all
}

func processes() []int {
	proc, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer proc.Close()
	names, _ := proc.Readdirnames(-1)
	var pids []int
	for _, n := range names {
		if pid, err := strconv.Atoi(n); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

// status is what /proc/PID/stat says.
type status struct {
	state  byte // Z and X are dead, T and t stopped
	parent int
	start  string // clock ticks since boot
}

func stat(pid int) (status, error) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return status{}, err
	}
	// The name may hold spaces and parentheses, so the fields are counted from the last one.
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
	if len(fields) < 20 {
		return status{}, errors.New("read process status: too short")
	}
	parent, err := strconv.Atoi(string(fields[1]))
	return status{state: fields[0][0], parent: parent, start: string(fields[19])}, err
}

// stopped says whether a process is stopped already, by itself or by its own.
func stopped(pid int) bool {
	st, err := stat(pid)
	return err == nil && (st.state == 'T' || st.state == 't')
}

func parentOf(pid int) int {
	st, err := stat(pid)
	if err != nil {
		return 0
	}
	return st.parent
}

// carries says whether the environment that a process was started with has exactly this entry.
func carries(pid int, entry string) bool {
	return hasEntry(pid, func(e string) bool { return e == entry })
}

func hasEntry(pid int, match func(entry string) bool) bool {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	if err != nil {
		return false
	}
	for e := range bytes.SplitSeq(text, []byte{0}) {
		if match(string(e)) {
			return true
		}
	}
	return false
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
