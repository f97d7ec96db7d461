package fakemodel

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tidwall/gjson"
)

// chatHistory reads messages of the Chat Completions API.
func chatHistory(doc gjson.Result) (c conversation) {
	for _, m := range doc.Get("messages").Array() {
		said := texts(m.Get("content"))
		switch m.Get("role").String() {
		case "assistant":
			c.turns++
		case "tool":
			c.results = append(c.results, strings.Join(said, "\n"))
		case "user":
			c.hear(said)
		default:
			c.context = append(c.context, said...)
		}
	}
	return c
}

// chatAnswer encodes a step as OpenAI's Chat Completions API does. Its stream has unnamed chunks, usage in one of its own,
// and a last line that is no JSON.
func chatAnswer(r Request, s Step, c call, hasCall bool) answer {
	finish, text := "stop", s.Text
	switch {
	case s.Stop == StopRefusal:
		finish, text = "content_filter", ""
	case s.Stop == StopMaxTokens:
		finish = "length"
	case hasCall:
		finish = "tool_calls"
	}
	usage := object{
		"prompt_tokens": s.Usage.In, "completion_tokens": s.Usage.Out, "total_tokens": s.Usage.In + s.Usage.Out,
		"prompt_tokens_details": object{"cached_tokens": s.Usage.Cached},
	}
	id := fmt.Sprintf("chatcmpl-%d", r.N)
	head := func(kind string, choices []object) object {
		return object{"id": id, "object": kind, "created": 1_700_000_000, "model": r.Model, "choices": choices}
	}
	message := object{"role": "assistant", "content": text}
	var toolCall object
	if hasCall {
		args, err := json.Marshal(c.args)
		if err != nil {
			panic(fmt.Sprintf("encode tool arguments: %v", err)) // only plain values go in
		}
		toolCall = object{"id": fmt.Sprintf("call_%d", r.N), "type": "function", "function": object{"name": c.name, "arguments": string(args)}}
		message["tool_calls"] = []object{toolCall}
	}
	a := answer{whole: head("chat.completion", []object{{"index": 0, "message": message, "finish_reason": finish}}), last: "[DONE]"}
	a.whole["usage"] = usage
	chunk := func(delta object, finish any) {
		a.events = append(a.events, event{data: head("chat.completion.chunk", []object{{"index": 0, "delta": delta, "finish_reason": finish}})})
	}
	chunk(object{"role": "assistant", "content": ""}, nil)
	if text != "" {
		for _, part := range halves(text) {
			chunk(object{"content": part}, nil)
		}
	}
	if hasCall {
		toolCall["index"] = 0
		chunk(object{"tool_calls": []object{toolCall}}, nil)
	}
	chunk(object{}, finish)
	count := head("chat.completion.chunk", []object{})
	count["usage"] = usage
	a.events = append(a.events, event{data: count})
	return a
}
