package fakemodel

import (
	"net/http"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// API names what a request asks for.
type API string

// The APIs that the server answers.
const (
	Anthropic   API = "anthropic"    // POST …/messages
	CountTokens API = "count_tokens" // POST …/messages/count_tokens, …/models/NAME:countTokens
	Responses   API = "responses"    // POST …/responses
	Chat        API = "chat"         // POST …/chat/completions
	Google      API = "google"       // POST …/models/NAME:generateContent, :streamGenerateContent
	Models      API = "models"       // GET …/models
	Unknown     API = "unknown"      // anything else: 404
)

// Request is one call of a CLI.
type Request struct {
	N       int // 1 for the server's first model request; count_tokens and models have 0
	API     API
	Path    string // with whatever prefix the CLI was given as its base URL
	Model   string
	Stream  bool
	Aux     bool     // no turn of the task (errands): the script is not asked
	Turn    int      // turns of the model in the history: 0 for the first
	Attempt int      // 1, 2 …: requests with the same prompt at the same turn
	Prompt  string   // what the user's messages say, tool results left out
	Results []string // what the tools answered so far, oldest first
	Dir     string   // the working directory that the CLI names, "" where it names none
	Tools   []string // names of the tools on offer
	Header  http.Header
	Body    []byte

	tools []tool
}

// apiOf tells the API from method and path; a prefix before the vendor's own path is allowed.
func apiOf(method, path string) API {
	for _, route := range []struct {
		method, suffix string
		api            API
	}{
		{http.MethodPost, "/messages/count_tokens", CountTokens},
		{http.MethodPost, "/messages", Anthropic},
		{http.MethodPost, "/responses", Responses},
		{http.MethodPost, "/chat/completions", Chat},
		{http.MethodPost, ":generateContent", Google},
		{http.MethodPost, ":streamGenerateContent", Google},
		{http.MethodPost, ":countTokens", CountTokens},
		{http.MethodGet, "/models", Models},
	} {
		if method == route.method && strings.HasSuffix(path, route.suffix) {
			return route.api
		}
	}
	return Unknown
}

// decode reads what the server and scripts need from a request. A body that is not JSON gives an empty Request.
func decode(method, path string, header http.Header, body []byte) Request {
	r := Request{API: apiOf(method, path), Path: path, Header: header, Body: body}
	if !gjson.ValidBytes(body) {
		return r
	}
	doc := gjson.ParseBytes(body)
	r.Model, r.Stream = doc.Get("model").String(), doc.Get("stream").Bool()
	if r.API == Google {
		r.Model, r.Stream = googleModel(path)
	}
	r.tools = offered(doc.Get("tools"))
	for _, t := range r.tools {
		r.Tools = append(r.Tools, t.name)
	}
	p, ok := protocols[r.API]
	if !ok {
		return r
	}
	c := p.history(doc)
	r.Aux = len(r.tools) == 0 || isErrand(c.context)
	r.Turn, r.Results, r.Prompt = c.turns, c.results, strings.Join(c.user, "\n")
	r.Dir = directory(c.context)
	return r
}

// conversation is the history of a request in terms of every vendor.
type conversation struct {
	turns   int
	user    []string // what the user says
	context []string // what the CLI says about the surroundings
	results []string
}

// errands begin the system prompts of agents that a CLI starts beside the task and that have tools: Qwen's, which sees to
// its memory after an answer without a tool call. Without this a script would be asked about a turn that nobody sees. What
// a CLI asks without tools is an errand too: a title, a summary, a probe.
var errands = []string{"You are now acting as the managed memory extraction subagent"}

func isErrand(context []string) bool {
	return slices.ContainsFunc(context, func(text string) bool {
		return slices.ContainsFunc(errands, func(mark string) bool { return strings.HasPrefix(text, mark) })
	})
}

// asides begin what a CLI says about the surroundings in the user's name: Claude Code and Qwen; Codex; Gemini.
var asides = []string{"<system-reminder>", "<environment_context>", "<session_context>", "This is the Gemini CLI"}

// hear sorts what comes in the user's name.
func (c *conversation) hear(said []string) {
	for _, text := range said {
		if slices.ContainsFunc(asides, func(mark string) bool { return strings.HasPrefix(strings.TrimSpace(text), mark) }) {
			c.context = append(c.context, text)
		} else {
			c.user = append(c.user, text)
		}
	}
}

// anthropicHistory reads messages; their content is a string or a list of blocks.
func anthropicHistory(doc gjson.Result) (c conversation) {
	c.context = append(c.context, texts(doc.Get("system"))...)
	for _, m := range doc.Get("messages").Array() {
		content := m.Get("content")
		switch m.Get("role").String() {
		case "assistant":
			c.turns++
		case "system":
			c.context = append(c.context, texts(content)...)
		case "user":
			for _, block := range content.Array() {
				if block.Get("type").String() == "tool_result" {
					c.results = append(c.results, strings.Join(texts(block.Get("content")), "\n"))
				}
			}
			c.hear(texts(content))
		}
	}
	return c
}

// responsesHistory reads input items. One turn of the model is a run of items that it made.
func responsesHistory(doc gjson.Result) (c conversation) {
	c.context = append(c.context, texts(doc.Get("instructions"))...)
	inTurn := false
	for _, item := range doc.Get("input").Array() {
		kind, role := item.Get("type").String(), item.Get("role").String()
		made := false
		switch {
		case strings.HasSuffix(kind, "_call"), kind == "reasoning", role == "assistant":
			made = true
		case strings.HasSuffix(kind, "_call_output"):
			c.results = append(c.results, strings.Join(texts(item.Get("output")), "\n"))
		case role == "user":
			c.hear(texts(item.Get("content")))
		default:
			c.context = append(c.context, texts(item.Get("content"))...)
		}
		if made && !inTurn {
			c.turns++
		}
		inTurn = made
	}
	return c
}

// texts collects the text of a string or of a list of text blocks.
func texts(content gjson.Result) []string {
	if content.Type == gjson.String {
		return []string{content.String()}
	}
	var out []string
	for _, block := range content.Array() {
		if t := block.Get("text"); t.Type == gjson.String {
			out = append(out, t.String())
		}
	}
	return out
}

// directoryMarks stand before the working directory in what a CLI tells the model, with what ends it: Codex; Claude Code,
// OpenCode, pi and Copilot; Qwen; Gemini.
var directoryMarks = []struct{ before, after string }{
	{"<cwd>", "</cwd>"}, {"orking directory: ", "\n"}, {"working in the directory: ", "\n"}, {"**Workspace Directories:**\n  - ", "\n"},
}

// directory finds the working directory in what a CLI tells the model, "" where it tells none.
func directory(context []string) string {
	for _, text := range context {
		for _, mark := range directoryMarks {
			if _, rest, ok := strings.Cut(text, mark.before); ok {
				dir, _, _ := strings.Cut(rest, mark.after)
				return strings.Trim(strings.TrimSpace(dir), "`")
			}
		}
	}
	return ""
}
