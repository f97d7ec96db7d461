package fakemodel_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"
	"go.uber.org/goleak"

	"loopd/harness/fakemodel"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// vendor is one of the two protocols with requests as its CLI writes them.
type vendor struct {
	name, path string
	// first asks for a turn at the start of a conversation, later after one tool call.
	first, later string
}

var vendors = []vendor{
	{
		name: "anthropic", path: "/v1/messages?beta=true",
		first: `{"model":"m","stream":STREAM,"messages":[
			{"role":"user","content":[{"type":"text","text":"<system-reminder>\ngit"},{"type":"text","text":"do B1\n"}]},
			{"role":"system","content":"# Environment\n - Primary working directory: /w/repo\n - Platform: linux"}],
			"tools":[{"name":"Bash","input_schema":{"properties":{"command":{"type":"string"},"timeout":{}}}},{"name":"Write","input_schema":{}}]}`,
		later: `{"model":"m","stream":STREAM,"messages":[{"role":"user","content":"do B1\n"},
			{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"Bash","input":{}}]},
			{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"five"}]}],
			"tools":[{"name":"Bash","input_schema":{"properties":{"command":{"type":"string"}}}}]}`,
	},
	{
		name: "responses", path: "/v1/responses",
		first: `{"model":"m","stream":STREAM,"input":[
			{"type":"message","role":"developer","content":[{"type":"input_text","text":"You are a coding agent"}]},
			{"type":"message","role":"user","content":[{"type":"input_text","text":"<environment_context>\n  <cwd>/w/repo</cwd>\n</environment_context>"}]},
			{"type":"message","role":"user","content":[{"type":"input_text","text":"do B1\n"}]}],
			"tools":[{"type":"function","name":"exec_command","parameters":{"properties":{"cmd":{},"yield_time_ms":{}}}},{"type":"web_search"}]}`,
		later: `{"model":"m","stream":STREAM,"input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"do B1\n"}]},
			{"type":"reasoning"},{"type":"function_call","call_id":"c","name":"exec_command","arguments":"{}"},
			{"type":"function_call_output","call_id":"c","output":"five"}],
			"tools":[{"type":"function","name":"exec_command","parameters":{"properties":{"cmd":{}}}}]}`,
	},
}

func start(t *testing.T, script fakemodel.Script) *fakemodel.Server {
	t.Helper()
	s, err := fakemodel.Start(context.Background(), script)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// post sends one request on a connection of its own.
func post(t *testing.T, ctx context.Context, url, body string, stream bool) *http.Response {
	t.Helper()
	body = strings.ReplaceAll(body, "STREAM", map[bool]string{true: "true", false: "false"}[stream])
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { res.Body.Close() })
	return res
}

// last reads a stream to its end and returns the data of its last event and the number of events.
func last(t *testing.T, r io.Reader) (data string, n int, err error) {
	t.Helper()
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if d, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			if !gjson.Valid(d) {
				t.Fatalf("event %d is not JSON: %s", n, d)
			}
			data, n = d, n+1
		}
	}
	return data, n, lines.Err()
}

func TestStepsFollowTheHistory(t *testing.T) {
	for _, v := range vendors {
		t.Run(v.name, func(t *testing.T) {
			s := start(t, fakemodel.Steps(fakemodel.Shell("echo five"), fakemodel.Say("Grüße")))
			var got []string
			for _, body := range []string{v.first, v.first, v.later} {
				raw, _ := io.ReadAll(post(t, t.Context(), s.URL+v.path, body, false).Body)
				answer := gjson.ParseBytes(raw)
				for _, path := range []string{
					"content.0.input.command", "content.0.text", // Anthropic
					"output.0.arguments", "output.0.content.0.text", // OpenAI
				} {
					if x := answer.Get(path); x.Exists() {
						got = append(got, x.String())
					}
				}
			}
			want := []string{"echo five", "echo five", "Grüße"}
			if v.name == "responses" {
				want[0] = `{"cmd":"echo five","yield_time_ms":30000}`
				want[1] = want[0]
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Error(d)
			}
			type seen struct {
				N, Turn, Attempt int
				Prompt           string
				Results          []string
			}
			var log []seen
			for _, r := range s.Requests() {
				log = append(log, seen{r.N, r.Turn, r.Attempt, r.Prompt, r.Results})
			}
			wantLog := []seen{{1, 0, 1, "do B1\n", nil}, {2, 0, 2, "do B1\n", nil}, {3, 1, 1, "do B1\n", []string{"five"}}}
			if d := cmp.Diff(wantLog, log); d != "" {
				t.Error(d)
			}
			if dir := s.Requests()[0].Dir; dir != "/w/repo" {
				t.Errorf("working directory %q", dir)
			}
		})
	}
}

