package supervisor

import (
	"bytes"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestRedactor(t *testing.T) {
	r := newRedactor([]string{"API_KEY=hunter2-very-secret", "SSH_KEY_FILE=/home/me/.ssh/id", "TOKEN=short", "HOME=/home/me", "DB_PASSWORD=correct horse battery"}, nil)
	for in, want := range map[string]string{
		"key hunter2-very-secret!":            "key [redacted]!",
		"correct horse battery staple":        "[redacted] staple",
		"short /home/me/.ssh/id":              "short /home/me/.ssh/id",
		"ghp_0123456789012345678901234567890": "[redacted]",
		"sk-ant-" + strings.Repeat("a1", 12):  "[redacted]",
		"task-123 and ask-me":                 "task-123 and ask-me",
	} {
		if got := r.String(in); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
}

// However a stream is cut into writes, no secret comes out of it, and nothing else is changed.
func TestRedactWriterAcrossBorders(t *testing.T) {
	secret := "hunter2-very-secret"
	token := "ghp_0123456789012345678901234567890123"
	r := newRedactor([]string{"API_KEY=" + secret}, nil)
	rapid.Check(t, func(t *rapid.T) {
		var in strings.Builder
		for range rapid.IntRange(1, 60).Draw(t, "pieces") {
			in.WriteString(rapid.SampledFrom([]string{secret, token, " ", "\n", "plain words ", strings.Repeat("x", 300), strings.Repeat("line of text\n", 40)}).Draw(t, "piece"))
			in.WriteString(" ")
		}
		var out bytes.Buffer
		w := &redactWriter{r: r, w: &out}
		rest := []byte(in.String())
		for len(rest) > 0 {
			n := min(rapid.IntRange(1, 700).Draw(t, "cut"), len(rest))
			if _, err := w.Write(rest[:n]); err != nil {
				t.Fatal(err)
			}
			rest = rest[n:]
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if want := r.String(in.String()); out.String() != want {
			t.Fatalf("got  %q\nwant %q", out.String(), want)
		}
	})
}
