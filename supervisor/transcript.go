package supervisor

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

// transcriptMost bounds one transcript: what an agent prints beyond it is counted, and its end is kept.
const (
	transcriptMost = 64 << 20
	transcriptTail = 1 << 20
)

// transcript writes everything that an agent prints into a file, redacted and bounded.
type transcript struct {
	path   string
	f      *os.File
	redact *redactor
	clean  redactWriter
	seen   int64 // bytes printed so far
	last   tail  // of what is beyond the bound, not yet redacted
	err    error
}

// newTranscript makes the file for an iteration; an earlier one of the same number is never overwritten (decision 36).
func newTranscript(dir string, n int, r *redactor) (*transcript, error) {
	for i := 1; ; i++ {
		name := fmt.Sprintf("%06d.jsonl", n)
		if i > 1 {
			name = fmt.Sprintf("%06d-%d.jsonl", n, i)
		}
		path := filepath.Join(dir, name)
		f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if errors.Is(err, os.ErrExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("make transcript: %w", err)
		}
		return &transcript{path: path, f: f, redact: r, clean: redactWriter{r: r, w: f}, last: tail{max: transcriptTail}}, nil
	}
}

// beside makes the transcript of the same exec's stderr. The file is there once something was printed.
func (t *transcript) beside() *lateFile {
	return &lateFile{path: strings.TrimSuffix(t.path, ".jsonl") + ".stderr", redact: t.redact}
}

// lateFile is a transcript that is made with its first byte.
type lateFile struct {
	path   string
	redact *redactor
	t      *transcript
	err    error
}

func (l *lateFile) Write(p []byte) (int, error) {
	if l.t == nil && l.err == nil {
		var f *os.File
		if f, l.err = os.OpenFile(l.path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600); l.err == nil {
			l.t = &transcript{path: l.path, f: f, redact: l.redact, clean: redactWriter{r: l.redact, w: f}, last: tail{max: transcriptTail}}
		}
	}
	if l.t == nil {
		return len(p), nil
	}
	return l.t.Write(p)
}

func (l *lateFile) Close() error {
	if l.t == nil {
		return l.err
	}
	return l.t.Close()
}

// Write never fails: a transcript that cannot be written must not stop the agent. The error is given at Close.
func (t *transcript) Write(p []byte) (int, error) {
	n := len(p)
	room := transcriptMost - t.seen
	t.seen += int64(n)
	if room < int64(n) {
		room = max(room, 0)
		_, _ = t.last.Write(p[room:])
		p = p[:room]
	}
	if len(p) > 0 && t.err == nil {
		_, t.err = t.clean.Write(p)
	}
	return n, nil
}

// Close writes what is held back, and the kept end of an oversized transcript.
func (t *transcript) Close() error {
	err := errors.Join(t.err, t.clean.Close())
	if len(t.last.buf) > 0 {
		end := t.last.buf
		if len(end) == transcriptTail {
			end = end[max(t.redact.most, shapeMost):] // its first bytes may be the end of a secret
		}
		_, werr := fmt.Fprintf(t.f, "\n[loopd: left out here, %d bytes were printed in all]\n%s", t.seen, t.redact.Bytes(end))
		err = errors.Join(err, werr)
	}
	return errors.Join(err, t.f.Close())
}

var _ io.WriteCloser = (*transcript)(nil)

// pruneTranscripts keeps the newest transcripts up to a number and a size in bytes.
func pruneTranscripts(dir string, number int, size int64) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("prune transcripts: %w", err)
	}
	if len(entries) <= number && size <= 0 {
		return nil
	}
	sort.Slice(entries, func(i, j int) bool { return entries[i].Name() > entries[j].Name() })
	var total int64
	seen, last := 0, ""
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			continue
		}
		total += info.Size()
		if exec, _, _ := strings.Cut(e.Name(), "."); exec != last { // stdout and stderr of one exec go together
			seen, last = seen+1, exec
		}
		if seen > number || size > 0 && total > size {
			if err := os.Remove(filepath.Join(dir, e.Name())); err != nil {
				return fmt.Errorf("prune transcripts: %w", err)
			}
		}
	}
	return nil
}
