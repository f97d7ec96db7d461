package main

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"
	"github.com/pelletier/go-toml/v2"

	"loopd/harness"
	"loopd/journal"
	"loopd/supervisor"
)

// configTOML is a config.toml as it is written.
type configTOML struct {
	Harness map[string]struct {
		Argv         []string          `toml:"argv"`
		ReadonlyArgv []string          `toml:"readonly_argv"`
		Prompt       string            `toml:"prompt"`
		Output       string            `toml:"output"`
		Path         string            `toml:"path"`
		Env          map[string]string `toml:"env"`
		CacheTTL     string            `toml:"cache_ttl"`
		TTY          string            `toml:"tty"`
		Writes       []string          `toml:"writes"`
	} `toml:"harness"`
	Channel map[string]struct {
		URL     string   `toml:"url"`
		Command string   `toml:"command"`
		File    string   `toml:"file"`
		Desktop bool     `toml:"desktop"`
		Events  []string `toml:"events"`
		Quiet   string   `toml:"quiet"`
		Most    int      `toml:"most"`
	} `toml:"channel"`
	Defaults  map[string]any `toml:"defaults"`
	Protected []string       `toml:"protected"`
	Price     map[string]struct {
		Input  float64 `toml:"input"`
		Output float64 `toml:"output"`
		Cached float64 `toml:"cached"`
		AsOf   any     `toml:"as_of"` // a date, bare or as a text
	} `toml:"price"`
	Wording map[string]struct {
		Harness string   `toml:"harness"`
		Words   []string `toml:"words"`
		Status  int      `toml:"status"`
		Stop    string   `toml:"stop"`
		Kind    string   `toml:"kind"`
	} `toml:"wording"`
	Keep struct {
		Transcripts *int   `toml:"transcripts"`
		Size        string `toml:"size"`
	} `toml:"keep"`
}

// configKeys are the keys of each table, with what is expected of them.
var configKeys = map[string]map[string]string{
	"": {
		"harness": "[harness.NAME] tables", "channel": "[channel.NAME] tables", "defaults": "a [defaults] table", "price": "[price.\"model\"] tables", "wording": "[wording.NAME] tables",
		"protected": "a list of branch globs, e.g. [\"main\", \"release/*\"]", "keep": "a [keep] table",
	},
	"harness": {
		"argv": "a list of words, e.g. [\"mycli\", \"--json\"]", "readonly_argv": "a list of words", "prompt": "\"stdin\" or \"file\"",
		"output": "\"text\", \"json\" or \"jsonl\"", "path": "a gjson path", "env": "a table of texts", "cache_ttl": wantDuration, "tty": "\"stderr\"", "writes": "a list of paths, e.g. [\"~/.mine\"]",
	},
	"channel": {
		"url": "a notification URL", "command": "a command line", "file": "a path", "events": "a list of events", "quiet": wantQuiet,
		"desktop": "true", "most": wantMost,
	},
	"price": {"input": wantPrice, "output": wantPrice, "cached": wantPrice, "as_of": "a date, e.g. 2026-11-01"},
	"wording": {
		"harness": "the name of one harness; without it the wording is for all", "words": "a list of texts that all must occur, e.g. [\"weekly cap\"]",
		"status": "an HTTP status, e.g. 429", "stop": "\"limited\", \"truncated\", \"refused\", \"login\", \"misused\" or \"overloaded\"",
		"kind": "of the limit: \"usage\", \"rate\", \"quota\" or \"credit\"",
	},
	"keep": {"transcripts": "a number of transcripts", "size": wantSize},
}

const (
	wantDuration = "a time with its unit, e.g. \"5m\""
	wantMost     = "a number of messages a day, e.g. 5"
	wantQuiet    = "hours, e.g. \"22:00-07:00\""
	wantPrice    = "USD per million tokens, e.g. 3.0"
	wantSize     = "a size, e.g. \"500MB\" or \"1GiB\""
)

// configReader collects what one file says into a config, and its defects.
type configReader struct {
	file     string
	lines    map[string]int // of every table and key, by dotted name
	findings []journal.Finding
}

