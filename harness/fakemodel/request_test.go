package fakemodel

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A tool that failed has a result too, and one call has one result whatever its parts: scripts count them.
func TestResultsOfTools(t *testing.T) {
	for _, c := range []struct{ name, path, body string }{
		{"anthropic", "/v1/messages", `{"messages":[{"role":"user","content":[
			{"type":"tool_result","content":[{"type":"text","text":"one"},{"type":"text","text":"two"}]},
			{"type":"tool_result","is_error":true,"content":"bad"}]}]}`},
		{"responses", "/v1/responses", `{"input":[{"type":"function_call_output","output":"one\ntwo"},{"type":"custom_tool_call_output","output":"bad"}]}`},
		{"chat", "/v1/chat/completions", `{"messages":[{"role":"tool","content":[{"type":"text","text":"one"},{"type":"text","text":"two"}]},{"role":"tool","content":"bad"}]}`},
		{"google", "/v1beta/models/m:generateContent", `{"contents":[{"role":"user","parts":[{"functionResponse":{"response":{"output":"one\ntwo"}}},
			{"functionResponse":{"response":{"error":"bad"}}}]}]}`},
	} {
		if d := cmp.Diff([]string{"one\ntwo", "bad"}, decode("POST", c.path, nil, []byte(c.body)).Results); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
}
