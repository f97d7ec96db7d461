package harness_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"loopd/harness"
)

var base = []string{
	"PATH=/bin", "HOME=/home/dev", "LANG=C",
	"CLAUDECODE=1", "CLAUDE_CODE_ENTRYPOINT=cli", "CLAUDE_CODE_SSE_PORT=1", "CLAUDE_CODE_MESSAGING_TOKEN=x", "CODEX_SANDBOX=seatbelt", "CODEX_SANDBOX_NETWORK_DISABLED=1",
	"OPENCODE_SESSION_ID=s", "QWEN_CODE=1", "NOTIFY_SOCKET=/run/n", "AI_AGENT=x",
	"CLAUDE_CODE_USE_BEDROCK=1", "CODEX_HOME=/home/dev/.codex", "IS_SANDBOX=1", "OPENCODE_PERMISSION=x",
	"ANTHROPIC_API_KEY=a", "OPENAI_API_KEY=o", "GEMINI_API_KEY=g", "GITHUB_TOKEN=h", "DB_PASSWORD=p", "aws_secret_access=s", "GOOGLE_APPLICATION_CREDENTIALS=f",
	"X=1", "X=2", "=C:=x", "BROKEN",
}

func TestEnviron(t *testing.T) {
	const always = "PATH HOME LANG CLAUDE_CODE_USE_BEDROCK CODEX_HOME IS_SANDBOX OPENCODE_PERMISSION"
	const rest = "GITHUB_TOKEN DB_PASSWORD aws_secret_access GOOGLE_APPLICATION_CREDENTIALS X"
	set := known(t, map[string]harness.Command{"mine": {Argv: []string{"m"}}})
	for _, tt := range []struct {
		name, harness string
		inv           harness.Invocation
		allow         []string
		want          string
	}{
		{"claude", "claude", harness.Invocation{}, nil, always + " ANTHROPIC_API_KEY " + rest},
		{"codex", "codex", harness.Invocation{}, nil, always + " OPENAI_API_KEY " + rest},
		{"unknown vendor keeps all", "mine", harness.Invocation{}, nil, always + " ANTHROPIC_API_KEY OPENAI_API_KEY GEMINI_API_KEY " + rest},
		{"Env: names one", "claude", harness.Invocation{}, []string{"GEMINI_*"}, always + " ANTHROPIC_API_KEY GEMINI_API_KEY " + rest},
		{"set and unset", "claude", harness.Invocation{Set: map[string]string{"Z": "z", "LANG": "de", "OPENAI_API_KEY": "mine"}, Unset: []string{"DB_*", "LANG"}}, nil,
			"PATH HOME CLAUDE_CODE_USE_BEDROCK CODEX_HOME IS_SANDBOX OPENCODE_PERMISSION ANTHROPIC_API_KEY GITHUB_TOKEN aws_secret_access GOOGLE_APPLICATION_CREDENTIALS X LANG OPENAI_API_KEY Z"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h, err := set.Lookup(tt.harness)
			if err != nil {
				t.Fatal(err)
			}
			before := strings.Join(base, "\n")
			got := harness.Environ(base, h, set.All(), tt.inv, tt.allow)
			if d := cmp.Diff(strings.Fields(tt.want), names(got)); d != "" {
				t.Error(d)
			}
			if strings.Join(base, "\n") != before {
				t.Error("base was changed")
			}
			for _, pair := range got {
				if strings.HasPrefix(pair, "X=") && pair != "X=2" {
					t.Errorf("%s: not the last value", pair)
				}
			}
		})
	}
}

func TestCheckEnviron(t *testing.T) {
	all := known(t, nil).All()
	const plain = "PATH HOME LANG CLAUDE_CODE_USE_BEDROCK CODEX_HOME IS_SANDBOX OPENCODE_PERMISSION"
	if d := cmp.Diff(strings.Fields(plain+" X"), names(harness.CheckEnviron(base, all, nil))); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(strings.Fields(plain+" DB_PASSWORD X"), names(harness.CheckEnviron(base, all, []string{"DB_PASSWORD", "CLAUDECODE"}))); d != "" {
		t.Errorf("with Env: %s", d)
	}
	if d := cmp.Diff(strings.Fields("CLAUDE_CODE_MESSAGING_TOKEN ANTHROPIC_API_KEY OPENAI_API_KEY GEMINI_API_KEY GITHUB_TOKEN DB_PASSWORD aws_secret_access GOOGLE_APPLICATION_CREDENTIALS"), harness.Secrets(base, all)); d != "" {
		t.Errorf("secrets: %s", d)
	}
}

func names(environ []string) []string {
	var out []string
	for _, pair := range environ {
		name, _, _ := strings.Cut(pair, "=")
		out = append(out, name)
	}
	return out
}

func TestWhichCredential(t *testing.T) {
	const home = "HOME=/home/dev"
	for _, tt := range []struct {
		harness string
		environ []string
		files   string
		want    harness.Credential
	}{
		{"claude", []string{home}, "", harness.Credential{Kind: harness.Unknown}},
		{"claude", []string{home}, "/home/dev/.claude/.credentials.json", harness.Credential{Kind: harness.Subscription, Source: "/home/dev/.claude/.credentials.json"}},
		{"claude", []string{home, "CLAUDE_CONFIG_DIR=/c"}, "/c/.credentials.json", harness.Credential{Kind: harness.Subscription, Source: "/c/.credentials.json"}},
		{"claude", []string{home, "ANTHROPIC_API_KEY=k"}, "", harness.Credential{Kind: harness.APIKey, Source: "ANTHROPIC_API_KEY"}},
		{"claude", []string{home, "ANTHROPIC_API_KEY="}, "", harness.Credential{Kind: harness.Unknown}},
		{"claude", []string{home, "ANTHROPIC_API_KEY=k"}, "/home/dev/.claude/.credentials.json", harness.Credential{Kind: harness.APIKey, Source: "ANTHROPIC_API_KEY",
			Warning: "ANTHROPIC_API_KEY is set: claude bills that key and not the login in /home/dev/.claude/.credentials.json; unset it where that is not meant"}},
		{"claude", []string{home, "CLAUDE_CODE_USE_VERTEX=1", "ANTHROPIC_API_KEY=k"}, "/home/dev/.claude/.credentials.json", harness.Credential{Kind: harness.Cloud, Source: "CLAUDE_CODE_USE_VERTEX"}},
		{"codex", []string{home}, "/home/dev/.codex/auth.json", harness.Credential{Kind: harness.StoredLogin, Source: "/home/dev/.codex/auth.json"}},
		{"codex", []string{home, "OPENAI_API_KEY=k"}, "", harness.Credential{Kind: harness.Unknown}},
		{"codex", []string{home}, "/home/dev/.codex/config.toml", harness.Credential{Kind: harness.Unknown, Source: "/home/dev/.codex/config.toml"}},
		{"codex", []string{"CODEX_HOME=/c", "CODEX_API_KEY=k"}, "/c/auth.json", harness.Credential{Kind: harness.APIKey, Source: "CODEX_API_KEY",
			Warning: "CODEX_API_KEY is set: codex bills that key and not the login in /c/auth.json; unset it where that is not meant"}},
		{"codex", nil, "/home/dev/.codex/auth.json", harness.Credential{Kind: harness.Unknown}},
	} {
		got := harness.WhichCredential(named(t, tt.harness), tt.environ, func(path string) bool { return path == tt.files })
		if d := cmp.Diff(tt.want, got); d != "" {
			t.Errorf("%s %v %s: %s", tt.harness, tt.environ, tt.files, d)
		}
	}
}
