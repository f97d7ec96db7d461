package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// The live page follows its loop, keeps what was unfolded, takes control requests, and its console has nothing to say.
func TestPagesLive(t *testing.T) {
	chromium(t)
	web, _, did, change := newServer(t, "secret", true, false)
	b := openTab(t, web.URL+"/loop/kaizen")
	b.until(`document.getElementById("live").textContent === "live"`)
	iterations := `document.querySelector(".card b").textContent.trim()`
	b.until(iterations + `.startsWith("7")`)
	b.eval(`document.querySelector("details[id]").open = true`)
	change()
	b.until(iterations + `.startsWith("8")`)
	if !b.eval(`document.querySelector("details[id]").open`).Bool() {
		t.Error("what was unfolded is folded")
	}
	click := func(act, token string) {
		b.eval(fmt.Sprintf(`window.prompt = () => %q; document.getElementById("said").textContent = ""; document.querySelector("#control [value=%s]").click()`, token, act))
		b.until(`document.getElementById("said").textContent !== ""`)
	}
	b.eval(`document.getElementById("text").value = "leave it"`)
	click("steer", "guessed")
	if len(*did) > 0 {
		t.Errorf("without the token: %q", *did)
	}
	refused := len(b.console)
	click("steer", "secret")
	if got := strings.Join(*did, ";"); got != "steer kaizen leave it" {
		t.Errorf("with the token: %q", got)
	}
	for i, said := range b.console {
		if i != refused-1 || !strings.Contains(said, "401") {
			t.Errorf("the console says %s", said)
		}
	}
	if said := openTab(t, web.URL+"/").console; len(said) > 0 {
		t.Errorf("the index: the console says %s", said)
	}
}

// A page of another site can neither read nor steer, nor show a page of loopd in a frame.
func TestPagesOfOthers(t *testing.T) {
	chromium(t)
	web, _, did, _ := newServer(t, "secret", true, false)
	evil := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `<title>wait</title><iframe id="f" src="%[1]s/"></iframe><script>(async () => {
			const got = [];
			for (const go of [() => fetch("%[1]s/loop/kaizen"), () => fetch("%[1]s/metrics", {mode: "no-cors"}), () => fetch("%[1]s/loop/kaizen/stop", {method: "POST", mode: "no-cors", body: "x"}),
				() => fetch("%[1]s/loop/kaizen/stop", {method: "POST", headers: {"X-Loopd-Token": "secret"}, body: "x"})])
				try { const r = await go(); got.push(r.type + " " + (await r.text()).length); } catch (e) { got.push("refused"); }
			document.title = got.join(", ");
		})()</script>`, web.URL)
	}))
	defer evil.Close()
	b := openTab(t, evil.URL)
	b.until(`document.title !== "wait"`)
	if got := b.eval(`document.title`).String(); got != "refused, opaque 0, opaque 0, refused" && got != "refused, refused, refused, refused" {
		t.Errorf("another site got: %s", got)
	}
	if len(*did) > 0 {
		t.Errorf("another site did %q", *did)
	}
	if !strings.Contains(strings.Join(b.console, "\n"), "403") {
		t.Errorf("the frame was not refused: %s", strings.Join(b.console, "\n"))
	}
}