func TestStreamEndsWithTheVendorsLastEvent(t *testing.T) {
	for _, v := range vendors {
		for _, c := range []struct {
			name             string
			step             fakemodel.Step
			anthropic, codex string // type of the last event, or the stop reason before it
		}{
			{"text", fakemodel.Say("hello"), "message_stop", "response.completed"},
			{"tool", fakemodel.Step{Text: "now", Shell: "true"}, "message_stop", "response.completed"},
			{"empty", fakemodel.Step{}, "message_stop", "response.completed"},
			{"refusal", fakemodel.Step{Text: "no", Stop: fakemodel.StopRefusal}, "message_stop", "response.completed"},
			{"cut off", fakemodel.Step{Text: "half a", Stop: fakemodel.StopMaxTokens}, "message_stop", "response.incomplete"},
		} {
			t.Run(v.name+"/"+c.name, func(t *testing.T) {
				s := start(t, fakemodel.Steps(c.step))
				data, n, err := last(t, post(t, t.Context(), s.URL+v.path, v.first, true).Body)
				if err != nil || n < 3 {
					t.Fatalf("%d events, %v", n, err)
				}
				want := c.anthropic
				if v.name == "responses" {
					want = c.codex
				}
				if got := gjson.Get(data, "type").String(); got != want {
					t.Errorf("last event %s, want %s", got, want)
				}
			})
		}
	}
}

func TestFaultsHaveTheVendorsShape(t *testing.T) {
	reset := time.Now().Add(time.Hour)
	for _, c := range []struct {
		name   string
		step   fakemodel.Step
		status int
		kinds  [2]string // error.type of Anthropic and of OpenAI
		header string    // that must be there
	}{
		{"401", fakemodel.Fail(401), 401, [2]string{"authentication_error", "invalid_request_error"}, ""},
		{"429", fakemodel.RateLimit(0), 429, [2]string{"rate_limit_error", "requests"}, ""},
		{"429 with a time", fakemodel.RateLimit(90 * time.Second), 429, [2]string{"rate_limit_error", "requests"}, "retry-after"},
		{"used up", fakemodel.UsageLimit(reset), 429, [2]string{"rate_limit_error", "usage_limit_reached"}, ""},
		{"500", fakemodel.Fail(500), 500, [2]string{"api_error", "server_error"}, ""},
		{"529", fakemodel.Fail(529), 529, [2]string{"overloaded_error", "server_error"}, ""},
		{"own words", fakemodel.Step{Fault: &fakemodel.Fault{Status: 400, Kind: "k", Message: "m"}}, 400, [2]string{"k", "k"}, ""},
	} {
		for i, v := range vendors {
			t.Run(c.name+"/"+v.name, func(t *testing.T) {
				s := start(t, fakemodel.Steps(c.step))
				res := post(t, t.Context(), s.URL+v.path, v.first, true)
				raw, _ := io.ReadAll(res.Body)
				if res.StatusCode != c.status || gjson.GetBytes(raw, "error.type").String() != c.kinds[i] {
					t.Errorf("status %d, body %s", res.StatusCode, raw)
				}
				if c.header != "" && res.Header.Get(c.header) != "90" {
					t.Errorf("header %s is %q", c.header, res.Header.Get(c.header))
				}
				if c.name == "used up" {
					at := res.Header.Get("anthropic-ratelimit-unified-reset")
					if v.name == "responses" {
						at = gjson.GetBytes(raw, "error.resets_at").String()
					}
					if at != strconv.FormatInt(reset.Unix(), 10) {
						t.Errorf("reset time %q", at)
					}
				}
			})
		}
	}
}

