package main

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// A notification URL reaches its server, with title and words.
func TestSendURL(t *testing.T) {
	got := make(chan string, 1)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got <- string(body)
	}))
	defer server.Close()
	url := "generic://" + strings.TrimPrefix(server.URL, "http://") + "/hook?disabletls=yes"
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if err := sendURL(ctx, url, "loopd: k stalled", "no movement"); err != nil {
		t.Fatal(err)
	}
	if body := <-got; !strings.Contains(body, "loopd: k stalled") || !strings.Contains(body, "no movement") {
		t.Errorf("the server got %q", body)
	}
}

// A server that says no is an error that says so, and does not show the URL's secrets.
func TestSendURLFails(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) }))
	defer server.Close()
	url := "generic://" + strings.TrimPrefix(server.URL, "http://") + "/secret-path?disabletls=yes"
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	err := sendURL(ctx, url, "t", "b")
	if err == nil {
		t.Fatal("no error")
	}
	if strings.Contains(err.Error(), "secret-path") {
		t.Errorf("the error shows the URL: %v", err)
	}
	if err := sendURL(ctx, "nosuchservice://x", "t", "b"); err == nil {
		t.Error("no error for an unknown service")
	}
}
