package main

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"loopd/journal"
)

// Setting is one value in force, with where it came from.
type Setting struct {
	Name   string `json:"name"`   // of the flag, without dashes; or the dotted name of a key of config.toml
	Value  string `json:"value"`  // as one would type it; "" is nothing
	Origin string `json:"origin"` // "--max", "LOOPD_MAX", "LOOP.md", ".loop/config.toml:12", "default"
}

// layer is one source of settings: values by the name of their flag, and where each stands.
type layer struct {
	values  map[string]string
	origins map[string]string
}

func (l *layer) set(name, value, origin string) {
	if l.values == nil {
		l.values, l.origins = map[string]string{}, map[string]string{}
	}
	l.values[name], l.origins[name] = value, origin
}

// resolve decides each setting: the first layer that has it wins. A setting that no layer has is "" by default.
func resolve(names []string, layers ...layer) []Setting {
	out := make([]Setting, 0, len(names))
	for _, name := range names {
		s := Setting{Name: name, Origin: "default"}
		for _, l := range layers {
			if value, ok := l.values[name]; ok {
				s.Value, s.Origin = value, l.origins[name]
				break
			}
		}
		out = append(out, s)
	}
	return out
}

// runDefaults are the values where nobody says anything (spec/iteration.md "Limits where nothing is said", decision 11).
// The harness has none here: it is what is installed, see usableHarness.
var runDefaults = layer{
	values:  map[string]string{"timeout": "1h", "idle-timeout": "20m", "grace": "10s"},
	origins: map[string]string{"timeout": "default", "idle-timeout": "default", "grace": "default"},
}

// settle decides every setting of a run, in the order of spec/cli.md: flag, environment, charter, repository config, user
// config, default. It writes the result into the fields of the grammar's runCmd, so that they hold what is in force, and
// returns all of it with the origins. charter is the loop's; its zero value stands for no loop. c is the loaded config.
// Where nobody chose a harness the list says which is taken (decision 12), and the field stays empty: that is to be said.
func (a *app) settle(charter journal.Charter, c config) ([]Setting, error) {
	flags := runFlags(a.parsed.Model)
	env, err := envLayer(a.Env, flags)
	if err != nil {
		return nil, err
	}
	set, err := c.harnesses()
	if err != nil {
		return nil, err
	}
	settings := resolve(runFlagNames(a.parsed.Model), flagLayer(a.parsed, flags), env, charterLayer(charter), c.Repository, c.User, runDefaults)
	for i, s := range settings {
		flag := flags[s.Name]
		if s.Value == "" {
			flag.Target.SetZero()
			if s.Name == "harness" {
				settings[i].Value = defaultHarness(set.All(), a.Root, a.Env)
			}
			continue
		}
		scan := kong.ScanFromTokens(kong.Token{Type: kong.FlagValueToken, Value: s.Value})
		if err := flag.Mapper.Decode(&kong.DecodeContext{Value: flag.Value, Scan: scan}, flag.Target); err != nil {
			return nil, &exitError{Code: codeUsage, Where: s.Origin, What: fmt.Sprintf("setting %s", s.Name), Why: err}
		}
		if negative(flag.Target) {
			return nil, &exitError{Code: codeUsage, Where: s.Origin, What: fmt.Sprintf("setting %s is %s, want more than 0", s.Name, s.Value), Next: "loopd config"}
		}
	}
	return settings, nil
}

// negative says whether a number or a time is below zero: no setting of a run means anything by that.
func negative(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Int, reflect.Int64:
		return v.Int() < 0
	case reflect.Float64:
		return v.Float() < 0
	}
	return false
}

// flagLayer holds what was typed.
func flagLayer(parsed *kong.Context, flags map[string]*kong.Flag) layer {
	var l layer
	for _, p := range parsed.Path {
		if p.Flag != nil && !p.Resolved && flags[p.Flag.Name] == p.Flag {
			l.set(p.Flag.Name, typed(p.Flag.Target), "--"+p.Flag.Name)
		}
	}
	return l
}

// envLayer holds the LOOPD_ variables.
func envLayer(env []string, flags map[string]*kong.Flag) (layer, error) {
	var l layer
	for name, flag := range flags {
		text := lookup(env, variable(name))
		if text == "" {
			continue
		}
		value, err := parseFlag(flag, text)
		if err != nil {
			return l, usagef("", "environment variable %s: %v", variable(name), err)
		}
		l.set(name, value, variable(name))
	}
	return l, nil
}

// charterLayer holds what a charter says about its runs.
func charterLayer(c journal.Charter) layer {
	var l layer
	for name, value := range map[string]string{
		"harness": c.Harness.Maker, "checker": c.Harness.Checker, "escalate": c.Harness.EscalateTo, "model": c.Harness.Model,
		"timeout": duration(c.Budget.PerIteration), "max-cost": number(c.Budget.Cost),
	} {
		if value != "" {
			l.set(name, value, "LOOP.md")
		}
	}
	return l
}

func duration(d time.Duration) string {
	if d == 0 {
		return ""
	}
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = s[:len(s)-len("0s")]
	}
	if strings.HasSuffix(s, "h0m") {
		s = s[:len(s)-len("0m")]
	}
	return s
}

// typed gives a value as one would type it.
func typed(v reflect.Value) string {
	if d, ok := v.Interface().(time.Duration); ok && d != 0 {
		return duration(d)
	}
	return fmt.Sprint(v.Interface())
}

func number(n float64) string {
	if n == 0 {
		return ""
	}
	return strconv.FormatFloat(n, 'f', -1, 64)
}

// runFlagNames are the flags of run in the order of the grammar.
func runFlagNames(model *kong.Application) []string {
	var out []string
	at := slices.IndexFunc(model.Children, func(n *kong.Node) bool { return n.Name == "run" })
	for _, flag := range model.Children[at].Flags {
		out = append(out, flag.Name)
	}
	return out
}

// value finds a setting by name, "" where there is none.
func value(settings []Setting, name string) string {
	at := slices.IndexFunc(settings, func(s Setting) bool { return s.Name == name })
	if at < 0 {
		return ""
	}
	return settings[at].Value
}
