// Package proc starts, watches and ends process trees. It is the only package that starts a process: agents, checks,
// git and channels all go through Host.Run. Its promise: when Run returns, nothing that the exec started is alive, and
// that was seen in a fresh listing, not assumed. Nothing here knows what a process is for: no harness, no loop, no git.
//
// # What holds a tree together
//
// Killing the process group is not enough: all seven agent CLIs that were tried run each shell tool in a session of its
// own, and leave background processes behind after a clean exit. On Linux these nets lie over one another:
//
//   - subreaper: the worker is the child subreaper, so whatever loses its parent becomes a child of ours. Only our own
//     children are listed, never other people's processes. "No children at all" is one system call (waitid, ECHILD).
//   - tag: the origin of an orphan is told by a number in its soft RLIMIT_LOCKS. The kernel has not enforced that
//     limit since 2.4.25; it is inherited by fork and exec, and survives setsid, closed descriptors and a scrubbed
//     environment. It needs no rights, unlike a cgroup.
//   - cgroup v2, where ours is writable: an exec runs in a child group, and cgroup.kill ends a fork storm at one blow.
//   - marker: NAME=VALUE in the environment, unique for each exec. It is the fallback for the above, and the only thing
//     that a later run has to find the leftovers of a dead supervisor (EndMarked).
//   - guard: a second process (Supervise) that outlives the worker, and that the worker outlives: see guard.go.
//
// On macOS there are the group, the pipe between guard and worker, and the marker.
//
// # Whose process is it
//
// Several Runs may be in flight at once. One mutex covers fork and registration, and every listing with the signals
// that follow from it, so a sweep never sees a child that is not registered yet. A sweep for exec X takes a child that
//
//	is the leader of an exec in flight                  leaves it and all below it
//	has the tag, session or marker of X                 ends it
//	has those of another exec in flight                 leaves it to that one's sweep
//	has a tag of ours whose exec is over                ends it
//	has none of them, and X is alone in flight          ends it, where all children are ours (Supervise, Unguarded)
//	has none of them, and others are in flight          reports it in Result.Alive and leaves it: the last of them ends it
//
// The last look and the removal from the registry are one critical section. So of several execs the last to go always
// sees itself alone: when no exec is in flight, nothing is left.
package proc
