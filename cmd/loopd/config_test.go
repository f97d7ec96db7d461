package main

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"loopd/harness"
	"loopd/journal"
	"loopd/supervisor"
)

// configOf reads a repository file and, over it, nothing.
func configOf(t *testing.T, text string) (config, []journal.Finding) {
	t.Helper()
	c := config{Harnesses: map[string]harness.Command{}, Channels: map[string]supervisor.Channel{}, Prices: map[string]price{}, Wordings: map[string]harness.Wording{}, Origin: map[string]string{}}
	findings := parseConfig([]byte(text), "config.toml", runFlags(grammarOf(t)), &c, &c.Repository)
	return c, append(findings, harnessDefects(c)...)
}

func TestConfig(t *testing.T) {
	c, findings := configOf(t, `protected = ["main", "release/*"]

[harness.mycli]
argv = ["mycli", "--json"]
readonly_argv = ["mycli", "--plan"]
output = "json"
path = "result.text"
env = { MODE = "batch" }
cache_ttl = "10m"

[channel.ops]
url = "slack://token@channel"
events = ["stalled", "done"]
quiet = "22:00-07:00"

[defaults]
harness = "mycli"
max = 12
timeout = "45m"
worktree = true
max-cost = 2.5

[price."gpt-5.1-codex"]
input = 1.25
output = 10
cached = 0.125
as_of = 2026-11-01

[keep]
transcripts = 10
size = "64MiB"

[wording.weekly]
words = ["weekly cap"]
stop = "limited"
`)
	if len(findings) > 0 {
		t.Fatal(findings)
	}
	want := config{
		Harnesses: map[string]harness.Command{"mycli": {Name: "mycli", Argv: []string{"mycli", "--json"}, ReadonlyArgv: []string{"mycli", "--plan"},
			Output: "json", Path: "result.text", Env: map[string]string{"MODE": "batch"}, TTL: 10 * time.Minute}},
		Channels:  map[string]supervisor.Channel{"ops": {To: journal.Channel{URL: "slack://token@channel"}, Events: []string{"stalled", "done"}, Quiet: "22:00-07:00"}},
		Prices:    map[string]price{"gpt-5.1-codex": {Input: 1.25, Output: 10, Cached: 0.125, AsOf: "2026-11-01"}},
		Protected: []string{"main", "release/*"},
		Keep:      keep{Transcripts: 10, Bytes: 64 << 20},
		Wordings:  map[string]harness.Wording{"weekly": {Words: []string{"weekly cap"}, Stop: harness.Limited, Kind: "usage", Origin: "config.toml:33"}},
	}
	defaults := map[string]string{"harness": "mycli", "max": "12", "timeout": "45m", "worktree": "true", "max-cost": "2.5"}
	if diff := cmp.Diff(defaults, c.Repository.values); diff != "" {
		t.Error(diff)
	}
	for key, want := range map[string]string{
		"harness.mycli": "config.toml:3", "harness.mycli.path": "config.toml:7", "harness.mycli.env.MODE": "config.toml:8",
		"channel.ops.quiet": "config.toml:14", "price.gpt-5.1-codex.cached": "config.toml:26", "protected": "config.toml:1", "keep.size": "config.toml:31",
	} {
		if c.Origin[key] != want {
			t.Errorf("%s stands at %q, want %q", key, c.Origin[key], want)
		}
	}
	if got := c.Repository.origins["timeout"]; got != "config.toml:19" {
		t.Errorf("timeout stands at %q", got)
	}
	c.Origin, c.Repository = nil, layer{}
	if diff := cmp.Diff(want, c, cmp.AllowUnexported(layer{})); diff != "" {
		t.Error(diff)
	}
}

