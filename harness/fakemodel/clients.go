package fakemodel

import "fmt"

// ClaudeEnv returns the variables ("NAME=value") that make Claude Code talk to the server and to nothing else. IS_SANDBOX
// is among them: as root it refuses to skip permissions without it.
func (s *Server) ClaudeEnv() []string {
	return []string{
		"ANTHROPIC_BASE_URL=" + s.URL,
		"ANTHROPIC_API_KEY=sk-ant-not-a-key",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
		"DISABLE_AUTOUPDATER=1",
		"DISABLE_ERROR_REPORTING=1",
		"DISABLE_TELEMETRY=1",
		"IS_SANDBOX=1",
	}
}

// CodexConfig returns the text of $CODEX_HOME/config.toml that makes Codex talk to the server; the key is taken from
// OPENAI_API_KEY. Its own retries are cut down, they take half a minute otherwise.
func (s *Server) CodexConfig() string {
	return fmt.Sprintf(`model = "fake"
model_provider = "fakemodel"

[model_providers.fakemodel]
name = "fakemodel"
base_url = %q
env_key = "OPENAI_API_KEY"
wire_api = "responses"
request_max_retries = 1
stream_max_retries = 1

[features]
plugins = false
`, s.URL+"/v1")
}
