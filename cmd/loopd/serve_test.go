package main

import (
	"bufio"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"loopd/journal"
)

// newServer serves one loop; changes makes the next look see another one.
func newServer(t *testing.T, token string, control, private bool) (*httptest.Server, *server, *[]string, func()) {
	t.Helper()
	did := &[]string{}
	var n atomic.Int64
	a := &app{surroundings: surroundings{Env: os.Environ()}}
	s := &server{
		page: a.writePage, token: token, control: control, private: private, now: time.Now, hosts: map[string]bool{},
		watcher: watcher{
			loops: func() []watched {
				r := sampleReport()
				r.Iteration += int(n.Load())
				r.Status = journal.Active
				return []watched{{"/r", r}}
			},
			page: func(w watched) watchedPage { return watchedPage{report: w.reportJSON} },
			act:  func(w watched, argv ...string) string { *did = append(*did, strings.Join(argv, " ")); return "said" },
		},
	}
	h := httptest.NewServer(s.handler())
	t.Cleanup(h.Close)
	s.hosts[strings.TrimPrefix(h.URL, "http://")] = true
	return h, s, did, func() { n.Add(1) }
}

func request(t *testing.T, method, url, body string, header map[string]string) (int, string, http.Header) {
	t.Helper()
	r, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for k, v := range header {
		if k == "Host" {
			r.Host = v
		}
		r.Header.Set(k, v)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(b), resp.Header
}

func basic(password string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte("loopd:"+password))
}

// Each guard: what it refuses, and that nothing is done then.
func TestServeGuards(t *testing.T) {
	token := map[string]string{"X-Loopd-Token": "secret"}
	with := func(k, v string) map[string]string { return map[string]string{"X-Loopd-Token": "secret", k: v} }
	for _, c := range []struct {
		name             string
		control, private bool
		method, path     string
		header           map[string]string
		code             int
		did              string
	}{
		{"reading is free on loopback", false, false, "GET", "/", nil, 200, ""},
		{"a rebound name", false, false, "GET", "/", map[string]string{"Host": "evil.example"}, 421, ""},
		{"another site's frame or script", false, false, "GET", "/", map[string]string{"Sec-Fetch-Site": "cross-site"}, 403, ""},
		{"a neighbour site", false, false, "GET", "/metrics", map[string]string{"Sec-Fetch-Site": "same-site"}, 403, ""},
		{"our own page", false, false, "GET", "/", map[string]string{"Sec-Fetch-Site": "same-origin"}, 200, ""},
		{"another origin", true, false, "POST", "/loop/kaizen/pause", with("Origin", "http://evil.example"), 403, ""},
		{"no token", true, false, "POST", "/loop/kaizen/pause", nil, 401, ""},
		{"a wrong token", true, false, "POST", "/loop/kaizen/pause", map[string]string{"X-Loopd-Token": "secre"}, 401, ""},
		{"a token in the address", true, false, "POST", "/loop/kaizen/pause?X-Loopd-Token=secret", nil, 401, ""},
		{"read-only", false, false, "POST", "/loop/kaizen/pause", token, 403, ""},
		{"allowed", true, false, "POST", "/loop/kaizen/pause", token, 200, "pause kaizen"},
		{"steer", true, false, "POST", "/loop/kaizen/steer", token, 200, "steer kaizen the text"},
		{"a flag as a text", true, false, "POST", "/loop/kaizen/stop", token, 200, "stop kaizen"},
		{"an act that is not ours", true, false, "POST", "/loop/kaizen/retire", token, 404, ""},
		{"a loop that is not ours", true, false, "POST", "/loop/other/pause", token, 404, ""},
		{"no such page", false, false, "GET", "/loop/other", nil, 404, ""},
		{"no such path", false, false, "GET", "/../etc/passwd", nil, 404, ""},
		{"reading where others reach it", false, true, "GET", "/", nil, 401, ""},
		{"reading with the token", false, true, "GET", "/", token, 200, ""},
		{"reading with the password of a browser", false, true, "GET", "/", map[string]string{"Authorization": basic("secret")}, 200, ""},
		{"a wrong password", false, true, "GET", "/", map[string]string{"Authorization": basic("secret ")}, 401, ""},
		{"a change by the password alone, that a browser adds to any site's request", true, true, "POST", "/loop/kaizen/pause", map[string]string{"Authorization": basic("secret")}, 401, ""},
		{"deleting", true, false, "DELETE", "/loop/kaizen", token, 405, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			h, _, did, _ := newServer(t, "secret", c.control, c.private)
			code, _, header := request(t, c.method, h.URL+c.path, "the text", c.header)
			if got := strings.Join(*did, ";"); code != c.code || got != c.did {
				t.Errorf("%d, did %q; want %d, %q", code, got, c.code, c.did)
			}
			for _, k := range []string{"Content-Security-Policy", "X-Content-Type-Options", "X-Frame-Options", "Cross-Origin-Resource-Policy"} {
				if header.Get(k) == "" {
					t.Errorf("no %s", k)
				}
			}
		})
	}
	h, _, did, _ := newServer(t, "secret", true, false)
	if code, _, _ := request(t, "POST", h.URL+"/loop/kaizen/steer", "--now", token); code != 400 || len(*did) > 0 {
		t.Errorf("a flag as the text: %d, %v", code, *did)
	}
	if code, _, _ := request(t, "POST", h.URL+"/loop/kaizen/steer", strings.Repeat("x", 20<<10), token); code != 400 || len(*did) > 0 {
		t.Errorf("a text of 20 KiB: %d, %v", code, *did)
	}
	if code, _, _ := request(t, "POST", h.URL+"/loop/kaizen/pause", "", map[string]string{"X-Loopd-Token": ""}); code != 401 {
		t.Errorf("an empty token: %d", code)
	}
}

