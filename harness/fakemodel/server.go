package fakemodel

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/sourcegraph/conc"
)

// Bounds of one server: a CLI that asks for ever must not fill a machine.
const (
	maxRequests = 5000
	maxBody     = 64 << 20 // bytes
)

// Server is a running model server. Its methods may be called at any time from any goroutine.
type Server struct {
	// URL is http://127.0.0.1:PORT, without a slash at its end. The base URL of Anthropic and Google is URL, OpenAI's URL + "/v1".
	URL string

	script Script
	http   *http.Server
	stop   context.CancelFunc
	wg     conc.WaitGroup

	handlers sync.WaitGroup

	mu       sync.Mutex
	closed   bool
	requests []Request
	models   int
	attempts map[string]int
}

// Start serves script on a free loopback port until ctx ends or Close is called. Errors: no port to be had.
func Start(ctx context.Context, script Script) (*Server, error) {
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen on loopback: %w", err)
	}
	ctx, stop := context.WithCancel(ctx)
	s := &Server{URL: "http://" + listener.Addr().String(), script: script, stop: stop, attempts: map[string]int{}}
	s.http = &http.Server{
		Handler:           http.HandlerFunc(s.serve),
		ReadHeaderTimeout: 30 * time.Second,
		BaseContext:       func(net.Listener) context.Context { return ctx },
	}
	s.wg.Go(func() { _ = s.http.Serve(listener) }) // it ends with ErrServerClosed and with nothing else of interest
	s.wg.Go(func() {
		<-ctx.Done()
		s.mu.Lock()
		s.closed = true
		s.mu.Unlock()
		_ = s.http.Close()
		s.handlers.Wait() // http.Server.Close ends connections and does not wait for their handlers
	})
	return s, nil
}

// Close ends the server and every open answer, and waits until nothing of it runs. It may be called twice.
func (s *Server) Close() {
	s.stop()
	s.wg.Wait()
}

// Requests returns what has arrived so far, oldest first.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// enter counts a handler; false where the server is closing, so that no handler is added while Close waits for them.
func (s *Server) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.handlers.Add(1)
	}
	return !s.closed
}

// admit numbers a request and keeps it; false where the server's bound is reached.
func (s *Server) admit(r *Request) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.requests) >= maxRequests {
		return false
	}
	if _, ok := protocols[r.API]; ok {
		s.models++
		r.N = s.models
		key := fmt.Sprintf("%s %s %d %v %x", r.API, r.Path, r.Turn, r.Aux, sha256.Sum256([]byte(r.Prompt)))
		s.attempts[key]++
		r.Attempt = s.attempts[key]
	}
	s.requests = append(s.requests, *r)
	return true
}

func (s *Server) serve(w http.ResponseWriter, hr *http.Request) {
	if !s.enter() {
		return
	}
	defer s.handlers.Done()
	body, err := io.ReadAll(http.MaxBytesReader(w, hr.Body, maxBody))
	if err != nil {
		sendJSON(w, http.StatusRequestEntityTooLarge, object{"error": object{"type": "request_too_large", "message": err.Error()}})
		return
	}
	r := decode(hr.Method, hr.URL.Path, hr.Header.Clone(), body)
	if !s.admit(&r) {
		sendJSON(w, http.StatusBadRequest, object{"error": object{"type": "invalid_request_error", "message": "fakemodel: too many requests for one test"}})
		return
	}
	if _, ok := protocols[r.API]; ok {
		step := Say("ok")
		if !r.Aux {
			step = s.script(r)
		}
		s.answer(w, hr, r, step)
		return
	}
	switch r.API {
	case CountTokens: // one object for both vendors that count
		sendJSON(w, http.StatusOK, object{"input_tokens": len(body) / 4, "totalTokens": len(body) / 4})
	case Models: // one object that satisfies both vendors' clients
		model := object{"id": "fake", "object": "model", "type": "model", "display_name": "fake"}
		sendJSON(w, http.StatusOK, object{"object": "list", "data": []object{model}, "models": []any{}, "has_more": false})
	default:
		sendJSON(w, http.StatusNotFound, object{"error": object{"type": "not_found_error", "message": "fakemodel: no such endpoint"}})
	}
}
