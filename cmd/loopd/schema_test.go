package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"
	"github.com/rogpeppe/go-internal/testscript"

	"loopd/journal/contract"
)

// shape is what a command prints with --json: its schema is made from the type that is printed.
type shape struct {
	says   string
	schema func() (*jsonschema.Schema, error)
}

func outputOf[T any](says string) shape {
	return shape{says, func() (*jsonschema.Schema, error) {
		times := map[reflect.Type]*jsonschema.Schema{reflect.TypeFor[time.Time](): {Type: "string", Format: "date-time"}}
		return jsonschema.For[T](&jsonschema.ForOptions{TypeSchemas: times})
	}}
}

var shapes = map[string]shape{
	"run":          outputOf[resultJSON]("One line of loopd run --json and loopd loop --json: an iteration."),
	"status":       outputOf[statusJSON]("One line of loopd status --json: a loop."),
	"log":          outputOf[entryJSON]("One line of loopd log --json: a journal entry."),
	"log-contract": outputOf[contract.Receipt]("One line of loopd log --json of a contract: a receipt."),
	"check":        outputOf[checkJSON]("One line of loopd check --json: what was found in a charter."),
	"contract":     outputOf[contractJSON]("What loopd check --contract --json prints."),
	"doctor":       outputOf[doctorJSON]("One line of loopd doctor --json: a loop."),
	"signs":        outputOf[signJSON]("One line of loopd signs --json: a rule."),
	"skills":       outputOf[skillJSON]("One line of loopd skills --json: a skill."),
	"report":       outputOf[reportJSON]("One line of loopd report --json: a loop."),
	"replay":       outputOf[replayJSON]("What loopd replay --json prints."),
	"classify":     outputOf[classifyJSON]("What loopd classify --json prints."),
	"harness-test": outputOf[harnessTestJSON]("What loopd harness test --json prints."),
	"selftest":     outputOf[selftestJSON]("One line of loopd selftest --json: a case."),
	"config":       outputOf[settingJSON]("One line of loopd config --json: a setting."),
	"version":      outputOf[build]("What loopd version --json prints."),
}

// schemaOf makes the schema of a shape. Fields may be added without a new version of the shape; one that goes or changes its
// meaning makes a new one.
func schemaOf(t testing.TB, name string) *jsonschema.Schema {
	t.Helper()
	s, err := shapes[name].schema()
	if err != nil {
		t.Fatal(err)
	}
	s.Schema, s.ID, s.Title, s.Description = "https://json-schema.org/draft/2020-12/schema", "loopd:"+name+":1", "loopd "+name, shapes[name].says
	s.Properties["schema"].Const = jsonschema.Ptr[any](1)
	open(s)
	return s
}

// open allows fields that the schema does not know.
func open(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	if len(s.Properties) > 0 {
		s.AdditionalProperties = nil
	}
	for _, p := range s.Properties {
		open(p)
	}
	open(s.Items)
	open(s.AdditionalProperties)
}

// The schemas in the tree are those of what is printed.
func TestSchemas(t *testing.T) {
	for name := range shapes {
		b, err := json.MarshalIndent(schemaOf(t, name), "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		path, got := filepath.Join("schemas", name+".schema.json"), string(b)+"\n"
		if *update {
			if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatalf("%v (write it with: go test ./cmd/loopd -run TestSchemas -update)", err)
		}
		if diff := cmp.Diff(string(want), got); diff != "" {
			t.Errorf("-%s +now\n%s", path, diff)
		}
	}
	files, err := filepath.Glob("schemas/*.json")
	if err != nil || len(files) != len(shapes) {
		t.Errorf("%d schemas for %d shapes: %v", len(files), len(shapes), err)
	}
}

// wantShape is "shape NAME": every line that the last command printed follows the schema, and no field of it is unknown.
func wantShape(t *testing.T) func(ts *testscript.TestScript, neg bool, args []string) {
	return func(ts *testscript.TestScript, neg bool, args []string) {
		if neg || len(args) != 1 || shapes[args[0]].schema == nil {
			ts.Fatalf("usage: shape NAME, one that schema_test.go knows")
		}
		strict, err := shapes[args[0]].schema()
		ts.Check(err)
		lines := strings.TrimSpace(ts.ReadFile("stdout"))
		if lines == "" {
			ts.Fatalf("nothing was printed")
		}
		for _, s := range []*jsonschema.Schema{strict, schemaOf(t, args[0])} {
			r, err := s.Resolve(nil)
			ts.Check(err)
			for line := range strings.SplitSeq(lines, "\n") {
				var v any
				d := json.NewDecoder(bytes.NewReader([]byte(line)))
				ts.Check(d.Decode(&v))
				if err := r.Validate(v); err != nil {
					ts.Fatalf("%s\n%v", line, err)
				}
			}
		}
	}
}
