package proc

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

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