func TestConfigDefects(t *testing.T) {
	for _, c := range []struct {
		name, text string
		line       int
		says       []string
	}{
		{"an unknown key", "\nprotectd = []\n", 2, []string{"protectd", "did you mean protected?"}},
		{"an unknown table", "[harnes.x]\nargv = [\"x\"]\n", 1, []string{"harnes", "did you mean harness?"}},
		{"an unknown key of a harness", "[harness.x]\nargv = [\"x\"]\nargs = []\n", 3, []string{"harness.x.args", "did you mean argv?"}},
		{"an unknown key of a channel", "[channel.x]\nurl = \"a://b\"\nevent = []\n", 3, []string{"did you mean events?"}},
		{"an unknown default", "[defaults]\n\nmodle = \"m\"\n", 3, []string{"defaults.modle", "did you mean model?"}},
		{"a default that the flag does not take", "[defaults]\ntimeout = 30\n", 2, []string{"defaults.timeout", "30", "duration"}},
		{"a list for a default", "[defaults]\nmax = [1]\n", 2, []string{"defaults.max"}},
		{"a text for a list", "[harness.x]\nargv = \"x --json\"\n", 2, []string{"harness.x.argv", "a list of words"}},
		{"broken TOML", "[harness.x]\nargv = [\n", 0, []string{"TOML"}},
		{"a key twice", "protected = []\nprotected = []\n", 2, []string{"protected"}},
		{"a harness without argv", "[harness.x]\noutput = \"text\"\n", 1, []string{"[harness.x] argv", "missing"}},
		{"a bad prompt", "[harness.x]\nargv = [\"x\"]\nprompt = \"argv\"\n", 3, []string{"prompt", `"stdin" or "file"`}},
		{"a built-in with a path", "[harness.claude]\npath = \"x\"\n", 2, []string{"claude is built in"}},
		{"a bad ttl", "[harness.x]\nargv = [\"x\"]\ncache_ttl = \"300\"\n", 3, []string{"cache_ttl", "5m"}},
		{"a channel without a way", "[channel.x]\nevents = [\"done\"]\n", 1, []string{"channel.x", "exactly one of"}},
		{"a channel with two ways", "[channel.x]\nurl = \"a://b\"\nfile = \"y\"\n", 1, []string{"exactly one of"}},
		{"a channel inside .loop", "[channel.x]\nfile = \".loop/inbox.txt\"\n", 2, []string{"outside .loop"}},
		{"an unknown event", "[channel.x]\nurl = \"a://b\"\nevents = [\"stall\"]\n", 3, []string{"did you mean stalled?"}},
		{"bad hours", "[channel.x]\nurl = \"a://b\"\nquiet = \"at night\"\n", 3, []string{"22:00-07:00"}},
		{"a negative price", "[price.m]\noutput = 3\n\ninput = -1\n", 4, []string{"price.m.input", "-1"}},
		{"a price that is no number", "[price.m]\ninput = nan\noutput = inf\n", 2, []string{"price.m.input", "NaN", "price.m.output"}},
		{"a price without one", "[price.m]\nas_of = 2026-11-01\n", 1, []string{"price.m", "no price"}},
		{"a key in another case", "[wording.a]\nwords = [\"weekly cap\"]\nstop = \"limited\"\nStop = \"login\"\n", 4, []string{"wording.a.Stop", "did you mean stop?"}},
		{"a table in another case", "[PRICE.\"m\"]\ninput = 3\n", 1, []string{"PRICE", "did you mean price?"}},
		{"an odd kind", "[wording.x]\nwords = [\"weekly cap\"]\nstop = \"limited\"\nkind = \"usge\"\n", 4, []string{"wording.x.kind", "usage"}},
		{"a kind of nothing", "[wording.x]\nwords = [\"weekly cap\"]\nstop = \"login\"\nkind = \"credit\"\n", 4, []string{"wording.x.kind", "limited"}},
		{"an empty program", "[harness.claude]\nargv = [\"\"]\n", 2, []string{"argv", "program"}},
		{"a bad date", "[price.m]\nas_of = \"last year\"\ninput = 1\n", 2, []string{"as_of", "2026-11-01"}},
		{"a wording without words", "[wording.x]\nstop = \"limited\"\n", 1, []string{"wording.x.words", "missing"}},
		{"a wording of one letter", "[wording.x]\nwords = [\"a\"]\nstop = \"limited\"\n", 2, []string{"too short"}},
		{"a wording that ends nowhere", "[wording.x]\nwords = [\"weekly cap\"]\nstop = \"sleepy\"\n", 3, []string{"wording.x.stop", "sleepy", "limited"}},
		{"a wording with a good status", "[wording.x]\nstatus = 200\nstop = \"limited\"\n", 2, []string{"wording.x.status", "400 to 599"}},
		{"a wording of nobody", "[wording.x]\nwords = [\"weekly cap\"]\nstop = \"limited\"\nharness = \"clade\"\n", 4, []string{"did you mean \"claude\"?"}},
		{"an unknown key of a wording", "[wording.x]\nword = [\"weekly cap\"]\nstop = \"limited\"\n", 2, []string{"did you mean words?"}},
		{"a bad size", "[keep]\nsize = \"lots\"\n", 2, []string{"keep.size", "1GiB"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, findings := configOf(t, c.text)
			if len(findings) == 0 {
				t.Fatal("no finding")
			}
			if c.line > 0 && findings[0].Line != c.line {
				t.Errorf("line %d, want %d", findings[0].Line, c.line)
			}
			all := joinFindings(findings)
			for _, s := range c.says {
				if !strings.Contains(all, s) {
					t.Errorf("%q does not say %q", all, s)
				}
			}
			if strings.Contains(all, "main.") || strings.Contains(all, "Go struct") || strings.Contains(all, "struct") {
				t.Errorf("a person does not know the program's types: %q", all)
			}
		})
	}
}

