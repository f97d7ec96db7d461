package proc

import "golang.org/x/sys/unix"

func fileSystem(path string) string {
	var s unix.Statfs_t
	if err := unix.Statfs(path, &s); err != nil {
		return "unknown"
	}
	return unix.ByteSliceToString(s.Fstypename[:])
}
