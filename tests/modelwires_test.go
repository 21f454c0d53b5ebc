package tests

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// wires are the four shapes in which agents and models talk. Each reads what
// matters of a request, and replies with a tool call or, without one, a text.
var wires = []struct {
	path  string
	read  func(doc map[string]any) modelRequest
	reply func(w http.ResponseWriter, doc map[string]any, tool, args string)
}{
	{"/chat/completions", readChat, replyChat},
	{"/responses", readResponses, replyResponses},
	{"/messages", readMessages, replyMessages},
	{":", readGemini, replyGemini}, // models/NAME:streamGenerateContent
}

type obj = map[string]any

func list(v any) []any {
	l, _ := v.([]any)
	return l
}

func field(v any, names ...string) any {
	for _, name := range names {
		m, _ := v.(obj)
		v = m[name]
	}
	return v
}

func str(v any) string {
	s, _ := v.(string)
	return s
}

// textOf is a content, which is a string or a list of parts.
func textOf(v any) string {
	if s, isString := v.(string); isString {
		return s
	}
	var parts []string
	for _, p := range list(v) {
		if s := str(field(p, "text")); s != "" {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, "\n")
}

// event writes one server-sent event.
func event(w http.ResponseWriter, v any) {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err) // only our own values come here
	}
	if kind := str(field(v, "type")); kind != "" {
		fmt.Fprintf(w, "event: %s\n", kind)
	}
	fmt.Fprintf(w, "data: %s\n\n", raw)
}

func stream(w http.ResponseWriter) { w.Header().Set("Content-Type", "text/event-stream") }

func readChat(doc map[string]any) (r modelRequest) {
	for _, t := range list(doc["tools"]) {
		r.offered = append(r.offered, str(field(t, "function", "name")))
	}
	for _, m := range list(doc["messages"]) {
		switch str(field(m, "role")) {
		case "tool":
			r.results = append(r.results, textOf(field(m, "content")))
		case "system", "developer":
			r.system += textOf(field(m, "content"))
		}
	}
	return r
}

