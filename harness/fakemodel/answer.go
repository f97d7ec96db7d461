package fakemodel

import (
	"fmt"
	"net/http"
	"time"

	"github.com/tidwall/gjson"
)

// protocol is how one API tells a turn, an error, and the history that it gets.
type protocol struct {
	history func(doc gjson.Result) conversation
	encode  func(Request, Step, call, bool) answer
	fault   func(f Fault, id string) (http.Header, object)
}

// protocols are the APIs that a turn can be asked through.
var protocols = map[API]protocol{
	Anthropic: {anthropicHistory, anthropicAnswer, Fault.anthropic},
	Responses: {responsesHistory, responsesAnswer, Fault.openai},
	Chat:      {chatHistory, chatAnswer, Fault.openai},
	Google:    {googleHistory, googleAnswer, Fault.google},
}

// answer delivers one step.
func (s *Server) answer(w http.ResponseWriter, hr *http.Request, r Request, step Step) {
	gone := hr.Context().Done()
	if step.Delivery == Hang {
		<-gone
		panic(http.ErrAbortHandler) // to return would be an empty answer
	}
	if step.Delay > 0 {
		select {
		case <-gone:
			panic(http.ErrAbortHandler)
		case <-time.After(step.Delay):
		}
	}
	id := fmt.Sprintf("req_%d", r.N)
	w.Header().Set("request-id", id)
	w.Header().Set("x-request-id", id)
	if step.Fault != nil {
		sendFault(w, r, *step.Fault, id)
		return
	}
	if step.Usage == (Usage{}) {
		step.Usage = Usage{In: 100, Out: 10}
	}
	c, hasCall, err := r.toolCall(step)
	if err != nil {
		step = Say("fakemodel: " + err.Error())
	}
	a := protocols[r.API].encode(r, step, c, hasCall)

	if step.Delivery == Whole {
		if r.Stream {
			sendStream(w, a.events, a.last)
		} else {
			sendJSON(w, http.StatusOK, a.whole)
		}
		return
	}
	if r.Stream {
		sendStream(w, a.events[:min(cut, len(a.events)-1)], "")
	} else {
		w.WriteHeader(http.StatusOK)
		_ = http.NewResponseController(w).Flush()
	}
	if step.Delivery == Stall {
		<-gone
	}
	panic(http.ErrAbortHandler) // the standard library's way to cut a connection
}

func sendFault(w http.ResponseWriter, r Request, f Fault, id string) {
	header, body := protocols[r.API].fault(f, id)
	for name, values := range header {
		w.Header()[name] = values
	}
	sendJSON(w, f.Status, body)
}
