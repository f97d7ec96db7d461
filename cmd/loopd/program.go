package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// findProgram finds a program as an exec in dir would: a name with a slash is a path, any other is looked up in the
// environment's PATH.
func findProgram(env []string, dir, name string) (string, error) {
	if strings.Contains(name, "/") {
		path := name
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		if !executable(path) {
			return "", fmt.Errorf("%s cannot be executed", path)
		}
		return path, nil
	}
	for _, folder := range filepath.SplitList(lookup(env, "PATH")) {
		if !filepath.IsAbs(folder) {
			continue // as os/exec: a program of the current folder is never meant
		}
		if path := filepath.Join(folder, name); executable(path) {
			return path, nil
		}
	}
	return "", fmt.Errorf("%s is not on PATH", name)
}

func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}
