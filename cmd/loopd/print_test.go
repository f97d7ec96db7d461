package main

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// printed makes a printer into memory.
func printed(g globals) (p *printer, out, errs *bytes.Buffer) {
	out, errs = &bytes.Buffer{}, &bytes.Buffer{}
	return newPrinter(surroundings{Stdout: out, Stderr: errs}, g), out, errs
}

func TestStreams(t *testing.T) {
	for _, c := range []struct {
		name  string
		g     globals
		wants []string
		lacks []string
	}{
		{"as it is", globals{}, []string{"a notice", "a warning"}, []string{"a detail"}},
		{"-q", globals{Quiet: true}, []string{"a warning"}, []string{"a notice", "a detail"}},
		{"-v", globals{Verbose: true}, []string{"a notice", "a warning", "a detail"}, nil},
		{"--log-level over -q", globals{Quiet: true, LogLevel: "debug"}, []string{"a notice", "a detail"}, nil},
		{"json", globals{LogFormat: "json"}, []string{`"msg":"a notice"`, `"level":"WARN"`}, []string{"a detail"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, out, errs := printed(c.g)
			p.Notice("a notice")
			p.Warn("a warning")
			p.Detail("a detail")
			p.Live("nobody sees this")
			if err := errors.Join(p.Result("result %d", 1), p.JSON(map[string]string{"a": "<b>"})); err != nil {
				t.Fatal(err)
			}
			if out.String() != "result 1\n{\"a\":\"<b>\"}\n" {
				t.Errorf("stdout has %q", out)
			}
			for _, s := range c.wants {
				if !strings.Contains(errs.String(), s) {
					t.Errorf("%q lacks %q", errs, s)
				}
			}
			for _, s := range append(c.lacks, "nobody", "\x1b") {
				if strings.Contains(errs.String(), s) {
					t.Errorf("%q has %q", errs, s)
				}
			}
		})
	}
}

func TestFail(t *testing.T) {
	p, out, errs := printed(globals{})
	code := p.fail(&exitError{Code: codeUsage, What: "bad config\nand more", Where: "c.toml:3", Next: "loopd config"})
	if code != codeUsage || out.Len() > 0 || errs.String() != "loopd: c.toml:3: bad config\n  and more\n  next: loopd config\n" {
		t.Errorf("%d %q %q", code, out, errs)
	}
	p, _, errs = printed(globals{})
	if code := p.fail(endWith(codeHeld)); code != codeHeld || errs.Len() > 0 {
		t.Errorf("what was told already is told again: %d %q", code, errs)
	}
	p, _, errs = printed(globals{Verbose: true})
	p.fail(fmt.Errorf("do this: %w", errors.New("the cause")))
	if !strings.Contains(errs.String(), "  cause: the cause\n") {
		t.Errorf("-v gives no cause: %q", errs)
	}
}

func TestLiveLine(t *testing.T) {
	var screen bytes.Buffer
	w := &liveWriter{to: &screen, terminal: true}
	w.live("step 1")
	fmt.Fprintln(w, "a log line")
	w.live("step 1")
	w.clear()
	want := eraseLine + "step 1" + eraseLine + "a log line\nstep 1" + eraseLine
	if screen.String() != want {
		t.Errorf("%q, want %q", screen.String(), want)
	}
}

func TestHide(t *testing.T) {
	a := &app{surroundings: surroundings{Env: []string{"ANTHROPIC_API_KEY=sk-secret-value", "MY_TOKEN=1", "KEY_FILE=/home/me/key.pem"}}}
	for text, want := range map[string]string{
		"curl -H sk-secret-value x": "curl -H [secret] x", "1 word": "1 word", "/home/me/key.pem": "/home/me/key.pem",
	} {
		if got := a.hide(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
	for text, want := range map[string]string{
		"slack://xoxb:token@channel": "slack://[secret]", "https://api.example": "https://api.example", "https://u:p@api.example/": "https://[secret]",
		"https://hooks.example/T/B": "https://[secret]", "": "", "plain": "plain", "C:x": "C:x",
	} {
		if got := hideURL(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
	if hideVariable("MY_TOKEN", "x") != secret || hideVariable("MODE", "batch") != "batch" || hideVariable("MY_TOKEN", "") != "" {
		t.Error("a variable with a secret name is shown, or another one hidden")
	}
}
