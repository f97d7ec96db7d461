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
	name string // "" for none
	data object
}

// answer is one turn in a vendor's shape, ready for both ways of sending it.
type answer struct {
	events []event
	whole  object
	last   string // what ends the stream behind its events, as it is; "" for nothing
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

// sendStream writes events, each flushed, and last behind them where it is not "".
func sendStream(w http.ResponseWriter, events []event, last string) {
	w.Header().Set("content-type", "text/event-stream")
	w.Header().Set("cache-control", "no-cache")
	flush := http.NewResponseController(w)
	_ = flush.Flush() // a stream without events has begun too
	for _, e := range events {
		data, err := json.Marshal(e.data)
		if err != nil {
			panic(fmt.Sprintf("encode event %s: %v", e.name, err)) // only plain values go in
		}
		if e.name != "" {
			fmt.Fprintf(w, "event: %s\n", e.name)
		}
		fmt.Fprintf(w, "data: %s\n\n", data)
		_ = flush.Flush()
	}
	if last != "" {
		fmt.Fprintf(w, "data: %s\n\n", last)
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
