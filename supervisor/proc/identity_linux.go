package proc

import (
	"fmt"
	"io/fs"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// StartTime is the boot and the clock tick (10 ms) at which pid was started. Two readings for one pid that are equal are
// of the same process, so a lease's holder is not taken for another that has its number now. A process that is gone, or
// dead and not yet reaped, is fs.ErrNotExist.
func StartTime(pid int) (string, error) {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return "", fmt.Errorf("read boot id: %w", err)
	}
	st, err := stat(pid)
	if err == unix.ESRCH || err == nil && (st.state == 'Z' || st.state == 'X') {
		err = fs.ErrNotExist
	}
	if err != nil {
		return "", fmt.Errorf("read start time of process %d: %w", pid, err)
	}
	return strings.TrimSpace(string(boot)) + "/" + st.start, nil
}

// killIf kills a process of this user if an entry of its environment matches. The number cannot change hands between
// look and signal.
func killIf(pid int, match func(entry string) bool) bool {
	if pid == os.Getpid() || !hasEntry(pid, match) {
		return false
	}
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return false
	}
	defer unix.Close(fd)
	var info unix.Stat_t
	if unix.Stat(fmt.Sprintf("/proc/%d", pid), &info) != nil || int(info.Uid) != os.Geteuid() || !hasEntry(pid, match) {
		return false
	}
	return unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0) == nil
}
