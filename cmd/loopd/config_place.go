package main

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"loopd/journal"
)

// decodeFindings turns the errors of the TOML library into findings.
func (r *configReader) decodeFindings(err error) []journal.Finding {
	var unknown *toml.StrictMissingError
	if errors.As(err, &unknown) {
		for _, e := range unknown.Errors {
			line, column := e.Position()
			key := e.Key()
			table, name := key[:len(key)-1], key[len(key)-1]
			if configKeys[""][key[0]] == "" {
				table, name = nil, key[0]
			}
			known := slices.Sorted(maps.Keys(keysOf(table)))
			r.findings = append(r.findings, journal.Finding{File: r.file, Line: line, Column: column, Field: strings.Join(key, "."), Read: name,
				Want: "one of " + strings.Join(known, ", ") + suggest(name, known)})
		}
		return r.findings
	}
	var broken *toml.DecodeError
	if !errors.As(err, &broken) {
		return []journal.Finding{{File: r.file, Field: "config", Want: err.Error()}}
	}
	line, column := broken.Position()
	f := journal.Finding{File: r.file, Line: line, Column: column, Field: strings.Join(broken.Key(), "."), Want: strings.TrimPrefix(broken.Error(), "toml: ")}
	if f.Field == "" {
		f.Field, f.Want = "TOML", "valid TOML: "+f.Want
	} else if key := broken.Key(); len(key) > 0 {
		if want := keysOf(key[:len(key)-1])[key[len(key)-1]]; want != "" {
			f.Want = want
		}
	}
	return []journal.Finding{f}
}

// keysOf gives the known keys of the table at a path.
func keysOf(path []string) map[string]string {
	if len(path) == 0 {
		return configKeys[""]
	}
	return configKeys[path[0]]
}

// tomlLines finds the line of every table and key, by dotted name. A broken document gives what was read until there.
func tomlLines(data []byte) map[string]int {
	lines := map[string]int{}
	p := unstable.Parser{}
	p.Reset(data)
	var table string
	for p.NextExpression() {
		node := p.Expression()
		switch node.Kind {
		case unstable.Table, unstable.ArrayTable:
			table = noteKeys(lines, "", node, data)
		case unstable.KeyValue:
			noteValue(lines, table, node, data)
		}
	}
	return lines
}

func noteValue(lines map[string]int, table string, node *unstable.Node, data []byte) {
	key := noteKeys(lines, table, node, data)
	if value := node.Value(); value != nil && value.Kind == unstable.InlineTable {
		for it := value.Children(); it.Next(); {
			noteValue(lines, key, it.Node(), data)
		}
	}
}

func noteKeys(lines map[string]int, prefix string, node *unstable.Node, data []byte) string {
	key := prefix
	for it := node.Key(); it.Next(); {
		if key != "" {
			key += "."
		}
		key += string(it.Node().Data)
		if _, ok := lines[key]; !ok {
			lines[key] = 1 + bytes.Count(data[:it.Node().Raw.Offset], []byte("\n"))
		}
	}
	return key
}

// parseSize reads a number of bytes: B, KB, MB, GB by 1000, KiB, MiB, GiB by 1024.
func parseSize(text string) (int64, error) {
	for _, unit := range []struct {
		name  string
		bytes float64
	}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"B", 1}} {
		if number, ok := strings.CutSuffix(text, unit.name); ok {
			n, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
			if err != nil || n < 0 || n > 1e15 {
				return 0, fmt.Errorf("read size %q: %w", text, errors.Join(err, errors.New("not a number of bytes")))
			}
			return int64(n * unit.bytes), nil
		}
	}
	return 0, fmt.Errorf("read size %q: no unit", text)
}
