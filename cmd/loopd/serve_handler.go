package main

import (
	"bytes"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/VictoriaMetrics/metrics"
)

// server answers requests about loops.
type server struct {
	watcher watcher
	page    func(w io.Writer, loops []reportJSON, now time.Time, live func(*pageData)) error
	token   string
	control bool
	private bool // reading needs the token too
	hosts   map[string]bool
	now     func() time.Time

	mu      sync.Mutex
	read    time.Time
	loops   []watched
	streams int
}

// handler routes, behind the guard.
func (s *server) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) { s.show(w, r, "") })
	mux.HandleFunc("GET /loop/{name}", func(w http.ResponseWriter, r *http.Request) { s.show(w, r, r.PathValue("name")) })
	mux.HandleFunc("GET /events", s.events)
	mux.HandleFunc("GET /metrics", s.metrics)
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok\n") })
	mux.HandleFunc("POST /loop/{name}/{act}", s.act)
	return s.guard(mux)
}

// guard refuses what no page of ours asks: foreign hosts (DNS rebinding), other sites' requests, and what has no token where
// one is needed.
func (s *server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cache-Control", "no-store")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Content-Security-Policy", policy("none"))
		switch {
		case !s.hosts[r.Host] && !s.private:
			http.Error(w, "this name is not ours", http.StatusMisdirectedRequest)
		case foreign(r):
			http.Error(w, "another site's request", http.StatusForbidden)
		case r.Method != http.MethodGet && !s.isToken(r.Header.Get("X-Loopd-Token")):
			http.Error(w, "the token that loopd serve printed is needed: header X-Loopd-Token", http.StatusUnauthorized)
		case s.private && !s.mayRead(r):
			h.Set("WWW-Authenticate", `Basic realm="loopd", charset="UTF-8"`)
			http.Error(w, "the token that loopd serve printed is needed: as the password, or in the header X-Loopd-Token", http.StatusUnauthorized)
		case r.Method != http.MethodGet && !s.control:
			http.Error(w, "read-only: loopd serve --allow-control", http.StatusForbidden)
		default:
			r.Body = http.MaxBytesReader(w, r.Body, serveBody)
			next.ServeHTTP(w, r)
		}
	})
}

// foreign reports whether a browser says that another site made the request.
func foreign(r *http.Request) bool {
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" && site != "same-origin" && site != "none" {
		return true
	}
	origin := r.Header.Get("Origin")
	if origin == "" {
		return false
	}
	u, err := url.Parse(origin)
	return err != nil || u.Host != r.Host
}

// isToken compares in constant time. For a change the token comes in a header, which no other site can set; a password that
// the browser keeps would come with any site's request.
func (s *server) isToken(text string) bool {
	got, want := sha256.Sum256([]byte(text)), sha256.Sum256([]byte(s.token))
	return s.token != "" && subtle.ConstantTimeCompare(got[:], want[:]) == 1
}

// mayRead takes the token from the header or from the password that a browser asks for.
func (s *server) mayRead(r *http.Request) bool {
	_, password, _ := r.BasicAuth()
	return s.isToken(r.Header.Get("X-Loopd-Token")) || s.isToken(password)
}

// all reads the loops, at most once a second however many ask.
func (s *server) all() []watched {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now := s.now(); s.loops == nil || now.Sub(s.read) >= time.Second || now.Before(s.read) {
		s.loops, s.read = s.watcher.loops(), now
	}
	return s.loops
}

// find gives a loop by its name.
func (s *server) find(name string) (watched, bool) {
	for _, w := range s.all() {
		if w.Name == name {
			return w, true
		}
	}
	return watched{}, false
}

