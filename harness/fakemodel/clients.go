package fakemodel

import (
	"encoding/json"
	"fmt"
)

// Client is what makes a CLI talk to the server and to nothing else.
type Client struct {
	Env   []string          // NAME=value
	Files map[string]string // below $HOME
	Model string            // to ask for; "" where the CLI gets it from here
}

// Client returns what a CLI needs, by loopd's name for it. A name that is not known is a mistake in a test.
func (s *Server) Client(cli string) Client {
	make, ok := clients[cli]
	if !ok {
		panic("fakemodel: no client " + cli)
	}
	return make(s.URL)
}

var clients = map[string]func(url string) Client{
	"claude": func(url string) Client {
		return Client{Env: []string{
			"ANTHROPIC_BASE_URL=" + url, "ANTHROPIC_API_KEY=sk-ant-not-a-key",
			"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1", "DISABLE_ERROR_REPORTING=1", "DISABLE_TELEMETRY=1",
			"IS_SANDBOX=1", // as root it refuses to skip permissions without it
		}}
	},
	// Its own retries are cut down, they take half a minute otherwise.
	"codex": func(url string) Client {
		return Client{Env: []string{"OPENAI_API_KEY=sk-not-a-key"}, Files: map[string]string{".codex/config.toml": fmt.Sprintf(`model = "fake"
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
`, url+"/v1")}}
	},
	"gemini": func(url string) Client {
		return Client{
			Env: []string{"GOOGLE_GEMINI_BASE_URL=" + url, "GEMINI_API_KEY=not-a-key"}, Model: "gemini-2.5-flash",
			Files: map[string]string{".gemini/settings.json": asJSON(object{
				"security": object{"auth": object{"selectedType": "gemini-api-key"}}, "privacy": object{"usageStatisticsEnabled": false},
				"general": object{"maxAttempts": 2, "disableAutoUpdate": true},
			})},
		}
	},
	"opencode": func(url string) Client {
		config := asJSON(object{"provider": object{"fake": object{
			"npm": "@ai-sdk/openai-compatible", "name": "fake", "options": object{"baseURL": url + "/v1", "apiKey": "sk-not-a-key"},
			"models": object{"fake": object{"name": "fake", "cost": object{"input": 1, "output": 2}}},
		}}})
		return Client{Model: "fake/fake", Env: []string{
			"OPENCODE_CONFIG_CONTENT=" + config, "OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1",
			"OPENCODE_DISABLE_SHARE=1", "OPENCODE_DISABLE_DEFAULT_PLUGINS=1",
		}}
	},
	"qwen": func(url string) Client {
		return Client{
			Env:   []string{"OPENAI_BASE_URL=" + url + "/v1", "OPENAI_API_KEY=sk-not-a-key", "OPENAI_MODEL=fake"},
			Files: map[string]string{".qwen/settings.json": asJSON(object{"security": object{"auth": object{"selectedType": "openai"}}})},
		}
	},
	"copilot": func(url string) Client {
		return Client{Env: []string{
			"COPILOT_PROVIDER_BASE_URL=" + url + "/v1", "COPILOT_PROVIDER_API_KEY=sk-not-a-key", "COPILOT_PROVIDER_WIRE_API=completions", "COPILOT_MODEL=gpt-5.2", "COPILOT_OFFLINE=true",
		}}
	},
	"pi": func(url string) Client {
		return Client{Model: "fake/fake", Env: []string{"PI_OFFLINE=1", "PI_TELEMETRY=0"}, Files: map[string]string{".pi/agent/models.json": asJSON(object{
			"providers": object{"fake": object{
				"baseUrl": url + "/v1", "api": "openai-completions", "apiKey": "sk-not-a-key",
				"models": []object{{"id": "fake", "name": "fake", "contextWindow": 128000, "maxTokens": 8000, "input": []string{"text"}, "reasoning": false, "cost": object{"input": 1, "output": 2, "cacheRead": 0, "cacheWrite": 0}}},
			}},
		})}}
	},
}

func asJSON(v object) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("encode configuration: %v", err)) // only plain values go in
	}
	return string(b)
}
