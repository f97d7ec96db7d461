// Package fakemodel is a model server on loopback for tests: it speaks enough of Anthropic Messages, OpenAI
// Responses and Chat Completions, and Google's Gemini API that the real agent CLIs work against it without a key and
// without a network (clients.go).
//
// A test hands it a Script, a function from the request to the next turn of the model, so that the answer can depend on
// what the prompt says, on how far the conversation is, and on how often the same turn was asked for. Everything that
// arrives is kept for assertions.
//
// Here live decoding of the protocols (request.go), what a turn can be (step.go, fault.go), how an abstract tool call
// becomes a call of the tool that the CLI offered (tools.go), and the encoders (anthropic.go, responses.go, chat.go,
// google.go, wire.go). What may not live here: knowledge of loopd beyond its names for the CLIs, and anything that the
// program itself links.
package fakemodel