// show is the list of loops, or a loop's page.
func (s *server) show(w http.ResponseWriter, r *http.Request, name string) {
	var loops []reportJSON
	if name == "" {
		for _, l := range s.all() {
			loops = append(loops, l.reportJSON)
		}
	} else if l, ok := s.find(name); ok {
		loops = append(loops, s.watcher.page(l).report)
	} else {
		http.Error(w, "there is no such loop", http.StatusNotFound)
		return
	}
	nonce := nonceOf()
	var b bytes.Buffer
	err := s.page(&b, loops, s.now(), func(d *pageData) {
		d.Live, d.Nonce, d.Links = "/events?loop="+url.QueryEscape(name), nonce, name == ""
		if name == "" {
			d.Title = "Loops"
		} else if s.control {
			d.Control = slices.Sorted(maps.Keys(controls))
		}
	})
	if err != nil {
		http.Error(w, "the page could not be made", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Security-Policy", policy(nonce))
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(serveWrite))
	_, _ = w.Write(b.Bytes())
}

// events tells a page when its loops have changed (server-sent events).
func (s *server) events(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	full := s.streams >= serveStreams
	if !full {
		s.streams++
	}
	s.mu.Unlock()
	if full {
		http.Error(w, "too many pages are open", http.StatusServiceUnavailable)
		return
	}
	defer func() { s.mu.Lock(); s.streams--; s.mu.Unlock() }()
	name := r.URL.Query().Get("loop")
	state := func() string {
		h := sha256.New()
		for _, l := range s.all() {
			if name == "" || l.Name == name {
				b, _ := json.Marshal(l.reportJSON) // plain data
				h.Write(b)
			}
		}
		return string(h.Sum(nil))
	}
	w.Header().Set("Content-Type", "text/event-stream")
	out := http.NewResponseController(w)
	send := func(text string) bool {
		_ = out.SetWriteDeadline(time.Now().Add(serveWrite))
		_, err := io.WriteString(w, text)
		return err == nil && out.Flush() == nil
	}
	last := state()
	if !send("retry: 2000\n\n") {
		return
	}
	look := time.NewTicker(time.Second)
	defer look.Stop()
	for quiet := 0; ; quiet++ {
		select {
		case <-r.Context().Done():
			return
		case <-look.C:
		}
		text := ""
		if now := state(); now != last {
			last, text = now, "event: changed\ndata: 1\n\n"
		} else if quiet%15 == 14 {
			text = ": still here\n\n"
		}
		if text != "" && !send(text) {
			return
		}
	}
}

// controls are what --allow-control permits, with the command of each.
var controls = map[string]func(name, text string) []string{
	"steer": func(n, t string) []string { return []string{"steer", n, t} },
	"pause": func(n, _ string) []string { return []string{"pause", n} },
	"resume": func(n, t string) []string {
		if t == "" {
			return []string{"resume", n}
		}
		return []string{"resume", n, "--answer", t}
	},
	"stop":  func(n, _ string) []string { return []string{"stop", n} },
	"clear": func(n, _ string) []string { return []string{"stop", n, "--clear"} },
}

// act runs a command on a loop; the body is its text.
func (s *server) act(w http.ResponseWriter, r *http.Request) {
	argv := controls[r.PathValue("act")]
	l, ok := s.find(r.PathValue("name"))
	if argv == nil || !ok {
		http.Error(w, "there is no such loop or act", http.StatusNotFound)
		return
	}
	body, err := io.ReadAll(r.Body)
	text := strings.TrimSpace(printable(string(body)))
	if err != nil || strings.HasPrefix(text, "-") {
		http.Error(w, "the text is too long, or begins with a dash", http.StatusBadRequest)
		return
	}
	fmt.Fprintln(w, s.watcher.act(l, argv(l.Name, text)...))
}

// metrics are those of all loops, in the text form of Prometheus.
func (s *server) metrics(w http.ResponseWriter, _ *http.Request) {
	set := metrics.NewSet()
	put := func(name, labels string, v float64) { set.GetOrCreateGauge("loopd_"+name+"{"+labels+"}", nil).Set(v) }
	for _, l := range s.all() {
		r := l.reportJSON
		loop := fmt.Sprintf("loop=%q", printable(r.Name))
		put("iteration", loop, float64(r.Iteration))
		put("stall", loop, float64(r.Stall))
		put("idle", loop, float64(r.Idle))
		put("parked", loop, float64(r.Parked))
		put("clean_cycles", loop, float64(r.Clean))
		put("cost_usd", loop, r.Figures.Cost)
		put("tokens", loop, float64(r.Figures.Tokens))
		put("tokens_put_back", loop, float64(r.Figures.TokensPutBack))
		put("verified", loop, float64(r.Figures.Verified))
		put("running", loop, map[bool]float64{true: 1}[r.Running != nil])
		put("status", loop+fmt.Sprintf(",status=%q", r.Status), 1)
		if r.Ratchet != nil {
			put("ratchet", loop, *r.Ratchet)
		}
		if !r.Wake.IsZero() {
			put("next_wake_seconds", loop, float64(r.Wake.Unix()))
		}
		for outcome, n := range r.Figures.Outcomes {
			put("outcomes", loop+fmt.Sprintf(",outcome=%q", outcome), float64(n))
		}
	}
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	set.WritePrometheus(w)
}
