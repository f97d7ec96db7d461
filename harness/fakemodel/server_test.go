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

// vendor is one of the protocols with requests as its CLI writes them.
type vendor struct {
	name, path string
	// call and text are where a whole answer has a tool call's arguments and its text, why where its stream says how it
	// ended, kind which of the errors' words are its.
	call, text, wantCall, why string
	kind                      int
	// first asks for a turn at the start of a conversation, later after one tool call.
	first, later string
}

var vendors = []vendor{
	{
		name: "anthropic", path: "/v1/messages?beta=true", call: "content.0.input.command", text: "content.0.text", wantCall: "echo five", why: "type",
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
		name: "responses", path: "/v1/responses", call: "output.0.arguments", text: "output.0.content.0.text", wantCall: `{"cmd":"echo five","yield_time_ms":30000}`, why: "type", kind: 1,
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
	{
		name: "chat", path: "/v1/chat/completions", call: "choices.0.message.tool_calls.0.function.arguments", text: "choices.0.message.content",
		wantCall: `{"command":"echo five","description":"run a command"}`, why: "choices.0.finish_reason", kind: 1,
		first: `{"model":"m","stream":STREAM,"messages":[{"role":"system","content":"Env:\n  Working directory: /w/repo\n"},
			{"role":"user","content":"<system-reminder>\nskills"},{"role":"user","content":[{"type":"text","text":"do B1\n"}]}],
			"tools":[{"type":"function","function":{"name":"bash","parameters":{"properties":{"command":{"type":"string"},"description":{}}}}}]}`,
		later: `{"model":"m","stream":STREAM,"messages":[{"role":"user","content":"do B1\n"},
			{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"bash","arguments":"{}"}}]},
			{"role":"tool","tool_call_id":"c","content":"five"}],
			"tools":[{"type":"function","function":{"name":"bash","parameters":{"properties":{"command":{}}}}}]}`,
	},
	{
		name: "google", path: "/v1beta/models/m:VERB", call: "candidates.0.content.parts.0.functionCall.args.command", text: "candidates.0.content.parts.0.text",
		wantCall: "echo five", why: "candidates.0.finishReason", kind: 2,
		first: `{"systemInstruction":{"parts":[{"text":"You are Gemini"}]},"contents":[
			{"role":"user","parts":[{"text":"<session_context>\n- **Workspace Directories:**\n  - /w/repo\n"}]},
			{"role":"user","parts":[{"text":"do B1\n"}]}],
			"tools":[{"functionDeclarations":[{"name":"run_shell_command","parametersJsonSchema":{"properties":{"command":{"type":"string"}}}}]}]}`,
		later: `{"contents":[{"role":"user","parts":[{"text":"do B1\n"}]},{"role":"model","parts":[{"functionCall":{"name":"run_shell_command","args":{}}}]},
			{"role":"user","parts":[{"functionResponse":{"name":"run_shell_command","response":{"output":"five"}}}]}],
			"tools":[{"functionDeclarations":[{"name":"run_shell_command","parametersJsonSchema":{"properties":{"command":{}}}}]}]}`,
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
	url = strings.ReplaceAll(url, "VERB", map[bool]string{true: "streamGenerateContent", false: "generateContent"}[stream])
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

// last reads a stream to its end and returns the data of its last event that has a path, and the number of events.
func last(t *testing.T, r io.Reader, path string) (data string, n int, err error) {
	t.Helper()
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if d, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			if d == "[DONE]" {
				continue
			}
			if !gjson.Valid(d) {
				t.Fatalf("event %d is not JSON: %s", n, d)
			}
			if n++; gjson.Get(d, path).Type != gjson.Null {
				data = d
			}
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
				for _, path := range []string{v.call, v.text} {
					if x := gjson.GetBytes(raw, path); x.String() != "" {
						got = append(got, x.String())
					}
				}
			}
			if d := cmp.Diff([]string{v.wantCall, v.wantCall, "Grüße"}, got); d != "" {
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
			name string
			step fakemodel.Step
			want map[string]string // by vendor: the type of the last event, or why it stopped
		}{
			{"text", fakemodel.Say("hello"), map[string]string{"anthropic": "message_stop", "responses": "response.completed", "chat": "stop", "google": "STOP"}},
			{"tool", fakemodel.Step{Text: "now", Shell: "true"}, map[string]string{"anthropic": "message_stop", "responses": "response.completed", "chat": "tool_calls", "google": "STOP"}},
			{"empty", fakemodel.Step{}, map[string]string{"anthropic": "message_stop", "responses": "response.completed", "chat": "stop", "google": "STOP"}},
			{"refusal", fakemodel.Step{Text: "no", Stop: fakemodel.StopRefusal}, map[string]string{"anthropic": "message_stop", "responses": "response.completed", "chat": "content_filter", "google": "SAFETY"}},
			{"cut off", fakemodel.Step{Text: "half a", Stop: fakemodel.StopMaxTokens}, map[string]string{"anthropic": "message_stop", "responses": "response.incomplete", "chat": "length", "google": "MAX_TOKENS"}},
		} {
			t.Run(v.name+"/"+c.name, func(t *testing.T) {
				s := start(t, fakemodel.Steps(c.step))
				data, n, err := last(t, post(t, t.Context(), s.URL+v.path, v.first, true).Body, v.why)
				if err != nil || n == 0 {
					t.Fatalf("%d events, %v", n, err)
				}
				if got := gjson.Get(data, v.why).String(); got != c.want[v.name] {
					t.Errorf("it ends with %s, want %s", got, c.want[v.name])
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
		kinds  [3]string // error.type of Anthropic and of OpenAI, error.status of Google
	}{
		{"401", fakemodel.Fail(401), 401, [3]string{"authentication_error", "invalid_request_error", "UNAUTHENTICATED"}},
		{"429", fakemodel.RateLimit(0), 429, [3]string{"rate_limit_error", "requests", "RESOURCE_EXHAUSTED"}},
		{"429 with a time", fakemodel.RateLimit(90 * time.Second), 429, [3]string{"rate_limit_error", "requests", "RESOURCE_EXHAUSTED"}},
		{"used up", fakemodel.UsageLimit(reset), 429, [3]string{"rate_limit_error", "usage_limit_reached", "RESOURCE_EXHAUSTED"}},
		{"500", fakemodel.Fail(500), 500, [3]string{"api_error", "server_error", "INTERNAL"}},
		{"529", fakemodel.Fail(529), 529, [3]string{"overloaded_error", "server_error", "UNKNOWN"}},
		{"own words", fakemodel.Step{Fault: &fakemodel.Fault{Status: 400, Kind: "k", Message: "m"}}, 400, [3]string{"k", "k", "INVALID_ARGUMENT"}},
	} {
		for _, v := range vendors {
			t.Run(c.name+"/"+v.name, func(t *testing.T) {
				s := start(t, fakemodel.Steps(c.step))
				res := post(t, t.Context(), s.URL+v.path, v.first, true)
				raw, _ := io.ReadAll(res.Body)
				kind := gjson.GetBytes(raw, "error.type").String()
				if v.name == "google" {
					kind = gjson.GetBytes(raw, "error.status").String()
				}
				if res.StatusCode != c.status || kind != c.kinds[v.kind] {
					t.Errorf("status %d, body %s", res.StatusCode, raw)
				}
				if c.name == "429 with a time" {
					at := res.Header.Get("retry-after")
					if v.name == "google" {
						at = strings.TrimSuffix(gjson.GetBytes(raw, "error.details.0.retryDelay").String(), "s")
					}
					if at != "90" {
						t.Errorf("it asks for a pause of %q s", at)
					}
				}
				if c.name == "used up" && v.name != "google" {
					at := res.Header.Get("anthropic-ratelimit-unified-reset")
					if v.name != "anthropic" {
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
			if _, n, err := last(t, post(t, t.Context(), s.URL+v.path, v.first, stream).Body, v.why); !errors.Is(err, io.ErrUnexpectedEOF) || (n == 0) == stream {
				t.Errorf("%s: dropped: %d events, %v", v.name, n, err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			res := post(t, ctx, s.URL+v.path, v.first, stream)
			cancel()
			if _, _, err := last(t, res.Body, v.why); !errors.Is(err, context.Canceled) {
				t.Errorf("%s: stalled stream ended by itself: %v", v.name, err)
			}
			silent := start(t, fakemodel.Steps(fakemodel.Step{Delivery: fakemodel.Stall}))
			if res := post(t, t.Context(), silent.URL+v.path, v.first, stream); res.StatusCode != http.StatusOK {
				t.Errorf("%s: an answer that stalls before its first word has status %d", v.name, res.StatusCode)
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
		{"/v1/chat/completions", `{"model":"m","messages":[{"role":"user","content":"a title, please"}]}`, 200, "choices.0.message.content"},
		{"/v1/chat/completions", `{"model":"m","messages":[{"role":"system","content":"You are now acting as the managed memory extraction subagent for"},
			{"role":"user","content":"x"}],"tools":[{"function":{"name":"run_shell_command"}}]}`, 200, "choices.0.message.content"},
		{"/v1beta/models/m:generateContent", `{"contents":[{"role":"user","parts":[{"text":"a summary, please"}]}]}`, 200, "candidates.0.content.parts.0.text"},
		{"/v1beta/models/m:countTokens", `{"contents":[{"role":"user","parts":[{"text":"x"}]}]}`, 200, "totalTokens"},
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
