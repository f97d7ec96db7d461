package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/licensecheck"
)

// linkedModules are the modules that a binary for any system of ours holds, with the folder of each.
func linkedModules(t *testing.T) map[string]string {
	t.Helper()
	dirs := map[string]string{}
	for _, system := range []string{"linux", "darwin"} {
		cmd := exec.Command("go", "list", "-deps", "-json=Module", ".")
		cmd.Env = append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0")
		var errs bytes.Buffer
		cmd.Stderr = &errs
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("go list: %v\n%s", err, errs.String())
		}
		for d := json.NewDecoder(bytes.NewReader(out)); ; {
			var p struct {
				Module struct {
					Path, Version, Dir string
					Main               bool
				}
			}
			err := d.Decode(&p)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			if m := p.Module; m.Path != "" && !m.Main {
				dirs[m.Path+" "+m.Version] = m.Dir
			}
		}
	}
	return dirs
}

// licenseOf names the licences of a module by the texts in its folder.
func licenseOf(t *testing.T, dir string) string {
	t.Helper()
	found := map[string]bool{}
	for _, pattern := range []string{"LICEN[CS]E*", "COPYING*", "[Ll]icense*"} {
		files, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if said := spdx.FindSubmatch(text); said != nil { // what it says of itself, a choice above all, counts
				found[string(said[1])] = true
			} else if err == nil {
				for _, m := range licensecheck.Scan(text).Match {
					found[m.ID] = true
				}
			}
		}
	}
	return strings.Join(slices.Sorted(maps.Keys(found)), " and ")
}

var spdx = regexp.MustCompile(`SPDX-License-Identifier: (.*?)( \*/)?\n`)

// allowedLicenses may be linked into a program under the MIT licence that is handed on.
var allowedLicenses = []string{"MIT", "MIT-0", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "Unlicense"}

// Every module that is linked is listed with its licence, and its licence is one that allows this.
func TestLicenses(t *testing.T) {
	dirs := linkedModules(t)
	var b strings.Builder
	b.WriteString("# The modules that a loopd binary holds, with their versions and licences. go test ./cmd/loopd -run TestLicenses -update\n")
	for _, module := range slices.Sorted(maps.Keys(dirs)) {
		license := licenseOf(t, dirs[module])
		for _, one := range strings.Split(license, " and ") {
			if !slices.ContainsFunc(strings.Split(one, " OR "), func(l string) bool { return slices.Contains(allowedLicenses, l) }) {
				t.Errorf("%s: %q is no licence that may be linked: look at %s", module, license, dirs[module])
			}
		}
		fmt.Fprintf(&b, "%s %s\n", module, license)
	}
	path := filepath.Join("..", "..", "THIRD_PARTY.txt")
	if *update {
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("-THIRD_PARTY.txt +now\n%s", diff)
	}
}
