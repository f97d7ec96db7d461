package proc

import (
	"errors"
	"io"
	"syscall"
	"time"
)

// Times of the stop ladder.
const (
	// DefaultGrace is what a leader that is asked to stop gets before it is killed.
	DefaultGrace = 10 * time.Second
	// DefaultLinger is what a leader gets to end by itself after its answer was seen (decision 31).
	DefaultLinger = 10 * time.Second
	// LeftoverGrace lies between TERM and KILL for what is left after the leader has ended (decision 31). A leader that
	// lingers after its answer gets the same: it has had its time.
	LeftoverGrace = 100 * time.Millisecond

	// settle is what a leftover gets to end by itself before it counts as swept: a helper that reads the end of a pipe
	// from its dead parent is no debris.
	settle = 10 * time.Millisecond
	// sweepLimit is when a sweep gives up on what SIGKILL does not end (state D, another user's process).
	sweepLimit = 2 * time.Second
	// stuckAfter is when Run gives up on a leader that SIGKILL does not end.
	stuckAfter = 5 * time.Second
)

// ErrAborted is returned by Run after Host.Abort: nothing was started.
var ErrAborted = errors.New("aborted by the operator")

// Spec says what to run. It is not changed by Run.
type Spec struct {
	Argv []string // Argv[0] without a slash is looked up in PATH of Env
	Dir  string   // working directory; "" is the caller's. PWD is set to it
	Env  []string // whole environment; nil is the caller's. Of doubles the last wins, as in os/exec

	// Sandbox bounds what the tree may write.
	Sandbox Sandbox

	// Marker is NAME=VALUE. Run appends "." and the number of the exec to the value and puts it into the environment.
	// "" is allowed, for what needs no recovery.
	Marker string

	// Stdin is written by a goroutine of its own, then closed. Empty is /dev/null: three of seven CLIs block for ever
	// on a stdin that stays open without data. A child that never reads it is no error.
	Stdin []byte

	// Stdout and Stderr get what the tree prints. Each is called from one goroutine, with at most 256 KiB a call, and is
	// not called after Run has returned. Where both are the same Writer they share one pipe, so it is never called
	// twice at once. nil is /dev/null, and does not count as liveness. A Writer that fails or panics is not called
	// again; the rest is read and dropped so that the tree is not blocked.
	Stdout, Stderr io.Writer

	// TTYStderr gives the leader a terminal on stderr alone, as its controlling terminal. A full pty would merge the
	// streams and rewrite newlines.
	TTYStderr bool

	Wall   time.Duration // limit from start to the leader's end; 0 is none. Time stopped by Ctrl-Z does not count
	Idle   time.Duration // limit without a byte on stdout or stderr; 0 is none
	Grace  time.Duration // from Signal to SIGKILL; 0 is DefaultGrace, negative is none
	Linger time.Duration // after Answered; 0 is DefaultLinger

	// Signal asks the group to stop; 0 is SIGTERM. Codex wants SIGINT, or its tool's child stays.
	Signal syscall.Signal

	// Answered is closed by whoever reads Stdout when the final event was seen. From then on wall and idle limits are
	// off, and a leader that does not end within Linger is ended: Stopped is Lingered, and the answer counts.
	Answered <-chan struct{}
}

// Stop says what ended a leader, if it was not the leader.
type Stop string

// The values of Result.Stopped.
const (
	ByItself    Stop = ""
	AtWall      Stop = "wall"
	AtIdle      Stop = "idle"
	Interrupted Stop = "interrupted" // the context was cancelled
	Killed      Stop = "killed"      // Host.Abort: no grace
	Lingered    Stop = "lingered"    // had answered, did not end
)

// Result says how a tree ended.
type Result struct {
	Exit    int            // exit code; 128+N where signal N ended the leader; -1 where the leader could not be ended
	Signal  syscall.Signal // the signal that ended the leader, or 0
	Start   time.Time
	Took    time.Duration // from start to the leader's end, less the time stopped by Ctrl-Z
	Stopped Stop
	Swept   int   // processes beside the leader that had to be ended
	Alive   []int // processes that could not be ended or not be told apart (see the package comment); normally empty
	Dropped error // first error of Stdout or Stderr; what came after it was dropped

	CPU    time.Duration // user and system time of the leader and of those that it waited for
	MaxRSS int64         // bytes, of the largest single process among them
}

func (s *Spec) grace() time.Duration  { return orDefault(s.Grace, DefaultGrace) }
func (s *Spec) linger() time.Duration { return orDefault(s.Linger, DefaultLinger) }

func (s *Spec) signal() syscall.Signal {
	if s.Signal == 0 {
		return syscall.SIGTERM
	}
	return s.Signal
}

func orDefault(d, otherwise time.Duration) time.Duration {
	if d == 0 {
		return otherwise
	}
	return max(d, 0)
}
