package fakemodel

import (
	"encoding/json"
	"fmt"
)

// anthropicAnswer encodes a step as Anthropic's Messages API does.
func anthropicAnswer(r Request, s Step, c call, hasCall bool) answer {
	stop := "end_turn"
	if hasCall {
		stop = "tool_use"
	}
	if s.Stop != StopNatural {
		stop = string(s.Stop)
	}
	content := []object{}
	if s.Text != "" && s.Stop != StopRefusal {
		content = append(content, object{"type": "text", "text": s.Text})
	}
	if hasCall {
		content = append(content, object{"type": "tool_use", "id": fmt.Sprintf("toolu_%d", r.N), "name": c.name, "input": c.args})
	}
	message := func(content []object, stop any, out int) object {
		return object{
			"id": fmt.Sprintf("msg_%d", r.N), "type": "message", "role": "assistant", "model": r.Model,
			"content": content, "stop_reason": stop, "stop_sequence": nil,
			"usage": object{
				"input_tokens": s.Usage.In, "output_tokens": out,
				"cache_creation_input_tokens": 0, "cache_read_input_tokens": s.Usage.Cached,
			},
		}
	}
	a := answer{whole: message(content, stop, s.Usage.Out)}
	add := func(name string, data object) {
		data["type"] = name
		a.events = append(a.events, event{name, data})
	}
	add("message_start", object{"message": message([]object{}, nil, 1)})
	for i, block := range content {
		start, field, kind, deltas := object{"type": "text", "text": ""}, "text", "text_delta", halves(s.Text)
		if block["type"] == "tool_use" {
			input, err := json.Marshal(c.args)
			if err != nil {
				panic(fmt.Sprintf("encode tool input: %v", err)) // only plain values go in
			}
			start = object{"type": "tool_use", "id": block["id"], "name": c.name, "input": object{}}
			field, kind, deltas = "partial_json", "input_json_delta", halves(string(input))
		}
		add("content_block_start", object{"index": i, "content_block": start})
		for _, part := range deltas {
			add("content_block_delta", object{"index": i, "delta": object{"type": kind, field: part}})
		}
		add("content_block_stop", object{"index": i})
	}
	add("message_delta", object{"delta": object{"stop_reason": stop, "stop_sequence": nil}, "usage": object{"output_tokens": s.Usage.Out}})
	add("message_stop", object{})
	return a
}
