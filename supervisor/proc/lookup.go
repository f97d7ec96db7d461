package proc

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Find finds a program as Run would in dir and env: a name with a slash is a path, any other is looked up in PATH. The
// error says which of the two failed; it wraps exec.ErrNotFound or fs.ErrPermission.
func Find(file, dir string, env []string) (string, error) {
	if !strings.Contains(file, "/") {
		return lookUp(file, env)
	}
	path := file
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrPermission):
		return "", &notFound{path + " cannot be looked at", fs.ErrPermission}
	case err != nil || info.IsDir():
		return "", &notFound{path + " is no program", exec.ErrNotFound}
	case info.Mode()&0o111 == 0:
		return "", &notFound{path + " is not executable", fs.ErrPermission}
	}
	return path, nil
}

// ErrNotFound is a program that is not on PATH.
var ErrNotFound = exec.ErrNotFound

// notFound says in its own words why a program cannot be started.
type notFound struct {
	words string
	kind  error
}

func (e *notFound) Error() string { return e.words }
func (e *notFound) Unwrap() error { return e.kind }

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
		return "", &notFound{file + " is on PATH and not executable", fs.ErrPermission}
	}
	return "", &notFound{file + " is not on PATH", exec.ErrNotFound}
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
