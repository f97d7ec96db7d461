package fakemodel

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAbstractToolsBecomeTheOfferedOnes(t *testing.T) {
	const bash = `{"name":"Bash","input_schema":{"properties":{"command":{"type":"string"}}}}`
	const exec = `{"type":"function","name":"exec_command","parameters":{"properties":{"cmd":{}}}}`
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
