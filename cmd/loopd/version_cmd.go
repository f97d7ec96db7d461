package main

import (
	"runtime"
	"runtime/debug"
)

// release is the version of a released binary, set by the linker; "" in a build from source.
var release string

// build is what `version --json` shows.
type build struct {
	Schema   int    `json:"schema"` // of this shape
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"` // of the source
	Time     string `json:"time,omitempty"`     // of that revision, RFC 3339
	Modified bool   `json:"modified,omitempty"` // the source had changes that are in no revision
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// thisBuild reads what the Go toolchain wrote into the binary.
func thisBuild() build {
	b := build{Schema: 1, Version: release, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if ok {
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				b.Revision = s.Value
			case "vcs.time":
				b.Time = s.Value
			case "vcs.modified":
				b.Modified = s.Value == "true"
			}
		}
		if b.Version == "" && info.Main.Version != "(devel)" {
			b.Version = info.Main.Version
		}
	}
	if b.Version == "" {
		b.Version = "devel"
	}
	return b
}

// version is the version of this binary, as a file that it writes names it.
func version() string { return thisBuild().Version }

// Run prints the version.
func (c *versionCmd) Run(a *app) error {
	b := thisBuild()
	if c.JSON {
		return a.Print.JSON(b)
	}
	revision := ""
	if len(b.Revision) >= 12 {
		revision = " " + b.Revision[:12]
		if b.Modified {
			revision += "+changes"
		}
	}
	return a.Print.Result("loopd %s%s %s %s", b.Version, revision, b.Go, b.Platform)
}
