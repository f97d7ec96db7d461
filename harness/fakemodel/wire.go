package fakemodel

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// object is a JSON object.
type object = map[string]any

// event is one server-sent event.
type event struct {
	name string
	data object
}

// answer is one turn in a vendor's shape, ready for both ways of sending it.
type answer struct {
	events []event
	whole  object
}

// cut is how many events a stalled or dropped stream still sends: headers, the start of the message and of its first
// block, so that a CLI has begun to read.
const cut = 3

// sendJSON writes an object with a status.
func sendJSON(w http.ResponseWriter, status int, v object) {
	w.Header().Set("content-type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // a CLI that went away is not the server's fault
}

// sendStream writes the first n events, each flushed.
func sendStream(w http.ResponseWriter, events []event) {
	w.Header().Set("content-type", "text/event-stream")
	w.Header().Set("cache-control", "no-cache")
	flush := http.NewResponseController(w)
	for _, e := range events {
		data, err := json.Marshal(e.data)
		if err != nil {
			panic(fmt.Sprintf("encode event %s: %v", e.name, err)) // only plain values go in
		}
		fmt.Fprintf(w, "event: %s\ndata: %s\n\n", e.name, data)
		_ = flush.Flush()
	}
}

// halves splits a text in two, so that every stream has more than one delta; never inside a character.
func halves(s string) []string {
	runes := []rune(s)
	if len(runes) < 2 {
		return []string{s}
	}
	return []string{string(runes[:len(runes)/2]), string(runes[len(runes)/2:])}
}