func TestDeliveryThatFails(t *testing.T) {
	for _, v := range vendors {
		for _, stream := range []bool{true, false} {
			s := start(t, func(r fakemodel.Request) fakemodel.Step {
				return fakemodel.Step{Text: "never whole", Delivery: map[bool]fakemodel.Delivery{true: fakemodel.Drop, false: fakemodel.Stall}[r.Attempt == 1]}
			})
			if _, n, err := last(t, post(t, t.Context(), s.URL+v.path, v.first, stream).Body); !errors.Is(err, io.ErrUnexpectedEOF) || (n == 0) == stream {
				t.Errorf("%s: dropped: %d events, %v", v.name, n, err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			res := post(t, ctx, s.URL+v.path, v.first, stream)
			cancel()
			if _, _, err := last(t, res.Body); !errors.Is(err, context.Canceled) {
				t.Errorf("%s: stalled stream ended by itself: %v", v.name, err)
			}
		}
	}
}

func TestCloseEndsWhatHangs(t *testing.T) {
	asked := make(chan struct{})
	s, err := fakemodel.Start(context.Background(), func(fakemodel.Request) fakemodel.Step {
		close(asked)
		return fakemodel.Step{Delivery: fakemodel.Hang}
	})
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error)
	go func() {
		client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
		res, err := client.Post(s.URL+"/v1/responses", "application/json", strings.NewReader(strings.ReplaceAll(vendors[1].first, "STREAM", "true")))
		if err == nil {
			res.Body.Close()
		}
		ended <- err
	}()
	<-asked
	s.Close()
	s.Close()
	if err := <-ended; err == nil {
		t.Error("a request that hangs was answered")
	}
}

func TestRecovery(t *testing.T) {
	v := vendors[0]
	for name, script := range map[string]fakemodel.Script{
		"first of a turn":   fakemodel.First(2, fakemodel.Fail(529), fakemodel.Steps(fakemodel.Say("fine"))),
		"first of a server": fakemodel.Calls(2, fakemodel.Fail(529), fakemodel.Steps(fakemodel.Say("fine"))),
	} {
		s := start(t, script)
		var got []int
		for range 3 {
			got = append(got, post(t, t.Context(), s.URL+v.path, v.first, false).StatusCode)
		}
		if d := cmp.Diff([]int{529, 529, 200}, got); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

func TestWhatIsNotATurn(t *testing.T) {
	s := start(t, func(fakemodel.Request) fakemodel.Step {
		t.Error("the script was asked")
		return fakemodel.Step{}
	})
	for _, c := range []struct {
		path, body string
		status     int
		find       string
	}{
		{"/v1/messages/count_tokens", `{"messages":[{"role":"user","content":"x"}]}`, 200, "input_tokens"},
		{"/v1/messages", `{"model":"m","messages":[{"role":"user","content":"a title, please"}]}`, 200, "content.0.text"},
		{"/v1/nothing", `{}`, 404, "error.message"},
	} {
		res := post(t, t.Context(), s.URL+c.path, c.body, false)
		raw, _ := io.ReadAll(res.Body)
		if res.StatusCode != c.status || !gjson.GetBytes(raw, c.find).Exists() {
			t.Errorf("%s: %d %s", c.path, res.StatusCode, raw)
		}
	}
	res, err := http.Get(s.URL + "/v1/models")
	if err != nil {
		t.Fatal(err)
	}
	raw, _ := io.ReadAll(res.Body)
	res.Body.Close()
	http.DefaultClient.CloseIdleConnections()
	if !gjson.GetBytes(raw, "data.0.id").Exists() {
		t.Errorf("models: %s", raw)
	}
}