func replyChat(w http.ResponseWriter, doc map[string]any, tool, args string) {
	message, finish := obj{"role": "assistant", "content": modelSaysLast}, "stop"
	if tool != "" {
		message, finish = obj{"role": "assistant", "content": nil, "tool_calls": []any{obj{"index": 0,
			"id": "call_" + fmt.Sprint(len(readChat(doc).results)), "type": "function", "function": obj{"name": tool, "arguments": args}}}}, "tool_calls"
	}
	chunk := func(choices []any) obj {
		return obj{"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": doc["model"], "choices": choices}
	}
	if doc["stream"] != true {
		c := chunk([]any{obj{"index": 0, "message": message, "finish_reason": finish}})
		c["object"] = "chat.completion"
		_ = json.NewEncoder(w).Encode(c)
		return
	}
	stream(w)
	event(w, chunk([]any{obj{"index": 0, "delta": message, "finish_reason": nil}}))
	event(w, chunk([]any{obj{"index": 0, "delta": obj{}, "finish_reason": finish}}))
	last := chunk([]any{})
	last["usage"] = obj{"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
	event(w, last)
	fmt.Fprint(w, "data: [DONE]\n\n")
}

// readResponses: Codex offers a server's tools inside a namespace; here they
// are NAMESPACE and name with a zero byte between.
func readResponses(doc map[string]any) (r modelRequest) {
	for _, t := range list(doc["tools"]) {
		if str(field(t, "type")) != "namespace" {
			r.offered = append(r.offered, str(field(t, "name")))
			continue
		}
		for _, inner := range list(field(t, "tools")) {
			r.offered = append(r.offered, str(field(t, "name"))+"\x00"+str(field(inner, "name")))
		}
	}
	for _, item := range list(doc["input"]) {
		if str(field(item, "type")) == "function_call_output" {
			r.results = append(r.results, textOf(field(item, "output")))
		}
	}
	return r
}

func replyResponses(w http.ResponseWriter, doc map[string]any, tool, args string) {
	n := len(readResponses(doc).results)
	item := obj{"type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
		"content": []any{obj{"type": "output_text", "text": modelSaysLast, "annotations": []any{}}}}
	if tool != "" {
		item = obj{"type": "function_call", "id": fmt.Sprintf("fc_%d", n), "call_id": fmt.Sprintf("call_%d", n), "name": tool, "arguments": args, "status": "completed"}
		if namespace, name, ok := strings.Cut(tool, "\x00"); ok {
			item["namespace"], item["name"] = namespace, name
		}
	}
	whole := obj{"id": fmt.Sprintf("resp_%d", n), "object": "response", "created_at": 1, "status": "completed", "model": doc["model"], "output": []any{item},
		"usage": obj{"input_tokens": 10, "input_tokens_details": obj{"cached_tokens": 0}, "output_tokens": 5,
			"output_tokens_details": obj{"reasoning_tokens": 0}, "total_tokens": 15}}
	stream(w)
	event(w, obj{"type": "response.created", "sequence_number": 0, "response": whole})
	event(w, obj{"type": "response.output_item.added", "sequence_number": 1, "output_index": 0, "item": item})
	event(w, obj{"type": "response.output_item.done", "sequence_number": 2, "output_index": 0, "item": item})
	event(w, obj{"type": "response.completed", "sequence_number": 3, "response": whole})
}

func readMessages(doc map[string]any) (r modelRequest) {
	for _, t := range list(doc["tools"]) {
		r.offered = append(r.offered, str(field(t, "name")))
	}
	for _, m := range list(doc["messages"]) {
		for _, part := range list(field(m, "content")) {
			if str(field(part, "type")) == "tool_result" {
				r.results = append(r.results, textOf(field(part, "content")))
			}
		}
	}
	r.system = textOf(doc["system"])
	return r
}

func replyMessages(w http.ResponseWriter, doc map[string]any, tool, args string) {
	n := len(readMessages(doc).results)
	block, empty := obj{"type": "text", "text": modelSaysLast}, obj{"type": "text", "text": ""}
	delta, stop, blocks := obj{"type": "text_delta", "text": modelSaysLast}, "end_turn", 1
	if tool != "" {
		block = obj{"type": "tool_use", "id": fmt.Sprintf("toolu_%d", n), "name": tool, "input": json.RawMessage(args)}
		empty = obj{"type": "tool_use", "name": tool, "input": obj{}}
		delta, stop = obj{"type": "input_json_delta", "partial_json": args}, "tool_use"
	}
	if doc["twice"] == true {
		blocks = 2
	}
	message := obj{"id": fmt.Sprintf("msg_%d", n), "type": "message", "role": "assistant", "model": doc["model"], "content": []any{},
		"stop_reason": nil, "stop_sequence": nil, "usage": obj{"input_tokens": 10, "output_tokens": 1}}
	if doc["stream"] != true {
		message["content"], message["stop_reason"] = []any{block}, stop
		_ = json.NewEncoder(w).Encode(message)
		return
	}
	stream(w)
	event(w, obj{"type": "message_start", "message": message})
	for i := range blocks {
		if tool != "" {
			empty["id"] = fmt.Sprintf("toolu_%d", n+i)
		}
		event(w, obj{"type": "content_block_start", "index": i, "content_block": empty})
		event(w, obj{"type": "content_block_delta", "index": i, "delta": delta})
		event(w, obj{"type": "content_block_stop", "index": i})
	}
	event(w, obj{"type": "message_delta", "delta": obj{"stop_reason": stop, "stop_sequence": nil}, "usage": obj{"output_tokens": 5}})
	event(w, obj{"type": "message_stop"})
}

func readGemini(doc map[string]any) (r modelRequest) {
	for _, t := range list(doc["tools"]) {
		for _, f := range list(field(t, "functionDeclarations")) {
			r.offered = append(r.offered, str(field(f, "name")))
		}
	}
	for _, c := range list(doc["contents"]) {
		for _, part := range list(field(c, "parts")) {
			if response := field(part, "functionResponse", "response"); response != nil {
				said := str(field(response, "output"))
				if said == "" {
					raw, _ := json.Marshal(response)
					said = string(raw)
				}
				r.results = append(r.results, said)
			}
		}
	}
	return r
}

func replyGemini(w http.ResponseWriter, doc map[string]any, tool, args string) {
	part := obj{"text": modelSaysLast}
	switch {
	case tool != "":
		part = obj{"functionCall": obj{"name": tool, "args": json.RawMessage(args)}, "thoughtSignature": "c2ln"}
	case field(doc, "generationConfig", "responseMimeType") == "application/json":
		part = obj{"text": "{}"}
	}
	reply := obj{"candidates": []any{obj{"content": obj{"role": "model", "parts": []any{part}}, "finishReason": "STOP", "index": 0}},
		"usageMetadata": obj{"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15}, "modelVersion": "scripted"}
	if doc["stream"] != true {
		_ = json.NewEncoder(w).Encode(reply)
		return
	}
	stream(w)
	event(w, reply)
}
