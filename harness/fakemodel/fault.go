package fakemodel

import (
	"net/http"
	"strconv"
	"time"
)

// Fault is an HTTP error. What is left empty is filled with what the vendor answers for that status.
type Fault struct {
	Status  int // 400 to 599
	Kind    string
	Code    string // only OpenAI has one
	Message string
	Header  http.Header
	// Resets is when a usage limit of a subscription ends, the zero time for a fault of another kind.
	Resets time.Time
}

// Fail is an HTTP error with the vendor's usual words for the status.
func Fail(status int) Step { return Step{Fault: &Fault{Status: status}} }

// RateLimit is a 429 of the API; retryAfter goes into the header in whole seconds where it is positive.
func RateLimit(retryAfter time.Duration) Step {
	f := &Fault{Status: http.StatusTooManyRequests, Header: http.Header{}}
	if retryAfter > 0 {
		f.Header.Set("retry-after", strconv.Itoa(int(retryAfter.Seconds())))
	}
	return Step{Fault: f}
}

// UsageLimit is the 429 of a used-up subscription that says when it may be used again: unified headers from Anthropic
// (Claude Code reads them with an OAuth token only), usage_limit_reached from OpenAI.
func UsageLimit(resets time.Time) Step {
	return Step{Fault: &Fault{Status: http.StatusTooManyRequests, Resets: resets}}
}

// Quota is the 429 of an account that has to be paid for.
func Quota() Step {
	return Step{Fault: &Fault{Status: http.StatusTooManyRequests, Kind: quotaKind, Code: quotaKind, Message: "You exceeded your current quota, please check your plan and billing details."}}
}

const quotaKind = "insufficient_quota"

// TooLong is the 400 of a prompt that does not fit into the model's context.
func TooLong() Step {
	return Step{Fault: &Fault{Status: http.StatusBadRequest, Kind: "invalid_request_error", Code: "context_length_exceeded", Message: "prompt is too long: 250000 tokens > 200000 maximum"}}
}

// errorText is what a vendor says for a status where the script does not.
type errorText struct{ kind, code, message string }

var anthropicErrors = map[int]errorText{
	400: {kind: "invalid_request_error", message: "messages: at least one message is required"},
	401: {kind: "authentication_error", message: "invalid x-api-key"},
	403: {kind: "permission_error", message: "Your API key does not have permission to use the specified resource."},
	404: {kind: "not_found_error", message: "model: not found"},
	429: {kind: "rate_limit_error", message: "This request would exceed your account's rate limit. Please try again later."},
	500: {kind: "api_error", message: "Internal server error"},
	529: {kind: "overloaded_error", message: "Overloaded"},
}

var openaiErrors = map[int]errorText{
	400: {kind: "invalid_request_error", message: "Invalid request."},
	401: {kind: "invalid_request_error", code: "invalid_api_key", message: "Incorrect API key provided. You can find your API key in your account settings."},
	403: {kind: "permission_error", message: "You do not have access to this model."},
	404: {kind: "invalid_request_error", code: "model_not_found", message: "The model does not exist or you do not have access to it."},
	429: {kind: "requests", code: "rate_limit_exceeded", message: "Rate limit reached on requests per min (RPM): Limit 3, Used 3, Requested 1."},
	500: {kind: "server_error", message: "The server had an error while processing your request."},
	503: {kind: "server_error", message: "The engine is currently overloaded, please try again later."},
}

// texts returns what the fault says, completed from the vendor's table.
func (f Fault) texts(table map[int]errorText) errorText {
	t, ok := table[f.Status]
	if !ok {
		t = table[http.StatusInternalServerError]
	}
	if f.Kind != "" {
		t.kind, t.code = f.Kind, f.Code
	}
	if f.Message != "" {
		t.message = f.Message
	}
	return t
}

// anthropic renders the fault as Anthropic's API does.
func (f Fault) anthropic(id string) (http.Header, object) {
	h := f.Header.Clone()
	if h == nil {
		h = http.Header{}
	}
	if !f.Resets.IsZero() {
		at := strconv.FormatInt(f.Resets.Unix(), 10)
		h.Set("retry-after", strconv.Itoa(max(1, int(time.Until(f.Resets).Seconds()))))
		for name, value := range map[string]string{
			"status": "rejected", "reset": at, "representative-claim": "five_hour", "overage-status": "rejected",
			"5h-status": "rejected", "5h-reset": at, "5h-utilization": "1.0",
		} {
			h.Set("anthropic-ratelimit-unified-"+name, value)
		}
	}
	t := f.texts(anthropicErrors)
	return h, object{"type": "error", "error": object{"type": t.kind, "message": t.message}, "request_id": id}
}

// openai renders the fault as OpenAI's API does.
func (f Fault) openai(string) (http.Header, object) {
	t := f.texts(openaiErrors)
	body := object{"message": t.message, "type": t.kind, "param": nil, "code": nil}
	if t.code != "" {
		body["code"] = t.code
	}
	if !f.Resets.IsZero() {
		body["type"], body["code"], body["message"] = "usage_limit_reached", nil, "The usage limit has been reached"
		body["plan_type"] = "plus"
		body["resets_at"] = f.Resets.Unix()
		body["resets_in_seconds"] = int(time.Until(f.Resets).Seconds())
	}
	return f.Header.Clone(), object{"error": body}
}
