package proc

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
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

	for try := 0; ; try++ {
		x, err := h.fork(path, s, env, io)
		// Another thread's fork may hold a descriptor of a file that was just written, until its exec (golang/go#22315).
		if err == nil || !errors.Is(err, syscall.ETXTBSY) || try == 10 {
			return x, explain(err, path, s.Dir)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func (h *Host) fork(path string, s *Spec, env []string, io *streams) (*execution, error) {
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

	// The limit is the whole process's, so where others may fork too they would get the tag by accident; there it is
	// given to the child just after the fork.
	if h.owning {
		defer h.tags.set(x.tag)()
	} else {
		defer func() { h.tags.give(x.pid, x.tag) }()
	}
	x.group = h.groups.acquire()
	x.group.join(attr.Sys)
	pid, err := syscall.ForkExec(path, s.Argv, attr)
	if err != nil && x.group != nil {
		// Which of the two failed cannot be told apart, so once more without the cgroup. Nothing has run yet.
		h.groups.release(x.group)
		x.group = nil
		leave(attr.Sys)
		if pid, err = syscall.ForkExec(path, s.Argv, attr); err == nil {
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

// lookUp finds a command as execvp would in PATH of env. Entries that are relative or empty are passed over: what an
// agent puts into the working tree must not be run by name. A name with a slash is left to exec.
func lookUp(file string, env []string) (string, error) {
	if strings.Contains(file, "/") {
		return file, nil
	}
	denied := false
	for _, dir := range filepath.SplitList(variable(env, "PATH")) {
		if !filepath.IsAbs(dir) || file == "" {
			continue
		}
		path := filepath.Join(dir, file)
		info, err := os.Stat(path)
		if err != nil || info.IsDir() {
			continue
		}
		if info.Mode()&0o111 != 0 {
			return path, nil
		}
		denied = true
	}
	if denied {
		return "", fmt.Errorf("find %s in PATH: not executable: %w", file, fs.ErrPermission)
	}
	return "", fmt.Errorf("find %s in PATH: %w", file, exec.ErrNotFound)
}

// environment is env with PWD and the marker, each name once: of doubles the last wins. C programs would take the first.
func environment(env []string, dir, marker string) []string {
	all := append(make([]string, 0, len(env)+2), env...)
	if dir != "" {
		if abs, err := filepath.Abs(dir); err == nil {
			all = append(all, "PWD="+abs)
		}
	}
	if marker != "" {
		all = append(all, marker)
	}
	seen := make(map[string]bool, len(all))
	kept := len(all)
	for i := len(all) - 1; i >= 0; i-- {
		key, _, _ := strings.Cut(all[i], "=")
		if !seen[key] {
			seen[key] = true
			kept--
			all[kept] = all[i]
		}
	}
	return all[kept:]
}

func variable(env []string, key string) string {
	for i := len(env) - 1; i >= 0; i-- {
		if k, v, ok := strings.Cut(env[i], "="); ok && k == key {
			return v
		}
	}
	return ""
}
