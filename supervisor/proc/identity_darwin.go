package proc

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// StartTime is the boot and the time at which pid was started. Two readings for one pid that are equal are of the same
// process. A process that is gone, or dead and not yet reaped, is fs.ErrNotExist.
func StartTime(pid int) (string, error) {
	boot, err := unix.Sysctl("kern.bootsessionuuid")
	if err != nil {
		return "", fmt.Errorf("read boot id: %w", err)
	}
	p, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || p.Proc.P_stat == stateZombie || int(p.Proc.P_pid) != pid {
		return "", fmt.Errorf("read start time of process %d: %w", pid, fs.ErrNotExist)
	}
	return fmt.Sprintf("%s/%d.%06d", boot, p.Proc.P_starttime.Sec, p.Proc.P_starttime.Usec), nil
}

// killIf kills a process of this user if an entry of its environment matches.
func killIf(pid int, match func(entry string) bool) bool {
	return pid != os.Getpid() && hasEntry(pid, match) && syscall.Kill(pid, syscall.SIGKILL) == nil
}
