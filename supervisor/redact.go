package supervisor

import (
	"bytes"
	"io"
	"regexp"
	"sort"
	"strings"

	"loopd/harness"
)

// redacted stands where a secret stood.
const redacted = "[redacted]"

// tokenShapes are anchored prefixes of well-known credentials, for those that are in no variable.
var tokenShapes = regexp.MustCompile(`\b(sk-ant-[A-Za-z0-9_-]{16,}|sk-proj-[A-Za-z0-9_-]{16,}|sk-[A-Za-z0-9]{32,}|ghp_[A-Za-z0-9]{30,}|gho_[A-Za-z0-9]{30,}|ghs_[A-Za-z0-9]{30,}|ghu_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{30,}|glpat-[A-Za-z0-9_-]{18,}|xox[abpr]-[A-Za-z0-9-]{16,}|AKIA[0-9A-Z]{16}|AIza[0-9A-Za-z_-]{35}|hf_[A-Za-z0-9]{30,}|npm_[A-Za-z0-9]{30,}|dop_v1_[a-f0-9]{60,})`)

// shapeHints are searched first: they are cheap, and without one of them the expression cannot match.
var shapeHints = [][]byte{[]byte("sk-"), []byte("gh"), []byte("glpat-"), []byte("xox"), []byte("AKIA"), []byte("AIza"), []byte("hf_"), []byte("npm_"), []byte("dop_v1_")}

// redactor takes secret values out of what is written or shown.
type redactor struct {
	values [][]byte // longest first, so that a secret that holds another goes whole
	most   int      // longest value
}

// newRedactor collects the secret values of an environment. Short values ("1", "true") are no secrets but words that
// would be struck everywhere.
func newRedactor(env []string, known []harness.Harness) *redactor {
	r := &redactor{}
	seen := map[string]bool{}
	secret := map[string]bool{}
	for _, name := range harness.Secrets(env, known) {
		secret[name] = true
	}
	for _, kv := range env {
		name, value, _ := strings.Cut(kv, "=")
		if len(value) < 8 || seen[value] || !secret[name] || strings.HasPrefix(value, "/") {
			continue // a path names where a secret lies, it is none
		}
		seen[value] = true
		r.values = append(r.values, []byte(value))
		r.most = max(r.most, len(value))
	}
	sort.Slice(r.values, func(i, j int) bool { return len(r.values[i]) > len(r.values[j]) })
	return r
}

// Bytes returns b without secrets; b itself where there are none.
func (r *redactor) Bytes(b []byte) []byte {
	for _, v := range r.values {
		if bytes.Contains(b, v) {
			b = bytes.ReplaceAll(b, v, []byte(redacted))
		}
	}
	for _, h := range shapeHints {
		if bytes.Contains(b, h) {
			return tokenShapes.ReplaceAll(b, []byte(redacted))
		}
	}
	return b
}

// String is Bytes for text.
func (r *redactor) String(s string) string { return string(r.Bytes([]byte(s))) }

// shapeMost is how much of a chunk's end may be the beginning of a shaped token.
const shapeMost = 256

// redactWriter redacts a stream: a secret that lies across two chunks is found too, since the end of a chunk waits
// until it can no longer be the beginning of one.
type redactWriter struct {
	r    *redactor
	w    io.Writer
	held []byte
}

func (w *redactWriter) Write(p []byte) (int, error) {
	n := len(p)
	w.held = append(w.held, p...)
	keep := max(w.r.most, shapeMost)
	if len(w.held) <= 4*keep {
		return n, nil
	}
	// Cut after a line end where there is one: no secret crosses it, and a token is never halved.
	cut := len(w.held) - keep
	if i := bytes.LastIndexByte(w.held, '\n'); i >= cut {
		cut = i + 1
	} else {
		cut = w.safeCut(cut)
	}
	_, err := w.w.Write(w.r.Bytes(w.held[:cut]))
	w.held = append(w.held[:0], w.held[cut:]...)
	return n, err
}

// safeCut moves a cut before any secret value that lies across it, and before the token characters that it would halve.
func (w *redactWriter) safeCut(cut int) int {
	for _, v := range w.r.values {
		from := max(cut-len(v)+1, 0)
		if i := bytes.Index(w.held[from:min(cut+len(v)-1, len(w.held))], v); i >= 0 {
			cut = from + i
		}
	}
	least := max(cut-shapeMost, 1)
	for c := cut; c > least; c-- {
		if !tokenByte(w.held[c-1]) {
			return c
		}
	}
	return cut
}

func tokenByte(b byte) bool {
	return b == '-' || b == '_' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
}

// Close writes what was held back.
func (w *redactWriter) Close() error {
	_, err := w.w.Write(w.r.Bytes(w.held))
	w.held = nil
	return err
}
