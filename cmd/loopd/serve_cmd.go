package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/sourcegraph/conc"
)

// Limits of the server: pages are for one person.
const (
	serveHeaders = 5 * time.Second
	serveIdle    = time.Minute
	serveWrite   = 30 * time.Second
	serveBody    = 16 << 10 // bytes
	serveStreams = 16       // pages that are told of changes at once
)

// Run serves the pages of report, live, until it is told to end. It takes no lease; what --allow-control permits is done by
// the commands of their names.
func (c *serveCmd) Run(a *app) error {
	host, _, err := net.SplitHostPort(c.Listen)
	if err != nil {
		return usagef("loopd serve --listen 127.0.0.1:7077", "--listen %q is not HOST:PORT: %v", c.Listen, err)
	}
	local := isLoopback(host)
	if !local && !c.IKnow {
		return usagef("loopd serve --listen 127.0.0.1:7077, and ssh -L from where you are", "%s is not loopback: who reaches it could read your loops; --i-know allows it, with a token", c.Listen)
	}
	s := &server{watcher: a.watcher(nil), page: a.writePage, control: c.AllowControl, private: !local, now: time.Now}
	if c.AllowControl || !local {
		s.token = newToken()
	}
	l, err := net.Listen("tcp", c.Listen)
	if err != nil {
		return &exitError{Code: codeUsage, What: "cannot listen on " + c.Listen, Why: err, Next: "choose another port with --listen"}
	}
	s.hosts = hostsOf(l.Addr().String(), host)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	h := &http.Server{Handler: s.handler(), ReadHeaderTimeout: serveHeaders, ReadTimeout: serveHeaders, IdleTimeout: serveIdle, MaxHeaderBytes: 16 << 10, BaseContext: func(net.Listener) context.Context { return ctx }}
	var ends conc.WaitGroup
	ends.Go(func() {
		<-ctx.Done()
		late, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		_ = h.Shutdown(late)
	})
	if err := a.Print.Result("http://%s/", l.Addr()); err != nil {
		return err
	}
	if s.token != "" {
		a.Print.Notice("token: " + s.token + " (header X-Loopd-Token, or the password that a browser asks for)")
	}
	err = h.Serve(l)
	stop()
	ends.Wait()
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

func newToken() string {
	var b [24]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

func isLoopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// hostsOf are the names by which a browser may call: a page that a name of somebody else's was pointed at us for is refused
// (DNS rebinding).
func hostsOf(addr, asked string) map[string]bool {
	_, port, _ := net.SplitHostPort(addr)
	out := map[string]bool{addr: true, net.JoinHostPort(asked, port): true}
	if isLoopback(asked) {
		for _, h := range []string{"localhost", "127.0.0.1", "::1"} {
			out[net.JoinHostPort(h, port)] = true
		}
	}
	return out
}

// nonceOf is a new value that a page's own script is allowed by.
func nonceOf() string { return newToken()[:24] }

// policy is the page's content security policy.
func policy(nonce string) string {
	return fmt.Sprintf("default-src 'none'; style-src 'unsafe-inline'; script-src 'nonce-%s'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'", nonce)
}
