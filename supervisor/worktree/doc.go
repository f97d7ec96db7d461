// Package worktree is the only package of loopd that runs git. It pins a working tree before an agent works in it (Mark),
// sees what became of it (Fingerprint), keeps a change under a ref (Park), makes the tree what it was (Restore), and
// commits what was verified (Prepare, then Land).
//
// People trust it with their repository overnight, so one rule stands above all: whatever it overwrites, deletes or moves
// a branch away from is reachable from a ref under refs/loopd first. Restore makes sure of that itself.
//
// Three decisions carry the package:
//   - Every look at the tree goes through a private index that begins as a copy of the index at the Mark, not of the index
//     that the agent left: no staging trick (assume-unchanged, rm --cached, a damaged index) hides anything.
//   - A working tree is put back by a two-way `read-tree -m -u` from that snapshot to the base. git then checks each file
//     against the snapshot before it touches it, and never writes or deletes through a symbolic link.
//   - Folders that loops own (.loop, .codevoyant, loops/X with a LOOP.md) are no part of any of this, tracked or not.
//
// It starts no process by itself (a Runner does), decides nothing about outcomes, knows no loop, and prints nothing.
package worktree
