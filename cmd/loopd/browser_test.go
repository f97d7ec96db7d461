package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"
	"golang.org/x/net/websocket"
)

// chromium gives the browser. These tests take a minute, so they run in scripts/check pages alone.
func chromium(t *testing.T) string {
	t.Helper()
	if os.Getenv("LOOPD_PAGES") == "" {
		t.Skip("only in scripts/check pages: LOOPD_PAGES is not set")
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Fatal("there is no chromium on PATH")
	return ""
}

// browserArgs start it without a window, a sandbox that root cannot have, and a word to the network.
func browserArgs(t *testing.T) []string {
	t.Helper()
	profile, err := os.MkdirTemp("", "loopd-pages-*")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // its helpers may write their last while it goes: t.TempDir would call that a failure
		for range 100 {
			if os.RemoveAll(profile) == nil {
				return
			}
		}
	})
	return []string{"--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
		"--disable-dev-shm-usage", "--hide-scrollbars", "--enable-logging=stderr", "--user-data-dir=" + profile}
}

// tab is a page in a browser that a test can ask.
type tab struct {
	t       *testing.T
	ws      *websocket.Conn
	n       int
	console []string // what went wrong in it
}

// openTab starts a browser of its own, which ends with the test, and opens a page.
func openTab(t *testing.T, url string) *tab {
	t.Helper()
	cmd := exec.Command(chromium(t), append(browserArgs(t), "--remote-debugging-port=0", "about:blank")...)
	errs, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	asked := false
	t.Cleanup(func() {
		if !asked {
			_ = cmd.Process.Kill()
		}
		_ = cmd.Wait()
	})
	lines, port := bufio.NewScanner(errs), ""
	for port == "" && lines.Scan() {
		if _, at, ok := strings.Cut(lines.Text(), "DevTools listening on ws://"); ok {
			port, _, _ = strings.Cut(at, "/")
		}
	}
	go func() { // a full pipe would stop it
		for lines.Scan() {
		}
	}()
	resp, err := http.Get("http://" + port + "/json/list")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var pages []struct {
		Type string `json:"type"`
		URL  string `json:"webSocketDebuggerUrl"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&pages); err != nil || len(pages) == 0 {
		t.Fatalf("the browser lists no page: %v", err)
	}
	ws, err := websocket.Dial(pages[0].URL, "", "http://"+port)
	if err != nil {
		t.Fatal(err)
	}
	b := &tab{t: t, ws: ws}
	t.Cleanup(func() {
		b.call("Browser.close", `{}`) // so that its helpers go with it
		asked = true
		ws.Close()
	})
	b.call("Runtime.enable", `{}`)
	b.call("Log.enable", `{}`)
	b.call("Page.enable", `{}`)
	b.call("Page.navigate", fmt.Sprintf(`{"url":%q}`, url))
	b.until(`document.readyState === "complete" && location.href !== "about:blank"`)
	return b
}

// call sends one command and gives its result. What the page says meanwhile is kept.
func (b *tab) call(method, params string) gjson.Result {
	b.t.Helper()
	b.n++
	if err := b.ws.SetDeadline(time.Now().Add(30 * time.Second)); err != nil {
		b.t.Fatal(err)
	}
	if err := websocket.Message.Send(b.ws, fmt.Sprintf(`{"id":%d,"method":%q,"params":%s}`, b.n, method, params)); err != nil {
		b.t.Fatal(err)
	}
	for {
		var text string
		if err := websocket.Message.Receive(b.ws, &text); err != nil {
			b.t.Fatalf("%s: %v", method, err)
		}
		m := gjson.Parse(text)
		switch m.Get("method").String() {
		case "Runtime.exceptionThrown", "Log.entryAdded", "Runtime.consoleAPICalled":
			b.console = append(b.console, m.Get("params").String())
		}
		if m.Get("id").Int() == int64(b.n) {
			return m.Get("result")
		}
	}
}

// eval gives the value of an expression in the page.
func (b *tab) eval(expression string) gjson.Result {
	b.t.Helper()
	quoted, err := json.Marshal(expression)
	if err != nil {
		b.t.Fatal(err)
	}
	return b.call("Runtime.evaluate", fmt.Sprintf(`{"expression":%s,"returnByValue":true,"awaitPromise":true}`, quoted)).Get("result.value")
}

// until waits for an expression to be true: in the page, a frame at a time.
func (b *tab) until(expression string) {
	b.t.Helper()
	got := b.eval(`new Promise(done => { const end = Date.now() + 20000; const look = () => { if (` + expression + `) done(true); else if (Date.now() > end) done(false); else setTimeout(look, 20); }; look(); })`)
	if !got.Bool() {
		b.t.Fatalf("never true: %s\nthe page: %s\nits console: %s", expression, b.eval(`document.body.innerText`).String(), strings.Join(b.console, "\n"))
	}
}
