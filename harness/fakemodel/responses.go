package fakemodel

import (
	"encoding/json"
	"fmt"
)

// responsesAnswer encodes a step as OpenAI's Responses API does. A refusal is a completed response without text, which is
// all that Codex shows of one.
func responsesAnswer(r Request, s Step, c call, hasCall bool) answer {
	text := s.Text
	if s.Stop == StopRefusal {
		text = ""
	}
	var items []object
	if text != "" || !hasCall {
		items = append(items, object{
			"type": "message", "id": fmt.Sprintf("msg_%d", r.N), "status": "completed", "role": "assistant",
			"content": []object{{"type": "output_text", "text": text, "annotations": []any{}}},
		})
	}
	if hasCall {
		items = append(items, responsesCall(r, c))
	}
	response := func(status string, output []object, usage any) object {
		return object{
			"id": fmt.Sprintf("resp_%d", r.N), "object": "response", "created_at": 1_700_000_000, "status": status,
			"model": r.Model, "output": output, "usage": usage, "error": nil, "incomplete_details": nil,
		}
	}
	status, last := "completed", "response.completed"
	if s.Stop == StopMaxTokens {
		status, last = "incomplete", "response.incomplete"
	}
	final := response(status, items, object{
		"input_tokens": s.Usage.In, "input_tokens_details": object{"cached_tokens": s.Usage.Cached},
		"output_tokens": s.Usage.Out, "output_tokens_details": object{"reasoning_tokens": 0},
		"total_tokens": s.Usage.In + s.Usage.Out,
	})
	if s.Stop == StopMaxTokens {
		final["incomplete_details"] = object{"reason": "max_output_tokens"}
	}
	a := answer{whole: final}
	add := func(name string, data object) {
		data["type"], data["sequence_number"] = name, len(a.events)
		a.events = append(a.events, event{name, data})
	}
	add("response.created", object{"response": response("in_progress", []object{}, nil)})
	for i, item := range items {
		begun := object{"type": item["type"], "id": item["id"], "status": "in_progress"}
		if item["type"] == "message" {
			begun["role"], begun["content"] = "assistant", []any{}
		} else {
			begun["call_id"], begun["name"], begun["arguments"], begun["input"] = item["call_id"], item["name"], "", ""
		}
		add("response.output_item.added", object{"output_index": i, "item": begun})
		if item["type"] == "message" {
			for _, part := range halves(text) {
				add("response.output_text.delta", object{"output_index": i, "item_id": item["id"], "content_index": 0, "delta": part})
			}
		}
		add("response.output_item.done", object{"output_index": i, "item": item})
	}
	add(last, object{"response": final})
	return a
}

// responsesCall is the item of a tool call.
func responsesCall(r Request, c call) object {
	item := object{"id": fmt.Sprintf("call_item_%d", r.N), "call_id": fmt.Sprintf("call_%d", r.N), "name": c.name, "status": "completed"}
	if c.args == nil {
		item["type"], item["input"] = "custom_tool_call", c.input
		return item
	}
	args, err := json.Marshal(c.args)
	if err != nil {
		panic(fmt.Sprintf("encode tool arguments: %v", err)) // only plain values go in
	}
	item["type"], item["arguments"] = "function_call", string(args)
	return item
}
