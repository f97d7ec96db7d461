package proc

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// start forks and registers in one critical section, so that no sweep can see the child before it is registered.
// The child's ends of the streams are closed when it returns.
func (h *Host) start(s *Spec, io *streams) (*execution, error) {
	defer io.closeChild()
	if len(s.Argv) == 0 {
		return nil, errors.New("no command")
	}
	env := s.Env
	if env == nil {
		env = os.Environ()
	}
	path, err := lookUp(s.Argv[0], env)
	if err != nil {
		return nil, err
	}
	path, argv, err := s.Sandbox.wrap(path, s.Argv, env)
	if err != nil {
		return nil, err
	}
	for try := 0; ; try++ {
		x, err := h.fork(path, argv, s, env, io)
		// Another thread's fork may hold a descriptor of a file that was just written, until its exec (golang/go#22315).
		if err == nil || !errors.Is(err, syscall.ETXTBSY) || try == 10 {
			return x, explain(err, path, s.Dir)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func (h *Host) fork(path string, argv []string, s *Spec, env []string, io *streams) (*execution, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	select {
	case <-h.aborted:
		return nil, ErrAborted
	default:
	}
	h.marks++
	x := &execution{tag: h.tags.next(h.execs), swept: map[int]bool{}}
	if s.Marker != "" {
		x.marker = s.Marker + "." + strconv.FormatUint(h.marks, 10)
	}
	attr := &syscall.ProcAttr{
		Dir:   s.Dir,
		Env:   environment(env, s.Dir, x.marker),
		Files: io.child(),
		Sys:   &syscall.SysProcAttr{Setsid: true, Setctty: s.TTYStderr, Ctty: 2},
	}
	x.last.Store(int64(h.clock.now()))

	// Before the fork: a shell's first child may be an orphan before we are back here. The limit is the whole process's,
	// so another goroutine's fork could get the tag too: see own.
	defer h.tags.set(x.tag)()
	x.group = h.groups.acquire()
	x.group.join(attr.Sys)
	pid, err := syscall.ForkExec(path, argv, attr)
	if err != nil && x.group != nil {
		// Which of the two failed cannot be told apart, so once more without the cgroup. Nothing has run yet.
		h.groups.release(x.group)
		x.group = nil
		leave(attr.Sys)
		if pid, err = syscall.ForkExec(path, argv, attr); err == nil {
			h.groups.disable()
		}
	}
	if err != nil {
		return nil, err
	}
	x.pid = pid
	h.execs[pid] = x
	if h.tell != nil {
		h.tell(pid, true)
	}
	return x, nil
}

// explain makes of an error of fork or exec one that says which file is meant: ENOENT is said for the command, for its
// interpreter, and for the working directory alike.
func explain(err error, path, dir string) error {
	switch {
	case err == nil || errors.Is(err, ErrAborted):
		return err
	case errors.Is(err, syscall.ENOENT) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.EACCES):
		if dir != "" {
			if info, e := os.Stat(dir); e != nil {
				return fmt.Errorf("enter working directory: %w", e)
			} else if !info.IsDir() {
				return fmt.Errorf("enter working directory %s: %w", dir, syscall.ENOTDIR)
			}
		}
		at := path
		if dir != "" && !filepath.IsAbs(at) {
			at = filepath.Join(dir, at)
		}
		if _, e := os.Stat(at); e == nil && errors.Is(err, syscall.ENOENT) {
			return fmt.Errorf("run %s: the interpreter that it names is missing: %w", path, exec.ErrNotFound)
		}
		if errors.Is(err, syscall.ENOENT) {
			return fmt.Errorf("run %s: %w: %w", path, exec.ErrNotFound, err)
		}
	}
	return fmt.Errorf("run %s: %w", path, err)
}
