package fakemodel

import (
	"fmt"
	"net/http"
	"time"
)

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
	encode := anthropicAnswer
	if r.API == Responses {
		encode = responsesAnswer
	}
	a := encode(r, step, c, hasCall)

	if step.Delivery == Whole {
		if r.Stream {
			sendStream(w, a.events)
		} else {
			sendJSON(w, http.StatusOK, a.whole)
		}
		return
	}
	if r.Stream {
		sendStream(w, a.events[:min(cut, len(a.events)-1)])
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
	render := func() (http.Header, object) { return f.anthropic(id) }
	if r.API == Responses {
		render = f.openai
	}
	header, body := render()
	for name, values := range header {
		w.Header()[name] = values
	}
	sendJSON(w, f.Status, body)
}