// parseConfig reads one file into c; what the file says wins over what c has. defaults gets its [defaults].
func parseConfig(data []byte, file string, flags map[string]*kong.Flag, c *config, defaults *layer) []journal.Finding {
	r := &configReader{file: file, lines: tomlLines(data)}
	var raw configTOML
	err := toml.NewDecoder(bytes.NewReader(data)).DisallowUnknownFields().Decode(&raw)
	if err != nil {
		return r.decodeFindings(err)
	}
	r.exactKeys()
	for name, t := range raw.Harness {
		cmd := harness.Command{Name: name, Argv: t.Argv, ReadonlyArgv: t.ReadonlyArgv, Prompt: t.Prompt, Output: t.Output, Path: t.Path, Env: t.Env, TTY: t.TTY, Writes: t.Writes}
		if t.CacheTTL != "" {
			if cmd.TTL, err = time.ParseDuration(t.CacheTTL); err != nil || cmd.TTL <= 0 {
				r.bad("harness."+name+".cache_ttl", t.CacheTTL, wantDuration)
			}
		}
		c.Harnesses[name] = cmd
		r.origin(c, "harness."+name)
	}
	for name, t := range raw.Channel {
		c.Channels[name] = r.channel("channel."+name, supervisor.Channel{
			To: journal.Channel{URL: t.URL, Command: t.Command, File: t.File}, Events: t.Events, Quiet: t.Quiet, Desktop: t.Desktop, Most: t.Most,
		})
		r.origin(c, "channel."+name)
	}
	for model, t := range raw.Price {
		for _, one := range []struct {
			key   string
			value float64
		}{{"input", t.Input}, {"output", t.Output}, {"cached", t.Cached}} {
			if one.value < 0 || math.IsNaN(one.value) || math.IsInf(one.value, 0) {
				r.bad("price."+model+"."+one.key, strconv.FormatFloat(one.value, 'f', -1, 64), wantPrice)
			}
		}
		if t.Input == 0 && t.Output == 0 && r.lines["price."+model+".input"] == 0 {
			r.bad("price."+model, "no price", "input and output, "+wantPrice)
		}
		p := price{Input: t.Input, Output: t.Output, Cached: t.Cached}
		if t.AsOf != nil {
			p.AsOf = fmt.Sprint(t.AsOf)
			if _, err := time.Parse(time.DateOnly, p.AsOf); err != nil {
				r.bad("price."+model+".as_of", p.AsOf, configKeys["price"]["as_of"])
			}
		}
		c.Prices[model] = p
		r.origin(c, "price."+model)
	}
	for name, t := range raw.Wording {
		key := "wording." + name
		w := harness.Wording{Harness: t.Harness, Words: t.Words, Status: t.Status, Stop: harness.StopReason(t.Stop), Kind: t.Kind, Origin: r.at(key)}
		if w.Kind == "" && w.Stop == harness.Limited {
			w.Kind = "usage"
		}
		for _, e := range leaves(w.Defects()) {
			field, words, _ := strings.Cut(e.Error(), ": ")
			r.bad(key+"."+field, "", words)
		}
		c.Wordings[name] = w
		r.origin(c, key)
	}
	if len(raw.Protected) > 0 {
		c.Protected = append(c.Protected, raw.Protected...)
		r.origin(c, "protected")
	}
	r.keep(c, raw.Keep.Transcripts, raw.Keep.Size)
	*defaults = r.defaults(raw.Defaults, flags)
	slices.SortFunc(r.findings, func(a, b journal.Finding) int { return cmp.Or(a.Line-b.Line, strings.Compare(a.Field, b.Field)) })
	return r.findings
}

// channel checks one channel table.
func (r *configReader) channel(key string, c supervisor.Channel) supervisor.Channel {
	ways := 0
	for _, way := range []string{c.To.URL, c.To.Command, c.To.File} {
		if way != "" {
			ways++
		}
	}
	if c.Desktop {
		ways++
	}
	if ways != 1 {
		r.bad(key, fmt.Sprintf("%d of them", ways), "exactly one of url, command, file and desktop = true")
	}
	if c.Most < 0 {
		r.bad(key+".most", strconv.Itoa(c.Most), wantMost)
	}
	// A message that stays in the loop directory has reached nobody (spec/loop.md, Escalation).
	if first, _, _ := strings.Cut(filepath.ToSlash(filepath.Clean(c.To.File)), "/"); first == loopFolder {
		r.bad(key+".file", c.To.File, "a file outside .loop")
	}
	for _, e := range c.Events {
		if !slices.Contains(supervisor.NoticeEvents(), e) {
			r.bad(key+".events", e, "some of "+strings.Join(supervisor.NoticeEvents(), ", ")+suggest(e, supervisor.NoticeEvents()))
		}
	}
	if c.Quiet != "" && parseQuiet(c.Quiet) != nil {
		r.bad(key+".quiet", c.Quiet, wantQuiet)
	}
	return c
}

