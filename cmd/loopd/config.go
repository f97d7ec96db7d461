package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"loopd/harness"
	"loopd/journal"
	"loopd/supervisor"
)

// config is what the two config.toml files say, the repository's over the user's: a table of the repository (one harness,
// one channel, one price, one wording) replaces the user's of the same name whole; protected branches add up.
type config struct {
	Harnesses map[string]harness.Command
	Channels  map[string]supervisor.Channel
	Prices    map[string]price
	Wordings  map[string]harness.Wording
	Protected []string
	Keep      keep
	// Repository and User are their [defaults], each a layer of the settings.
	Repository, User layer
	// Origin says where a table or key stands, as file:line, by its dotted name.
	Origin map[string]string
}

// price is one `[price."model"]`: USD per million tokens, on a date.
type price struct {
	Input, Output, Cached float64
	AsOf                  string
}

// keep bounds what is kept of transcripts.
type keep struct {
	Transcripts int
	Bytes       int64
}

// The bounds of transcripts where nothing is said (spec/loop.md, "What belongs to git").
const (
	keepTranscripts = 50
	keepBytes       = 1 << 30
)

// configPaths are the repository's file, or the one that --config names, and the user's.
func (a *app) configPaths() (repository, user string) {
	repository = filepath.Join(a.Root, loopFolder, "config.toml")
	if a.Config != "" {
		repository = a.abs(a.Config)
	}
	base := lookup(a.Env, "XDG_CONFIG_HOME")
	if !filepath.IsAbs(base) { // the XDG rule: a relative value is ignored
		home := lookup(a.Env, "HOME")
		if home == "" {
			return repository, ""
		}
		base = filepath.Join(home, ".config")
	}
	return repository, filepath.Join(base, programName, "config.toml")
}

// readConfig reads both files. Findings are the defects of their content; the error is a file that cannot be read.
func (a *app) readConfig() (config, []journal.Finding, error) {
	repository, user := a.configPaths()
	flags := runFlags(a.parsed.Model)
	c := config{
		Harnesses: map[string]harness.Command{}, Channels: map[string]supervisor.Channel{}, Prices: map[string]price{}, Wordings: map[string]harness.Wording{}, Origin: map[string]string{},
		Keep: keep{Transcripts: keepTranscripts, Bytes: keepBytes},
	}
	var findings []journal.Finding
	for _, from := range []struct {
		path     string
		needed   bool
		defaults *layer
	}{
		{user, false, &c.User}, {repository, a.Config != "", &c.Repository}, // the later one wins
	} {
		if from.path == "" {
			continue
		}
		data, err := os.ReadFile(from.path)
		if errors.Is(err, os.ErrNotExist) && !from.needed {
			continue
		}
		if err != nil {
			return c, nil, &exitError{Code: codeUsage, What: "cannot read config", Where: a.show(from.path), Why: err, Next: "make it readable, or take it away"}
		}
		found := parseConfig(data, a.show(from.path), flags, &c, from.defaults)
		findings = append(findings, found...)
	}
	findings = append(findings, harnessDefects(c)...)
	return c, findings, nil
}

// loadConfig is readConfig for the commands that need a config without defects.
func (a *app) loadConfig() (config, error) {
	c, findings, err := a.readConfig()
	if err != nil {
		return c, err
	}
	if len(findings) > 0 {
		return c, &exitError{Code: codeUsage, What: joinFindings(findings), Next: "mend it, then: loopd config"}
	}
	return c, nil
}

func joinFindings(findings []journal.Finding) string {
	lines := make([]string, len(findings))
	for i, f := range findings {
		lines[i] = f.String()
	}
	return strings.Join(lines, "\n")
}

// harnessDefects gives the defects that package harness finds in the tables, each with its position.
func harnessDefects(c config) []journal.Finding {
	set, err := c.harnesses()
	var out []journal.Finding
	for _, e := range leaves(err) {
		table, words, _ := strings.Cut(strings.TrimPrefix(e.Error(), "["), "] ")
		key, words, _ := strings.Cut(words, ": ")
		origin, ok := c.Origin[table+"."+key]
		if !ok {
			origin = c.Origin[table]
		}
		file, line := splitOrigin(origin)
		out = append(out, journal.Finding{File: file, Line: line, Field: "[" + table + "] " + key, Want: words})
	}
	for name, w := range c.Wordings {
		if _, err := set.Lookup(w.Harness); w.Harness != "" && err != nil {
			file, line := splitOrigin(cmp.Or(c.Origin["wording."+name+".harness"], w.Origin))
			out = append(out, journal.Finding{File: file, Line: line, Field: "wording." + name + ".harness", Read: w.Harness, Want: err.Error()})
		}
	}
	return out
}

// harnesses makes the set of every CLI that the configuration knows.
func (c config) harnesses() (harness.Set, error) {
	var said []harness.Wording
	for _, name := range slices.Sorted(maps.Keys(c.Wordings)) {
		said = append(said, c.Wordings[name])
	}
	return harness.Named(c.Harnesses, said...)
}

// leaves takes joined errors apart.
func leaves(err error) []error {
	if err == nil {
		return nil
	}
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	var out []error
	for _, e := range joined.Unwrap() {
		out = append(out, leaves(e)...)
	}
	return out
}

func splitOrigin(origin string) (file string, line int) {
	at := strings.LastIndexByte(origin, ':')
	if at < 0 {
		return origin, 0
	}
	if _, err := fmt.Sscanf(origin[at+1:], "%d", &line); err != nil {
		return origin, 0
	}
	return origin[:at], line
}

// runFlags are the flags of `run` by name: what [defaults] may hold.
func runFlags(model *kong.Application) map[string]*kong.Flag {
	out := map[string]*kong.Flag{}
	for _, child := range model.Children {
		if child.Name == "run" {
			for _, flag := range child.Flags {
				out[flag.Name] = flag
			}
		}
	}
	return out
}

// parseQuiet reads "HH:MM-HH:MM".
func parseQuiet(text string) error {
	from, to, ok := strings.Cut(text, "-")
	if ok {
		_, err1 := time.Parse("15:04", strings.TrimSpace(from))
		_, err2 := time.Parse("15:04", strings.TrimSpace(to))
		ok = err1 == nil && err2 == nil
	}
	if !ok {
		return errors.New("not a span of hours")
	}
	return nil
}
