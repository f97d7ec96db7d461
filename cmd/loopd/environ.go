package main

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/alecthomas/kong"
)

// environ gives every flag of the grammar its variable: LOOPD_ and the flag's name in capitals, - as _. An empty variable
// is one that is not set. It is a resolver of kong, so that a new flag needs nothing here.
type environ struct {
	env []string
}

// variable is the name of a flag's environment variable.
func variable(flag string) string {
	return "LOOPD_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// Validate does nothing: kong asks every resolver for it.
func (environ) Validate(*kong.Application) error { return nil }

// Resolve gives the value of a flag that the command line does not have, nil for none.
func (e environ) Resolve(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	if flag.Name == "help" {
		return nil, nil
	}
	name := variable(flag.Name)
	value := lookup(e.env, name)
	if value == "" {
		if flag.Name == "no-color" && lookup(e.env, "NO_COLOR") != "" {
			return "true", nil
		}
		return nil, nil
	}
	if _, err := parseFlag(flag, value); err != nil {
		return nil, fmt.Errorf("environment variable %s: %w", name, err)
	}
	return value, nil
}

// parseFlag reads a text as kong would read it for the flag, and gives the value in its canonical form.
func parseFlag(flag *kong.Flag, text string) (string, error) {
	probe := reflect.New(flag.Target.Type()).Elem()
	scan := kong.ScanFromTokens(kong.Token{Type: kong.FlagValueToken, Value: text})
	if err := flag.Mapper.Decode(&kong.DecodeContext{Value: flag.Value, Scan: scan}, probe); err != nil {
		return "", err
	}
	return typed(probe), nil
}

// lookup finds a variable in an environment; the last one wins, "" where it is not set.
func lookup(env []string, name string) string {
	value := ""
	for _, kv := range env {
		if n, v, ok := strings.Cut(kv, "="); ok && n == name {
			value = v
		}
	}
	return value
}