func (r *configReader) keep(c *config, transcripts *int, size string) {
	if transcripts != nil {
		if *transcripts < 0 {
			r.bad("keep.transcripts", strconv.Itoa(*transcripts), configKeys["keep"]["transcripts"])
		}
		c.Keep.Transcripts = *transcripts
		r.origin(c, "keep.transcripts")
	}
	if size != "" {
		n, err := parseSize(size)
		if err != nil {
			r.bad("keep.size", size, wantSize)
		}
		c.Keep.Bytes = n
		r.origin(c, "keep.size")
	}
}

// defaults makes a layer of a [defaults] table: each key is a flag of run, each value must be one that the flag takes.
func (r *configReader) defaults(table map[string]any, flags map[string]*kong.Flag) layer {
	out := layer{values: map[string]string{}, origins: map[string]string{}}
	for name, value := range table {
		key := "defaults." + name
		flag := flags[name]
		if flag == nil {
			r.bad(key, name, "a flag of run"+suggest(name, slices.Sorted(maps.Keys(flags))))
			continue
		}
		if list, ok := value.([]any); ok && strings.Contains(flag.PlaceHolder, ",") { // fallback = ["codex", "gemini"]
			var words []string
			for _, v := range list {
				words = append(words, fmt.Sprint(v))
			}
			value = strings.Join(words, ",")
		}
		text, err := parseFlag(flag, fmt.Sprint(value))
		if err != nil {
			r.bad(key, fmt.Sprint(value), err.Error())
			continue
		}
		out.values[name], out.origins[name] = text, r.at(key)
	}
	return out
}

// exactKeys finds keys that are written in another case: the decoder would take them, and two of them for one.
func (r *configReader) exactKeys() {
	for key := range r.lines {
		parts := strings.SplitN(key, ".", 2)
		known := configKeys[""]
		read := parts[0]
		if known[read] != "" && len(parts) > 1 && configKeys[read] != nil {
			known = configKeys[read]
			rest := parts[1]
			if named[parts[0]] { // [table.NAME]: the name may hold dots, the key does not
				at := strings.LastIndexByte(rest, '.')
				if at < 0 || known[rest[at+1:]] == "" && folded(known, rest[at+1:]) == "" {
					continue // the table itself, or below a key such as env
				}
				rest = rest[at+1:]
			}
			read = rest
		}
		if right := folded(known, read); known[read] == "" && right != "" && (read != parts[0] || len(parts) == 1) {
			r.bad(key, read, "a known key: did you mean "+right+"?")
		}
	}
}

// named are the tables whose second word is a name of the user's.
var named = map[string]bool{"harness": true, "channel": true, "price": true, "wording": true}

// folded is the known key that differs from this one by case alone, "" for none.
func folded(known map[string]string, key string) string {
	for k := range known {
		if k != key && strings.EqualFold(k, key) {
			return k
		}
	}
	return ""
}

func (r *configReader) bad(key, read, want string) {
	r.findings = append(r.findings, journal.Finding{File: r.file, Line: r.line(key), Field: key, Read: read, Want: want})
}

// line is where a key stands; where it does not, its table.
func (r *configReader) line(key string) int {
	for key != "" {
		if n := r.lines[key]; n > 0 {
			return n
		}
		key = key[:max(0, strings.LastIndexByte(key, '.'))]
	}
	return 0
}

func (r *configReader) at(key string) string { return fmt.Sprintf("%s:%d", r.file, r.line(key)) }

// origin notes where a table or key and all below it stand; what another file said of it is forgotten.
func (r *configReader) origin(c *config, key string) {
	maps.DeleteFunc(c.Origin, func(k, _ string) bool { return below(key, k) })
	c.Origin[key] = r.at(key)
	for k := range r.lines {
		if below(key, k) {
			c.Origin[k] = r.at(k)
		}
	}
}

// below reports whether a key stands in a table, and not in another one whose name begins alike: [price."gpt-4"] and
// [price."gpt-4.1"].
func below(table, key string) bool {
	rest, ok := strings.CutPrefix(key, table+".")
	if !ok {
		return false
	}
	kind, _, isNamed := strings.Cut(table, ".")
	first, _, _ := strings.Cut(rest, ".")
	return !isNamed || configKeys[kind] == nil || configKeys[kind][first] != ""
}