func TestServePages(t *testing.T) {
	h, _, _, _ := newServer(t, "", false, false)
	_, index, header := request(t, "GET", h.URL+"/", "", nil)
	nonce := ""
	if _, rest, ok := strings.Cut(header.Get("Content-Security-Policy"), "'nonce-"); ok {
		nonce, _, _ = strings.Cut(rest, "'")
	}
	if nonce == "" || !strings.Contains(index, `<script nonce="`+nonce+`">`) || strings.Count(index, "<script") != 1 || !strings.Contains(index, "/loop/kaizen") && !strings.Contains(index, "Loops") {
		t.Errorf("the index, policy %q:\n%.600s", header.Get("Content-Security-Policy"), index)
	}
	_, page, _ := request(t, "GET", h.URL+"/loop/kaizen", "", nil)
	if !strings.Contains(page, "<polyline") || !strings.Contains(page, "&lt;script&gt;alert(1)") || strings.Count(page, "<script") != 1 {
		t.Errorf("the page:\n%.600s", page)
	}
	_, text, _ := request(t, "GET", h.URL+"/metrics", "", nil)
	for _, want := range []string{`loopd_iteration{loop="kaizen"} 7`, `loopd_outcomes{loop="kaizen",outcome="failed"} 2`, `loopd_ratchet{loop="kaizen"} 2`, `loopd_status{loop="kaizen",status="active"} 1`} {
		if !strings.Contains(text, want) {
			t.Errorf("metrics lack %q:\n%s", want, text)
		}
	}
}

// A page is told when its loop changes, and the stream ends with the request.
func TestServeEvents(t *testing.T) {
	h, s, _, change := newServer(t, "", false, false)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, "GET", h.URL+"/events?loop=kaizen", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	for lines.Scan() && lines.Text() != "retry: 2000" {
	}
	change()
	for lines.Scan() && lines.Text() != "event: changed" {
	}
	if lines.Text() != "event: changed" {
		t.Errorf("nothing was told: %v", lines.Err())
	}
	cancel()
	for lines.Scan() {
	}
	for range 400 {
		s.mu.Lock()
		left := s.streams
		s.mu.Unlock()
		if left == 0 {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Error("the stream is still counted")
}

func TestServeAddresses(t *testing.T) {
	for host, want := range map[string]bool{"127.0.0.1": true, "::1": true, "localhost": true, "127.9.9.9": true, "0.0.0.0": false, "": false, "10.0.0.1": false, "example.com": false, "localhost.evil.example": false} {
		if got := isLoopback(host); got != want {
			t.Errorf("%q: %v", host, got)
		}
	}
	hosts := hostsOf("127.0.0.1:7077", "127.0.0.1")
	for _, h := range []string{"127.0.0.1:7077", "localhost:7077", "[::1]:7077"} {
		if !hosts[h] {
			t.Errorf("%s is not ours", h)
		}
	}
	if hosts["localhost"] || hosts["localhost:80"] || hosts["evil.example:7077"] {
		t.Error(fmt.Sprint("too many names: ", hosts))
	}
}