func TestRepositoryOverUser(t *testing.T) {
	c := config{Harnesses: map[string]harness.Command{}, Channels: map[string]supervisor.Channel{}, Prices: map[string]price{}, Wordings: map[string]harness.Wording{}, Origin: map[string]string{}}
	flags := runFlags(grammarOf(t))
	parseConfig([]byte("protected = [\"live\"]\n[harness.x]\nargv = [\"x\"]\noutput = \"json\"\npath = \"p\"\n[price.m]\ninput = 1\n"), "user", flags, &c, &c.User)
	parseConfig([]byte("protected = [\"prod\"]\n[harness.x]\nargv = [\"y\"]\n"), "repo", flags, &c, &c.Repository)
	if diff := cmp.Diff([]string{"live", "prod"}, c.Protected); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(harness.Command{Name: "x", Argv: []string{"y"}}, c.Harnesses["x"]); diff != "" {
		t.Error(diff)
	}
	if c.Origin["harness.x.argv"] != "repo:3" || c.Origin["harness.x.output"] != "" || c.Origin["price.m.input"] != "user:7" {
		t.Errorf("%v", c.Origin)
	}
}

func TestParseSize(t *testing.T) {
	for text, want := range map[string]int64{"1GiB": 1 << 30, "500MB": 500e6, "1.5 KiB": 1536, "0B": 0, "12": -1, "-1MB": -1, "xMB": -1, "": -1} {
		got, err := parseSize(text)
		if err != nil {
			got = -1
		}
		if got != want {
			t.Errorf("%q is %d, want %d", text, got, want)
		}
	}
}

func FuzzConfig(f *testing.F) {
	f.Add([]byte("[harness.x]\nargv = [\"x\"]\n[defaults]\nmax = 1\n"))
	f.Add([]byte("a.b = {c = 1}\n[[a]]\n"))
	parser, _, err := newParser(&cli{}, surroundings{})
	if err != nil {
		f.Fatal(err)
	}
	flags := runFlags(parser.Model)
	f.Fuzz(func(t *testing.T, data []byte) {
		c := config{Harnesses: map[string]harness.Command{}, Channels: map[string]supervisor.Channel{}, Prices: map[string]price{}, Wordings: map[string]harness.Wording{}, Origin: map[string]string{}}
		for _, finding := range parseConfig(data, "f", flags, &c, &c.Repository) {
			if finding.String() == "" || finding.Line < 0 {
				t.Errorf("%+v", finding)
			}
		}
		harnessDefects(c)
	})
}
