package fakemodel

import (
	"net/http"
	"strings"

	"github.com/tidwall/gjson"
)

// googleModel is the model's name in a path such as …/models/NAME:streamGenerateContent, and whether a stream is wanted.
func googleModel(path string) (model string, stream bool) {
	_, rest, _ := strings.Cut(path, "/models/")
	model, verb, _ := strings.Cut(rest, ":")
	return model, verb == "streamGenerateContent"
}

// googleHistory reads contents of the Gemini API.
func googleHistory(doc gjson.Result) (c conversation) {
	c.context = append(c.context, texts(doc.Get("systemInstruction.parts"))...)
	for _, m := range doc.Get("contents").Array() {
		if m.Get("role").String() == "model" {
			c.turns++
			continue
		}
		for _, part := range m.Get("parts").Array() {
			switch response, text := part.Get("functionResponse.response"), part.Get("text"); {
			case response.Exists():
				said := response.Get("output")
				if !said.Exists() { // a tool that failed
					said = response.Get("error")
				}
				c.results = append(c.results, said.String())
			case text.Type == gjson.String:
				c.hear([]string{text.String()})
			}
		}
	}
	return c
}

// googleAnswer encodes a step as Google's Gemini API does.
func googleAnswer(r Request, s Step, c call, hasCall bool) answer {
	finish, text := "STOP", s.Text
	switch s.Stop {
	case StopRefusal:
		finish, text = "SAFETY", ""
	case StopMaxTokens:
		finish = "MAX_TOKENS"
	}
	usage := object{
		"promptTokenCount": s.Usage.In, "candidatesTokenCount": s.Usage.Out, "totalTokenCount": s.Usage.In + s.Usage.Out,
		"cachedContentTokenCount": s.Usage.Cached,
	}
	turn := func(parts []object, finish string) object {
		candidate := object{"index": 0, "content": object{"role": "model", "parts": parts}}
		if finish != "" {
			candidate["finishReason"] = finish
		}
		return object{"candidates": []object{candidate}, "usageMetadata": usage, "modelVersion": r.Model}
	}
	parts := []object{}
	if text != "" {
		parts = append(parts, object{"text": text})
	}
	if hasCall {
		parts = append(parts, object{"functionCall": object{"name": c.name, "args": c.args}})
	}
	a := answer{whole: turn(parts, finish)}
	add := func(parts []object, finish string) { a.events = append(a.events, event{data: turn(parts, finish)}) }
	if text != "" {
		for _, part := range halves(text) {
			add([]object{{"text": part}}, "")
		}
	}
	if hasCall {
		add(parts[len(parts)-1:], "")
	}
	add([]object{}, finish)
	return a
}

// googleStatus are the words of google.rpc.Code for an HTTP status.
var googleStatus = map[int]string{
	400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 404: "NOT_FOUND", 429: "RESOURCE_EXHAUSTED", 500: "INTERNAL", 503: "UNAVAILABLE",
}

var googleErrors = map[int]errorText{
	400: {message: "Request contains an invalid argument."},
	401: {message: "API key not valid. Please pass a valid API key."},
	403: {message: "The caller does not have permission"},
	404: {message: "models/fake is not found for API version v1beta, or is not supported for generateContent."},
	429: {message: "You exceeded your current rate limit. Resource has been exhausted (e.g. check quota)."},
	500: {message: "An internal error has occurred."},
	503: {message: "The model is overloaded. Please try again later."},
	529: {message: "Overloaded"},
}

// google renders the fault as Google's API does: it asks for a pause in the body, not in a header.
func (f Fault) google(string) (http.Header, object) {
	t := f.texts(googleErrors)
	status, ok := googleStatus[f.Status]
	if !ok {
		status = "UNKNOWN"
	}
	body := object{"code": f.Status, "message": t.message, "status": status}
	var details []object
	if f.Kind == quotaKind {
		details = append(details, object{"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": []object{{
			"quotaMetric": "generativelanguage.googleapis.com/generate_content_free_tier_requests", "quotaId": "GenerateRequestsPerDayPerProjectPerModel-FreeTier", "quotaValue": "50",
		}}})
	}
	if pause := f.Header.Get("retry-after"); pause != "" {
		details = append(details, object{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": pause + "s"})
	}
	if details != nil {
		body["details"] = details
	}
	return http.Header{}, object{"error": body}
}
