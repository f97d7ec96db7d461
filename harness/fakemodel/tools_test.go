package fakemodel

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAbstractToolsBecomeTheOfferedOnes(t *testing.T) {
	const bash = `{"name":"Bash","input_schema":{"properties":{"command":{"type":"string"}}}}`
	const exec = `{"type":"function","name":"exec_command","parameters":{"properties":{"cmd":{}}}}`
	const gemini = `{"functionDeclarations":[{"name":"run_shell_command","parametersJsonSchema":{"properties":{"command":{},"description":{}}}},
		{"name":"write_file","parametersJsonSchema":{"properties":{"file_path":{},"content":{}}}}]}`
	const qwen = `{"function":{"name":"run_shell_command","parameters":{"properties":{"command":{},"timeout":{},"description":{}}}}},
		{"function":{"name":"write_file","parameters":{"properties":{"file_path":{},"content":{}}}}}`
	const opencode = `{"function":{"name":"bash","parameters":{"properties":{"command":{},"timeout":{}}}}},
		{"function":{"name":"write","parameters":{"properties":{"content":{},"filePath":{}}}}}`
	const copilot = `{"function":{"name":"bash","parameters":{"properties":{"command":{},"description":{},"initial_wait":{}}}}},
		{"function":{"name":"create","parameters":{"properties":{"path":{},"file_text":{}}}}}`
	const pi = `{"function":{"name":"bash","parameters":{"properties":{"command":{},"timeout":{}}}}},
		{"function":{"name":"write","parameters":{"properties":{"path":{},"content":{}}}}}`
	file := Step{Write: &File{"a.txt", "it's\n"}}
	for _, c := range []struct {
		name, tools string
		step        Step
		want        call
	}{
		{"claude shell", bash, Shell("x"), call{name: "Bash", args: object{"command": "x"}}},
		{"codex shell", exec, Shell("x"), call{name: "exec_command", args: object{"cmd": "x"}}},
		{"argv shell", `{"name":"shell","parameters":{"properties":{"command":{"type":"array"}}}}`, Shell("x"), call{name: "shell", args: object{"command": []string{"bash", "-c", "x"}}}},
		{"claude file", bash + `,{"name":"Write"}`, file, call{name: "Write", args: object{"file_path": "/w/a.txt", "content": "it's\n"}}},
		{"codex patch", exec + `,{"type":"custom","name":"apply_patch"}`, file, call{name: "apply_patch", input: "*** Begin Patch\n*** Add File: a.txt\n+it's\n*** End Patch\n"}},
		{"gemini shell", gemini, Shell("x"), call{name: "run_shell_command", args: object{"command": "x", "description": "run a command"}}},
		{"gemini file", gemini, file, call{name: "write_file", args: object{"file_path": "/w/a.txt", "content": "it's\n"}}},
		{"qwen shell", qwen, Shell("x"), call{name: "run_shell_command", args: object{"command": "x", "description": "run a command", "timeout": 600_000}}},
		{"qwen file", qwen, file, call{name: "write_file", args: object{"file_path": "/w/a.txt", "content": "it's\n"}}},
		{"opencode shell", opencode, Shell("x"), call{name: "bash", args: object{"command": "x", "timeout": 600_000}}},
		{"opencode file", opencode, file, call{name: "write", args: object{"filePath": "/w/a.txt", "content": "it's\n"}}},
		{"copilot shell", copilot, Shell("x"), call{name: "bash", args: object{"command": "x", "description": "run a command", "initial_wait": 600}}},
		{"copilot file", copilot, file, call{name: "create", args: object{"path": "/w/a.txt", "file_text": "it's\n"}}},
		{"pi shell", pi, Shell("x"), call{name: "bash", args: object{"command": "x", "timeout": 600_000}}},
		{"pi file", pi, file, call{name: "write", args: object{"path": "/w/a.txt", "content": "it's\n"}}},
		{"file by shell", exec, file, call{name: "exec_command", args: object{"cmd": "printf '%s' 'it'\\''s\n' > 'a.txt'"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := decode("POST", "/messages", nil, []byte(`{"system":"Working directory: /w\n","tools":[`+c.tools+`]}`))
			got, ok, err := r.toolCall(c.step)
			if err != nil || !ok {
				t.Fatal(ok, err)
			}
			if d := cmp.Diff(c.want, got, cmp.AllowUnexported(call{})); d != "" {
				t.Error(d)
			}
		})
	}
	if _, ok, err := (Request{}).toolCall(Shell("x")); ok || err == nil {
		t.Error("a shell step without a shell tool must be an error")
	}
}
