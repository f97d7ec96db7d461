package proc

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// fileSystems are the magic numbers of statfs that one meets (linux/magic.h).
var fileSystems = map[int64]string{
	unix.EXT4_SUPER_MAGIC: "ext4", unix.XFS_SUPER_MAGIC: "xfs", unix.BTRFS_SUPER_MAGIC: "btrfs", unix.TMPFS_MAGIC: "tmpfs", unix.OVERLAYFS_SUPER_MAGIC: "overlayfs",
	unix.NFS_SUPER_MAGIC: "nfs", unix.FUSE_SUPER_MAGIC: "fuse", unix.F2FS_SUPER_MAGIC: "f2fs", 0x2fc12fc1: "zfs", 0x01021997: "9p", 0xff534d42: "cifs", unix.MSDOS_SUPER_MAGIC: "vfat",
}

func fileSystem(path string) string {
	var s unix.Statfs_t
	if err := unix.Statfs(path, &s); err != nil {
		return "unknown"
	}
	if name := fileSystems[int64(s.Type)]; name != "" {
		return name
	}
	return fmt.Sprintf("type %#x", s.Type)
}
