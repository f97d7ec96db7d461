package fakemodel

import (
	"fmt"
	"path"
	"strings"

	"github.com/tidwall/gjson"
)

// tool is one tool that a CLI offers to the model.
type tool struct {
	name     string
	freeform bool // takes text, not JSON (OpenAI's custom tools)
	fields   gjson.Result
}

// call is a tool call in terms of the tool on offer: Args as JSON, or Input for a freeform tool.
type call struct {
	name  string
	args  object
	input string
}

// offered reads a request's list of tools, in every vendor's shape.
func offered(list gjson.Result) []tool {
	var out []tool
	for _, t := range list.Array() {
		if group := t.Get("functionDeclarations"); group.Exists() { // Google
			out = append(out, offered(group)...)
			continue
		}
		kind := t.Get("type").String()
		if f := t.Get("function"); f.Exists() { // Chat Completions
			t = f
		}
		name, schema := t.Get("name").String(), gjson.Result{}
		for _, field := range []string{"input_schema", "parameters", "parametersJsonSchema"} {
			if schema = t.Get(field); schema.Exists() {
				break
			}
		}
		if name == "" {
			name = kind
		}
		out = append(out, tool{name, kind == "custom", schema.Get("properties")})
	}
	return out
}

func (r Request) tool(names ...string) (tool, bool) {
	for _, name := range names {
		for _, t := range r.tools {
			if t.name == name {
				return t, true
			}
		}
	}
	return tool{}, false
}

// shellTools and writeTools are what the CLIs call them.
var (
	shellTools = []string{"Bash", "exec_command", "shell_command", "shell", "run_shell_command", "bash"}
	writeTools = []string{"Write", "write_file", "create", "write"}
)

// writeFields are the names of a write tool's path and content.
var writeFields = []struct{ path, content string }{{"file_path", "content"}, {"filePath", "content"}, {"path", "file_text"}, {"path", "content"}}

// shellCall runs command with the shell tool on offer. The time limits are the longest that the CLIs take: a script that
// wants a tool to hang means it. pi alone counts its timeout in seconds.
func (r Request) shellCall(command string) (call, error) {
	t, ok := r.tool(shellTools...)
	if !ok {
		return call{}, fmt.Errorf("map shell step: the CLI offers none of the known shell tools, only %s", strings.Join(r.Tools, ", "))
	}
	args := object{}
	switch {
	case t.fields.Get("cmd").Exists():
		args["cmd"] = command
	case t.fields.Get("command.type").String() == "array":
		args["command"] = []string{"bash", "-c", command}
	default:
		args["command"] = command
	}
	for field, value := range map[string]any{"description": "run a command", "timeout": 600_000, "yield_time_ms": 30_000, "initial_wait": 600} {
		if t.fields.Get(field).Exists() {
			args[field] = value
		}
	}
	return call{name: t.name, args: args}, nil
}

// writeCall writes a file with the tool on offer; a CLI without one gets a shell command.
func (r Request) writeCall(f File) (call, error) {
	if t, ok := r.tool(writeTools...); ok {
		file := f.Path
		if !path.IsAbs(file) {
			file = path.Join(r.Dir, file)
		}
		names := writeFields[0] // of a tool that does not say
		for _, n := range writeFields {
			if t.fields.Get(n.path).Exists() && t.fields.Get(n.content).Exists() {
				names = n
				break
			}
		}
		return call{name: t.name, args: object{names.path: file, names.content: f.Content}}, nil
	}
	if t, ok := r.tool("apply_patch"); ok {
		lines := strings.Split(strings.TrimSuffix(f.Content, "\n"), "\n")
		patch := "*** Begin Patch\n*** Add File: " + f.Path + "\n+" + strings.Join(lines, "\n+") + "\n*** End Patch\n"
		if t.freeform {
			return call{name: t.name, input: patch}, nil
		}
		return call{name: t.name, args: object{"input": patch}}, nil
	}
	return r.shellCall("printf '%s' " + quote(f.Content) + " > " + quote(f.Path))
}

// toolCall maps the step's abstract call, if it has one.
func (r Request) toolCall(s Step) (call, bool, error) {
	var c call
	var err error
	switch {
	case s.Shell != "":
		c, err = r.shellCall(s.Shell)
	case s.Write != nil:
		c, err = r.writeCall(*s.Write)
	default:
		return call{}, false, nil
	}
	return c, err == nil, err
}

func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
