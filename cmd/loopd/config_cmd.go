package main

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"loopd/harness"
	"loopd/journal"
)

// secret stands where a secret value stood.
const secret = "[secret]"

// Run prints every setting with its value and where it came from. Without a loop there is no charter in between.
func (c *configCmd) Run(a *app) error {
	cfg, err := a.loadConfig()
	if err != nil {
		return err
	}
	settings, err := a.settle(journal.Charter{}, cfg)
	if err != nil {
		return err
	}
	all := append(a.globalSettings(), settings...)
	all = append(all, cfg.settings()...)
	width := 0
	for i, s := range all {
		all[i].Value = a.hide(s.Value)
		width = max(width, len(s.Name))
	}
	for _, s := range all {
		if c.JSON {
			err = a.Print.JSON(settingJSON{1, s})
		} else {
			err = a.Print.Result("%-*s = %s  (%s)", width, s.Name, orDash(s.Value), s.Origin)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// settingJSON is the shape of `config --json`, one line a setting.
type settingJSON struct {
	Schema int `json:"schema"` // of this shape
	Setting
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// globalSettings are the flags of the program itself and what they led to.
func (a *app) globalSettings() []Setting {
	var out []Setting
	for _, flag := range a.parsed.Model.Flags {
		if flag.Name == "help" {
			continue
		}
		s := Setting{Name: flag.Name, Value: fmt.Sprint(flag.Target.Interface()), Origin: "default"}
		switch {
		case lookup(a.Env, variable(flag.Name)) != "":
			s.Origin = variable(flag.Name)
		case flag.Name == "no-color" && a.NoColor:
			s.Origin = "NO_COLOR"
		}
		for _, p := range a.parsed.Path {
			if p.Flag == flag && !p.Resolved {
				s.Origin = "--" + flag.Name
			}
		}
		if s.Origin == "default" {
			s.Value = a.globalDefault(flag.Name)
		}
		out = append(out, s)
	}
	return out
}

// globalDefault says what stands in for a global flag that nobody gave.
func (a *app) globalDefault(name string) string {
	switch name {
	case "dir":
		return a.Cwd
	case "loop-root":
		return a.Root
	case "config":
		repository, user := a.configPaths()
		return a.show(repository) + ", " + a.show(user)
	case "log-level":
		return "info"
	case "log-format":
		return "text"
	}
	return "false"
}

// settings lists what config.toml holds beside [defaults].
func (c config) settings() []Setting {
	var out []Setting
	add := func(key, value string) {
		origin := c.Origin[key]
		if origin == "" {
			origin = "default"
		}
		if value != "" {
			out = append(out, Setting{Name: key, Value: value, Origin: origin})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.Harnesses)) {
		h, key := c.Harnesses[name], "harness."+name+"."
		add(key+"argv", words(h.Argv))
		add(key+"readonly_argv", words(h.ReadonlyArgv))
		add(key+"prompt", h.Prompt)
		add(key+"output", h.Output)
		add(key+"path", h.Path)
		for _, v := range slices.Sorted(maps.Keys(h.Env)) {
			add(key+"env."+v, hideVariable(v, h.Env[v]))
		}
		add(key+"cache_ttl", duration(h.TTL))
		add(key+"tty", h.TTY)
	}
	for _, name := range slices.Sorted(maps.Keys(c.Channels)) {
		ch, key := c.Channels[name], "channel."+name+"."
		add(key+"url", hideURL(ch.To.URL))
		add(key+"command", ch.To.Command)
		add(key+"file", ch.To.File)
		add(key+"events", strings.Join(ch.Events, ", "))
		add(key+"quiet", ch.Quiet)
		if ch.Desktop {
			add(key+"desktop", "true")
		}
		if ch.Most > 0 {
			add(key+"most", strconv.Itoa(ch.Most))
		}
	}
	for _, model := range slices.Sorted(maps.Keys(c.Prices)) {
		p, key := c.Prices[model], "price."+model+"."
		add(key+"input", number(p.Input))
		add(key+"output", number(p.Output))
		add(key+"cached", number(p.Cached))
		add(key+"as_of", p.AsOf)
	}
	for _, name := range slices.Sorted(maps.Keys(c.Wordings)) {
		w, key := c.Wordings[name], "wording."+name+"."
		add(key+"harness", w.Harness)
		add(key+"words", words(w.Words))
		if w.Status != 0 {
			add(key+"status", strconv.Itoa(w.Status))
		}
		add(key+"stop", string(w.Stop))
		add(key+"kind", w.Kind)
	}
	add("protected", strings.Join(c.Protected, ", "))
	add("keep.transcripts", strconv.Itoa(c.Keep.Transcripts))
	add("keep.size", strconv.FormatInt(c.Keep.Bytes, 10))
	return out
}

func words(argv []string) string {
	if len(argv) == 0 {
		return ""
	}
	quoted := make([]string, len(argv))
	for i, w := range argv {
		quoted[i] = strconv.Quote(w)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

// hide takes the values of the environment's secrets out of a text, wherever they came from.
func (a *app) hide(text string) string {
	for _, name := range harness.Secrets(a.Env, nil) {
		// Short values ("1", "true") are words, no secrets; a path only says where one lies.
		if v := lookup(a.Env, name); len(v) >= 8 && !strings.HasPrefix(v, "/") {
			text = strings.ReplaceAll(text, v, secret)
		}
	}
	return text
}

// hideVariable gives the value of a variable, unless its name says that it is a secret.
func hideVariable(name, value string) string {
	if value == "" {
		return ""
	}
	if len(harness.Secrets([]string{name + "=" + value}, nil)) > 0 {
		return secret
	}
	return hideURL(value)
}

// hideURL leaves the scheme of a URL and, where it has no secret in it, the host: a notification URL carries its tokens
// in user, host, path and query alike.
func hideURL(text string) string {
	u, err := url.Parse(text)
	if text == "" || err != nil || u.Scheme == "" || !strings.Contains(text, "://") {
		return text
	}
	if (u.Scheme == "http" || u.Scheme == "https") && u.User == nil && u.RawQuery == "" && strings.Trim(u.Path, "/") == "" {
		return text
	}
	return u.Scheme + "://" + secret
}
